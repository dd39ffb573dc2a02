#include "synth/pareto.h"

#include "core/error.h"
#include "core/file.h"
#include "synth/catalog.h"
#include "synth/compose.h"
#include "synth/walk.h"

#include <stdlib.h>
#include <unistd.h>

static struct frontier *walk_itself(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	struct answers known = {0};
	char *journal = o->out ? catalog_journal_path(o->out, p->topology, &p->collective) : NULL;
	struct frontier *f = walk(p, o, journal, &known, e);

	/* What stayed open may be asked again with a higher limit: then what was answered is still wanted. */
	if (f && journal && f->n_open == 0)
		unlink(journal);
	free(journal);
	answers_free(&known);
	return f;
}

struct frontier *pareto_walk(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	if (o->out) {
		char *folder = catalog_folder(o->out, p->topology, &p->collective);
		bool ok = folder_make(folder, e);
		free(folder);
		if (!ok)
			return NULL;
	}
	struct frontier *f = p->composed ? compose_walk(p, o, e) : walk_itself(p, o, e);
	if (f && o->out && !catalog_store_frontier(f, o->out, e)) {
		frontier_free(f);
		return NULL;
	}
	return f;
}
