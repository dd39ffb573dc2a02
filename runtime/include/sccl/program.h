#ifndef SCCL_PROGRAM_H
#define SCCL_PROGRAM_H

/*
 * What a generated file exports, and what the runtime knows of it: data and one launch function a data type and
 * operation. This is the whole meeting of generated code and runtime; sccl/device.h is what a generated body calls.
 * C11, C++, CUDA and HIP read it alike.
 */

#include <stdint.h>

/* Before the declaration of a program: it has the same name in all languages. */
#ifdef __cplusplus
#define SCCL_EXTERN extern "C"
#else
#define SCCL_EXTERN extern
#endif

/* 1 where a compiler looks at the text for a GPU: programs are for processors to read. */
#if defined(__HIP_DEVICE_COMPILE__)
#define SCCL_DEVICE_PASS 1
#else
#define SCCL_DEVICE_PASS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SCCL_ABI 2u

typedef enum sccl_dtype { SCCL_F32, SCCL_F64, SCCL_F16, SCCL_BF16, SCCL_I32, SCCL_I64, SCCL_U8, SCCL_DTYPES } sccl_dtype_t;
typedef enum sccl_op { SCCL_SUM, SCCL_PROD, SCCL_MIN, SCCL_MAX, SCCL_OPS } sccl_op_t;

struct sccl_launch; /* sccl/device.h */

/*
 * Runs one rank's share of a call: on the host at once, elsewhere on the stream (cudaStream_t, hipStream_t). 0, or the
 * driver's error number. LAUNCH == NULL asks instead how many blocks of this kernel the current device can hold at
 * once, and loads it (a kernel loaded behind one that spins would wait for it for ever): a number of blocks, or the
 * driver's error number, negative.
 */
typedef int (*sccl_kernel_t)(const struct sccl_launch *launch, void *stream);

/*
 * How pushed data is known to have arrived. Plain: flags behind it. Packets: each 8 bytes carry their own flag in the
 * same store, so that nobody waits for a flag behind the data; twice the bytes, for small messages.
 */
typedef enum sccl_protocol { SCCL_PLAIN, SCCL_PACKETS, SCCL_PROTOCOLS } sccl_protocol_t;

/* What the ranks do, in words (sccl/device.h), and the memory that it takes. */
typedef struct sccl_table {
	const uint32_t *const *words; /* each rank's; NULL: the program does not have this protocol */
	const uint32_t *lengths;      /* how many */
	uint32_t signals;             /* by how much a call moves every flag and the epoch */
	uint32_t scratch_slots;       /* of the rank that needs most; one holds any chunk, 64-byte aligned */
	uint32_t packet_slots;        /* the same; one holds any chunk as packets */
} sccl_table_t;

/* How a chunk is cut out of L: part `part` of `parts` of block `block` of `blocks`. It is as long on every rank. */
typedef struct sccl_chunk {
	uint32_t block, blocks, part, parts;
} sccl_chunk_t;

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
	uint32_t width;         /* bandwidth of the widest link: how many blocks it takes to fill it, at least */
	sccl_table_t tables[SCCL_PROTOCOLS];
	const sccl_chunk_t *cuts; /* of each chunk */
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
