#ifndef SCCL_NCCL_ABI_H
#define SCCL_NCCL_ABI_H

/* The part of NCCL's interface (version 2.28) that is used here, because its header is not available everywhere. Values
 * and layouts are those of nccl.h. */

#include <stddef.h>

typedef struct ncclComm *ncclComm_t;
typedef struct ncclConfig ncclConfig_t;
typedef struct ncclSimInfo ncclSimInfo_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;
typedef struct {
	char internal[128];
} ncclUniqueId;

typedef enum {
	ncclSuccess = 0,
	ncclUnhandledCudaError = 1,
	ncclSystemError = 2,
	ncclInternalError = 3,
	ncclInvalidArgument = 4,
	ncclInvalidUsage = 5,
	ncclRemoteError = 6,
	ncclInProgress = 7
} ncclResult_t;

typedef enum {
	ncclInt8 = 0,
	ncclUint8 = 1,
	ncclInt32 = 2,
	ncclUint32 = 3,
	ncclInt64 = 4,
	ncclUint64 = 5,
	ncclFloat16 = 6,
	ncclFloat32 = 7,
	ncclFloat64 = 8,
	ncclBfloat16 = 9,
	ncclFloat8e4m3 = 10,
	ncclFloat8e5m2 = 11,
	NCCL_TYPES
} ncclDataType_t;

/* Larger values are operations that ncclRedOpCreatePreMulSum made. */
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, NCCL_OPS, NCCL_OP_MOST = 0x7fffffff } ncclRedOp_t;
typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

enum { NCCL_WIN_COLL_SYMMETRIC = 1 }; /* of ncclCommWindowRegister */
enum { NCCL_SHRINK_ABORT = 1 };       /* of ncclCommShrink */

typedef void *ncclStream_t; /* cudaStream_t */

#endif
