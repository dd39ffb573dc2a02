/*
 * The deterministic harness: fibers FILE.so... [--calls N] [--seed S]. Runs compiled programs (built with
 * SCCL_HOST_HOOKS, all for as many ranks) with every rank a fiber of one thread, in an order drawn from the seed. Ranks
 * run freely over many calls, so that one may be calls ahead of another, and each looks at its result the moment that a
 * call returns. Where no rank can go on, that is a deadlock.
 *
 * Exit status: 0 all exact; 1 a result differs; 2 bad usage; 3 a deadlock.
 */

#define SCCL_HOST_HOOKS 1

#include "runtime/run/data.h"
#include "runtime/run/reference.h"
#include "runtime/run/run.h"

#include <sccl/device.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { PROGRAMS_MAX = 8, BLOCKS = 4, LARGEST = 300, STACK = 1 << 18, GUARD = 64, GUARD_BYTE = 0xa5, DEADLOCK = 3 };

/* What a call is of; every rank draws the same sequence of them. */
static const struct {
	sccl_dtype_t type;
	sccl_op_t op;
} choices[] = {{SCCL_F32, SCCL_SUM}, {SCCL_U8, SCCL_MAX}, {SCCL_F16, SCCL_PROD}};
enum { CHOICES = sizeof choices / sizeof *choices };
static const uint64_t counts[] = {0, 1, 2, 7, 31, 64, 100, LARGEST};

/* A program and its memory on every rank. */
struct loaded {
	const sccl_program_t *program;
	struct data data[CHOICES];
	uint8_t **scratch;
	size_t scratch_bytes;
};

struct fiber {
	ucontext_t context;
	bool live;
	uint32_t rank;
	uint64_t calls; /* returned from */
	sccl_env_t env;
	uint64_t epochs[BLOCKS], progress[BLOCKS];
	void *stack;
	uint8_t *in;
};

static struct {
	size_t n_programs;
	struct loaded programs[PROGRAMS_MAX];
	uint32_t ranks;
	uint64_t calls, idle;
	unsigned seed;
	uint64_t random;
	struct fiber *fibers, *current;
	ucontext_t scheduler;
	uint8_t **flags, **outs;
	size_t out_bytes;
	uint32_t abort_word;
	int status;
} world;

void complain(const char *where, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fprintf(stderr, "fibers: %s: ", where);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void *room(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	if (!p) {
		complain("memory", "there is too little");
		exit(EXIT_BROKEN);
	}
	return p;
}

/* The two hooks of sccl/device_host.h: where another rank may go on. */
void sccl_host_pause(void)
{
	world.idle++;
	swapcontext(&world.current->context, &world.scheduler);
}

void sccl_host_posted(void)
{
	world.idle = 0;
	if (draw(&world.random) & 1)
		swapcontext(&world.current->context, &world.scheduler);
}

static void stop(int status)
{
	world.status = world.status ? world.status : status;
	world.abort_word = 1;
}

static bool is_guard(const uint8_t *at)
{
	for (int i = 0; i < GUARD; i++)
		if (at[i] != GUARD_BYTE)
			return false;
	return true;
}

/* One call, drawn from the sequence that all ranks share. */
struct call {
	struct loaded *loaded;
	const struct data *data;
	int choice;
	uint64_t number, count, offset;
	uint32_t blocks;
};

static struct call draw_call(uint64_t number)
{
	uint64_t state = number * 2654435761u + world.seed;
	struct call c = {.number = number};

	draw(&state);
	c.loaded = &world.programs[draw(&state) % world.n_programs];
	c.choice = (int)(draw(&state) % CHOICES);
	c.data = &c.loaded->data[c.choice];
	c.count = counts[draw(&state) % (sizeof counts / sizeof *counts)];
	c.blocks = 1 + (uint32_t)(draw(&state) % BLOCKS);
	c.offset = GUARD + draw(&state) % 3 * 8;
	return c;
}

static void fill(struct fiber *f, const struct call *c, const struct segments *input, size_t out_bytes)
{
	uint8_t *out = world.outs[f->rank];
	for (size_t i = 0; i < input->n; i++) {
		const struct segment *s = &input->of[i];
		data_fill(c->data, (struct stretch){s->key, c->number, s->first}, f->in + s->begin * c->data->element, s->n);
	}
	memset(out, GUARD_BYTE, world.out_bytes);
	memset(out + c->offset, 0x5a, out_bytes);
}

static bool is_right(struct fiber *f, const struct call *c, const struct segments *output, size_t out_bytes)
{
	const uint8_t *out = world.outs[f->rank] + c->offset;
	for (size_t i = 0; i < output->n; i++) {
		const struct segment *s = &output->of[i];
		const uint8_t *at = out + s->begin * c->data->element;
		struct stretch stretch = {s->key, c->number, s->first};
		uint64_t same = s->reduced ? data_compare_reduced(c->data, output->keys, output->n_keys, stretch, at, s->n)
		                           : data_compare(c->data, stretch, at, s->n);
		if (same < s->n)
			return false;
	}
	return is_guard(out - GUARD) && is_guard(out + out_bytes) &&
	       is_guard(c->loaded->scratch[f->rank] + c->loaded->scratch_bytes);
}

static void run_kernel(struct fiber *f, const struct call *c)
{
	const sccl_program_t *p = c->loaded->program;
	uint64_t longest = p->chunk_limit(c->count) * c->data->element;
	sccl_launch_t launch = {
		.env = &f->env,
		.in = f->in,
		.peer_out = world.outs,
		.peer_scratch = c->loaded->scratch,
		.out_offset = c->offset,
		.slot_bytes = (longest + 63) / 64 * 64,
		.count = c->count,
	};
	sccl_kernel_t kernel = p->kernels[choices[c->choice].type][choices[c->choice].op];
	for (uint32_t b = 0; b < c->blocks && !world.abort_word; b++)
		kernel(&launch, b, c->blocks);
}

static void make_call(struct fiber *f)
{
	struct call c = draw_call(f->calls);
	struct segments input, output;
	if (!reference_input(c.loaded->program, f->rank, c.count, &input) ||
	    !reference_output(c.loaded->program, f->rank, c.count, &output)) {
		complain("memory", "there is too little");
		exit(EXIT_BROKEN);
	}
	size_t out_bytes = segments_length(&output) * c.data->element;

	fill(f, &c, &input, out_bytes);
	run_kernel(f, &c);
	if (!world.abort_word && !is_right(f, &c, &output, out_bytes)) {
		complain(c.loaded->program->name, "call %llu of %llu elements in %u blocks differs on rank %u",
		         (unsigned long long)c.number, (unsigned long long)c.count, c.blocks, f->rank);
		stop(EXIT_DIFFERS);
	}
	segments_free(&input);
	segments_free(&output);
}

static void live(void)
{
	struct fiber *f = world.current;
	for (; f->calls < world.calls && !world.abort_word; f->calls++)
		make_call(f);
	f->live = false;
	world.idle = 0;
}

static void tell_deadlock(void)
{
	for (uint32_t r = 0; r < world.ranks; r++)
		for (uint32_t b = 0; b < BLOCKS; b++) {
			uint64_t word = world.fibers[r].progress[b];
			if (SCCL_PROGRESS_STATE(word) >= SCCL_WAITS_FOR_DATA)
				complain("deadlock", "rank %u, block %u, step %u waits for rank %u in call %llu", r, b,
				         SCCL_PROGRESS_STEP(word), SCCL_PROGRESS_PEER(word),
				         (unsigned long long)world.fibers[r].calls);
		}
	stop(DEADLOCK);
}

/* Every rank that lives is asked so often before it is called a deadlock that none can have been passed over. */
static void schedule(void)
{
	const uint64_t patience = 64 * (uint64_t)world.ranks;
	for (uint32_t living = world.ranks; living > 0;) {
		struct fiber *f = &world.fibers[draw(&world.random) % world.ranks];
		while (!f->live)
			f = &world.fibers[(f->rank + 1) % world.ranks];
		world.current = f;
		swapcontext(&world.scheduler, &f->context);
		living -= !f->live;
		if (world.idle > patience && !world.abort_word)
			tell_deadlock();
	}
}

static void load(const char *file, unsigned index)
{
	struct settings s = {.file = file, .label = file};
	struct loaded *l = &world.programs[index];
	l->program = load_program(&s);
	if (!l->program)
		exit(EXIT_INPUT);
	if (world.ranks && world.ranks != l->program->ranks) {
		complain(file, "has another number of ranks");
		exit(EXIT_INPUT);
	}
	world.ranks = l->program->ranks;
	for (int i = 0; i < CHOICES; i++)
		if (!data_open(&l->data[i], choices[i].type, choices[i].op, l->program->combining, world.ranks))
			exit(EXIT_BROKEN);

	uint64_t slot = (l->program->chunk_limit(LARGEST) * 8 + 63) / 64 * 64;
	l->scratch_bytes = slot * l->program->scratch_slots;
	l->scratch = room(world.ranks, sizeof *l->scratch);
	for (uint32_t r = 0; r < world.ranks; r++) {
		l->scratch[r] = room(1, l->scratch_bytes + GUARD);
		memset(l->scratch[r] + l->scratch_bytes, GUARD_BYTE, GUARD);
		uint64_t out = l->program->output_count(r, LARGEST) * 8 + 3 * GUARD;
		world.out_bytes = out > world.out_bytes ? out : world.out_bytes;
	}
}

static void make_fiber(uint32_t rank)
{
	struct fiber *f = &world.fibers[rank];
	f->live = true;
	f->rank = rank;
	f->in = room(LARGEST * (world.ranks + 1), 8);
	f->stack = room(1, STACK);
	f->env = (sccl_env_t){.rank = rank, .ranks = world.ranks, .max_blocks = BLOCKS, .peer_flags = world.flags,
	                      .flags = world.flags[rank], .epochs = f->epochs, .progress = f->progress,
	                      .abort_word = &world.abort_word};
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->stack;
	f->context.uc_stack.ss_size = STACK;
	f->context.uc_link = &world.scheduler;
	makecontext(&f->context, live, 0);
}

static void make_world(void)
{
	world.flags = room(world.ranks, sizeof *world.flags);
	world.outs = room(world.ranks, sizeof *world.outs);
	world.fibers = room(world.ranks, sizeof *world.fibers);
	for (uint32_t r = 0; r < world.ranks; r++) {
		world.flags[r] = room(1, SCCL_FLAGS_SIZE(world.ranks, BLOCKS));
		world.outs[r] = room(1, world.out_bytes);
	}
	for (uint32_t r = 0; r < world.ranks; r++)
		make_fiber(r);
}

int main(int argc, char **argv)
{
	world.calls = 1000;
	world.seed = 1;
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;
		if (more && strcmp(argv[i], "--calls") == 0)
			world.calls = strtoull(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--seed") == 0)
			world.seed = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (argv[i][0] != '-' && world.n_programs < PROGRAMS_MAX)
			load(argv[i], (unsigned)world.n_programs++);
		else
			world.n_programs = 0, i = argc;
	}
	if (world.n_programs == 0) {
		complain("usage", "fibers FILE.so... [--calls N] [--seed S], at most %d files", PROGRAMS_MAX);
		return EXIT_INPUT;
	}
	world.random = world.seed;
	make_world();
	schedule();
	return world.status;
}
