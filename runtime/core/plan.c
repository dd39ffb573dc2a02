/*
 * Creates plans: checks the program and options, agrees on them with all ranks, and allocates what the calls need.
 */
#include "runtime/core/plan.h"

#include "runtime/core/agree.h"
#include "runtime/core/budget.h"
#include "runtime/net/bridge.h"
#include "runtime/gpu/engines.h"
#include "runtime/core/status.h"

#include <stdlib.h>
#include <string.h>

/* Large counts are rejected so that no size computed from them overflows. */
#define COUNT_MAX ((uint64_t)1 << 40)

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return h;
}

/* Distinguishes programs that differ in anything the other ranks depend on. */
static uint64_t program_hash(const sccl_program_t *p)
{
	uint32_t numbers[] = {(uint32_t)p->root,  p->combining, p->ranks,         p->chunks,   p->global_chunks, p->steps,
	                      p->rounds,          p->width,     p->n_inputs,      p->n_outputs,  p->wide};
	uint64_t h = hash(0xcbf29ce484222325u, p->name, strlen(p->name));

	h = hash(h, p->collective, strlen(p->collective));
	h = hash(h, numbers, sizeof numbers);
	for (int t = 0; t < SCCL_PROTOCOLS; t++) {
		const sccl_table_t *table = &p->tables[t];
		uint32_t needs[] = {table->words != NULL, table->signals, table->scratch_slots, table->packet_slots, table->reads_inputs};
		h = hash(h, needs, sizeof needs);
		for (uint32_t r = 0; table->words && table->lengths && r < p->ranks; r++) {
			h = hash(h, &table->lengths[r], sizeof table->lengths[r]);
			h = hash(h, table->words[r], table->lengths[r] * sizeof *table->words[r]);
		}
	}
	h = hash(h, p->cuts, p->global_chunks * sizeof *p->cuts);
	h = hash(h, p->connections, p->n_connections * sizeof *p->connections);
	h = hash(h, p->inputs, p->n_inputs * sizeof *p->inputs);
	return hash(h, p->outputs, p->n_outputs * sizeof *p->outputs);
}

static sccl_status_t check_program(const struct sccl_comm *c, const sccl_program_t *p)
{
	if (!p)
		return sccli_fail(SCCL_INVALID, "sccl_plan_create needs a program");
	if (p->abi != SCCL_ABI)
		return sccli_fail(SCCL_UNSUPPORTED, "the program was generated for abi %u; this runtime has abi %u: generate it again",
		                  p->abi, SCCL_ABI);
	if (!p->name || !p->target || !p->collective || !p->chunk_limit || !p->input_count || !p->output_count ||
	    !p->connections || !p->inputs || !p->outputs || !p->cuts)
		return sccli_fail(SCCL_INVALID, "the program is incomplete");
	if (strcmp(p->target, c->meeting.unit.device->target) != 0)
		return sccli_fail(SCCL_UNSUPPORTED, "%s was generated for %s; the communicator runs on %s", p->name, p->target,
		                  c->meeting.unit.device->target);
	if (p->ranks != c->meeting.ranks)
		return sccli_fail(SCCL_INVALID, "%s is for %u ranks; the communicator has %u", p->name, p->ranks,
		                  c->meeting.ranks);
	for (uint32_t i = 0; i < p->n_connections; i++)
		if (p->connections[i][0] >= p->ranks || p->connections[i][1] >= p->ranks)
			return sccli_fail(SCCL_INVALID, "%s connects a rank that it does not have", p->name);
	return SCCL_OK;
}

static sccl_status_t check_choice(struct sccl_plan *plan, sccl_dtype_t type, sccl_op_t op)
{
	const sccl_program_t *p = plan->program;

	if ((unsigned)type >= SCCL_DTYPES || (unsigned)op >= SCCL_OPS)
		return sccli_fail(SCCL_INVALID, "there is no data type %d or operation %d", (int)type, (int)op);
	if ((unsigned)plan->protocol >= SCCL_PROTOCOLS || (unsigned)plan->mode >= SCCL_MODES)
		return sccli_fail(SCCL_INVALID, "there is no protocol %d or no mode %d", (int)plan->protocol, (int)plan->mode);
	if (plan->mode == SCCL_COPY_ENGINES && plan->protocol != SCCL_PLAIN && plan->protocol != SCCL_PULL)
		return sccli_fail(SCCL_UNSUPPORTED, "copy engines write no packets and read no inputs of others: they need the protocol plain or pull");
	if (plan->comm->bridge && (plan->protocol != SCCL_PLAIN || plan->mode == SCCL_COPY_ENGINES))
		return sccli_fail(SCCL_UNSUPPORTED, "packets, lines, shared inputs, multimem, pull and copy engines do not reach other servers: use the plain protocol with "
		                  "kernels");
	plan->table = &p->tables[plan->protocol];
	if (!plan->table->words || !plan->table->lengths)
		return sccli_fail(SCCL_UNSUPPORTED, "%s does not have this protocol", p->name);
	plan->kernel = p->kernels[type][op];
	plan->element = sccl_dtype_size(type);
	if (!plan->kernel)
		return sccli_fail(SCCL_UNSUPPORTED, "%s has no kernel for %s of %s", p->name, sccl_op_name(op),
		                  sccl_dtype_name(type));
	const struct unit *unit = &plan->comm->meeting.unit;
	sccl_status_t status = sccli_check_factor(plan);
	if (status == SCCL_OK && plan->protocol == SCCL_LINES && unit->device->keeps_lines)
		status = unit->device->keeps_lines(unit);
	if (status != SCCL_OK)
		return status;
	plan->factor = sccli_factor(plan);
	if (plan->max_count > COUNT_MAX)
		return sccli_fail(SCCL_INVALID, "a count of %llu elements is more than 2^40", (unsigned long long)plan->max_count);
	if (plan->blocks > plan->comm->max_blocks)
		return sccli_fail(SCCL_INVALID, "%u blocks are more than the communicator's %u", plan->blocks,
		                  plan->comm->max_blocks);
	return SCCL_OK;
}

static sccl_status_t list_peers(struct sccl_plan *plan)
{
	const sccl_program_t *p = plan->program;
	uint32_t rank = plan->comm->meeting.rank;
	unsigned char *met = calloc(p->ranks, 1);

	plan->peers = calloc(p->ranks, sizeof *plan->peers);
	if (!met || !plan->peers) {
		free(met);
		return sccli_fail(SCCL_NO_MEMORY, "no memory for a plan of %u ranks", p->ranks);
	}
	for (uint32_t i = 0; i < p->n_connections; i++)
		for (int end = 0; end < 2; end++)
			if (p->connections[i][1 - end] == rank)
				met[p->connections[i][end]] = 1;
	for (uint32_t r = 0; r < p->ranks; r++)
		if (met[r] && r != rank)
			plan->peers[plan->n_peers++] = r;
	free(met);
	return SCCL_OK;
}

static sccl_status_t prepare(struct sccl_plan *plan, sccl_dtype_t type, sccl_op_t op, const sccl_plan_options_t *o)
{
	const struct meeting *m = &plan->comm->meeting;
	const sccl_program_t *p = plan->program;
	sccl_status_t status = check_program(plan->comm, p);

	if (status == SCCL_OK)
		status = check_choice(plan, type, op);
	if (status == SCCL_OK)
		status = list_peers(plan);
	bool good = status == SCCL_OK;
	struct terms terms = {
		{"program (its hash)", "data type", "operation", "largest count", "blocks", "staging", "plans made so far",
		 "protocol, mode or overlap", "blocks asked for"},
		{good ? program_hash(p) : 0, (uint64_t)type, good && p->combining ? (uint64_t)op : 0, plan->max_count,
		 plan->blocks, o->symmetric_only, plan->number, (uint64_t)plan->protocol << 32 | (uint64_t)plan->mode << 1 | plan->overlap,
		 o->blocks}};
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, &terms);
	if (status == SCCL_OK)
		status = sccli_budget_take(plan);
	if (status == SCCL_OK && plan->mode == SCCL_COPY_ENGINES)
		status = sccli_engines_create(plan);
	return status == SCCL_OK ? sccli_plan_memory(plan, !o->symmetric_only && plan_is_written(plan)) : status;
}

sccl_status_t sccl_plan_create(sccl_plan_t **plan, sccl_comm_t *comm, const sccl_program_t *program, sccl_dtype_t type,
                               sccl_op_t op, uint64_t max_count, const sccl_plan_options_t *options)
{
	static const sccl_plan_options_t defaults;
	const sccl_plan_options_t *o = options ? options : &defaults;

	if (!plan || !comm)
		return sccli_fail(SCCL_INVALID, "sccl_plan_create needs a communicator and a place for the plan");
	*plan = NULL;
	comm->n_plans++; /* on every rank, also where there is no memory */
	struct sccl_plan *made = calloc(1, sizeof *made);
	const struct meeting *m = &comm->meeting;
	if (!made) /* the others are told, in the first agreement of `prepare` */
		return sccli_agree(&m->bootstrap, m->rank, m->ranks, sccli_fail(SCCL_NO_MEMORY, "no memory for a plan"), NULL);
	*made = (struct sccl_plan){
		.comm = comm,
		.program = program,
		.max_count = max_count,
		.number = comm->n_plans,
		.blocks = o->blocks ? o->blocks : comm->blocks,
		.overlap = o->overlap != 0,
		.protocol = o->protocol,
		.mode = o->mode,
		.type = type,
		.op = op,
	};
	if (!o->blocks && program && program->width > made->blocks && comm->blocks > 1)
		made->blocks = program->width;
	if (!o->blocks && o->mode == SCCL_COPY_ENGINES && program && !program->combining)
		made->blocks = 1; /* every piece of a chunk costs commands */
	if (!o->blocks && made->blocks > comm->max_blocks)
		made->blocks = comm->max_blocks;
	sccl_status_t status = prepare(made, type, op, o);
	if (status == SCCL_OK)
		*plan = made;
	else
		sccl_plan_free(made);
	return status;
}

void sccl_plan_free(sccl_plan_t *plan)
{
	if (!plan)
		return;
	sccli_bridge_settle(plan->comm);
	sccli_engines_free(plan);
	sccli_budget_free(plan);
	sccli_plan_memory_free(plan);
	free(plan->peers);
	free(plan);
}
