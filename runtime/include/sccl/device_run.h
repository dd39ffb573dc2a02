#ifndef SCCL_DEVICE_RUN_H
#define SCCL_DEVICE_RUN_H

/*
 * The body of every generated kernel: one block of one rank goes through the rank's words. It names only what each
 * target layer gives (sccl_await, sccl_post, sccl_copy, sccl_reduce), so it is the same on all of them. Included by
 * sccl/device.h.
 */

/* Block `block` of `blocks` begins here in BYTES, a multiple of 64, and so does the end of the block before. */
static inline uint64_t sccl_block_begin(uint64_t bytes, uint32_t block, uint32_t blocks)
{
	uint64_t each = blocks == 1 ? bytes : (bytes / 64 + blocks - 1) / blocks * 64;

	return each * block < bytes ? each * block : bytes;
}

/* Reads the copy or reduction at W. Returns the words behind it. */
static inline const uint32_t *sccl_move_read(const sccl_block_t *x, const sccl_chunk_t *chunks, const uint32_t *w,
					     uint32_t element, sccl_move_t *m)
{
	uint64_t bytes;

	m->sources = w[2];
	m->targets = w[3];
	m->places = w + 4;
	m->element = element;
	m->span = sccl_chunk_span(&chunks[w[1]], x->launch->count);
	bytes = (m->span.end - m->span.start) * element;
	m->first = x->begin < bytes ? x->begin : bytes;
	m->bytes = (x->end < bytes ? x->end : bytes) - m->first;
	return m->places + 2 * (m->sources + m->targets);
}

/* Ends early when the call was aborted: then the epoch does not move, and the communicator is of no further use. */
static __attribute__((unused)) void sccl_run_block(const sccl_launch_t *launch, uint32_t block, uint32_t blocks,
						   const sccl_tables_t *t, uint32_t element, sccl_fold_t fold)
{
	sccl_block_t x = {launch->env,
			  launch,
			  launch->env->epochs[block],
			  sccl_block_begin(launch->slot_bytes, block, blocks),
			  sccl_block_begin(launch->slot_bytes, block + 1, blocks),
			  block,
			  0};
	const uint32_t *w = t->ranks[x.env->rank];
	sccl_move_t m;

	for (;;) {
		x.step = *w >> 8;
		switch (*w & 0xffu) {
		case SCCL_WORD_OFFER:
			sccl_post(&x, SCCL_READY, w[1], 1);
			w += 2;
			break;
		case SCCL_WORD_CREDIT:
			if (!sccl_await(&x, SCCL_READY, w[1], 1))
				return;
			w += 2;
			break;
		case SCCL_WORD_WAIT:
			if (!sccl_await(&x, SCCL_DATA, w[1], w[2]))
				return;
			w += 3;
			break;
		case SCCL_WORD_SIGNAL:
			sccl_post(&x, SCCL_DATA, w[1], w[2]);
			w += 3;
			break;
		case SCCL_WORD_COPY:
			w = sccl_move_read(&x, t->chunks, w, element, &m);
			sccl_copy(&x, &m);
			break;
		case SCCL_WORD_REDUCE:
			w = sccl_move_read(&x, t->chunks, w, element, &m);
			sccl_reduce(&x, &m, fold);
			break;
		default: /* SCCL_WORD_END */
			x.env->epochs[block] = x.epoch + t->signals;
			sccl_finish(&x);
			return;
		}
	}
}

/* A program's kernel for one type and operation, or for all types of one size where nothing is reduced. */
#define SCCL_KERNEL(name, tables, type, op)                                                              \
	static void name##_##type##_##op(const sccl_launch_t *launch, uint32_t block, uint32_t blocks)   \
	{                                                                                                \
		sccl_run_block(launch, block, blocks, &(tables), SCCL_SIZE_##type, sccl_fold_##type##_##op); \
	}
#define SCCL_KERNELS_OF_TYPE(name, tables, type) \
	SCCL_KERNEL(name, tables, type, sum)     \
	SCCL_KERNEL(name, tables, type, prod)    \
	SCCL_KERNEL(name, tables, type, min)     \
	SCCL_KERNEL(name, tables, type, max)
#define SCCL_COPY_KERNEL(name, tables, bytes)                                                          \
	static void name##_##bytes(const sccl_launch_t *launch, uint32_t block, uint32_t blocks)       \
	{                                                                                              \
		sccl_run_block(launch, block, blocks, &(tables), bytes, NULL);                         \
	}

/* All kernels of a program, and the rows of sccl_program_t.kernels that name them. */
#define SCCL_REDUCING_KERNELS(name, tables)      \
	SCCL_KERNELS_OF_TYPE(name, tables, f32)  \
	SCCL_KERNELS_OF_TYPE(name, tables, f64)  \
	SCCL_KERNELS_OF_TYPE(name, tables, f16)  \
	SCCL_KERNELS_OF_TYPE(name, tables, bf16) \
	SCCL_KERNELS_OF_TYPE(name, tables, i32)  \
	SCCL_KERNELS_OF_TYPE(name, tables, i64)  \
	SCCL_KERNELS_OF_TYPE(name, tables, u8)
#define SCCL_COPYING_KERNELS(name, tables) \
	SCCL_COPY_KERNEL(name, tables, 1)  \
	SCCL_COPY_KERNEL(name, tables, 2)  \
	SCCL_COPY_KERNEL(name, tables, 4)  \
	SCCL_COPY_KERNEL(name, tables, 8)
#define SCCL_REDUCING_ROW(name, type) {name##_##type##_sum, name##_##type##_prod, name##_##type##_min, name##_##type##_max}
#define SCCL_COPYING_ROW(name, bytes) {name##_##bytes, name##_##bytes, name##_##bytes, name##_##bytes}
#define SCCL_REDUCING_ROWS(name)                                                                               \
	{SCCL_REDUCING_ROW(name, f32), SCCL_REDUCING_ROW(name, f64), SCCL_REDUCING_ROW(name, f16),             \
	 SCCL_REDUCING_ROW(name, bf16), SCCL_REDUCING_ROW(name, i32), SCCL_REDUCING_ROW(name, i64),            \
	 SCCL_REDUCING_ROW(name, u8)}
#define SCCL_COPYING_ROWS(name)                                                                              \
	{SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8), SCCL_COPYING_ROW(name, 2),                    \
	 SCCL_COPYING_ROW(name, 2), SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8),                    \
	 SCCL_COPYING_ROW(name, 1)}

#endif
