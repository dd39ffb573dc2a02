/*
 * The buffers of a rank, with guard bytes on both sides that reveal writes out of bounds. On GPUs each buffer exists
 * twice: in CPU memory, to be filled and checked, and in GPU memory.
 */
#include "runtime/runner/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0xa5, SPOILT_BYTE = 0x5a };

/* The memory of every rank has the size of the largest buffer of any rank; in place it holds both input and output. */
static uint64_t largest(const struct session *x, uint64_t most)
{
	uint64_t n = 0;
	for (uint32_t r = 0; r < x->program->ranks; r++) {
		uint64_t in = x->program->input_count(r, most), out = x->program->output_count(r, most);
		n = out > n ? out : n;
		n = in > n ? in : n;
	}
	return n * x->data.element;
}

/* Allocates the output: ordinary memory, symmetric memory, or caller-owned memory that is registered with all ranks. */
static sccl_status_t open_output(struct session *x, uint64_t room)
{
	sccl_status_t status = SCCL_OK;

	if (!x->settings->staged && !x->settings->registered) {
		status = sccl_memory_create(&x->memory, x->comm, room);
		x->out_work = x->memory ? sccl_memory_at(x->memory, 0) : NULL;
		return status;
	}
	x->out_work = x->lent = machine_room(&x->machine, room);
	if (x->settings->registered)
		status = sccl_memory_register(&x->memory, x->comm, x->lent, room);
	return status;
}

sccl_status_t buffers_open(struct session *x, uint64_t most)
{
	x->room = largest(x, most) + 2 * GUARD;
	sccl_status_t status = open_output(x, x->room);

	if (settings_share_inputs(x->settings) && status == SCCL_OK) {
		status = sccl_memory_create(&x->in_memory, x->comm, x->room);
		x->in_work = x->in_memory ? sccl_memory_at(x->in_memory, 0) : NULL;
	} else
		x->in_work = machine_room(&x->machine, x->room);
	x->in_room = x->machine.gpu ? malloc(x->room) : x->in_work;
	x->out_room = x->machine.gpu ? malloc(x->room) : x->out_work;
	return status == SCCL_OK && (!x->in_room || !x->out_room || !x->in_work || !x->out_work) ? SCCL_NO_MEMORY : status;
}

void buffers_close(struct session *x)
{
	if (x->machine.gpu) {
		free(x->in_room);
		free(x->out_room);
	}
	sccl_memory_free(x->memory);
	if (x->settings->registered) /* all ranks have closed it before it is freed */
		(void)x->bootstrap.barrier(x->bootstrap.context);
	machine_room_free(&x->machine, x->lent);
	if (x->in_memory)
		sccl_memory_free(x->in_memory);
	else
		machine_room_free(&x->machine, x->in_work);
	x->in_memory = NULL;
	segments_free(&x->input);
	segments_free(&x->output);
	x->memory = NULL;
	x->lent = NULL;
	x->in_room = x->out_room = x->in_work = x->out_work = NULL;
}

/* All rows of a plan begin at the same address; only their ends differ. */
bool buffers_place(struct session *x, uint64_t count)
{
	segments_free(&x->input);
	segments_free(&x->output);
	if (!reference_input(x->program, x->rank, count, &x->input) || !reference_output(x->program, x->rank, count, &x->output))
		return false;
	x->in_bytes = segments_length(&x->input) * x->data.element;
	x->out_bytes = segments_length(&x->output) * x->data.element;
	x->out = x->out_room + GUARD;
	x->in = x->in_room + GUARD;
	if (x->in_place)
		x->in = x->out + reference_in_place(x->program, x->rank, count) * x->data.element;
	x->run_out = x->out_work + (x->out - x->out_room);
	x->run_in = x->in_place ? x->out_work + (x->in - x->out_room) : x->in_work + (x->in - x->in_room);
	memset(x->in_room, GUARD_BYTE, GUARD);
	memset(x->out_room, GUARD_BYTE, GUARD);
	return true;
}

/* The end of the output; in place, the end of the input if that is later. */
static unsigned char *end_of_out(const struct session *x)
{
	unsigned char *end = x->out + x->out_bytes;
	return x->in_place && x->in + x->in_bytes > end ? x->in + x->in_bytes : end;
}

sccl_status_t buffers_fill(struct session *x, uint64_t call)
{
	memset(x->out, SPOILT_BYTE, x->out_bytes);
	for (size_t i = 0; i < x->input.n; i++) {
		const struct segment *s = &x->input.of[i];
		data_fill(&x->data, (struct stretch){s->key, call, s->first}, x->in + s->begin * x->data.element, s->n);
	}
	memset(end_of_out(x), GUARD_BYTE, GUARD);
	if (!x->in_place)
		memset(x->in + x->in_bytes, GUARD_BYTE, GUARD);
	sccl_status_t status = machine_copy(&x->machine, x->out_work, x->out_room, x->room);
	return status == SCCL_OK ? machine_copy(&x->machine, x->in_work, x->in_room, x->room) : status;
}

sccl_status_t buffers_fetch(struct session *x)
{
	sccl_status_t status = machine_copy(&x->machine, x->out_room, x->out_work, x->room);
	return status == SCCL_OK ? machine_copy(&x->machine, x->in_room, x->in_work, x->room) : status;
}

static bool is_guard(const unsigned char *at)
{
	for (int i = 0; i < GUARD; i++)
		if (at[i] != GUARD_BYTE)
			return false;
	return true;
}

/* The differences in a buffer. */
static struct differences compare(const struct session *x, const struct segments *s, uint64_t call, const unsigned char *at)
{
	struct differences all = {0, 0};

	for (size_t i = 0; i < s->n; i++) {
		const struct segment *g = &s->of[i];
		const unsigned char *here = at + g->begin * x->data.element;
		struct stretch stretch = {g->key, call, g->first};
		struct differences some = g->reduced ? data_compare_reduced(&x->data, s->keys, s->n_keys, stretch, here, g->n)
		                                     : data_compare(&x->data, stretch, here, g->n);
		if (some.n && !all.n)
			all.first = g->begin + some.first;
		all.n += some.n;
	}
	return all;
}

static void complain_of(const struct session *x, const char *which, uint64_t element, const unsigned char *at, char *text,
                        size_t size)
{
	uint64_t bits = 0;
	memcpy(&bits, at + element * x->data.element, x->data.element);
	snprintf(text, size, "element %llu of the %s is wrong (its bits: 0x%0*llx)", (unsigned long long)element, which,
	         (int)(2 * x->data.element), (unsigned long long)bits);
}

/* In place there is no input to be kept. */
static uint64_t check_input(const struct session *x, uint64_t call, char *text, size_t size)
{
	struct differences in = compare(x, &x->input, call, x->in);

	if (in.n)
		complain_of(x, "input", in.first, x->in, text, size);
	else if (!is_guard(x->in + x->in_bytes)) {
		snprintf(text, size, "memory outside the input was written");
		return 1;
	}
	return in.n;
}

uint64_t buffers_check(struct session *x, uint64_t call, char *text, size_t size)
{
	struct differences out = compare(x, &x->output, call, x->out);

	if (out.n) {
		complain_of(x, "output", out.first, x->out, text, size);
		return out.n;
	}
	if (!is_guard(x->out_room) || !is_guard(end_of_out(x)) || !is_guard(x->in_room)) {
		snprintf(text, size, "memory outside the output was written");
		return 1;
	}
	return x->in_place ? 0 : check_input(x, call, text, size);
}
