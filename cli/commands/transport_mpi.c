/*
 * Messages over MPI. Sends are nonblocking and kept until they complete, since a receiver may be dead. Receives poll
 * with pauses, since blocking calls of MPI spin and do not return after a signal.
 */

#include "cli/commands/transport.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1, NAP_MICROSECONDS = 500, LAST_MICROSECONDS = 1000000 };

/* A message that was sent and may not have been received yet. */
struct pending_send {
	struct pending_send *next;
	MPI_Request request;
	struct text bytes;
};
static struct pending_send *pending;

/* Releases the messages that have left. */
static void release_sent(void)
{
	for (struct pending_send **at = &pending; *at;) {
		struct pending_send *l = *at;
		int taken = 0;
		if (MPI_Test(&l->request, &taken, MPI_STATUS_IGNORE) == MPI_SUCCESS && !taken) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		text_free(&l->bytes);
		free(l);
	}
}

/* A send that is not waited for, since the receiver may be dead. */
static void post(void *context, int to, const struct text *message)
{
	struct pending_send *l = new(struct pending_send);

	(void)context;
	text_add_bytes(&l->bytes, message->bytes, message->length);
	if (MPI_Isend(l->bytes.bytes, (int)l->bytes.length, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &l->request) != MPI_SUCCESS) {
		text_free(&l->bytes);
		free(l);
		return;
	}
	l->next = pending;
	pending = l;
	release_sent();
}

/* Sleeps instead of spinning as MPI does. False after a signal. */
static bool nap(void)
{
	const struct timespec t = {0, NAP_MICROSECONDS * 1000};
	return nanosleep(&t, NULL) == 0;
}

static bool take(MPI_Message *message, MPI_Status *status, struct text *into)
{
	int n = 0;

	MPI_Get_count(status, MPI_BYTE, &n);
	char *bytes = new_array(char, (size_t)n);
	bool ok = MPI_Mrecv(bytes, n, MPI_BYTE, message, status) == MPI_SUCCESS;
	text_add_bytes(into, bytes, (size_t)n);
	free(bytes);
	return ok;
}

static bool receive(void *context, int milliseconds, int *from, struct text *message)
{
	(void)context;
	for (int left = milliseconds * 1000;; left -= NAP_MICROSECONDS) {
		MPI_Message one;
		MPI_Status status;
		int there = 0;
		release_sent();
		if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &one, &status) == MPI_SUCCESS && there) {
			*from = status.MPI_SOURCE;
			return take(&one, &status, message);
		}
		if (left <= 0 || !nap())
			return false;
	}
}

bool transport_open(struct transport *out, int ranks, struct error *e)
{
	*out = (struct transport){.send = post, .receive = receive};
	MPI_Init(NULL, NULL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &out->ranks);
	if (out->ranks == ranks)
		return true;
	MPI_Finalize();
	return error_set(e, ERROR_INPUT, "pareto", "%d processes were started, but the MPI of this build sees %d: is this the mpirun of another MPI?",
			 ranks, out->ranks);
}

void transport_close(bool whole)
{
	for (int left = LAST_MICROSECONDS; pending && left > 0; left -= NAP_MICROSECONDS) {
		release_sent();
		nap();
	}
	if (whole)
		MPI_Finalize();
}
