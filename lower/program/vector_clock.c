/*
 * Vector clocks: one entry per pair of ranks. A signal carries a copy of the sender's clock, which the receiver merges
 * into its own by taking the maximum of each entry. Signals are identified by (step, from, to) and found by binary
 * search.
 */

#include "lower/program/vector_clock.h"

#include "lower/program/build.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What the receiver of a step's signal learns: for each rank, the last move that it has executed. */
struct news {
	int from, to, step;
	int *done; /* owned, [rank]; NULL until the sender has written in this step */
};

struct vector_clocks {
	int ranks;
	int *now; /* [rank * ranks + other]: the last move of other that rank knows to be executed */
	size_t n_news;
	struct news *news; /* sorted by (step, from, to) */
};

static int news_order(const void *va, const void *vb)
{
	const struct news *a = va, *b = vb;

	if (a->step != b->step)
		return a->step - b->step;
	return a->from != b->from ? a->from - b->from : a->to - b->to;
}

struct vector_clocks *vector_clocks_new(int ranks, const struct pushes *pushes, struct error *e)
{
	struct vector_clocks *k = new(struct vector_clocks);
	size_t cells = (size_t)ranks * (size_t)ranks;

	k->ranks = ranks;
	k->news = new_array(struct news, pushes->n);
	for (size_t i = 0; i < pushes->n; i++)
		k->news[i] = (struct news){pushes->of[i].src, pushes->of[i].dst, pushes->of[i].step, NULL};
	qsort(k->news, pushes->n, sizeof *k->news, news_order);
	for (size_t i = 0; i < pushes->n; i++)
		if (k->n_news == 0 || news_order(&k->news[k->n_news - 1], &k->news[i]) != 0)
			k->news[k->n_news++] = k->news[i];
	if (cells > VECTOR_CLOCKS_MAX || k->n_news * (size_t)ranks > VECTOR_CLOCKS_MAX) {
		error_set(e, ERROR_LIMIT, "lower", "%d ranks with %zu signals are too many", ranks, k->n_news);
		vector_clocks_free(k);
		return NULL;
	}
	k->now = new_array(int, cells);
	return k;
}

void vector_clocks_free(struct vector_clocks *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_news; i++)
		free(k->news[i].done);
	free(k->news);
	free(k->now);
	free(k);
}

static struct news *find(struct vector_clocks *k, int from, int to, int step)
{
	struct news key = {from, to, step, NULL};
	return bsearch(&key, k->news, k->n_news, sizeof *k->news, news_order);
}

static int *known(const struct vector_clocks *k, int rank)
{
	return k->now + (size_t)rank * (size_t)k->ranks;
}

void vector_clocks_wait(struct vector_clocks *k, int rank, int from, int step)
{
	const int *other = find(k, from, rank, step)->done;

	for (int r = 0; r < k->ranks; r++)
		if (other[r] > known(k, rank)[r])
			known(k, rank)[r] = other[r];
}

void vector_clocks_move(struct vector_clocks *k, int rank, int number)
{
	known(k, rank)[rank] = number;
}

void vector_clocks_write(struct vector_clocks *k, int rank, int to, int step)
{
	struct news *news = find(k, rank, to, step);

	if (!news->done)
		news->done = new_array(int, (size_t)k->ranks);
	memcpy(news->done, known(k, rank), (size_t)k->ranks * sizeof *news->done);
}

bool vector_clocks_know(const struct vector_clocks *k, int rank, int owner, int number)
{
	return known(k, rank)[owner] >= number;
}
