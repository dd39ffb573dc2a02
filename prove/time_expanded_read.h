#ifndef SCCL_PROVE_TIME_EXPANDED_READ_H
#define SCCL_PROVE_TIME_EXPANDED_READ_H

/* Prices in expanded time, as certificates have them: docs/reference/proofs.md, "expanded_time". */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct json_place;
struct topology;

/* Of a byte that crosses a link or limit. */
struct expanded_price {
	bool is_limit;
	int resource; /* its number among the links, or the limits, of the topology */
	int64_t *of;  /* [slot] */
};

struct expanded_toll {
	int src, dst; /* of a route */
	int64_t *of;  /* [slot] */
};

/* What a byte of a chunk that FROM has, or contributes to, is worth. */
struct expanded_good {
	int chunk, from;
	int64_t *at_end; /* [node] */
	size_t n_tolls;
	struct expanded_toll *tolls;
};

/* No number is negative. Everything is owned; released by time_expanded_free, also after a fault, or all zeros. */
struct time_expanded {
	struct rational bytes; /* of one rank's input, from which on the line holds */
	int slots;
	struct rational *begin; /* [slots + 1]: from 0 on, ascending */
	size_t n_prices, n_goods;
	struct expanded_price *prices; /* of each link and limit at most one */
	struct expanded_good *goods;
};

/* *OUT is all zeros before. False with *e set. */
bool time_expanded_read(const struct json_place *line, const struct topology *t, struct time_expanded *out, struct error *e);
void time_expanded_free(struct time_expanded *x);

#endif
