#ifndef SCCL_PROGRAM_H
#define SCCL_PROGRAM_H

/*
 * What a generated file exports, and what the runtime knows of it: data and one launch function a data type and
 * operation. This is the whole meeting of generated code and runtime; sccl/device.h is what a generated body calls.
 * C11, C++, CUDA and HIP read it alike.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCCL_ABI 1u

typedef enum sccl_dtype { SCCL_F32, SCCL_F64, SCCL_F16, SCCL_BF16, SCCL_I32, SCCL_I64, SCCL_U8, SCCL_DTYPES } sccl_dtype_t;
typedef enum sccl_op { SCCL_SUM, SCCL_PROD, SCCL_MIN, SCCL_MAX, SCCL_OPS } sccl_op_t;

struct sccl_launch; /* sccl/device.h */

/* One rank's share of a call, for block `block` of `blocks`. On the host a rank's blocks run one after another. */
typedef void (*sccl_kernel_t)(const struct sccl_launch *launch, uint32_t block, uint32_t blocks);

/* Where a chunk lies in a buffer of the collective: part `part` of `parts` of block `block` of `blocks`. Of m parts of n
 * elements, part i is floor(n i / m) up to floor(n (i + 1) / m). */
typedef struct sccl_place {
	uint32_t rank, chunk;
	uint32_t block, blocks, part, parts;
} sccl_place_t;

typedef struct sccl_program {
	uint32_t abi;           /* SCCL_ABI of the headers that it was generated for */
	const char *name;       /* an identifier */
	const char *target;     /* "host", "cuda", "hip" */
	const char *collective; /* "allgather", ... as in the algorithm file */
	int32_t root;           /* -1: not rooted */
	uint32_t combining;     /* 1: values are reduced, kernels differ by operation */
	uint32_t ranks, chunks, global_chunks, steps, rounds; /* P, C, G, S, R */
	uint32_t signals;       /* by how much a call moves every flag and the epoch */
	uint32_t scratch_slots; /* scratch slots of the rank that needs most; one holds any chunk, 64-byte aligned */
	/* The longest chunk of a call of COUNT elements (L, one rank's input), in elements. */
	uint64_t (*chunk_limit)(uint64_t count);
	/* Elements that rank's input and output buffer hold in a call of COUNT; 0 where it has none. */
	uint64_t (*input_count)(uint32_t rank, uint64_t count);
	uint64_t (*output_count)(uint32_t rank, uint64_t count);
	/* Who pushes to whom: pairs (from, to), sorted. */
	uint32_t n_connections;
	const uint32_t (*connections)[2];
	/* Inputs and outputs chunk by chunk, sorted by (rank, chunk): what a reference needs of a custom collective, and
	 * a check of all the others. */
	uint32_t n_inputs, n_outputs;
	const sccl_place_t *inputs, *outputs;
	/* Where nothing is reduced the operation does not matter and all four of a row are the same. */
	sccl_kernel_t kernels[SCCL_DTYPES][SCCL_OPS];
} sccl_program_t;

#ifdef __cplusplus
}
#endif
#endif
