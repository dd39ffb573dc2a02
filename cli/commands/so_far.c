/*
 * A time limit ends the process in a signal handler, which can only write what was prepared: the tables of what has been
 * found are made anew after each point.
 */

#include "cli/commands/so_far.h"

#include "cli/commands/frontier_table.h"
#include "cli/output/deadline.h"

#include "core/base/text.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/frontier.h"

#include <stdlib.h>

enum { COMPOSED, ALL_OTHERS };

static void say_if_interrupted(const struct so_far *s, const char *stored)
{
	struct text line = {0};

	if (!s->out) {
		interrupts_say("sccl-synth: pareto: interrupted: nothing is kept; with -o DIR the points found are");
		return;
	}
	char *folder = catalog_folder(s->out, s->topology, s->collective);
	text_add(&line, "sccl-synth: %s: interrupted: %s%s", printable(folder), stored, s->keeps_journal ? "; --resume continues" : "");
	interrupts_say(line.bytes);
	text_free(&line);
	free(folder);
}

void so_far_begin(struct so_far *s)
{
	say_if_interrupted(s, "no point is stored yet");
}

static void answer_at_deadline(const struct so_far *s)
{
	struct text tables = {0}, message = {0};

	for (int i = 0; i < 2; i++)
		text_add_bytes(&tables, s->tables[i].length ? s->tables[i].bytes : "", s->tables[i].length);
	text_add(&message, "sccl-synth: %s: time limit of %g s: the search could not end in time; these are the points found by then%s\n",
		 printable(s->topology->name), s->seconds, s->out ? ", which are stored; the frontier file may not be" : "");
	deadline_answer(tables.bytes, message.bytes, s->status);
	text_free(&tables);
	text_free(&message);
}

void so_far_take(void *so_far, const struct frontier *f)
{
	struct so_far *s = so_far;
	struct text *table = &s->tables[f->within == WITHIN_COMPOSITION ? COMPOSED : ALL_OTHERS];
	struct frontier late = *f; /* borrows all that it has */

	late.ended = ENDED_TIME;
	text_free(table);
	(s->json ? frontier_json : frontier_table)(&late, table);
	answer_at_deadline(s);
	say_if_interrupted(s, "the points found by then are stored, but no frontier");
}

void so_far_end(struct so_far *s)
{
	for (int i = 0; i < 2; i++)
		text_free(&s->tables[i]);
	interrupts_say(NULL);
}
