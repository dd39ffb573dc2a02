/*
 * The deterministic harness: fibers [--count N] FILE.so... [--calls N] [--seed S] [--protocol NAME] [--threads T] [--turn N]. Runs compiled
 * programs, all for as many ranks, with every rank a fiber of one thread, in an order drawn from the seed: programs for
 * processors, built with SCCL_HOST_HOOKS, or programs for GPUs, built with SCCL_EMULATE (emulate.h), whose blocks and
 * their T threads are fibers too. Ranks run freely over many calls, so that one may be calls ahead of another, and each
 * looks at its result the moment that a call returns. Where nobody can go on, that is a deadlock.
 *
 * With --turn, each block begins as if it had made N calls with packets.
 * With --count, all calls are plain sums of N floats, and what share of the bytes threads moved in units of 16 is printed.
 *
 * Exit status: 0 all exact; 1 a result differs; 2 bad usage; 3 a deadlock.
 */

#define SCCL_HOST_HOOKS 1

#include "runtime/runner/data.h"
#include "runtime/runner/reference.h"
#include "runtime/runner/run.h"
#include "tests/runtime/include/fiber.h"
#include "tests/support/random.h"

#include <sccl/device.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS_MAX = 8, BLOCKS = 4, GUARD = 64, GUARD_BYTE = 0xa5, DEADLOCK = 3 };

/* What a call is of; every rank draws the same sequence of them. */
static const struct {
	sccl_dtype_t type;
	sccl_op_t op;
} choices[] = {{SCCL_F32, SCCL_SUM}, {SCCL_U8, SCCL_MAX}, {SCCL_F16, SCCL_PROD}};
enum { CHOICES = sizeof choices / sizeof *choices };
/* Those just above a multiple of 64 bytes a chunk give some block a part of some chunks but not of all. */
static const uint64_t counts[] = {0, 1, 2, 7, 31, 64, 65, 100, 129, 257, 300};

/* A program and its memory on every rank. */
struct loaded {
	const sccl_program_t *program;
	struct data data[CHOICES];
	uint8_t **scratch, **packets[2]; /* [rank]; packets as such and as lines */
	uint64_t **turns[2];             /* [rank][block] */
	size_t scratch_bytes;
	uint64_t packet_bytes;
};

struct runner {
	uint32_t rank;
	uint64_t calls; /* returned from */
	sccl_env_t env;
	uint64_t epochs[BLOCKS], progress[BLOCKS];
	uint32_t cursors[BLOCKS];
	uint8_t *in;
};

static struct {
	size_t n_programs;
	struct loaded programs[PROGRAMS_MAX];
	uint32_t ranks;
	int protocols; /* 0: all, 1: plain, 2: packets, 3: shared inputs, 4: pull, 5: lines, 6: multimem */
	uint32_t threads; /* of a block of an emulated GPU */
	uint64_t calls, turn;
	unsigned seed;
	struct runner *runners;
	uint8_t **flags, **outs, **ins;
	size_t out_bytes;
	uint64_t count;    /* of every call; 0: drawn */
	uint64_t moved[2]; /* bytes: by elements, in units of 16 */
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

/* The most elements of a call. */
static uint64_t largest(void)
{
	return world.count ? world.count : counts[sizeof counts / sizeof *counts - 1];
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
	fiber_yield(true);
}

void sccl_host_posted(void)
{
	fiber_maybe_yield();
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
	uint32_t blocks, grid;
	bool packets, lines, shared, multimem, pull, steps, overlap; /* lines: packets, too */
};

static struct call draw_call(uint64_t number)
{
	uint64_t state = random_start(number * 2654435761u + world.seed);
	struct call c = {.number = number};

	c.loaded = &world.programs[fiber_draw(&state) % world.n_programs];
	c.choice = world.count ? 0 : (int)(fiber_draw(&state) % CHOICES);
	c.data = &c.loaded->data[c.choice];
	c.count = world.count ? world.count : counts[fiber_draw(&state) % (sizeof counts / sizeof *counts)];
	c.blocks = 1 + (uint32_t)(fiber_draw(&state) % BLOCKS);
	c.offset = GUARD + (world.count ? 0 : fiber_draw(&state) % 3 * 8);
	int protocol = world.protocols ? world.protocols : 1 + (int)(fiber_draw(&state) % (c.loaded->program->tables[SCCL_MULTIMEM].words ? 6 : 5));
	c.lines = protocol == 5;
	c.packets = protocol == 2 || c.lines;
	c.shared = protocol == 3 && c.loaded->program->tables[SCCL_SHARED].words;
	c.pull = protocol == 4;
	c.multimem = protocol == 6 && c.loaded->program->tables[SCCL_MULTIMEM].words;
	c.steps = fiber_draw(&state) % 4 == 0;
	c.overlap = fiber_draw(&state) % 2;
	if (c.packets) /* each block has its own packets: their number is a plan's, not a call's */
		c.blocks = BLOCKS;
	c.grid = strcmp(c.loaded->program->target, "host") == 0 ? 1 : 1 + (uint32_t)(fiber_draw(&state) % c.blocks);
	return c;
}

static void fill(struct runner *f, const struct call *c, const struct segments *input, size_t out_bytes)
{
	uint8_t *out = world.outs[f->rank];
	for (size_t i = 0; i < input->n; i++) {
		const struct segment *s = &input->of[i];
		data_fill(c->data, (struct stretch){s->key, c->number, s->first}, f->in + s->begin * c->data->element, s->n);
	}
	memset(out, GUARD_BYTE, world.out_bytes);
	memset(out + c->offset, 0x5a, out_bytes);
}

static bool is_right(struct runner *f, const struct call *c, const struct segments *output, size_t out_bytes)
{
	const uint8_t *out = world.outs[f->rank] + c->offset;
	for (size_t i = 0; i < output->n; i++) {
		const struct segment *s = &output->of[i];
		const uint8_t *at = out + s->begin * c->data->element;
		struct stretch stretch = {s->key, c->number, s->first};
		uint64_t same = s->reduced ? data_compare_reduced(c->data, output->keys, output->n_keys, stretch, at, s->n).first
		                           : data_compare(c->data, stretch, at, s->n).first;
		if (same < s->n)
			return false;
	}
	return is_guard(out - GUARD) && is_guard(out + out_bytes) &&
	       is_guard(c->loaded->scratch[f->rank] + c->loaded->scratch_bytes);
}

/* A block of an emulated GPU, and one of its threads. */
struct emulated {
	void (*kernel)(const sccl_launch_t *l, uint32_t block);
	const sccl_launch_t *launch;
	uint32_t block, arrived, meetings;
	int wants, wanted; /* of the meeting that goes on, and of the last */
	struct few *few;   /* [thread]: of those that begin there */
	size_t *living;
	void *shared;
};

/* Threads of a block that meet among themselves: a warp, or those who share a line. */
struct few {
	struct {
		uint32_t arrived, meetings;
		int wants, wanted;
	} of[2];
	uint64_t line[16];
};

struct emulated_thread {
	struct emulated *of;
	uint32_t number;
};

/* Of the fiber that runs: set before it goes on wherever it lets others go on. */
static struct emulated_thread *thread;

static void give_way(bool vain)
{
	struct emulated_thread *self = thread;
	fiber_yield(vain);
	thread = self;
}

uint32_t sccl_emulated_thread(void);
uint32_t sccl_emulated_threads(void);
int sccl_emulated_meet(int wants);
int sccl_emulated_meet_lanes(uint32_t lanes, int wants);
void sccl_emulated_line(uint8_t *line, uint32_t part, uint64_t *words, int stores);
void sccl_emulated_tally(uint32_t bytes, int wide);
void *sccl_emulated_shared(size_t bytes);
void sccl_emulated_hop(void);
void sccl_emulated_pause(void);
void sccl_emulated_launch(void (*kernel)(const sccl_launch_t *l, uint32_t block), const sccl_launch_t *l);

uint32_t sccl_emulated_thread(void)
{
	return thread->number;
}

uint32_t sccl_emulated_threads(void)
{
	return world.threads;
}

void sccl_emulated_hop(void)
{
	struct emulated_thread *self = thread;
	fiber_maybe_yield();
	thread = self;
}

void sccl_emulated_pause(void)
{
	give_way(true);
}

void sccl_emulated_tally(uint32_t bytes, int wide)
{
	world.moved[wide] += bytes;
}

void *sccl_emulated_shared(size_t bytes)
{
	if (!thread->of->shared)
		thread->of->shared = room(1, bytes);
	return thread->of->shared;
}

int sccl_emulated_meet(int wants)
{
	struct emulated *e = thread->of;
	uint32_t meeting = e->meetings;

	e->wants |= wants;
	if (++e->arrived == world.threads) {
		e->wanted = e->wants;
		e->arrived = 0;
		e->wants = 0;
		e->meetings++;
	}
	while (e->meetings == meeting)
		give_way(true);
	return e->wanted;
}

/* KIND: of a warp, or of those who share a line. */
static struct few *meet_few(uint32_t lanes, int kind, int wants)
{
	struct few *f = &thread->of->few[thread->number / lanes * lanes];
	uint32_t meeting = f->of[kind].meetings;

	f->of[kind].wants |= wants;
	if (++f->of[kind].arrived == lanes) {
		f->of[kind].wanted = f->of[kind].wants;
		f->of[kind].arrived = 0;
		f->of[kind].wants = 0;
		f->of[kind].meetings++;
		sccl_emulated_hop(); /* others can go on: no deadlock */
	}
	while (f->of[kind].meetings == meeting && !world.abort_word)
		give_way(true);
	return f;
}

int sccl_emulated_meet_lanes(uint32_t lanes, int wants)
{
	return meet_few(lanes, 0, wants)->of[0].wanted;
}

/* The last part's thread accesses the memory for all. */
void sccl_emulated_line(uint8_t *line, uint32_t part, uint64_t *words, int stores)
{
	struct few *f = &thread->of->few[thread->number / 8 * 8];

	if (stores)
		memcpy(f->line + (size_t)2 * part, words, 16);
	(void)meet_few(8, 1, 0);
	if (part == 7)
		memcpy(stores ? (void *)line : f->line, stores ? (void *)f->line : line, sizeof f->line);
	(void)meet_few(8, 1, 0);
	if (!stores)
		memcpy(words, f->line + (size_t)2 * part, 16);
	(void)meet_few(8, 1, 0);
	sccl_emulated_hop();
}

static void run_thread(void *argument)
{
	thread = argument;
	struct emulated *e = thread->of;
	e->kernel(e->launch, e->block);
	--*e->living;
}

void sccl_emulated_launch(void (*kernel)(const sccl_launch_t *l, uint32_t block), const sccl_launch_t *l)
{
	size_t living = (size_t)l->grid * world.threads;
	struct emulated *blocks = room(l->grid, sizeof *blocks);
	struct emulated_thread *threads = room(living, sizeof *threads);

	for (uint32_t b = 0; b < l->grid; b++) {
		blocks[b] = (struct emulated){.kernel = kernel, .launch = l, .block = b, .living = &living, .few = room(world.threads, sizeof(struct few))};
		for (uint32_t t = 0; t < world.threads; t++) {
			threads[b * world.threads + t] = (struct emulated_thread){&blocks[b], t};
			fiber_start(run_thread, &threads[b * world.threads + t]);
		}
	}
	while (living > 0)
		fiber_yield(true);
	for (uint32_t b = 0; b < l->grid; b++) {
		free(blocks[b].shared);
		free(blocks[b].few);
	}
	free(blocks);
	free(threads);
}

static void run_kernel(struct runner *f, const struct call *c)
{
	const struct loaded *l = c->loaded;
	const sccl_program_t *p = l->program;
	const sccl_table_t *t = &p->tables[c->lines ? SCCL_LINES : c->packets ? SCCL_PACKETS : c->shared ? SCCL_SHARED : c->multimem ? SCCL_MULTIMEM : c->pull ? SCCL_PULL : SCCL_PLAIN];
	uint64_t longest = p->chunk_limit(c->count) * c->data->element;
	sccl_launch_t launch = {
		.env = &f->env,
		.words = t->words[f->rank],
		.cuts = p->cuts,
		.in = f->in,
		.out = world.outs[f->rank] + c->offset,
		.peer_out = c->packets || c->pull ? NULL : world.outs,
		.peer_scratch = l->scratch,
		.peer_packets = c->packets ? l->packets[c->lines] : NULL,
		.peer_in = t->reads_inputs ? world.ins : NULL,
		.turns = l->turns[c->lines][f->rank],
		.out_offset = c->offset,
		.slot_bytes = SCCL_SLOT_BYTES(longest),
		.packet_bytes = l->packet_bytes,
		.lines = c->lines,
		.count = c->count,
		.packet_slots = t->packet_slots,
		.signals = t->signals,
		.blocks = c->blocks,
		.grid = c->grid,
		.overlap = c->overlap,
		.steps = p->steps,
	};
	sccl_launch_divide(&launch, p->cuts);
	for (uint32_t step = c->steps && p->steps ? 1 : p->steps; step <= p->steps && !world.abort_word; step++) {
		launch.until = step < p->steps ? step : SCCL_TO_THE_END;
		p->kernels[choices[c->choice].type][choices[c->choice].op](&launch, NULL);
	}
}

static void make_call(struct runner *f)
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

static void live(void *runner)
{
	struct runner *f = runner;
	for (; f->calls < world.calls && !world.abort_word; f->calls++)
		make_call(f);
}

static void tell_deadlock(void)
{
	for (uint32_t r = 0; r < world.ranks; r++)
		for (uint32_t b = 0; b < BLOCKS; b++) {
			uint64_t word = world.runners[r].progress[b];
			if (SCCL_PROGRESS_STATE(word) >= SCCL_WAITS_FOR_DATA)
				complain("deadlock", "rank %u, block %u, step %u waits for rank %u in call %llu", r, b,
				         SCCL_PROGRESS_STEP(word), SCCL_PROGRESS_PEER(word),
				         (unsigned long long)world.runners[r].calls);
		}
	stop(DEADLOCK);
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

	const sccl_table_t *packets = &l->program->tables[SCCL_PACKETS];
	uint32_t slots = 0;
	for (int t = 0; t < SCCL_PROTOCOLS; t++)
		slots = l->program->tables[t].scratch_slots > slots ? l->program->tables[t].scratch_slots : slots;
	uint64_t slot = SCCL_SLOT_BYTES(l->program->chunk_limit(largest()) * 8);
	l->scratch_bytes = slot * slots;
	l->packet_bytes = 2 * sccl_block_begin(slot, 1, BLOCKS);
	size_t packets_bytes = SCCL_PACKETS_SIZE(world.ranks, BLOCKS, packets->packet_slots, l->packet_bytes);
	l->scratch = room(world.ranks, sizeof *l->scratch);
	for (int lines = 0; lines < 2; lines++) {
		l->packets[lines] = room(world.ranks, sizeof *l->packets[lines]);
		l->turns[lines] = room(world.ranks, sizeof *l->turns[lines]);
		for (uint32_t r = 0; r < world.ranks; r++) {
			l->packets[lines][r] = room(1, packets_bytes);
			l->turns[lines][r] = room(BLOCKS, sizeof *l->turns[lines][r]);
		}
	}
	for (uint32_t r = 0; r < world.ranks; r++) {
		l->scratch[r] = room(1, l->scratch_bytes + GUARD);
		memset(l->scratch[r] + l->scratch_bytes, GUARD_BYTE, GUARD);
		uint64_t out = l->program->output_count(r, largest()) * 8 + 3 * GUARD;
		world.out_bytes = out > world.out_bytes ? out : world.out_bytes;
	}
}

static void make_runner(uint32_t rank)
{
	struct runner *f = &world.runners[rank];
	f->rank = rank;
	f->in = world.ins[rank] = room(largest() * (world.ranks + 1), 8);
	f->env = (sccl_env_t){.rank = rank, .ranks = world.ranks, .max_blocks = BLOCKS, .peer_flags = world.flags,
	                      .flags = world.flags[rank], .epochs = f->epochs, .cursors = f->cursors, .progress = f->progress,
	                      .abort_word = &world.abort_word};
	fiber_start(live, f);
}

/* As if that many calls with packets had ended. */
static void set_turn(const struct loaded *l, uint32_t rank, int lines)
{
	for (uint32_t b = 0; b < BLOCKS; b++) {
		l->turns[lines][rank][b] = world.turn;
		for (uint32_t source = 0; source < world.ranks; source++)
			memcpy(l->packets[lines][rank] + (source * BLOCKS + b) * SCCL_FLAG_STRIDE, &world.turn, sizeof world.turn);
	}
}

static void make_world(void)
{
	world.flags = room(world.ranks, sizeof *world.flags);
	world.outs = room(world.ranks, sizeof *world.outs);
	world.ins = room(world.ranks, sizeof *world.ins);
	world.runners = room(world.ranks, sizeof *world.runners);
	for (uint32_t r = 0; r < world.ranks; r++) {
		world.flags[r] = room(1, SCCL_FLAGS_SIZE(world.ranks, BLOCKS));
		world.outs[r] = room(1, world.out_bytes);
	}
	for (uint32_t r = 0; r < world.ranks; r++) {
		for (size_t i = 0; i < world.n_programs; i++)
			for (int lines = 0; lines < 2; lines++)
				set_turn(&world.programs[i], r, lines);
		make_runner(r);
	}
}

int main(int argc, char **argv)
{
	world.calls = 1000;
	world.seed = 1;
	world.threads = 3;
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;
		if (more && strcmp(argv[i], "--calls") == 0)
			world.calls = strtoull(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--seed") == 0)
			world.seed = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--turn") == 0)
			world.turn = strtoull(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--threads") == 0)
			world.threads = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--protocol") == 0)
			world.protocols = strcmp(argv[i + 1], "packets") == 0 ? 2 : strcmp(argv[i + 1], "shared") == 0 ? 3 : strcmp(argv[i + 1], "multimem") == 0 ? 6 : strcmp(argv[i + 1], "lines") == 0 ? 5 : strcmp(argv[i + 1], "pull") == 0 ? 4 : 1, i++;
		else if (more && strcmp(argv[i], "--count") == 0) {
			world.count = strtoull(argv[++i], NULL, 10);
			world.protocols = 1;
		} else if (argv[i][0] != '-' && world.n_programs < PROGRAMS_MAX)
			load(argv[i], (unsigned)world.n_programs++);
		else
			world.n_programs = 0, i = argc;
	}
	if (world.n_programs == 0) {
		complain("usage", "fibers [--count N] FILE.so... [--calls N] [--seed S] [--protocol plain|packets|lines|shared|multimem|pull] [--threads T] [--turn N], at most %d files", PROGRAMS_MAX);
		return EXIT_INPUT;
	}
	make_world();
	fiber_run(world.seed, tell_deadlock);
	if (world.count && world.status == 0)
		printf("%.4f\n", (double)world.moved[1] / (double)(world.moved[0] + world.moved[1]));
	return world.status;
}
