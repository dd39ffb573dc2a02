#ifndef SCCL_EXPLORE_BEST_SOURCES_H
#define SCCL_EXPLORE_BEST_SOURCES_H

/*
 * Where the algorithms of a study come from, each source in a process of its own, which sends what it finds as records:
 * all constructions, with the bounds after the first algorithm; and the catalog, followed by a search if the catalog has no
 * frontier. If these found nothing in their time, which on a busy computer may pass before they have begun, a third builds one
 * classic algorithm, since nothing is worth less than any answer.
 */

#include "explore/best/best.h"

#include "core/base/process.h"

enum source {
	SOURCE_CONSTRUCTIONS,
	SOURCE_FRONTIER,
	SOURCES, /* of those at the same time */
	SOURCE_CLASSIC = SOURCES,
	ALL_SOURCES,
};

/* What a record reports. */
enum source_record {
	SOURCE_BEGINS, /* what is tried now: name */
	/*
	 * For each size a lower bound on the µs of any schedule; then, for each size, one for schedules that run as asked, in
	 * steps or by dataflow. Its text: the certificate of the former (simulate/time_bound.h), without a buffer.
	 */
	SOURCE_BOUND,
	SOURCE_FOUND,  /* an algorithm of method `name`: its µs for each size, and its file unless others are known to be as fast */
	SOURCE_LATE,   /* a construction that did not end in its time: name; it may have found something by then */
	SOURCE_ENDS,   /* text: a struct error; ERROR_LIMIT: more time might find more */
};

struct source_news {
	enum source_record what;
	struct candidate cost;
	char *name;            /* owned, as are the numbers */
	double *numbers;
	struct text text;      /* bytes and length; borrowed from the worker */
};

/*
 * Starts a source for Q, which is borrowed, as is AT_ONCE, shared memory that says how many constructions may run at once
 * (NULL: one). False with *e set. Release with process_finish or process_kill.
 */
bool source_start(struct worker *p, const struct best_question *q, enum source source, const volatile int *at_once, struct error *e);

/*
 * The next complete record of what P has sent, from *AT on; *AT is moved past it. False: there is none yet. The caller
 * calls source_news_free.
 */
bool source_next(const struct worker *p, size_t *at, struct source_news *out);
void source_news_free(struct source_news *n);

#endif
