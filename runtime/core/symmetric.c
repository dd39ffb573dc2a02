/*
 * Symmetric memory: every rank allocates or registers a piece, the handles are exchanged through the bootstrap, and
 * every rank opens the pieces of all others.
 */
#include "runtime/core/symmetric.h"

#include "runtime/core/agree.h"
#include "runtime/core/status.h"

#include <stdlib.h>

static sccl_status_t create_own(struct symmetric *s, const struct meeting *m, void *buffer, union piece_handle *handle,
                                union piece_handle **handles)
{
	*handles = calloc(m->ranks, sizeof **handles);
	s->pieces = calloc(m->ranks, sizeof *s->pieces);
	s->bases = calloc(m->ranks, sizeof *s->bases);
	if (!*handles || !s->pieces || !s->bases)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the handles of %u ranks", m->ranks);
	if (buffer)
		return m->unit.device->adopt(&m->unit, buffer, s->bytes, m->reach, &s->pieces[m->rank], handle);
	return m->unit.device->create(&m->unit, s->bytes, m->reach, &s->pieces[m->rank], handle);
}

static sccl_status_t open_others(struct symmetric *s, const struct meeting *m, const union piece_handle *handles)
{
	for (uint32_t r = 0; r < s->ranks; r++) {
		if (r != s->rank) {
			/* For a rank on another server: private memory that holds writes until they are sent. */
			sccl_status_t status = meeting_reaches(m, r)
			                               ? m->unit.device->open(&m->unit, &handles[r], s->bytes, &s->pieces[r])
			                               : sccli_device_private(&m->unit, s->bytes, &s->pieces[r]);
			if (status != SCCL_OK)
				return status;
		}
		s->bases[r] = s->pieces[r].base;
	}
	return m->unit.device->place(&m->unit, s->bases, s->ranks * sizeof *s->bases, &s->table);
}

/* Three collective stages: agree that every rank has its piece and on the size; exchange the handles; agree that every
 * rank has opened all of them. */
sccl_status_t sccli_symmetric_create(struct symmetric *s, const struct meeting *m, void *buffer, size_t bytes)
{
	struct terms terms = {{"bytes of symmetric memory"}, {bytes}};
	union piece_handle handle = {.bytes = {0}}, *handles = NULL;

	*s = (struct symmetric){.device = m->unit.device, .rank = m->rank, .ranks = m->ranks, .bytes = bytes};
	sccl_status_t status = create_own(s, m, buffer, &handle, &handles);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, &terms);
	if (status == SCCL_OK)
		status = sccli_exchange(&m->bootstrap, m->rank, &handle, handles, sizeof handle);
	if (status == SCCL_OK) {
		status = open_others(s, m, handles);
		status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	}
	free(handles);
	if (status == SCCL_OK)
		m->unit.device->settle(&s->pieces[m->rank]);
	else
		sccli_symmetric_free(s);
	return status;
}

static sccl_status_t join(struct symmetric *s, const struct meeting *m, union piece_handle *handles)
{
	const struct device *device = m->unit.device;
	union piece_handle handle = {.bytes = {0}};
	sccl_status_t status = handles ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory for the handles of %u ranks", m->ranks);

	if (status == SCCL_OK && m->rank == 0)
		status = device->team_create(&m->unit, s->bytes, m->ranks, &s->team, &handle);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_exchange(&m->bootstrap, m->rank, &handle, handles, sizeof handle);
	if (status != SCCL_OK)
		return status;
	if (m->rank != 0)
		status = device->team_open(&m->unit, &handles[0], s->bytes, &s->team);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_agree(&m->bootstrap, m->rank, m->ranks, device->team_bind(s->team, &s->pieces[m->rank], &s->all), NULL);
	return status;
}

sccl_status_t sccli_symmetric_join(struct symmetric *s, const struct meeting *m)
{
	if (s->team || !m->unit.device->team_create)
		return SCCL_OK;
	union piece_handle *handles = calloc(m->ranks, sizeof *handles);
	sccl_status_t status = join(s, m, handles);

	free(handles);
	if (status != SCCL_OK && s->team) {
		m->unit.device->team_close(s->team);
		s->team = NULL;
		s->all = NULL;
	}
	return status;
}

void sccli_symmetric_free(struct symmetric *s)
{
	if (s->team)
		s->device->team_close(s->team);
	for (uint32_t r = 0; s->pieces && r < s->ranks; r++)
		if (s->pieces[r].own)
			s->device->close(&s->pieces[r]);
	if (s->table.own)
		s->device->close(&s->table);
	free(s->pieces);
	free(s->bases);
	*s = (struct symmetric){0};
}
