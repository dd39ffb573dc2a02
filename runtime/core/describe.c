/*
 * A plan in one line, for logs: what runs, and how this rank reaches the memory of the others.
 */
#include "runtime/core/plan.h"

#include "runtime/core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const modes[SCCL_MODES] = {
	[SCCL_ONE_KERNEL] = "one kernel", [SCCL_KERNEL_A_STEP] = "a kernel a step", [SCCL_COPY_ENGINES] = "copy engines"};

/* Appends to TEXT, truncating at SIZE. */
static void print(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void print(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + used, size - used, format, ap);
	va_end(ap);
}

static const char *route_to(const struct sccl_plan *p, uint32_t rank)
{
	const struct meeting *m = &p->comm->meeting;
	return meeting_reaches(m, rank) ? m->unit.device->route(&p->scratch.pieces[rank]) : "on another server";
}

/* Ranks with the same route are named together, in the order of the first of each. */
static void print_routes(const struct sccl_plan *p, char *text, size_t size)
{
	uint32_t me = p->comm->meeting.rank, ranks = p->comm->meeting.ranks;

	for (uint32_t r = 0; r < ranks; r++) {
		bool named = r == me;
		for (uint32_t q = 0; q < r && !named; q++)
			named = q != me && route_to(p, q) == route_to(p, r);
		if (named)
			continue;
		print(text, size, "; rank");
		const char *gap = " ";
		for (uint32_t q = r; q < ranks; q++)
			if (q != me && route_to(p, q) == route_to(p, r)) {
				print(text, size, "%s%u", gap, q);
				gap = ", ";
			}
		print(text, size, " %s", route_to(p, r));
	}
}

sccl_status_t sccl_plan_describe(const sccl_plan_t *plan, char *text, size_t size)
{
	if (!plan || !text || size == 0)
		return sccli_fail(SCCL_INVALID, "sccl_plan_describe needs a plan and a place for the text");
	bool kernels = plan->mode != SCCL_COPY_ENGINES;

	*text = 0;
	print(text, size, "%s: %s%s%s, %s, %s", plan->program->name, sccl_dtype_name(plan->type), plan->program->combining ? " " : "",
	      plan->program->combining ? sccl_op_name(plan->op) : "", sccl_protocol_name(plan->protocol), modes[plan->mode]);
	if (kernels)
		print(text, size, ", %u of %u blocks at once", plan->blocks < plan->resident ? plan->blocks : plan->resident, plan->blocks);
	else if (plan->blocks > 1 && !plan->program->combining)
		print(text, size, ", %u blocks", plan->blocks);
	print_routes(plan, text, size);
	return SCCL_OK;
}
