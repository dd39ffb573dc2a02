/* Plans as data: making, freeing, and saying where something is wrong. */

#include "interop/plans/plan.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const plan_kind_names[] = {"allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce", "custom"};
const char *const plan_format_names[] = {"MSCCL XML", "MSCCL++ JSON"};

struct foreign_plan *foreign_plan_new(const char *path, enum plan_format format)
{
	struct foreign_plan *p = new(struct foreign_plan);

	p->path = copy_string(path);
	p->format = format;
	p->cut = 1;
	return p;
}

static void free_block(struct plan_block *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct plan_op *o = &b->ops[i];
		for (size_t k = 0; k < o->n_transfers; k++) {
			free(o->transfers[k].reads);
			free(o->transfers[k].writes);
		}
		free(o->transfers);
		free(o->posts);
		free(o->waits);
	}
	free(b->ops);
}

void foreign_plan_free(struct foreign_plan *p)
{
	if (!p)
		return;
	for (int r = 0; p->of && r < p->ranks; r++) {
		for (size_t b = 0; b < p->of[r].n; b++)
			free_block(&p->of[r].blocks[b]);
		free(p->of[r].blocks);
	}
	free(p->of);
	free(p->semaphores);
	free(p->path);
	free(p->name);
	free(p->collective);
	free(p->protocol);
	free(p);
}

struct plan_block *plan_add_block(struct plan_rank *r)
{
	r->blocks = grown(r->blocks, &r->capacity, r->n + 1, sizeof *r->blocks);
	r->blocks[r->n] = (struct plan_block){.send = -1, .receive = -1};
	return &r->blocks[r->n++];
}

struct plan_op *plan_add_op(struct plan_block *b, const char *name, int number)
{
	b->ops = grown(b->ops, &b->capacity, b->n + 1, sizeof *b->ops);
	b->ops[b->n] = (struct plan_op){.name = name, .number = number, .barrier = -1, .on_block = -1, .on_step = -1};
	return &b->ops[b->n++];
}

struct plan_transfer *plan_add_transfer(struct plan_op *o, int n, size_t reads, size_t writes)
{
	o->transfers = grown(o->transfers, &o->transfers_capacity, o->n_transfers + 1, sizeof *o->transfers);
	o->transfers[o->n_transfers] = (struct plan_transfer){.n = n, .n_reads = reads, .n_writes = writes, .reads = new_array(struct plan_span, reads),
							       .writes = new_array(struct plan_span, writes), .fifo_in = -1, .fifo_out = -1};
	return &o->transfers[o->n_transfers++];
}

void plan_add_post(struct plan_op *o, int semaphore)
{
	o->posts = grown(o->posts, &o->posts_capacity, o->n_posts + 1, sizeof *o->posts);
	o->posts[o->n_posts++] = semaphore;
}

void plan_add_wait(struct plan_op *o, int semaphore)
{
	o->waits = grown(o->waits, &o->waits_capacity, o->n_waits + 1, sizeof *o->waits);
	o->waits[o->n_waits++] = semaphore;
}

int plan_add_semaphore(struct foreign_plan *p, int value)
{
	p->semaphores = grown(p->semaphores, &p->semaphores_capacity, p->n_semaphores + 1, sizeof *p->semaphores);
	p->semaphores[p->n_semaphores] = value;
	return (int)p->n_semaphores++;
}

bool plan_fault(struct plan_faults *f, const struct foreign_plan *p, int rank, int block, const struct plan_op *op, const char *format, ...)
{
	char what[512];
	va_list ap;

	if (f->n++ >= PLAN_FAULTS_MAX)
		return false;
	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	text_add_plain(f->lines, p->path);
	text_add(f->lines, ": %s", f->mode ? f->mode : "");
	if (rank >= 0)
		text_add(f->lines, "rank %d%s", rank, block >= 0 ? ", " : ": ");
	if (block >= 0)
		text_add(f->lines, "thread block %d%s", block, op ? ", " : ": ");
	if (op)
		text_add(f->lines, "op %d (%s): ", op->number, op->name);
	text_add_plain(f->lines, what);
	text_add(f->lines, "\n");
	return false;
}
