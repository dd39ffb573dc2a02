#ifndef SCCL_CARRIER_MPI_H
#define SCCL_CARRIER_MPI_H

/*
 * A carrier over MPI between the servers of a communicator: what ranks without shared memory write into each other's
 * memory is sent as messages. Inline, like sccl/bootstrap_mpi.h. MPI must be initialized with MPI_THREAD_MULTIPLE,
 * since a thread of the library sends and receives. C11 and C++, MPI 3 or later.
 *
 *   sccl_mpi_carrier_t state;
 *   sccl_carrier_t carrier;
 *   sccl_comm_options_t options = {0};
 *   if (sccl_carrier_mpi(&carrier, &state, MPI_COMM_WORLD) == MPI_SUCCESS) {
 *           options.carrier = &carrier;
 *           options.server = sccl_mpi_server(MPI_COMM_WORLD);
 */

#include <sccl/bootstrap_mpi.h>

#include <stdlib.h>

/* The state of a carrier over MPI. */
typedef struct sccl_mpi_carrier {
	MPI_Comm comm;
	MPI_Message message; /* the message that has arrived */
	int bytes;
} sccl_mpi_carrier_t;

/* The four functions of the carrier, as specified in sccl_carrier_t. A ticket is a pointer to an MPI_Request. */
static inline int sccl_mpi_send(void *context, uint32_t to, const void *data, size_t bytes, void **ticket)
{
	MPI_Request *request = bytes > (size_t)INT_MAX ? NULL : (MPI_Request *)malloc(sizeof *request);

	if (!request)
		return -1;
	*ticket = request;
	if (MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, 0, ((sccl_mpi_carrier_t *)context)->comm, request) == MPI_SUCCESS)
		return 0;
	free(request);
	return -1;
}

static inline int sccl_mpi_sent(void *context, void *ticket)
{
	int done = 0;

	(void)context;
	if (MPI_Test((MPI_Request *)ticket, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
		return -1;
	if (done)
		free(ticket);
	return done != 0;
}

static inline int sccl_mpi_arrived(void *context, uint32_t *from, size_t *bytes)
{
	sccl_mpi_carrier_t *c = (sccl_mpi_carrier_t *)context;
	MPI_Status status;
	int there = 0;

	if (MPI_Improbe(MPI_ANY_SOURCE, 0, c->comm, &there, &c->message, &status) != MPI_SUCCESS)
		return -1;
	if (!there)
		return 0;
	if (MPI_Get_count(&status, MPI_BYTE, &c->bytes) != MPI_SUCCESS || c->bytes < 0)
		return -1;
	*from = (uint32_t)status.MPI_SOURCE;
	*bytes = (size_t)c->bytes;
	return 1;
}

static inline int sccl_mpi_receive(void *context, void *data)
{
	sccl_mpi_carrier_t *c = (sccl_mpi_carrier_t *)context;

	return MPI_Mrecv(data, c->bytes, MPI_BYTE, &c->message, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 0 : -1;
}

/* Collective over COMM, whose ranks must be those of the sccl communicator to be created; COMM is duplicated. The
 * caller provides STATE and must keep it valid as long as CARRIER is in use. Returns MPI_SUCCESS or an MPI error code;
 * on error there is nothing to close. */
static inline int sccl_carrier_mpi(sccl_carrier_t *carrier, sccl_mpi_carrier_t *state, MPI_Comm comm)
{
	int level = MPI_THREAD_SINGLE, status;

	if (!carrier || !state)
		return MPI_ERR_ARG;
	carrier->context = NULL;
	if (comm == MPI_COMM_NULL)
		return MPI_ERR_COMM;
	status = MPI_Query_thread(&level);
	if (status != MPI_SUCCESS || level < MPI_THREAD_MULTIPLE)
		return status != MPI_SUCCESS ? status : MPI_ERR_OTHER;
	status = sccl_mpi_duplicate(comm, &state->comm);
	if (status != MPI_SUCCESS)
		return status;
	carrier->context = state;
	carrier->send = sccl_mpi_send;
	carrier->sent = sccl_mpi_sent;
	carrier->arrived = sccl_mpi_arrived;
	carrier->receive = sccl_mpi_receive;
	return MPI_SUCCESS;
}

/* Collective, after freeing the communicators that use the carrier. A carrier that is NULL or already closed is
 * allowed. */
static inline int sccl_carrier_mpi_close(sccl_carrier_t *carrier)
{
	sccl_mpi_carrier_t *state = carrier ? (sccl_mpi_carrier_t *)carrier->context : NULL;

	if (!state)
		return MPI_SUCCESS;
	carrier->context = NULL;
	return MPI_Comm_free(&state->comm);
}

/* Collective over COMM. Returns a number that is equal on ranks that can share memory and different on all others. */
static inline uint32_t sccl_mpi_server(MPI_Comm comm)
{
	MPI_Comm here;
	int least = 0;

	MPI_Comm_rank(comm, &least);
	if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
		return (uint32_t)least;
	MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, here);
	MPI_Comm_free(&here);
	return (uint32_t)least;
}

#endif
