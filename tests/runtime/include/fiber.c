/*
 * Fibers with a scheduler that draws who goes on. Each begins by setcontext on a stack of its own; from then on they change places by
 * longjmp, which unlike swapcontext asks the kernel for nothing (setjmp keeps no signal mask here). Those that are over leave their
 * stacks to the next.
 */

/* The checked longjmp takes another stack for a mistake. */
#undef _FORTIFY_SOURCE

#include "tests/runtime/include/fiber.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { FIBERS_MAX = 4096, STACK = 1 << 17 };

struct fiber {
	ucontext_t beginning;
	jmp_buf place; /* once it has begun */
	void (*work)(void *);
	void *argument, *stack;
	bool begun, over;
	uint64_t sleeps_until; /* this many turns */
};

static struct fiber *fibers[FIBERS_MAX], *spare[FIBERS_MAX];
static size_t n_fibers, n_spare;
static struct fiber *current;
static jmp_buf scheduler;
static uint64_t random_state, vain;

static void *room(size_t bytes)
{
	void *p = calloc(1, bytes);
	if (!p) {
		fputs("fiber: there is too little memory\n", stderr);
		exit(4);
	}
	return p;
}

uint64_t fiber_draw(uint64_t *state)
{
	return random_bits(state) >> 33;
}

static void begin(void)
{
	current->work(current->argument);
	current->over = true;
	vain = 0;
	longjmp(scheduler, 1);
}

/* The current one goes on until it lets others, or is over. */
static void go_on(void)
{
	if (setjmp(scheduler) != 0)
		return;
	if (current->begun)
		longjmp(current->place, 1);
	current->begun = true;
	setcontext(&current->beginning);
}

static void let_others(void)
{
	if (setjmp(current->place) == 0)
		longjmp(scheduler, 1);
}

static struct fiber *spare_fiber(void)
{
	if (n_spare > 0)
		return spare[--n_spare];
	struct fiber *f = room(sizeof *f);
	f->stack = room(STACK);
	return f;
}

void fiber_start(void (*work)(void *), void *argument)
{
	if (n_fibers == FIBERS_MAX) {
		fputs("fiber: too many\n", stderr);
		exit(4);
	}
	struct fiber *f = spare_fiber();
	*f = (struct fiber){.work = work, .argument = argument, .stack = f->stack};
	getcontext(&f->beginning);
	f->beginning.uc_stack.ss_sp = f->stack;
	f->beginning.uc_stack.ss_size = STACK;
	makecontext(&f->beginning, begin, 0);
	fibers[n_fibers++] = f;
}

void fiber_yield(bool in_vain)
{
	vain = in_vain ? vain + 1 : 0;
	let_others();
}

void fiber_maybe_yield(void)
{
	vain = 0;
	if (fiber_draw(&random_state) & 1)
		let_others();
}

static void bury(size_t i)
{
	spare[n_spare++] = fibers[i];
	fibers[i] = fibers[--n_fibers];
}

/*
 * The next to go on. Now and then one falls asleep for long, while the others go on as far as they can: that finds who
 * does not wait for whom he should.
 */
static size_t next_fiber(uint64_t turn)
{
	enum { FALLS_ASLEEP = 32, LONGEST = 12 };
	size_t i = fiber_draw(&random_state) % n_fibers;

	if (fiber_draw(&random_state) % FALLS_ASLEEP == 0)
		fibers[i]->sleeps_until = turn + (UINT64_C(1) << fiber_draw(&random_state) % LONGEST);
	for (size_t tries = 0; tries < n_fibers && fibers[i]->sleeps_until > turn && vain < 4 * n_fibers; tries++)
		i = (i + 1) % n_fibers;
	return i;
}

/* Each is asked so often before it is called a deadlock that none can have been passed over. */
void fiber_run(unsigned seed, void (*stuck)(void))
{
	random_state = random_start(seed);
	for (uint64_t turn = 0; n_fibers > 0; turn++) {
		size_t i = next_fiber(turn);
		current = fibers[i];
		go_on();
		if (fibers[i]->over)
			bury(i);
		else if (vain > 64 * n_fibers + 4096) {
			stuck();
			vain = 0;
		}
	}
}
