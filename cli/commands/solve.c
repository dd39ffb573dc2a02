/* `solve`: asks for one algorithm of given C, S and R, within the time limit of the whole command. */

#include "cli/output/command.h"
#include "cli/output/deadline.h"
#include "cli/arguments/shared.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/allreduce.h"

#include <stdio.h>
#include <stdlib.h>

struct solve_command {
	struct subject_options subject;
	struct candidate candidate;
	struct solve_options search;
	struct schedule_constraints constraints;
	enum options_within within;
	bool expand, json;
	const char *out; /* -o; NULL: standard output */
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(solve_command, subject),
	OPTION_GROUP(candidate_rows, solve_command, candidate),
	OPTION_GROUP(engine_rows, solve_command, search),
	OPTION_GROUP(timeout_rows, solve_command, search),
	OPTION_GROUP(memory_rows, solve_command, search),
	OPTION_GROUP(constraint_rows, solve_command, constraints),
	OPTION_GROUP(within_rows, solve_command, within),
	OPTION_GROUP(expand_rows, solve_command, expand),
	OPTION_GROUP(json_rows, solve_command, json),
	OPTION_GROUP(output_rows, solve_command, out),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Finds an algorithm with C chunks, S steps and R rounds, or shows that there is none.\n\n"
	"C is the number of chunks into which each node's input is divided; S is the number of steps, each of which costs one "
	"latency; R is the total number of rounds. In a round, a link of bandwidth b carries b chunks. The cost is S α + R/C L β "
	"for inputs of L bytes. The algorithm is verified, and written to the file given by -o or, by default, to standard output. "
	"An allreduce is composed of a reducescatter and an allgather, or, if no such composition is found, searched for "
	"directly.\n\n"
	"With --pipeline N, a run can start every N steps, so that runs overlap; with --extra-memory N, each node holds at most N "
	"chunks in transit at a time.\n\n"
	"Example: sccl-synth solve -t dgx1 -c allgather -C 6 -S 3 -R 7 -o a.json\v"
	"Exit status: 0 found; 1 there is no such algorithm, for the reason printed; 2 bad input; 3 a limit was reached.",
	USAGE_GROUPS(groups),
};

/* The answer as a JSON object on one line. The caller frees it. */
static char *json_line(const struct solve_command *o, const struct topology *t, const struct collective *k,
		       const struct candidate_answer *a)
{
	const struct candidate c = o->candidate;
	struct text line = {0};

	text_add(&line, "{\"answer\": \"%s\", \"topology\": ", answer_names[a->answer]);
	text_add_json_string(&line, t->name);
	text_add(&line, ", \"collective\": \"%s\", \"root\": ", collective_called(k));
	collective_add_roots_json(k, &line);
	text_add(&line, ", \"chunks\": %d, \"steps\": %d, \"rounds\": %d, \"engine\": ", c.chunks,
		 a->algorithm ? (int)a->algorithm->n_steps : c.steps, a->algorithm ? algorithm_rounds(a->algorithm) : c.rounds);
	if (a->engine)
		text_add_json_string(&line, a->engine);
	else
		text_add(&line, "null");
	text_add(&line, ", \"seconds\": %.3f, \"file\": ", a->seconds);
	if (a->algorithm && o->out)
		text_add_json_string(&line, o->out);
	else
		text_add(&line, "null");
	text_add(&line, "}\n");
	return text_take(&line);
}

static bool write_found(const struct solve_command *o, const struct algorithm *a, struct error *e)
{
	struct text text = {0};

	if (o->out) {
		if (!algorithm_save(a, o->out, e))
			return false;
		if (!o->json)
			printf("found %s, verified: %s\n", printable(a->name), printable(o->out));
		return true;
	}
	if (!o->json) {
		algorithm_write(a, &text);
		fwrite(text.bytes, 1, text.length, stdout);
		text_free(&text);
	}
	return true;
}

static int report(const struct solve_command *o, const struct topology *t, const struct collective *k,
		const struct candidate_answer *a)
{
	struct error e = {0};

	if (a->answer == ANSWER_FOUND && !write_found(o, a->algorithm, &e))
		return fail(&e);
	if (o->json) {
		char *line = json_line(o, t, k, a);
		fputs(line, stdout);
		free(line);
	} else if (a->answer != ANSWER_FOUND) {
		error_set(&e, ERROR_INPUT, t->name, "%s: %s",
			  a->answer == ANSWER_NONE ? "there is no such algorithm" : "gave up", a->why);
		fail(&e);
	}
	return a->answer == ANSWER_FOUND ? STATUS_DONE : a->answer == ANSWER_NONE ? STATUS_NO : STATUS_GAVE_UP;
}

static bool ask(const struct solve_command *o, const struct topology *t, const struct collective *k,
		struct candidate_answer *a, struct error *e)
{
	enum options_within classes;
	struct problem p;

	if (!options_classes(o->within, o->search.engine, k, &classes, e) || !options_pipeline(&o->constraints, k, classes, e) || !constraints_check(&o->constraints, k, e))
		return false;
	if (k->kind == ALLREDUCE && classes == WITHIN_BOTH)
		return allreduce_solve(t, k, o->candidate, &o->search, a, e);
	if (!(classes == WITHIN_DIRECT ? problem_open_direct : problem_open)(t, k, &p, e))
		return false;
	p.constraints = o->constraints;
	bool asked = candidate_solve(&p, o->candidate, &o->search, a, e);
	problem_close(&p);
	return asked;
}

/* Limits the whole command to --timeout and a little more, so that the answer of a solver that stops in time is
 * used. */
static void begin_deadline(const struct solve_command *o, const struct topology *t, const struct collective *k)
{
	static const double beyond = 0.2;
	const struct candidate_answer late = {.answer = ANSWER_GAVE_UP, .seconds = o->search.timeout};
	struct text message = {0};

	if (!o->json)
		text_add(&message, "sccl-synth: %s: gave up: time limit of %g s\n", printable(t->name), o->search.timeout);
	char *answer = o->json ? json_line(o, t, k, &late) : copy_string(""), *line = text_take(&message);
	deadline_begin(o->search.timeout + beyond, answer, line);
	free(answer);
	free(line);
}

static int solve_it(const struct solve_command *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct candidate_answer a = {0};

	if (o->search.timeout > 0)
		begin_deadline(o, t, k);
	bool asked = ask(o, t, k, &a, &e);
	deadline_end();
	if (asked)
		options_report_root(&o->subject.root, k);
	asked = asked && (!o->expand || !a.algorithm || algorithm_expand(a.algorithm, &e));
	int status = asked ? report(o, t, k, &a) : fail(&e);
	algorithm_free(a.algorithm);
	return status;
}

static bool check(const struct solve_command *o, struct error *e)
{
	const struct candidate c = o->candidate;

	if (!c.chunks)
		return error_set(e, ERROR_INPUT, "-C", "missing; give the number of chunks, as in -C 6");
	if (!c.steps)
		return error_set(e, ERROR_INPUT, "-S", "missing; give the number of steps, as in -S 3");
	if (!c.rounds)
		return error_set(e, ERROR_INPUT, "-R", "missing; give the number of rounds, as in -R 7");
	if (c.rounds < c.steps)
		return error_set(e, ERROR_INPUT, "-R", "must be at least %d, one round per step, not %d", c.steps, c.rounds);
	return options_one_root(&o->subject.root, e);
}

int cmd_solve(int argc, char **argv)
{
	struct error e = {0};
	struct solve_command o = {.search.engine = "auto"};
	struct topology *t = NULL;
	struct collective k = {0};

	if (!options_read(argc, argv, &usage, &o, &e) || !check(&o, &e) || !options_subject(&o.subject, &t, &k, &e))
		return fail(&e);
	catch_interrupts();
	int status = solve_it(&o, t, &k);
	collective_free(&k);
	topology_free(t);
	return status;
}
