#ifndef SCCL_INTEROP_SCHEDULES_CHAKRA_NODES_H
#define SCCL_INTEROP_SCHEDULES_CHAKRA_NODES_H

/* Records of a Chakra trace as nodes, decoded from the encoding of Protocol Buffers. Internal to interop/schedules/. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

enum et_type { ET_COMPUTE = 4, ET_SEND = 5, ET_RECEIVE = 6 }; /* NodeType of et_def.proto */

struct et_node {
	uint64_t id;
	enum et_type type;
	size_t n_after, capacity;
	size_t *after;     /* nodes of the trace that it depends on; owned */
	uint64_t *ids;     /* the same as ids, while reading; owned */
	int peer, chunk, count, total; /* comm_src or comm_dst, msg_chunk_idx, msg_chunk_cnt, total_chunk_cnt; -1: not stated */
	int stated;        /* local_time_step, -1: not stated */
	int64_t tag;
	bool sum;          /* a receive whose data a computation adds up */
	int adder;         /* of such a receive: one more than that computation; 0: none */
	size_t brings;     /* of a computation: the receive */
	int message, ready;
};

struct et_trace {
	const char *path;  /* borrowed; NULL: not read */
	char *collective;  /* as the metadata say; NULL: they do not; owned */
	size_t n, capacity;
	struct et_node *of;    /* owned */
	size_t *order, *place; /* nodes such that dependences come first, and the inverse; owned */
	size_t *stack;         /* owned, as is SEEN: for searches */
	int64_t *seen, stamp;
};

/* False with *e set: not such a trace, or with nodes that depend on each other in a cycle or on what is not there. */
bool et_read(struct et_trace *t, const char *path, const char *bytes, size_t n, struct error *e);
void et_free(struct et_trace *t);

enum { ET_NODES_MAX = 1 << 22 };

#endif
