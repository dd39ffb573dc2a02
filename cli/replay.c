#include "cli/replay.h"

#include "cli/command.h"
#include "cli/proofs.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Proofs that were checked: a command may come to them for many machines. */
struct replayed {
	char *path;
	struct proof *proof; /* NULL: they do not hold */
	char line[256];      /* what was done, or what is wrong */
};

static bool check(const struct proof *p, const char *proofs, double timeout, char *line, size_t size)
{
	struct error e = {0};
	struct check_report report;
	struct drawn drawn = {.subject = proofs, .verb = "checking"};
	const struct check_options options = {.solve_again = true, .timeout = timeout, .interrupted = &interrupted, .tell = proofs_teller(),
					      .context = &drawn};
	bool read = proof_check(p, proofs, &options, &report, &e);

	proofs_clear(&drawn);
	if (!read)
		snprintf(line, size, "%.200s", e.what);
	else if (report.fault[0])
		snprintf(line, size, "%.200s", report.fault);
	else if (!report.holds)
		snprintf(line, size, "its proofs were not all checked in time");
	else
		proofs_summary(&report, line, size);
	return read && report.holds && !report.fault[0];
}

static void replay(struct replayed *r, double timeout)
{
	struct error e = {0};

	if (access(r->path, F_OK) != 0) {
		snprintf(r->line, sizeof r->line, "there are no proofs of what it says was refuted (`prove` makes them)");
		return;
	}
	r->proof = proof_open(r->path, &e);
	if (!r->proof)
		snprintf(r->line, sizeof r->line, "%.200s", e.what);
	else if (!check(r->proof, r->path, timeout, r->line, sizeof r->line)) {
		proof_free(r->proof);
		r->proof = NULL;
	}
}

/* Takes the path. */
static const struct replayed *replayed_once(char *path, double timeout)
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
	replay(&known[n], timeout);
	return &known[n++];
}

bool replay_proofs(const char *path, const struct frontier *f, double timeout, char *line, size_t size)
{
	const struct replayed *r = replayed_once(proofs_path(path), timeout);

	if (r->proof && !proofs_cover_frontier(r->proof, f, path, line, size))
		return false;
	snprintf(line, size, "%s", r->line);
	return r->proof;
}
