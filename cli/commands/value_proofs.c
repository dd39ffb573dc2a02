/* The dual prices that the search kept become programs of a proof: for an allreduce of its halves, and of broadcasts. */

#include "cli/commands/value_proofs.h"

#include "cli/commands/proofs.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "prove/make.h"
#include "prove/program.h"

#include <stdlib.h>
#include <string.h>

/* R/C of the side is at least this by its cut, or by a program for as many steps or more, from the root that is named. */
static bool is_shown(const struct side *s, const struct step_value *v)
{
	if (rational_compare(s->cut.at_least, v->at_least) >= 0)
		return true;
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i].steps >= v->steps && (v->root < 0 || s->programs[i].root == v->root) &&
		    rational_compare(s->programs[i].at_least, v->at_least) >= 0)
			return true;
	return false;
}

static bool add_values(struct proof *p, struct side *s, const struct step_values *values, struct error *e)
{
	struct question q;

	if (!question_open(p->topology, &s->collective, &q, e))
		return false;
	for (size_t i = values->n; i-- > 0 && e->kind == ERROR_NONE;) { /* a program of more steps may show those of fewer */
		const struct step_value *v = &values->of[i];
		if (is_shown(s, v) || step_program_of(s, v->steps))
			continue;
		if (v->prices)
			step_program_add(s, &q, v->steps, v->root, v->prices, e);
	}
	question_close(&q);
	return e->kind == ERROR_NONE;
}

bool value_proofs_add(struct proof *p, const struct frontier *f, struct error *e)
{
	const struct frontier *composed = f->within == WITHIN_COMPOSITION ? f : f->composed;

	return (composed == f || add_values(p, &p->sides[WHOLE], &f->values, e)) &&
	       (!composed || (add_values(p, &p->sides[SCATTERS], &composed->halves[0], e) &&
			      add_values(p, &p->sides[GATHERS], &composed->halves[1], e)));
}

static bool write_proof(const struct proof *p, const char *frontier, size_t *bytes, struct error *e)
{
	char *path = proofs_path(frontier);
	struct text s = {0};

	proof_write(p, &s);
	*bytes = s.length;
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	free(path);
	return ok;
}

bool value_proofs_save(const struct frontier *f, const char *path, size_t *n, size_t *bytes, struct error *e)
{
	struct proof *p = proofs_of_frontier(f, path);
	bool ok = proof_bounds(p, e) && value_proofs_add(p, f, e) && write_proof(p, path, bytes, e);

	*n = 0;
	for (int i = 0; i < p->n_sides; i++)
		*n += p->sides[i].n_programs;
	proof_free(p);
	return ok;
}
