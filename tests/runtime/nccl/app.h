#ifndef SCCL_TESTS_NCCL_APP_H
#define SCCL_TESTS_NCCL_APP_H

/* The program that uses NCCL: its ranks, and what its parts share. */

#include "runtime/nccl/abi.h"

#include <stddef.h>
#include <stdint.h>

ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n, const int *devices);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *part, ncclConfig_t *config);
ncclResult_t ncclCommShrink(ncclComm_t comm, int *without, int n, ncclComm_t *rest, ncclConfig_t *config, int flags);
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *window, int flags);
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclAllReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, ncclStream_t);
ncclResult_t ncclAllGather(const void *, void *, size_t, ncclDataType_t, ncclComm_t, ncclStream_t);
ncclResult_t ncclReduceScatter(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, ncclStream_t);
ncclResult_t ncclBroadcast(const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, ncclStream_t);
ncclResult_t ncclBcast(void *, size_t, ncclDataType_t, int, ncclComm_t, ncclStream_t);
ncclResult_t ncclReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t, ncclStream_t);
ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *, void *, ncclDataType_t, ncclScalarResidence_t, ncclComm_t);
ncclResult_t ncclRedOpDestroy(ncclRedOp_t, ncclComm_t);
ncclResult_t ncclSend(const void *, size_t, ncclDataType_t, int, ncclComm_t, ncclStream_t);

enum { RANKS_MAX = 16, MOST = 40000 /* elements of a buffer */ };

/* A rank of this process. */
struct rank {
	int number;
	ncclComm_t comm, part, other;
	ncclRedOp_t op;
	ncclWindow_t windows[2];
	ncclStream_t stream, second;
	int32_t *in, *out;
};

extern int ranks;
extern struct rank mine[RANKS_MAX];
extern int n_mine;
extern ncclUniqueId second_id; /* of another communicator of all */
extern int until_others_end;   /* where there are processes: a pipe that ends when all but the last rank have ended */

void must(ncclResult_t result, const char *what); /* ends the process if a call failed */
void *memory(size_t bytes); /* the driver's where there is one; NULL: none left */
void finish(void); /* waits for this process's streams */
void fill(void);   /* inputs with values, outputs with -1 */

/* What element I of the output of RANK should be. */
typedef int32_t (*expected_t)(int rank, size_t i, size_t count);
/* Says for each rank whether COUNT elements are right, and calls fill. */
void expect(const char *what, size_t count, expected_t expected);
int32_t gathered(int rank, size_t i, size_t count);
int32_t scattered(int rank, size_t i, size_t count);
int32_t from_first(int rank, size_t i, size_t count);
int32_t at_first(int rank, size_t i, size_t count);
int32_t summed(int rank, size_t i, size_t count);
int32_t summed_by_rest(int rank, size_t i, size_t count); /* without the last rank */

/* A call of every rank that is here: one after another in a group, as NCCL asks. */
#define EACH(call)                                                \
	do {                                                      \
		must(ncclGroupStart(), "ncclGroupStart");         \
		for (int i_ = 0; i_ < n_mine; i_++) {             \
			struct rank *r = &mine[i_];               \
			must(call, #call);                        \
		}                                                 \
		must(ncclGroupEnd(), "ncclGroupEnd");             \
	} while (0)

/* The parts in app_groups.c. */
void work_in_windows(void);
void work_in_orders(void);
void work_with_abort(void);

#endif
