#include "tests/lower/hand.h"
#include "tests/lower/program/edited.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "lower/program/check.h"
#include "lower/program/packets.h"
#include "lower/program/sync.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

TestSuite(packets, .description = "the judges of packets and of meetings of threads");

/* With packets, before threads meet. */
static struct program *packets(const struct algorithm *a)
{
	struct program *p = built(a), *q = program_packets(p);

	program_free(p);
	return q;
}

Test(packets, every_instruction_is_missed_when_it_is_gone)
{
	struct algorithm *a;

	for (size_t n = 0; (a = hand_all(n)); n++) {
		struct program *p = packets(a);
		cr_expect(passes(p), "%s", a->name);
		for (int r = 0; r < p->ranks; r++)
			for (size_t i = 0; i < p->of[r].n; i++) {
				struct program *less = program_without(p, r, i);
				cr_expect(not(passes(less)), "%s: rank %d without its instruction %zu (%s)", a->name, r, i,
					  instruction_names[p->of[r].instructions[i].kind]);
				program_free(less);
			}
		program_free(p);
		algorithm_free(a);
	}
}

/* Each kind of fault with its line. */
Test(packets, names_what_is_wrong_with_a_packet)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = packets(a);

	program_remove(p, 0, find(p, 0, INSTRUCTION_CREDIT, 0));
	refused(p, "rank 0", "sent without credit");
	p = packets(a);
	program_remove(p, 1, find(p, 1, INSTRUCTION_OFFER, 0));
	refused(p, "", "never offers its packets to rank");
	p = packets(a);
	p->packets[1].of[0].from = 2;
	refused(p, "rank 0", "must be sent by rank 2");
	p = packets(a);
	program_insert(p, 1, 0, (struct instruction){.kind = INSTRUCTION_OFFER, .peer = 0});
	refused(p, "rank 1", "read after its slot was offered again");
	p = packets(a);
	program_insert(p, 2, 0, (struct instruction){.kind = INSTRUCTION_WAIT, .peer = 0, .k = 1});
	refused(p, "rank 2, instruction 0 (wait", "packets need no such instruction");
	p = packets(a);
	at(p, 1, INSTRUCTION_CREDIT, 0)->peer = 1;
	refused(p, "rank 1", "rank 1 is not a peer");
	p = packets(a);
	program_add_packet(p, 2, (struct packet){1, 0});
	refused(p, "", "is never sent");
	algorithm_free(a);
}

static void set_rare(const struct program *p, int rank, int peer, bool credit, bool offer)
{
	for (int side = 0; side < 2; side++) {
		int owner = side ? peer : rank, other = side ? rank : peer;
		for (size_t i = 0; i < p->of[owner].n; i++) {
			struct instruction *in = &p->of[owner].instructions[i];
			if (in->peer == other && in->kind == (side ? INSTRUCTION_OFFER : INSTRUCTION_CREDIT))
				in->rare = side ? offer : credit;
		}
	}
}

static size_t rare(const struct program *p, enum instruction_kind kind, size_t *all)
{
	size_t n = 0;

	*all = 0;
	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++)
			if (p->of[r].instructions[i].kind == kind) {
				n += p->of[r].instructions[i].rare;
				++*all;
			}
	return n;
}

/* Around a ring everybody hears of everybody; of a broadcast the root hears nothing. */
Test(packets, credits_are_rare_where_data_come_back)
{
	struct algorithm *round[] = {hand_allgather_ring(5), hand_allreduce_ring(4), hand_alltoall_direct(3)};
	size_t all;

	for (size_t i = 0; i < sizeof round / sizeof *round; i++) {
		struct program *p = packets(round[i]);
		cr_expect(eq(sz, rare(p, INSTRUCTION_CREDIT, &all), all), "%s", round[i]->name);
		cr_expect(eq(sz, rare(p, INSTRUCTION_OFFER, &all), all), "%s", round[i]->name);
		cr_expect(gt(sz, all, 0));
		program_free(p);
		algorithm_free(round[i]);
	}
}

Test(packets, a_credit_that_data_do_not_imply_is_not_rare)
{
	struct algorithm *a, *ring = hand_allgather_ring(3);
	size_t all, found = 0;

	for (size_t n = 0; (a = hand_all(n)); n++) {
		struct program *p = packets(a);
		for (int r = 0; r < p->ranks; r++)
			for (size_t i = 0; i < p->of[r].n; i++) {
				const struct instruction *in = &p->of[r].instructions[i];
				if (in->kind != INSTRUCTION_CREDIT || in->rare)
					continue;
				struct program *q = packets(a);
				set_rare(q, r, in->peer, true, true);
				refused(q, instruction_names[INSTRUCTION_CREDIT], "no data imply the credit of rank");
				found++;
			}
		program_free(p);
		algorithm_free(a);
	}
	cr_expect(gt(sz, found, 5), "%zu", found);
	struct program *p = packets(ring);
	cr_expect(gt(sz, rare(p, INSTRUCTION_CREDIT, &all), 0));
	set_rare(p, 0, 1, true, false);
	refused(p, "rank 0", "is not rare, the credit is");
	p = packets(ring);
	set_rare(p, 0, 1, false, true);
	refused(p, "rank 0", "is rare, the credit is not");
	algorithm_free(ring);
}

/* The target of a move that is a packet. */
static struct place *sent(const struct program *p, int rank, size_t nth)
{
	for (size_t i = 0; i < p->of[rank].n; i++) {
		struct instruction *in = &p->of[rank].instructions[i];
		for (size_t k = 0; k < in->n_targets; k++)
			if (in->targets[k].buffer == BUFFER_PACKET && nth-- == 0)
				return &in->targets[k];
	}
	cr_assert(false, "rank %d sends no such packet", rank);
	return NULL;
}

Test(packets, names_a_packet_that_is_sent_twice_or_is_not_there)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = packets(a);

	size_t i = find(p, 0, INSTRUCTION_MOVE, 0);
	struct instruction again = p->of[0].instructions[i];
	again.sources = copy_bytes(again.sources, again.n_sources * sizeof *again.sources);
	again.targets = copy_bytes(again.targets, again.n_targets * sizeof *again.targets);
	program_insert(p, 0, i + 1, again);
	refused(p, "rank 0", "is sent twice");
	p = packets(a);
	sent(p, 0, 0)->slot = 99;
	refused(p, "rank 0", "has no place number 99");
	p = packets(a);
	*sent(p, 0, 0) = (struct place){BUFFER_OUTPUT, 1, 0};
	refused(p, "rank 0", "it writes the memory of rank 1");
	p = packets(a);
	*sent(p, 0, 0) = (struct place){BUFFER_INPUT, 0, 0};
	refused(p, "rank 0", "it writes an input");
	algorithm_free(a);
}

/* One sends another chunk than the slot is for: the places are fine, what ends up there is not. */
Test(packets, the_second_judge_names_a_wrong_chunk)
{
	struct algorithm *a = hand_alltoall_direct(3);
	struct program *p = packets(a);
	struct place *one = sent(p, 0, 0), *other = sent(p, 0, 1), kept = *one;
	struct error e = {0};

	*one = *other;
	*other = kept;
	cr_expect(not(passes(p)));
	cr_expect(not(program_interpret(p, &e)));
	program_free(p);
	algorithm_free(a);
}

static size_t meetings(const struct program *p, int rank)
{
	size_t n = 0;
	for (size_t i = 0; i < p->of[rank].n; i++)
		n += p->of[rank].instructions[i].kind == INSTRUCTION_SYNC;
	return n;
}

/* Where threads meet they must. */
static size_t no_meeting_is_spare(struct program *p, const char *name)
{
	struct error e = {0};
	size_t n = 0;

	program_sync(p);
	cr_expect(sync_check(p, &e), "%s: %s: %s", name, e.where, e.what);
	for (int r = 0; r < p->ranks; r++)
		for (size_t k = 0; k < meetings(p, r); k++, n++) {
			struct program *less = program_without(p, r, find(p, r, INSTRUCTION_SYNC, k));
			struct error why = {0};
			cr_expect(not(sync_check(less, &why)), "%s: rank %d without its meeting %zu", name, r, k);
			cr_expect(ne(ptr, strstr(why.what, "the threads have not synchronized"), NULL), "%s", why.what);
			program_free(less);
		}
	program_free(p);
	return n;
}

Test(packets, every_meeting_of_threads_is_missed_when_it_is_gone)
{
	struct algorithm *a;
	size_t n = 0;

	for (size_t i = 0; (a = hand_all(i)); i++) {
		n += no_meeting_is_spare(built(a), a->name) + no_meeting_is_spare(packets(a), a->name);
		algorithm_free(a);
	}
	cr_expect(gt(sz, n, 100), "only %zu", n);
}
