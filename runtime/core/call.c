/* A call of a plan: locate its buffers, compare the order with those of the peers, and run it. */

#include "runtime/net/bridge.h"
#include "runtime/gpu/engines.h"
#include "runtime/core/orders.h"
#include "runtime/core/plan.h"
#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <stdbool.h>
#include <stdio.h>

struct call {
	const void *in;
	void *out;
	uint64_t count;
	const struct plan_sizes *sizes; /* the plan's, for this count */
	const struct symmetric *window; /* the memory that peers write into; NULL: they write into none */
	uint64_t offset, memory;        /* offset in the window, and the memory's number; 0: none, or staging */
	const struct symmetric *inputs; /* the memory in which peers read; NULL: inputs are not shared */
	uint64_t in_offset, in_memory;  /* likewise */
	bool staged;
	uint32_t blocks;
};

static sccl_status_t check_buffers(const struct sccl_plan *p, const struct call *call)
{
	if (call->count > p->max_count)
		return sccli_fail(SCCL_INVALID, "%llu elements are more than the plan's %llu", (unsigned long long)call->count,
		                  (unsigned long long)p->max_count);
	uintptr_t ends = (call->sizes->in_bytes > 0 ? (uintptr_t)call->in : 0) | (call->sizes->out_bytes > 0 ? (uintptr_t)call->out : 0);

	if (!call->in && call->sizes->in_bytes > 0)
		return sccli_fail(SCCL_INVALID, "the input of %llu bytes is missing", (unsigned long long)call->sizes->in_bytes);
	if (!call->out && call->sizes->out_bytes > 0)
		return sccli_fail(SCCL_INVALID, "the output of %llu bytes is missing", (unsigned long long)call->sizes->out_bytes);
	if (ends % p->element != 0)
		return sccli_fail(SCCL_INVALID, "the input at %p or the output at %p is not aligned to an element's %zu bytes",
				  call->in, call->out, p->element);
	return SCCL_OK;
}

/* Chooses where the peers write: directly into the output if it is in symmetric memory and may be, otherwise into the staging
 * memory. */
static sccl_status_t find_window(const struct sccl_plan *p, struct call *call, bool stage)
{
	const struct sccl_memory *m = call->out && !stage ? sccli_memory_of(p->comm, call->out) : NULL;

	if (!plan_is_written(p))
		return SCCL_OK;
	if (!m) {
		if (!p->staging.bases)
			return sccli_fail(SCCL_INVALID, "the output is not in symmetric memory, and the plan has no staging memory");
		call->window = &p->staging;
		call->staged = true;
		return SCCL_OK;
	}
	call->window = &m->symmetric;
	call->memory = m->number;
	call->offset = (uintptr_t)call->out - (uintptr_t)m->symmetric.bases[m->symmetric.rank];
	if (call->sizes->out_bytes > m->symmetric.bytes - call->offset)
		return sccli_fail(SCCL_INVALID, "the output's %llu bytes end beyond the symmetric memory that it begins in",
		                  (unsigned long long)call->sizes->out_bytes);
	if (call->offset % p->element != 0)
		return sccli_fail(SCCL_INVALID, "the output's offset of %llu bytes is not a multiple of an element's %zu",
		                  (unsigned long long)call->offset, p->element);
	return SCCL_OK;
}

static bool overlaps(const struct call *call)
{
	uintptr_t in = (uintptr_t)call->in, out = (uintptr_t)call->out;

	return in < out + call->sizes->out_bytes && out < in + call->sizes->in_bytes;
}

/* Where inputs are shared, the input must lie in symmetric memory, apart from the output. */
static sccl_status_t find_input(const struct sccl_plan *p, struct call *call)
{
	if (!p->table->reads_inputs)
		return SCCL_OK;
	const struct sccl_memory *m = call->in ? sccli_memory_of(p->comm, call->in) : NULL;
	if (!m)
		return sccli_fail(SCCL_INVALID, "the input is not in symmetric memory, where the other ranks read it");
	call->inputs = &m->symmetric;
	call->in_memory = m->number;
	call->in_offset = (uintptr_t)call->in - (uintptr_t)m->symmetric.bases[m->symmetric.rank];
	if (call->sizes->in_bytes > m->symmetric.bytes - call->in_offset)
		return sccli_fail(SCCL_INVALID, "the input's %llu bytes end beyond the symmetric memory that it begins in",
		                  (unsigned long long)call->sizes->in_bytes);
	if (!call->staged && overlaps(call))
		return sccli_fail(SCCL_INVALID, "the input, which the other ranks read, overlaps the output");
	return SCCL_OK;
}

/* Tells other calls' inputs from this one's, in the upper half of a word: 0 if inputs are not shared. */
static uint64_t input_term(const struct call *call)
{
	uint64_t mixed = (call->in_memory * 0x9e3779b97f4a7c15u ^ call->in_offset) * 0xff51afd7ed558ccdu;

	return call->inputs ? (mixed | (uint64_t)1 << 63) >> 32 << 32 : 0;
}

/* If the output would overwrite the input, the input is read from a copy. */
static sccl_status_t save_input(struct sccl_plan *p, struct call *call, sccl_stream_t stream)
{
	const struct meeting *m = &p->comm->meeting;

	if (call->staged || !call->in || call->inputs || !overlaps(call) || sccli_may_overlap(p, m->rank, call->count, p->element, call->in, call->out))
		return SCCL_OK;
	sccl_status_t status = p->input.own ? SCCL_OK : sccli_plan_input(p);
	if (status == SCCL_OK)
		status = m->unit.device->copy(&m->unit, p->input.base, call->in, call->sizes->in_bytes, stream);
	call->in = p->input.base;
	return status;
}

static sccl_status_t prepare(struct sccl_plan *p, struct call *call, const struct sccl_call *given)
{
	sccl_status_t status = check_buffers(p, call);
	if (status == SCCL_OK)
		status = find_window(p, call, given->staged);
	if (status == SCCL_OK)
		status = find_input(p, call);
	if (status == SCCL_OK)
		status = save_input(p, call, given->stream);
	return status;
}

static sccl_status_t refuse(struct sccl_comm *c, sccl_status_t status)
{
	char line[512];
	snprintf(line, sizeof line, "rank %u, call %llu: %.400s", c->meeting.rank, (unsigned long long)c->calls,
	         sccl_error_text());
	return sccli_watch_raise(c, status, line);
}

static sccl_launch_t describe(const struct sccl_plan *p, const struct call *call)
{
	const struct sccl_comm *c = p->comm;
	const struct plan_sizes *s = call->sizes;
	uint32_t rank = c->meeting.rank;
	sccl_launch_t l = {
		.env = (const sccl_env_t *)(const void *)c->device_env.base,
		.words = (const uint32_t *)(const void *)p->words.base,
		.cuts = (const sccl_chunk_t *)(const void *)p->cuts.base,
		.in = call->in,
		.out = call->out,
		.peer_scratch = symmetric_table(&p->scratch),
		.out_offset = call->offset,
		.slot_bytes = s->slot_bytes,
		.packet_bytes = p->packet_bytes,
		.count = call->count,
		.factor = p->factor,
		.blocks_of = s->blocks_of,
		.parts_of = {s->parts_of[0], s->parts_of[1]},
		.packet_slots = p->table->packet_slots,
		.signals = p->table->signals ? p->table->signals : 1, /* so that the epoch tells calls apart */
		.blocks = call->blocks,
		.grid = call->blocks < p->resident ? call->blocks : p->resident,
		.overlap = p->overlap,
		.steps = p->program->steps,
		.until = SCCL_TO_THE_END,
	};
	if (plan_has_packets(p)) {
		l.lines = p->protocol == SCCL_LINES;
		l.peer_packets = symmetric_table(&p->packets);
		l.turns = (uint64_t *)(void *)p->turns.base;
	} else if (plan_is_written(p)) {
		l.peer_in = call->inputs ? symmetric_table(call->inputs) : NULL;
		l.in_offset = call->in_offset;
		l.all_in = p->protocol == SCCL_MULTIMEM && call->inputs ? call->inputs->all : NULL;
		l.all_out = p->protocol == SCCL_MULTIMEM ? call->window->all : NULL;
		l.peer_out = symmetric_table(call->window);
		l.out = call->window->bases[rank] + call->offset;
	}
	return l;
}

/* The same, with all tables in memory that the CPU can read. */
static sccl_launch_t describe_for_host(const struct sccl_plan *p, const struct call *call)
{
	sccl_launch_t l = describe(p, call);

	l.words = p->table->words[p->comm->meeting.rank];
	l.cuts = p->program->cuts;
	l.peer_scratch = p->scratch.bases;
	l.peer_out = call->window ? call->window->bases : NULL;
	return l;
}

static sccl_status_t run_engines(struct sccl_plan *p, const struct call *call, sccl_stream_t stream)
{
	sccl_launch_t l = describe_for_host(p, call), kernel = describe(p, call);
	return sccli_engines_run(p, &l, &kernel, stream);
}

/* Starts the transfers of this call to other servers. */
static sccl_status_t cross(struct sccl_plan *p, const struct call *call, const struct order *order)
{
	sccl_launch_t l = describe_for_host(p, call);
	sccl_status_t status = sccli_bridge_begin(p, &l, call->window, order);
	return status == SCCL_OK ? status : refuse(p->comm, status);
}

static sccl_status_t launch(struct sccl_plan *p, const struct call *call, sccl_stream_t stream)
{
	const struct meeting *m = &p->comm->meeting;
	sccl_launch_t l = describe(p, call);
	sccl_status_t status = SCCL_OK;

	for (uint32_t step = p->mode == SCCL_KERNEL_A_STEP && l.steps ? 1 : l.steps; status == SCCL_OK && step <= l.steps; step++) {
		l.until = step < l.steps ? step : SCCL_TO_THE_END;
		status = m->unit.device->launch(&m->unit, p->kernel, &l, stream);
	}
	return status;
}

static sccl_status_t enqueue_all(struct sccl_plan *p, const struct call *call, const struct sccl_call *given)
{
	struct sccl_comm *c = p->comm;
	const struct meeting *m = &c->meeting;
	sccl_status_t status = (p->engines ? run_engines : launch)(p, call, given->stream);

	if (sccli_watch_status(c) != SCCL_OK || status != SCCL_OK)
		return status;
	if (m->unit.device->synchronous)
		__atomic_store_n(&comm_board(c, m->rank)->finished, c->calls, __ATOMIC_RELEASE);
	if (call->staged)
		status = m->unit.device->copy(&m->unit, given->out, p->staging.bases[m->rank], call->sizes->out_bytes, given->stream);
	return status == SCCL_OK ? sccli_stream_after(c, given->stream) : status;
}

static sccl_status_t enqueue(struct sccl_plan *p, const struct call *call, const struct sccl_call *given)
{
	const struct device *device = p->comm->meeting.unit.device;

	if (device->call_begins)
		device->call_begins();
	sccl_status_t status = enqueue_all(p, call, given);
	if (device->call_ends)
		device->call_ends();
	return status;
}

static const struct plan_sizes *sizes_of(struct sccl_plan *plan, uint64_t count)
{
	const sccl_program_t *p = plan->program;
	uint32_t rank = plan->comm->meeting.rank;
	sccl_launch_t l = {.count = count};

	if (plan->sizes.are_known && plan->sizes.count == count)
		return &plan->sizes;
	sccl_launch_divide(&l, p->cuts);
	plan->sizes = (struct plan_sizes){
		.are_known = true,
		.count = count,
		.in_bytes = p->input_count(rank, count) * plan->element,
		.out_bytes = p->output_count(rank, count) * plan->element,
		.slot_bytes = SCCL_SLOT_BYTES(p->chunk_limit(count) * plan->element),
		.blocks_of = l.blocks_of,
		.parts_of = {l.parts_of[0], l.parts_of[1]},
	};
	return &plan->sizes;
}

static struct call located(struct sccl_plan *plan, const struct sccl_call *given, uint32_t blocks)
{
	uint64_t known = given->count < plan->max_count ? given->count : plan->max_count;

	return (struct call){.in = given->in, .out = given->out, .count = given->count, .blocks = blocks, .sizes = sizes_of(plan, known)};
}

bool sccli_can_read_inputs(struct sccl_plan *plan, const struct sccl_call *given)
{
	struct call call = located(plan, given, 0);
	bool staged = given->staged || !given->out || !sccli_memory_of(plan->comm, given->out);

	return !plan->table->reads_inputs ||
	       (given->in && sccli_memory_of(plan->comm, given->in) && (staged || !overlaps(&call)));
}

sccl_status_t sccl_run(sccl_plan_t *plan, const void *in, void *out, uint64_t count, sccl_stream_t stream)
{
	if (!plan)
		return sccli_fail(SCCL_INVALID, "sccl_run needs a plan");
	return sccli_run(plan, &(struct sccl_call){in, out, count, stream, false}, plan->blocks);
}

sccl_status_t sccli_run(struct sccl_plan *plan, const struct sccl_call *given, uint32_t blocks)
{
	struct sccl_comm *c = plan->comm;
	sccl_status_t status = sccli_watch_status(c);
	if (status != SCCL_OK)
		return status;

	struct call call = located(plan, given, blocks);
	c->calls++;
	c->stalled_since = 0;
	status = sccli_stream_before(c, given->stream);
	if (status == SCCL_OK)
		status = prepare(plan, &call, given);
	if (status != SCCL_OK)
		return refuse(c, status);
	struct order order = {plan->number | (uint64_t)blocks << 40, call.memory | input_term(&call), call.offset, call.count, 0};
	status = sccli_orders_compare(c, &order, plan->peers, plan->n_peers);
	if (status == SCCL_OK && c->bridge)
		status = cross(plan, &call, &order);
	if (status == SCCL_OK)
		status = enqueue(plan, &call, given);
	if (sccli_watch_status(c) != SCCL_OK) /* what ended the communicator is more informative than its effect on this
	                                       * call */
		return sccli_watch_status(c);
	if (status != SCCL_OK)
		return refuse(c, status);
	return SCCL_OK;
}
