/*
 * Tables that map NCCL's collectives, data types and operations to ours, and the call of the real function.
 */
#include "runtime/nccl/call.h"

#include "runtime/nccl/real.h"

enum { COMBINES = 1, PER_RANK = 2, ROOTED = 4, ALIGNED = 8 };

static const struct {
	const char *name, *collective;
	int traits; /* PER_RANK: NCCL counts one rank's part of the output, we count the input; ALIGNED: outputs in windows have the
	             * same offset on all ranks */
} kinds[KINDS] = {
	[ALL_REDUCE] = {"ncclAllReduce", "allreduce", COMBINES | ALIGNED},
	[ALL_GATHER] = {"ncclAllGather", "allgather", ALIGNED},
	[REDUCE_SCATTER] = {"ncclReduceScatter", "reducescatter", COMBINES | PER_RANK},
	[BROADCAST] = {"ncclBroadcast", "broadcast", ROOTED},
	[REDUCE] = {"ncclReduce", "reduce", COMBINES | ROOTED},
};

const char *call_name(const struct nccl_call *c)
{
	return kinds[c->kind].name;
}

bool call_is_staged(const struct nccl_call *c)
{
	return !(kinds[c->kind].traits & ALIGNED);
}

static const sccl_dtype_t dtypes[NCCL_TYPES] = {
	[ncclInt8] = SCCL_I8,       [ncclUint8] = SCCL_U8,     [ncclInt32] = SCCL_I32,    [ncclUint32] = SCCL_U32,
	[ncclInt64] = SCCL_I64,     [ncclUint64] = SCCL_U64,   [ncclFloat16] = SCCL_F16,  [ncclFloat32] = SCCL_F32,
	[ncclFloat64] = SCCL_F64,   [ncclBfloat16] = SCCL_BF16, [ncclFloat8e4m3] = SCCL_F8E4M3, [ncclFloat8e5m2] = SCCL_F8E5M2,
};

static const sccl_op_t ops[NCCL_OPS] = {
	[ncclSum] = SCCL_SUM, [ncclProd] = SCCL_PROD, [ncclMax] = SCCL_MAX, [ncclMin] = SCCL_MIN, [ncclAvg] = SCCL_AVG};

size_t call_type_size(ncclDataType_t type)
{
	return sccl_dtype_size(dtypes[type]);
}

/* For data that is only moved, just the size matters; sums and products of signed and unsigned integers have the same bits. One
 * selector serves what does. */
static sccl_dtype_t merged(sccl_dtype_t type, bool combines, sccl_op_t op)
{
	bool orders = op == SCCL_MIN || op == SCCL_MAX || op == SCCL_AVG;

	if (!combines && (type == SCCL_F8E4M3 || type == SCCL_F8E5M2))
		return SCCL_U8;
	if (combines && orders)
		return type;
	return type == SCCL_I8 ? SCCL_U8 : type == SCCL_U32 ? SCCL_I32 : type == SCCL_U64 ? SCCL_I64 : type;
}

bool call_terms(const struct nccl_call *c, uint32_t ranks, struct terms_of_call *out, const char **why)
{
	int traits = kinds[c->kind].traits;

	*out = (struct terms_of_call){kinds[c->kind].collective, traits & ROOTED ? c->root : -1, c->count, SCCL_DTYPES, SCCL_SUM};
	*why = "the data type";
	if ((unsigned)c->type >= NCCL_TYPES)
		return false;
	if (traits & COMBINES) {
		*why = "the operation";
		if ((unsigned)c->op >= NCCL_OPS && !c->has_factor)
			return false;
		out->op = c->has_factor ? SCCL_PREMUL_SUM : ops[c->op];
	}
	out->type = merged(dtypes[c->type], traits & COMBINES, out->op);
	*why = "the count";
	if (c->count > ((uint64_t)1 << 38) / ranks)
		return false;
	if (traits & PER_RANK)
		out->count = c->count * ranks;
	return true;
}

bool call_matches(const struct nccl_call *c, const struct terms_of_call *t, const sccl_program_t *p)
{
	uint64_t whole = (uint64_t)c->count * p->ranks;

	for (uint32_t r = 0; r < p->ranks; r++) {
		bool root = (int)r == c->root;
		uint64_t in = c->kind == REDUCE_SCATTER ? whole : c->kind == BROADCAST && !root ? 0 : c->count;
		uint64_t out = c->kind == ALL_GATHER ? whole : c->kind == REDUCE && !root ? 0 : c->count;

		if (p->input_count(r, t->count) != in || p->output_count(r, t->count) != out)
			return false;
	}
	return true;
}

ncclResult_t call_real(const struct nccl_call *c)
{
	real_t f = real_function(call_name(c));

	if (!f)
		return ncclSystemError;
	switch (c->kind) {
	case ALL_GATHER:
		return ((ncclResult_t (*)(const void *, void *, size_t, ncclDataType_t, ncclComm_t, ncclStream_t))f)(
			c->in, c->out, c->count, c->type, c->comm, c->stream);
	case BROADCAST:
		return ((ncclResult_t (*)(const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, ncclStream_t))f)(
			c->in, c->out, c->count, c->type, c->root, c->comm, c->stream);
	case REDUCE:
		return ((ncclResult_t (*)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t,
					  ncclStream_t))f)(c->in, c->out, c->count, c->type, c->op, c->root, c->comm, c->stream);
	case ALL_REDUCE:
	case REDUCE_SCATTER:
	case KINDS:
	default:
		return ((ncclResult_t (*)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, ncclStream_t))f)(
			c->in, c->out, c->count, c->type, c->op, c->comm, c->stream);
	}
}
