/* Solvers answer quickly where chunks are few: the value is asked for with ever more of them, until the time for it is over. */

#include "synth/frontier/program_search_parts.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "synth/frontier/candidate.h"

#include <math.h>

enum {
	FEW_CHUNKS = 8,        /* of a direct allreduce whose R/C is above the value */
	ANSWERED_MOST = 20000, /* variables: of all machines of docs/evidence/frontiers.md no larger question has been answered by search */
};

/*
 * For the questions of one point, in steps of work, so that points are the same on every computer: where trees give one too, and
 * where nothing else may. Three to seven million take a second; what is done around a question takes about as long as so many. Engines
 * that do not count have CPU seconds.
 */
static const double asked_work = 8e6, few_work = 12e6, around = 15000, uncounted_seconds = 10;
static const double large_work = 3e5; /* for a large question: what constructions and bounds answer needs no search */

struct asking asking_begin(void)
{
	return (struct asking){asked_work, isinf(stop_left()) ? INFINITY : clock_seconds() + stop_left() / 2, 0};
}

void asking_go_on(struct asking *time)
{
	time->deadline = asking_begin().deadline;
}

static bool asking_is_over(const struct asking *time)
{
	return time->work <= 0 || (!isinf(time->deadline) && clock_seconds() >= time->deadline);
}

/* (chunk, edge, step) variables of a question with so many chunks. */
static double asked_size(const struct program_search *w, int chunks)
{
	const struct problem *p = w->problem;

	return (double)collective_global_chunks(&p->asked, p->network->nodes, chunks / p->asked_unit) * (double)p->network->n_edges * w->steps;
}

/* Asks a solver for candidate C. */
static enum answer ask(struct program_search *w, struct candidate c, struct asking *time)
{
	struct solve_options o = w->options->solve;
	struct candidate_answer got;
	struct error unused = {0};
	double left = isinf(time->deadline) ? INFINITY : fmin(time->deadline - clock_seconds(), stop_left());
	bool large = asked_size(w, c.chunks) > ANSWERED_MOST;

	if (left <= 0 || time->work <= 0)
		return ANSWER_GAVE_UP;
	o.timeout = isinf(left) ? 0 : left;
	o.cpu = uncounted_seconds;
	o.work = large ? fmin(time->work, large_work) : time->work;
	bool ok = candidate_solve(w->problem, c, &o, &got, &unused);
	time->work -= around + (ok ? got.work : 0);
	if (large && (!ok || got.answer == ANSWER_GAVE_UP))
		time->work = 0; /* and the next are hardly easier */
	if (!ok)
		return ANSWER_GAVE_UP;
	w->frontier->lacked_memory = w->frontier->lacked_memory || got.lacked_memory;
	program_search_offer(w, got.algorithm);
	return got.answer;
}

int64_t fewest_chunks(const struct program_search *w)
{
	int64_t unit = w->problem->unit, each = w->value.den / common_divisor(w->value.den, unit);

	if (each > CHUNKS_MAX / unit || w->value.num > ROUNDS_MAX / (each * unit / w->value.den))
		return INT64_MAX;
	each *= unit;
	int64_t rounds = w->value.num * (each / w->value.den);

	return rounds ? each * ((w->steps + rounds - 1) / rounds) : each;
}

void try_fewer_chunks(struct program_search *w, int64_t most, double size, struct asking *time)
{
	int64_t each = w->value.den / common_divisor(w->value.den, w->problem->unit);

	if (program_search_at_value(w) && !w->best) /* fewer steps attain it */
		return;
	if (w->best && program_search_at_value(w) && most >= w->best->chunks)
		most = w->best->chunks - 1;
	most = most < program_search_most_chunks(w) ? most : program_search_most_chunks(w);
	for (int64_t c = time->asked ? time->asked + each * w->problem->unit : fewest_chunks(w);
	     c <= most && asked_size(w, (int)c) <= size && !asking_is_over(time); c += each * w->problem->unit) {
		time->asked = c;
		int64_t rounds = w->value.num * (c / w->value.den);
		if (rounds <= ROUNDS_MAX && ask(w, (struct candidate){(int)c, w->steps, (int)rounds}, time) == ANSWER_FOUND)
			return;
	}
}

void try_few_chunks(struct program_search *w)
{
	struct asking time = asking_begin();

	time.work = few_work;

	for (int c = 1; c <= FEW_CHUNKS && c <= program_search_most_chunks(w) && asked_size(w, c) <= ASKED_MOST && !program_search_at_value(w); c++) {
		int64_t first = rational_ceil(rational_mul(w->value, rational(c, 1)));
		for (int64_t r = first > w->steps ? first : w->steps; !asking_is_over(&time); r++) {
			struct rational than = program_search_to_beat(w);
			if ((rational_ok(than) && rational_compare(rational(r, c), than) >= 0) ||
			    ask(w, (struct candidate){c, w->steps, (int)r}, &time) == ANSWER_FOUND)
				break;
		}
	}
}
