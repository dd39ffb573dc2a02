#ifndef SCCL_PROGRAM_H
#define SCCL_PROGRAM_H

/*
 * What a generated file exports and all that the runtime knows about it: data, and one launch function per data type
 * and operation. This is the complete interface between generated code and the runtime; sccl/device.h is what the body
 * of a generated program calls. The same for C11, C++, CUDA and HIP.
 */

#include <stdint.h>

/* Precedes the declaration of a program, which has C linkage in every language. */
#ifdef __cplusplus
#define SCCL_EXTERN extern "C"
#else
#define SCCL_EXTERN extern
#endif

/* 1 while a compiler processes the file for a GPU: programs are data for the CPU. */
#if defined(__HIP_DEVICE_COMPILE__)
#define SCCL_DEVICE_PASS 1
#else
#define SCCL_DEVICE_PASS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the interface between generated programs and the runtime. The runtime rejects programs of other
 * versions. */
#define SCCL_ABI 10u

/* Data types of elements. The 8-bit floating-point numbers are those of the Open Compute Project (OFP8, 2023). */
typedef enum sccl_dtype {
	SCCL_F32,
	SCCL_F64,
	SCCL_F16,
	SCCL_BF16,
	SCCL_I32,
	SCCL_I64,
	SCCL_U8,
	SCCL_F8E4M3,
	SCCL_F8E5M2,
	SCCL_I8,
	SCCL_U32,
	SCCL_U64,
	SCCL_DTYPES
} sccl_dtype_t;

/*
 * Operations of reductions. The average of integers is their sum, which wraps, divided by the number of ranks and rounded
 * towards zero; the average of floating-point numbers is the sum of their products with the inverse of that number. A
 * premultiplied sum is a sum of products with a factor of each rank (sccl_plan_factor). A product is rounded to the type.
 */
typedef enum sccl_op { SCCL_SUM, SCCL_PROD, SCCL_MIN, SCCL_MAX, SCCL_AVG, SCCL_PREMUL_SUM, SCCL_OPS } sccl_op_t;

struct sccl_launch; /* sccl/device.h */

/*
 * Executes one rank's part of a call: immediately on the host, elsewhere on the stream (cudaStream_t, hipStream_t).
 * Returns 0 or the driver's error number. With LAUNCH == NULL it loads the kernel and returns how many of its blocks
 * the current device can hold at once, or the driver's error number, negated. (Loading a kernel behind one that spins
 * would block until that one ends, possibly forever.)
 */
typedef int (*sccl_kernel_t)(const struct sccl_launch *launch, void *stream);

/*
 * How a receiver knows that pushed data has arrived. Plain: a flag is written after the data. Packets: each 8 bytes
 * hold 4 bytes of data and their own flag, written in one store, so no rank waits for a flag behind the data; this
 * doubles the bytes and suits small messages. Shared: plain, but ranks read each other's inputs, which must lie in
 * symmetric memory, where plain copies them to scratch slots first. Multimem: on machines whose switches copy and add (NVLink
 * SHARP), what all ranks have is loaded as one sum, in an order that the switch chooses, and what all ranks get is stored
 * once; outputs lie in symmetric memory, and inputs too where the program reads those of others. Pull: receivers load from
 * their senders' scratch slots, where the others have senders store; nobody writes the memory of others. Lines: packets of 128
 * bytes, of which 120 are data, for hardware that keeps 128 bytes of a warp's store together: NVLink, but not PCIe.
 */
typedef enum sccl_protocol { SCCL_PLAIN, SCCL_PACKETS, SCCL_SHARED, SCCL_MULTIMEM, SCCL_PULL, SCCL_LINES, SCCL_PROTOCOLS } sccl_protocol_t;

/* The instructions of all ranks, as words (sccl/device.h), and the memory they need. */
typedef struct sccl_table {
	const uint32_t *const *words; /* of each rank; NULL: the program does not support this protocol */
	const uint32_t *lengths;      /* number of words of each rank */
	uint32_t signals;             /* by how much a call advances every flag and the epoch */
	uint32_t scratch_slots;       /* maximum over the ranks; a slot holds any chunk, after up to 63 unused bytes */
	uint32_t packet_slots;        /* maximum over the ranks; a slot holds any chunk as packets */
	uint32_t reads_inputs;        /* 1: ranks read each other's inputs */
} sccl_table_t;

/* How a chunk is cut out of L: part `part` of `parts` of block `block` of `blocks`. A chunk has the same length on
 * every rank. */
typedef struct sccl_chunk {
	uint32_t block, blocks, part, parts;
} sccl_chunk_t;

/* Where a chunk lies in a buffer of the collective: part `part` of `parts` of block `block` of `blocks`. When n
 * elements are cut into m parts, part i is [floor(n i / m), floor(n (i + 1) / m)). */
typedef struct sccl_place {
	uint32_t rank, chunk;
	uint32_t block, blocks, part, parts;
} sccl_place_t;

/* What a generated program exports under its name. */
typedef struct sccl_program {
	uint32_t abi;           /* SCCL_ABI of the headers it was generated for */
	const char *name;       /* a C identifier */
	const char *target;     /* "host", "cuda", "hip" */
	const char *collective; /* "allgather", ... as in the algorithm file */
	int32_t root;           /* -1: not rooted */
	uint32_t combining;     /* 1: values are reduced, so kernels depend on the operation */
	uint32_t wide;          /* 1: a reduction adds and multiplies f16 and bf16 in f32, and rounds once (--accumulate f32) */
	uint32_t ranks, chunks, global_chunks, steps, rounds; /* P, C, G, S, R */
	uint32_t width;         /* bandwidth of the widest link, which is the minimum number of blocks needed to
	                         * saturate it */
	sccl_table_t tables[SCCL_PROTOCOLS];
	const sccl_chunk_t *cuts; /* of each chunk */
	/* Length in elements of the longest chunk in a call of COUNT elements (L, one rank's input). */
	uint64_t (*chunk_limit)(uint64_t count);
	/* Number of elements in a rank's input and output buffer in a call of COUNT; 0 if it has none. */
	uint64_t (*input_count)(uint32_t rank, uint64_t count);
	uint64_t (*output_count)(uint32_t rank, uint64_t count);
	/* Which ranks push to which: pairs (from, to), sorted. */
	uint32_t n_connections;
	const uint32_t (*connections)[2];
	/* Inputs and outputs per chunk, sorted by (rank, chunk). The runtime uses them to decide whether a call can run
	 * in place. A reference implementation needs them for a custom collective, and can check itself against them
	 * for all others. */
	uint32_t n_inputs, n_outputs;
	const sccl_place_t *inputs, *outputs;
	/* If nothing is reduced the operation is irrelevant, and the entries of a row are identical. */
	sccl_kernel_t kernels[SCCL_DTYPES][SCCL_OPS];
} sccl_program_t;

#ifdef __cplusplus
}
#endif
#endif
