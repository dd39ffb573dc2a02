#ifndef SCCL_NCCL_CALL_H
#define SCCL_NCCL_CALL_H

/* A collective call of NCCL, and its equivalent in our terms. */

#include "runtime/nccl/abi.h"

#include <sccl/sccl.h>

#include <stdbool.h>

enum kind { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, REDUCE, KINDS };

struct nccl_call {
	enum kind kind;
	const void *in;
	void *out;
	size_t count; /* as passed to NCCL */
	ncclDataType_t type;
	ncclRedOp_t op;
	int root;
	ncclComm_t comm;
	ncclStream_t stream;
	bool has_factor; /* the operation is a premultiplied sum with this factor, of the call's type */
	uint64_t factor;
};

struct terms_of_call {
	const char *collective;
	int32_t root;   /* -1: none */
	uint64_t count; /* L */
	sccl_dtype_t type;
	sccl_op_t op;
};

/* Translates C. Returns false if it has no equivalent here; *WHY names the reason. */
bool call_terms(const struct nccl_call *c, uint32_t ranks, struct terms_of_call *out, const char **why);

/* Whether the program's buffer sizes match NCCL's. */
bool call_matches(const struct nccl_call *c, const struct terms_of_call *t, const sccl_program_t *p);

/* May the output of one rank lie in a window where that of another does not, or at another offset? */
bool call_is_staged(const struct nccl_call *c);

size_t call_type_size(ncclDataType_t type); /* bytes of an element of a valid type */
const char *call_name(const struct nccl_call *c); /* "ncclAllReduce", ... */

/* Makes the same call to the real library. */
ncclResult_t call_real(const struct nccl_call *c);

#endif
