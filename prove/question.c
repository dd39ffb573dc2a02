/*
 * Turns a candidate of a collective into the instance that is asked about. Combining collectives other than allreduce
 * become their inverses on the reversed network.
 */

#include "prove/question.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

bool question_open_for_bounds(const struct topology *t, const struct collective *k, struct question *out, struct error *e)
{
	*out = (struct question){.topology = t, .unit = 1, .asked_unit = 1};
	if (k->kind == SCAN)
		return error_set(e, ERROR_INPUT, "-c", "refutations of a scan have no certificates");
	if (collective_row(k)->chunks_in_blocks)
		out->unit = t->nodes;
	struct network *forward = network_new(t, e);
	if (!forward)
		return false;
	out->backwards = collective_solved_backwards(k);
	if (!out->backwards) {
		out->asked = collective_copy(k);
		out->network = forward;
		return true;
	}
	bool ok = collective_inverse(k, &out->asked, e);
	if (ok) {
		out->network = network_reversed(forward);
		/*
		 * C of a reducescatter counts the chunks of all blocks, C of its inverse, an allgather, those of one.
		 */
		out->asked_unit = collective_row(&out->asked)->chunks_in_blocks ? 1 : out->unit;
	}
	network_free(forward);
	return ok;
}

bool question_open(const struct topology *t, const struct collective *k, struct question *out, struct error *e)
{
	if (!question_open_for_bounds(t, k, out, e))
		return false;
	if (network_counts_all(out->network, t->name, e))
		return true;
	question_close(out);
	return false;
}

void question_close(struct question *q)
{
	if (q->network)
		collective_free(&q->asked);
	network_free(q->network);
	q->network = NULL;
}

bool question_instance(const struct question *q, struct candidate c, struct instance *out, struct error *e)
{
	if (c.chunks < 1 || c.chunks % q->unit != 0)
		return error_set(e, ERROR_INPUT, "candidate", "C=%d is not a multiple of %d", c.chunks, q->unit);
	int chunks = c.chunks / q->asked_unit;
	if (!collective_check(&q->asked, q->network->nodes, chunks, e))
		return false;
	struct collective scaled = collective_scaled(&q->asked, chunks);
	if (instance_new(q->network, &scaled, chunks, c.steps, c.rounds, out, e))
		return true;
	collective_free(&scaled);
	return false;
}

void question_done(struct instance *i)
{
	collective_free(&i->collective);
}
