#ifndef SCCL_BOOTSTRAP_MPI_H
#define SCCL_BOOTSTRAP_MPI_H

/*
 * Ranks that MPI has started meet over a communicator of the caller. All of it is here and inline: the library is built
 * without MPI, and what includes this links the MPI that it is compiled with. C11 and C++, MPI 3 or later.
 *
 *   MPI_Comm own;
 *   sccl_bootstrap_t bootstrap;
 *   if (sccl_bootstrap_mpi(&bootstrap, MPI_COMM_WORLD, &own) == MPI_SUCCESS) ...
 */

#include <sccl/sccl.h>

#include <limits.h>
#include <mpi.h>
#include <stddef.h>

/* What the two functions of a bootstrap do here; 0 or MPI's error number. A communicator needs far less than INT_MAX bytes. */
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

/* COMM's duplicate, which returns errors. Duplicating is an error of COMM, which may end the program instead: so COMM is
 * told to return them meanwhile. */
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
 * Collective over COMM, one of a single group, between MPI_Init and MPI_Finalize; its ranks are those to give to
 * sccl_comm_create. COMM is duplicated, so that nothing said here meets the caller's messages. OWN is the duplicate's
 * place: the caller's, as long as BOOTSTRAP is in use. MPI_SUCCESS or MPI's error number (MPI_Error_string has words);
 * then there is no bootstrap and nothing to close. MPI calls are made by the threads that make and free things; MPI's
 * level of thread support must allow that.
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

/* Collective, after the communicators that use BOOTSTRAP are freed; frees the duplicate. Fine where there is none.
 * MPI_SUCCESS or MPI's error number. */
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
