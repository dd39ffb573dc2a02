#include "tests/support/by_hand.h"
#include "core/schedule/instance.h"
#include "core/machine/network.h"

TestSuite(instance, .description = "one question: is there an algorithm?");

static struct network *network_of(const char *name)
{
	struct error e = {0};
	struct topology *t = machine(name);
	struct network *w = network_new(t, &e);
	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	topology_free(t);
	return w;
}

Test(instance, refuses_what_cannot_be_asked)
{
	static const struct {
		struct collective k;
		int chunks, steps, rounds;
		const char *where;
	} wrong[] = {
		{{ALLGATHER, 0, NULL}, 0, 1, 1, "allgather"},
		{{ALLGATHER, 0, NULL}, 1, 0, 1, "-S"},
		{{ALLGATHER, 0, NULL}, 1, -1, 1, "-S"},
		{{ALLGATHER, 0, NULL}, 1, STEPS_MAX + 1, ROUNDS_MAX, "-S"},
		{{ALLGATHER, 0, NULL}, 1, 3, 2, "-R"},
		{{ALLGATHER, 0, NULL}, 1, 3, ROUNDS_MAX + 1, "-R"},
		{{BROADCAST, 4, NULL}, 1, 1, 1, "broadcast"},
		{{ALLTOALL, 0, NULL}, 6, 1, 1, "alltoall"},
		{{REDUCE, 0, NULL}, 1, 1, 1, "reduce"},
		{{REDUCESCATTER, 0, NULL}, 4, 1, 1, "reducescatter"},
	};
	struct network *w = network_of("ring:4");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct error e = {0};
		struct instance out;
		cr_expect(not(instance_new(w, &wrong[i].k, wrong[i].chunks, wrong[i].steps, wrong[i].rounds, &out, &e)), "%zu", i);
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		cr_expect(eq(str, e.where, (char *)wrong[i].where), "%zu: %s", i, e.what);
	}
	network_free(w);
}

Test(instance, a_custom_collective_is_scaled_first)
{
	struct error e = {0};
	struct network *w = network_of("line:3");
	struct collective k = custom_of(3, 1, "\"pre\": [[0,0],[1,2]], \"post\": [[0,2],[1,0]]"), two = collective_scaled(&k, 2);
	struct instance out;
	cr_expect(not(instance_new(w, &k, 2, 2, 4, &out, &e)));
	e = (struct error){0};
	cr_assert(instance_new(w, &two, 2, 2, 4, &out, &e), "%s", e.what);
	cr_expect(eq(int, out.global_chunks, 4));
	collective_free(&k);
	collective_free(&two);
	network_free(w);
}

Test(instance, a_chunk_of_several_nodes_has_no_holder)
{
	struct error e = {0};
	struct network *w = network_of("line:3");
	struct collective k = custom_of(3, 1, "\"pre\": [[0,0],[0,2],[1,2]], \"post\": [[0,1],[1,0]]");
	struct instance i;

	cr_assert(instance_new(w, &k, 1, 2, 2, &i, &e), "%s", e.what);
	cr_expect(eq(int, instance_holder(&i, 0), -1));
	cr_expect(eq(int, instance_holder(&i, 1), 2));
	collective_free(&k);
	network_free(w);
}

Test(instance, measures_how_far_a_chunk_came_and_must_go)
{
	struct error e = {0};
	struct instance i;
	struct network *w = network_of("line:4");

	cr_assert(instance_new(w, &KIND(GATHER, 1), 1, 2, 2, &i, &e), "%s", e.what);
	unsigned short *from = instance_distance_from_pre(&i), *to = instance_distance_to_post(&i);
	for (int c = 0; c < 4; c++)
		for (int n = 0; n < 4; n++) {
			cr_expect(eq(int, from[c * 4 + n], abs(c - n)));
			/* Chunk 1 is at the root: it must go nowhere. */
			cr_expect(eq(int, to[c * 4 + n], c == 1 ? UNREACHABLE : abs(n - 1)));
		}
	free(from);
	free(to);
	cr_assert(instance_new(w, &KIND(BROADCAST, 0), 1, 3, 3, &i, &e), "%s", e.what);
	to = instance_distance_to_post(&i);
	cr_expect(eq(int, to[0], 1), "the nearest of those that it serves");
	cr_expect(eq(int, to[1], 0));
	free(to);
	network_free(w);
}

Test(instance, what_no_path_reaches_is_unreachable)
{
	struct error e = {0};
	struct instance i;
	struct network *w = network_of("line:3@drop=1-2");
	cr_assert(instance_new(w, &KIND(BROADCAST, 0), 1, 1, 1, &i, &e), "%s", e.what);
	unsigned short *from = instance_distance_from_pre(&i);
	cr_expect(eq(int, from[1], 1));
	cr_expect(eq(int, from[2], UNREACHABLE));
	free(from);
	network_free(w);
}
