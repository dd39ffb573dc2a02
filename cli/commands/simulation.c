/* Reads the options of the simulator, and opens the algorithms to simulate. */

#include "cli/commands/simulation.h"

#include "cli/output/command.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/base/json.h"
#include "core/verify/verify.h"
#include "synth/trees/schedule_tables.h"

#include <stdlib.h>

const struct option_row speed_rows[2] = {
	{"alpha", 0, "US", "latency α of each link, in microseconds (that of its kind)",
	 OPTION_DECIMAL(simulation, alpha, 0, 1e12, "microseconds, from 0 to 1e12")},
	{"beta", 0, "US", "time β per byte over one unit of bandwidth, in microseconds (that of the link's kind)",
	 OPTION_DECIMAL(simulation, beta, 1e-12, 1e12, "microseconds, from 1e-12 to 1e12")},
};
const struct option_row simulation_rows[11] = {
	{"start", 0, "WHEN", "when messages start: steps (with their step), dataflow (with their chunk) or lockstep (by schedule tables) (steps)",
	 OPTION_CHOICE(simulation, start, simulation_starts)},
	{"sharing", 0, "HOW", "how messages share links: fair, fifo or order (fair)",
	 OPTION_CHOICE(simulation, sharing, simulation_sharings)},
	{"packet", 0, "BYTES", "payload of each packet, in bytes (messages are not divided)",
	 OPTION(option_bytes, simulation, packet)},
	{"head", 0, "BYTES", "header of each packet or, without --packet, of each message, in bytes (0)",
	 OPTION(option_bytes, simulation, head)},
	{"buffer", 0, "BYTES", "number of unacknowledged bytes that the receiving end of a link can hold (unlimited)",
	 OPTION(option_bytes, simulation, buffer)},
	{"interface", 0, "BYTES", "lockstep: bytes that a node's interface holds, which a step's estimated time leaves out (0)",
	 OPTION(option_bytes, simulation, interface)},
	{"ports", 0, "N", "lockstep: ports through which a node receives; the messages of a step take them in turn (as many as come)",
	 OPTION_WHOLE(simulation, ports, 1, 8)},
	{"jitter", 0, "US", "most by which an arrival is late, in microseconds; the same in every run (0)",
	 OPTION_DECIMAL(simulation, jitter, 0, 1e12, "microseconds, from 0 to 1e12")},
	{"reduce-cost", 0, "US", "time to add one received byte, in microseconds (0)",
	 OPTION_DECIMAL(simulation, reduce, 0, 1e12, "microseconds, from 0 to 1e12")},
	{"calls", 0, "N", "calls that are issued before their end is waited for; times are the average of one (1)",
	 OPTION_WHOLE(simulation, calls, 1, 1 << 20)},
	{"call-cost", 0, "US", "time of a call before and after its messages, in microseconds (0)",
	 OPTION_DECIMAL(simulation, call, 0, 1e12, "microseconds, from 0 to 1e12")},
};
const struct simulation simulation_defaults = {.start = START_STEPS, .sharing = SHARING_FAIR, .alpha = -1};

bool simulation_check(const struct simulation *s, struct error *e)
{
	if (s->packet && !s->head)
		return error_set(e, ERROR_INPUT, "--packet", "requires --head, the bytes of the header of each packet");
	if (s->ports && s->start != START_LOCKSTEP)
		return error_set(e, ERROR_INPUT, "--ports", "requires --start lockstep");
	return !(s->jitter > 0) || s->start != START_STEPS || error_set(e, ERROR_INPUT, "--jitter", "requires --start dataflow or lockstep");
}

/* An algorithm, or the tables of one. */
static struct algorithm *open_file(const char *path, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	struct algorithm *a = NULL;

	if (d && tables_are(d))
		a = tables_read(d, e);
	else if (d && (a = algorithm_read(d, e)) && !algorithm_expand(a, e)) {
		algorithm_free(a);
		a = NULL;
	}
	json_document_close(d);
	return a;
}

static int open_one(const struct simulation *how, struct contestant *c)
{
	struct error e = {0};

	c->algorithm = open_file(c->path, &e);
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

int contestants_open(const struct operands *files, const struct simulation *how, struct contestant *all)
{
	int status = STATUS_DONE;

	for (size_t i = 0; i < files->n && status == STATUS_DONE; i++) {
		all[i].path = files->at[i];
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
