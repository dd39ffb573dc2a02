/*
 * `prove -S` without -C and -R: a certificate that no algorithm of so many steps, with any C and R, has a smaller R/C.
 * The linear program over timed trees gives the prices; the certificate states what they show.
 */

#include "cli/commands/prove_steps.h"

#include "cli/output/command.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/make.h"
#include "prove/program.h"
#include "synth/program/least_rounds.h"

#include <stdio.h>
#include <stdlib.h>

/* Finds the least R/C and adds its program to the proof. False with *e set. */
static bool add_program(struct proof *p, const struct question *q, int steps, bool *attained, struct error *e)
{
	struct least_rounds l;
	struct instance i;

	if (!question_instance(q, (struct candidate){q->unit, steps, steps}, &i, e))
		return false;
	bool ok = least_rounds_find(&i, steps, NULL, &l, e);
	if (ok) {
		size_t n;
		struct rational *prices = least_rounds_prices(&l, &n);
		ok = step_program_add(&p->sides[WHOLE], q, steps, -1, prices, e);
		*attained = l.attained;
		free(prices);
		least_rounds_free(&l);
	}
	question_done(&i);
	return ok;
}

static bool save(const struct proof *p, const char *path, struct error *e)
{
	struct text s = {0};

	proof_write(p, &s);
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	return ok;
}

int prove_steps(const struct topology *t, const struct collective *k, int steps, const char *path)
{
	struct error e = {0};
	struct question q;
	bool attained = false;
	char least[RATIONAL_TEXT];

	if (k->kind == ALLREDUCE)
		error_set(&e, ERROR_INPUT, "-C, -R", "missing; only the halves of an allreduce have bounds for a number of steps alone");
	if (e.kind != ERROR_NONE || !question_open(t, k, &q, &e))
		return fail(&e);
	struct proof *p = proof_new(t, k);
	bool ok = proof_bounds(p, &e) && add_program(p, &q, steps, &attained, &e) && save(p, path, &e);
	question_close(&q);
	if (ok) {
		const struct side *s = &p->sides[WHOLE];
		printf("%s: no algorithm of at most %d step%s has R/C below %s%s\n", printable(path), steps, plural(steps),
		       rational_text(s->programs[s->n_programs - 1].at_least, least), attained ? ", which is attained" : "");
	}
	proof_free(p);
	return ok ? STATUS_DONE : fail(&e);
}
