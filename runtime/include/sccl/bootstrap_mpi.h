#ifndef SCCL_BOOTSTRAP_MPI_H
#define SCCL_BOOTSTRAP_MPI_H

/*
 * A bootstrap for ranks started by MPI, over a communicator of the caller. Everything here is inline: the library is
 * built without MPI, and the code that includes this header links the MPI it is compiled with. C11 and C++, MPI 3 or
 * later.
 *
 *   MPI_Comm own;
 *   sccl_bootstrap_t bootstrap;
 *   if (sccl_bootstrap_mpi(&bootstrap, MPI_COMM_WORLD, &own) == MPI_SUCCESS) ...
 */

#include <sccl/sccl.h>

#include <limits.h>
#include <mpi.h>
#include <stddef.h>

/* The two functions of the bootstrap. They return 0 or an MPI error code. Creating a communicator exchanges far fewer
 * than INT_MAX bytes. */
static inline int sccl_mpi_allgather(void *context, const void *mine, void *all, size_t bytes)
{
	if (bytes > (size_t)INT_MAX)
		return MPI_ERR_COUNT;
	return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, *(MPI_Comm *)context);
}

static inline int sccl_mpi_barrier(void *context)
{
	return MPI_Barrier(*(MPI_Comm *)context);
}

/* Duplicates COMM into *own, with an error handler that returns errors. An error during duplication is raised on COMM,
 * whose handler may abort the program, so COMM is set to return errors for the duration of the call. */
static inline int sccl_mpi_duplicate(MPI_Comm comm, MPI_Comm *own)
{
	MPI_Errhandler before;
	int status = MPI_Comm_get_errhandler(comm, &before);

	if (status != MPI_SUCCESS)
		return status;
	status = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	if (status == MPI_SUCCESS)
		status = MPI_Comm_dup(comm, own);
	MPI_Comm_set_errhandler(comm, before);
	MPI_Errhandler_free(&before);
	if (status == MPI_SUCCESS)
		status = MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN);
	return status;
}

/*
 * Collective over COMM, an intracommunicator, between MPI_Init and MPI_Finalize; pass its ranks to sccl_comm_create.
 * COMM is duplicated so that the library's messages cannot match the caller's. *OWN holds the duplicate; the caller
 * provides it and must keep it valid as long as BOOTSTRAP is in use. Returns MPI_SUCCESS or an MPI error code
 * (MPI_Error_string describes it); on error there is no bootstrap and nothing to close. MPI is called from the threads
 * that create and free objects; the MPI thread support level must allow that.
 */
static inline int sccl_bootstrap_mpi(sccl_bootstrap_t *bootstrap, MPI_Comm comm, MPI_Comm *own)
{
	int between_groups, status;

	if (!bootstrap || !own)
		return MPI_ERR_ARG;
	bootstrap->context = NULL;
	bootstrap->allgather = NULL;
	bootstrap->barrier = NULL;
	*own = MPI_COMM_NULL;
	if (comm == MPI_COMM_NULL)
		return MPI_ERR_COMM;
	status = MPI_Comm_test_inter(comm, &between_groups);
	if (status != MPI_SUCCESS || between_groups)
		return status != MPI_SUCCESS ? status : MPI_ERR_COMM;
	status = sccl_mpi_duplicate(comm, own);
	if (status != MPI_SUCCESS)
		return status;
	bootstrap->context = own;
	bootstrap->allgather = sccl_mpi_allgather;
	bootstrap->barrier = sccl_mpi_barrier;
	return MPI_SUCCESS;
}

/* Collective, after freeing the communicators that use BOOTSTRAP; frees the duplicate. A bootstrap that is NULL or
 * already closed is allowed. Returns MPI_SUCCESS or an MPI error code. */
static inline int sccl_bootstrap_mpi_close(sccl_bootstrap_t *bootstrap)
{
	MPI_Comm *own = bootstrap ? (MPI_Comm *)bootstrap->context : NULL;

	if (!own)
		return MPI_SUCCESS;
	bootstrap->context = NULL;
	bootstrap->allgather = NULL;
	bootstrap->barrier = NULL;
	return MPI_Comm_free(own);
}

#endif
