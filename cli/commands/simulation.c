/* Reads the options of the simulator, and opens the algorithms to simulate. */

#include "cli/commands/simulation.h"

#include "cli/output/command.h"
#include "cli/arguments/options.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"

#include <stdlib.h>
#include <string.h>

/* Reads microseconds of at least LEAST, whose text is WORDS. A positive LEAST keeps the rate, its reciprocal,
 * finite. */
static bool read_number(const char *option, const char *text, double least, const char *words, double *out, struct error *e)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !(*out >= least && *out <= 1e12))
		return error_set(e, ERROR_INPUT, option, "must be microseconds, from %s to 1e12, not \"%.64s\"", words, text);
	return true;
}

/* The index of TEXT in NAMES, a NULL-terminated list of two. */
static bool read_choice(const char *option, const char *text, const char *const *names, int *out, struct error *e)
{
	for (int i = 0; names[i]; i++)
		if (strcmp(names[i], text) == 0) {
			*out = i;
			return true;
		}
	return error_set(e, ERROR_INPUT, option, "must be %s or %s, not \"%.64s\"", names[0], names[1], text);
}

bool simulation_read(const struct options *o, struct simulation *out, struct error *e)
{
	int start = START_STEPS, sharing = SHARING_FAIR;

	*out = (struct simulation){.alpha = -1};
	if ((o->alpha && !read_number("--alpha", o->alpha, 0, "0", &out->alpha, e)) ||
	    (o->beta && !read_number("--beta", o->beta, 1e-12, "1e-12", &out->beta, e)) ||
	    (o->simulation.start && !read_choice("--start", o->simulation.start, simulation_starts, &start, e)) ||
	    (o->simulation.sharing && !read_choice("--sharing", o->simulation.sharing, simulation_sharings, &sharing, e)) ||
	    (o->simulation.packet && !bytes_read("--packet", o->simulation.packet, &out->packet, e)) ||
	    (o->simulation.head && !bytes_read("--head", o->simulation.head, &out->head, e)) ||
	    (o->simulation.buffer && !bytes_read("--buffer", o->simulation.buffer, &out->buffer, e)))
		return false;
	out->start = (enum simulation_start)start;
	out->sharing = (enum simulation_sharing)sharing;
	if (out->packet && !out->head)
		return error_set(e, ERROR_INPUT, "--packet", "say with --head how many bytes each packet carries beside");
	return true;
}

static int open_one(const struct simulation *how, struct contestant *c)
{
	struct error e = {0};

	c->algorithm = algorithm_open(c->path, &e);
	if (!c->algorithm)
		return fail(&e);
	struct verdict v = algorithm_verify(c->algorithm);
	if (v.fault != FAULT_NONE) {
		error_set(&e, ERROR_INPUT, c->path, "does not verify: %s", v.why);
		fail(&e);
		return STATUS_NO;
	}
	c->simulator = simulator_new(c->algorithm, how, &e);
	return c->simulator ? STATUS_DONE : fail(&e);
}

int contestants_open(const struct options *o, const struct simulation *how, struct contestant *all)
{
	int status = STATUS_DONE;

	for (size_t i = 0; i < o->n_files && status == STATUS_DONE; i++) {
		all[i].path = o->files[i];
		status = open_one(how, &all[i]);
	}
	return status;
}

void contestants_close(struct contestant *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		simulator_free(all[i].simulator);
		algorithm_free(all[i].algorithm);
	}
	free(all);
}
