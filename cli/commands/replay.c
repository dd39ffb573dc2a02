/* Checks the proofs of catalog files, each at most once per process, unless this user has checked them before. */

#include "cli/commands/replay.h"

#include "cli/output/command.h"
#include "cli/commands/proofs.h"
#include "cli/commands/checked_proofs.h"

#include "core/base/memory.h"
#include "core/base/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Proofs read before: a command may need them for many machines. */
struct replayed {
	char *path;
	struct proof *proof; /* NULL: missing or unreadable */
	bool checked, holds;
	char line[256]; /* how they were checked, or what is wrong */
};

static bool proof_holds(const struct proof *p, const char *proofs, double timeout, char *line, size_t size)
{
	struct error e = {0};
	struct check_report report;
	struct proofs_line drawn = {.subject = proofs, .verb = "checking"};
	const struct check_options options = {.solve_again = true, .timeout = timeout, .budget = check_budget, .interrupted = &interrupted,
					      .progress = proofs_progress(), .context = &drawn};
	bool read = proof_check(p, proofs, &options, &report, &e);

	proofs_progress_clear(&drawn);
	if (!read)
		snprintf(line, size, "%.200s", e.what);
	else if (report.fault[0])
		snprintf(line, size, "%.200s", report.fault);
	else if (!report.holds)
		snprintf(line, size, "not all of its proofs were checked in time");
	else
		proofs_summary(&report, line, size);
	return read && report.holds && !report.fault[0];
}

/* If time is limited, half of the rest is reserved for a search, in case the proofs fail. */
static void check(struct replayed *r, double timeout)
{
	r->checked = true;
	r->holds = checked_proofs_has(r->proof);
	if (r->holds) {
		snprintf(r->line, sizeof r->line, "checked before by this user and version");
		return;
	}
	double deadline = stop_within(stop_left() / 2);
	r->holds = proof_holds(r->proof, r->path, timeout, r->line, sizeof r->line);
	stop_restore(deadline);
	if (r->holds)
		checked_proofs_add(r->proof);
}

static void read_proof(struct replayed *r)
{
	struct error e = {0};

	if (access(r->path, F_OK) != 0) {
		snprintf(r->line, sizeof r->line, "its refutations have no proofs (`prove` makes them)");
		return;
	}
	r->proof = proof_open(r->path, &e);
	if (!r->proof)
		snprintf(r->line, sizeof r->line, "%.200s", e.what);
}

/* The proofs at PATH, read at the first call for it. Takes ownership of PATH. */
static struct replayed *read_once(char *path)
{
	static struct replayed *known;
	static size_t n, capacity;

	for (size_t i = 0; i < n; i++)
		if (strcmp(known[i].path, path) == 0) {
			free(path);
			return &known[i];
		}
	known = grown(known, &capacity, n + 1, sizeof *known);
	known[n] = (struct replayed){.path = path};
	read_proof(&known[n]);
	return &known[n++];
}

bool replay_proofs(const char *path, const struct frontier *f, double timeout, char *line, size_t size)
{
	struct replayed *r = read_once(proofs_path(path));

	/* The cheap check comes first. */
	if (r->proof && !proofs_cover_frontier(r->proof, f, path, line, size))
		return false;
	if (r->proof && !r->checked)
		check(r, timeout);
	snprintf(line, size, "%s", r->line);
	return r->holds;
}

void replay_doubt(const char *path, const char *why)
{
	if (!interrupted) /* otherwise the check is inconclusive */
		fprintf(stderr, "sccl-synth: %s: not used: %s\n", printable(path), printable(why));
}
