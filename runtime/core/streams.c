/*
 * The order of a communicator's calls on several streams. Flags, epochs and staging belong to one call at a time, so a call on
 * another stream waits for the previous call. In a captured graph this is up to whoever replays it.
 */
#include "runtime/core/comm.h"
#include "runtime/core/status.h"

sccl_status_t sccli_stream_before(struct sccl_comm *c, sccl_stream_t stream)
{
	const struct unit *u = &c->meeting.unit;

	if (u->device->synchronous)
		return SCCL_OK;
	bool captures = u->device->captures(u, stream);
	if (captures && c->bridge)
		return sccli_fail(SCCL_UNSUPPORTED, "a call to other servers cannot be captured in a graph");
	if (!c->mark || captures)
		return SCCL_OK;
	bool same = c->stream_id != 0 && u->device->stream_id(u, stream) == c->stream_id;
	return same ? SCCL_OK : u->device->after_mark(u, c->mark, stream);
}

sccl_status_t sccli_stream_after(struct sccl_comm *c, sccl_stream_t stream)
{
	const struct unit *u = &c->meeting.unit;

	if (u->device->synchronous || u->device->captures(u, stream))
		return SCCL_OK;
	c->stream_id = u->device->stream_id(u, stream);
	return u->device->mark(u, &c->mark, stream);
}
