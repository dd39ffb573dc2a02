#ifndef SCCL_NCCL_FACTORS_H
#define SCCL_NCCL_FACTORS_H

/* The operations that ncclRedOpCreatePreMulSum has made, with factors that are known on this side. */

#include "runtime/nccl/call.h"

/* Remembers OP of COMM, whose factor of TYPE is at FACTOR. */
void factors_keep(ncclComm_t comm, ncclRedOp_t op, ncclDataType_t type, const void *factor);
/* Forgets OP of COMM. NCCL_OPS: all of COMM's. */
void factors_forget(ncclComm_t comm, ncclRedOp_t op);
/* Gives C its factor, if its operation has one of C's type that is known. */
void factors_find(struct nccl_call *c);

#endif
