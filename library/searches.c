/* Searches: the frontier, and the fastest algorithm for each size. Both under a deadline of their own. */

#include "library/objects.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/schedule/collective.h"
#include "explore/best/best.h"
#include "lower/lower.h"
#include "synth/frontier/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the frontier ---- */

struct sccls_frontier {
	struct frontier *frontier;
	sccls_algorithm_t **points; /* [n_points], owned, copies */
	size_t n;
	char *json;
};

/* An allreduce is searched in both of its classes. */
static struct frontier *search(const struct topology *t, const struct collective *k, const struct pareto_options *o, struct error *e)
{
	struct problem p, direct;
	struct frontier *f = NULL;

	if (!problem_open(t, k, &p, e))
		return NULL;
	if (k->kind != ALLREDUCE)
		f = pareto_search(&p, o, e);
	else if (problem_open_direct(t, k, &direct, e)) {
		f = pareto_search_both(&p, &direct, o, e);
		problem_close(&direct);
	}
	problem_close(&p);
	return f;
}

static sccls_frontier_t *give(struct frontier *f)
{
	sccls_frontier_t *out = zeroed(1, sizeof *out);
	struct text json = {0};

	frontier_json(f, &json);
	*out = (sccls_frontier_t){.frontier = f, .n = f->n_points, .json = text_take(&json)};
	out->points = new_array(sccls_algorithm_t *, f->n_points);
	for (size_t i = 0; i < f->n_points; i++)
		out->points[i] = library_algorithm(algorithm_copy(f->points[i]));
	return out;
}

/* What the caller's struct has, which may be older or newer than ours. */
static sccls_search_t given(const sccls_search_t *options)
{
	sccls_search_t o = {0};

	if (options)
		memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
	return o;
}

sccls_status_t sccls_frontier(const sccls_topology_t *t, const char *collective, int32_t root, const sccls_search_t *options,
                              sccls_frontier_t **out)
{
	sccls_search_t asked = given(options);
	struct error e = {0};
	struct collective k = {0};

	if (!t || !collective || !out || !(asked.seconds >= 0) || asked.max_chunks < 0 || asked.most_steps < 0)
		return library_refuse("sccls_frontier: no machine, no collective, nowhere to put the frontier, or a negative option");
	*out = NULL;
	library_enter();
	struct pareto_options o = {.k = WITHOUT_K, .jobs = 1, .max_steps = asked.most_steps, .beyond = !asked.most_steps, .max_chunks = asked.max_chunks,
				   .solve = {.engine = "auto", .timeout = asked.seconds}};
	double before = stop_within(asked.seconds > 0 ? asked.seconds : INFINITY);
	if (library_collective(t, collective, root, &k, &e)) {
		o.k = k.kind == SCAN ? PAPER_K : WITHOUT_K;
		struct frontier *f = search(t->topology, &k, &o, &e);
		if (f && frontier_expand(f, &e))
			*out = give(f);
		else
			frontier_free(f);
	}
	stop_restore(before);
	collective_free(&k);
	return library_leave(&e);
}

size_t sccls_frontier_size(const sccls_frontier_t *f)
{
	return f ? f->n : 0;
}

const sccls_algorithm_t *sccls_frontier_point(const sccls_frontier_t *f, size_t i)
{
	return f && i < f->n ? f->points[i] : NULL;
}

static int is_complete(const struct frontier *f)
{
	return !f->n_open && f->ended != ENDED_TIME && f->ended != ENDED_LIMIT;
}

int sccls_frontier_is_complete(const sccls_frontier_t *f)
{
	return f && is_complete(f->frontier) && (!f->frontier->composed || is_complete(f->frontier->composed));
}

const char *sccls_frontier_json(const sccls_frontier_t *f)
{
	return f ? f->json : NULL;
}

void sccls_frontier_free(sccls_frontier_t *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		sccls_algorithm_free(f->points[i]);
	free(f->points);
	frontier_free(f->frontier);
	free(f->json);
	free(f);
}

/* ---- the fastest ---- */

struct sccls_best {
	size_t n, n_algorithms;
	sccls_best_row_t *rows;
	sccls_algorithm_t **algorithms; /* owned */
	char **methods;                 /* owned, of each */
};

/* The algorithm of an entry, which has it as text. */
static sccls_algorithm_t *read_entry(const struct best_entry *x, struct error *e)
{
	struct json_document *d = json_document_parse(x->text.bytes, x->name, e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;

	json_document_close(d);
	if (a && algorithm_expand(a, e))
		return library_algorithm(a);
	algorithm_free(a);
	return NULL;
}

static sccls_best_t *give_best(const struct best_study *b, const int64_t *sizes, struct error *e)
{
	sccls_best_t *out = zeroed(1, sizeof *out);

	out->n_algorithms = b->n;
	out->algorithms = new_array(sccls_algorithm_t *, b->n);
	out->methods = new_array(char *, b->n);
	out->rows = new_array(sccls_best_row_t, b->n_sizes);
	for (size_t i = 0; i < b->n && e->kind == ERROR_NONE; i++) {
		out->algorithms[i] = read_entry(&b->entries[i], e);
		out->methods[i] = copy_string(b->entries[i].method);
	}
	for (size_t s = 0; s < b->n_sizes; s++) {
		int i = b->fastest[s];
		if (i >= 0)
			out->rows[out->n++] = (sccls_best_row_t){sizes[s], best_time(b, s), b->bound[s], out->algorithms[i], out->methods[i]};
	}
	return out;
}

static bool are_sizes(const int64_t *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sizes[i] < 1 || sizes[i] > (int64_t)1 << 50 || (i && sizes[i] <= sizes[i - 1]))
			return false;
	return n > 0;
}

sccls_status_t sccls_best(const sccls_topology_t *t, const char *collective, int32_t root, const int64_t *sizes, size_t n, double seconds,
                          sccls_best_t **out)
{
	struct error e = {0};
	struct collective k = {0};
	struct best_study study;

	if (!t || !collective || !sizes || !out || !are_sizes(sizes, n) || !(seconds > 0))
		return library_refuse("sccls_best: no machine, collective or seconds, nowhere to put the answer, or sizes that do not ascend");
	*out = NULL;
	library_enter();
	double before = stop_within(seconds);
	if (library_collective(t, collective, root, &k, &e)) {
		const struct best_question q = {.topology = t->topology, .collective = &k, .n_sizes = n, .sizes = sizes, .within = stop_left(),
						.how = {.start = START_STEPS, .sharing = SHARING_FAIR, .alpha = -1}, .most_sends = LOWERED_SENDS_MAX};
		if (best_find(&q, &study, &e)) {
			*out = give_best(&study, sizes, &e);
			best_free(&study);
		}
	}
	stop_restore(before);
	collective_free(&k);
	if (e.kind != ERROR_NONE) {
		sccls_best_free(*out);
		*out = NULL;
	}
	return library_leave(&e);
}

size_t sccls_best_size(const sccls_best_t *b)
{
	return b ? b->n : 0;
}

sccls_status_t sccls_best_row(const sccls_best_t *b, size_t i, sccls_best_row_t *out)
{
	if (!b || !out || i >= b->n)
		return library_refuse("sccls_best_row: there is no such row");
	*out = b->rows[i];
	return SCCLS_OK;
}

void sccls_best_free(sccls_best_t *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_algorithms; i++) {
		sccls_algorithm_free(b->algorithms[i]);
		free(b->methods[i]);
	}
	free(b->algorithms);
	free(b->methods);
	free(b->rows);
	free(b);
}
