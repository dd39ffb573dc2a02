/*
 * The memory of a plan: its tables, scratch slots, staging memory and packet slots, in sizes derived from the largest
 * count.
 */
#include "runtime/core/plan.h"

#include "runtime/core/agree.h"
#include "runtime/gpu/engine_sums.h"

/* The largest output of any rank. */
static size_t staging_bytes(const struct sccl_plan *plan)
{
	uint64_t most = 1;
	for (uint32_t r = 0; r < plan->program->ranks; r++) {
		uint64_t n = plan->program->output_count(r, plan->max_count);
		most = n > most ? n : most;
	}
	return most * plan->element;
}

/* N times BYTES, at least 64. An overflow becomes SIZE_MAX, which every rank's allocation rejects alike. */
static size_t room(uint64_t n, uint64_t bytes)
{
	if (n == 0 || bytes == 0)
		return 64;
	return bytes > SIZE_MAX / 4 / n ? SIZE_MAX : n * bytes;
}

static uint64_t largest_slot(const struct sccl_plan *plan)
{
	return SCCL_SLOT_BYTES(plan->program->chunk_limit(plan->max_count) * plan->element);
}

static sccl_status_t make_packets(struct sccl_plan *plan)
{
	const struct meeting *m = &plan->comm->meeting;
	uint64_t share = (largest_slot(plan) / 64 + plan->blocks - 1) / plan->blocks * 64;

	plan->packet_bytes = plan->protocol == SCCL_LINES ? sccl_lines(share) * SCCL_LINE_BYTES : 2 * share;
	size_t packets = room((uint64_t)2 * plan->blocks * plan->table->packet_slots, plan->packet_bytes);
	if (packets != SIZE_MAX)
		packets += SCCL_PACKETS_FLAGS(m->ranks, plan->blocks);
	sccl_status_t status = sccli_symmetric_create(&plan->packets, m, NULL, packets);
	if (status == SCCL_OK)
		status = sccli_agree(&m->bootstrap, m->rank, m->ranks,
		                     sccli_device_private(&m->unit, plan->blocks * sizeof(uint64_t), &plan->turns), NULL);
	return status;
}

static sccl_status_t place_words(struct sccl_plan *plan)
{
	const struct meeting *m = &plan->comm->meeting;
	const sccl_table_t *t = plan->table;
	sccl_status_t status = m->unit.device->place(&m->unit, t->words[m->rank],
						t->lengths[m->rank] * sizeof *t->words[m->rank], &plan->words);

	if (status == SCCL_OK)
		status = m->unit.device->place(&m->unit, plan->program->cuts,
					  plan->program->global_chunks * sizeof *plan->program->cuts, &plan->cuts);
	return sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
}

sccl_status_t sccli_plan_input(struct sccl_plan *plan)
{
	const struct meeting *m = &plan->comm->meeting;
	uint64_t most = plan->program->input_count(m->rank, plan->max_count) * plan->element;

	return most ? sccli_device_private(&m->unit, most, &plan->input) : SCCL_OK;
}

sccl_status_t sccli_plan_memory(struct sccl_plan *plan, bool staged)
{
	const struct meeting *m = &plan->comm->meeting;
	uint32_t extra = plan->engines ? sccli_sums_slots(plan->program) : 0;
	sccl_status_t status = place_words(plan);

	if (status == SCCL_OK)
		status = sccli_symmetric_create(&plan->scratch, m, NULL, room(plan->table->scratch_slots + extra, largest_slot(plan)));
	if (status == SCCL_OK && staged)
		status = sccli_symmetric_create(&plan->staging, m, NULL, staging_bytes(plan));
	if (status == SCCL_OK && plan->protocol == SCCL_MULTIMEM) {
		status = sccli_memory_join_all(plan->comm);
		if (status == SCCL_OK && staged)
			status = sccli_symmetric_join(&plan->staging, m);
	}
	if (status == SCCL_OK && plan_has_packets(plan))
		status = make_packets(plan);
	/* Allocated now, because by the time it is needed a kernel may be waiting for another rank of this very thread,
	 * or a graph may be being captured. */
	if (status == SCCL_OK && !m->unit.device->synchronous)
		status = sccli_agree(&m->bootstrap, m->rank, m->ranks, sccli_plan_input(plan), NULL);
	return status;
}

void sccli_plan_memory_free(struct sccl_plan *plan)
{
	struct piece *own[] = {&plan->words, &plan->cuts, &plan->input, &plan->turns};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i]->own)
			plan->comm->meeting.unit.device->close(own[i]);
	sccli_symmetric_free(&plan->scratch);
	sccli_symmetric_free(&plan->staging);
	sccli_symmetric_free(&plan->packets);
}
