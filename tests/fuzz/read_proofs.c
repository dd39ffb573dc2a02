/* Certificates: read, checked within a budget, and the replay of traces held against formulas whose answer is known. */
#include "tests/fuzz/targets.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/check.h"
#include "prove/rup.h"
#include "prove/time_proof.h"
#include "tests/fuzz/refusal.h"

#include <string.h>

enum { STEPS_OF_WORK = 2000000, NODES_OF_WORK = 16 };

static void need_report(const struct check_report *r)
{
	fuzz_need(!r->holds || (!r->gave_up && !*r->fault), "a proof holds, and does not");
	fuzz_need(!*r->fault || refusal_is_line(r->fault), "a fault of several lines");
}

bool fuzz_proof(const char *bytes, size_t n)
{
	struct error e = {0};
	struct check_report report = {0};
	struct check_options options = {.budget = STEPS_OF_WORK};
	struct json_document *d = json_document_parse(bytes, "fuzzed", &e);
	struct proof *p = d ? proof_read(d, &e) : NULL;
	bool holds = false;

	(void)n;
	json_document_close(d);
	refusal_check(p != NULL, &e);
	if (!p)
		return false;
	struct text out = {0};
	proof_write(p, &out);
	text_free(&out);
	if (p->topology->nodes <= NODES_OF_WORK && proof_check(p, "/dev/null/fuzzed", &options, &report, &e)) {
		need_report(&report);
		holds = report.holds;
	}
	proof_free(p);
	return holds;
}

bool fuzz_time_proof(const char *bytes, size_t n)
{
	struct error e = {0};
	struct check_report report = {0};
	struct json_document *d = json_document_parse(bytes, "fuzzed", &e);
	struct time_proof *p = d ? time_proof_read(d, &e) : NULL;
	bool holds = false;

	(void)n;
	json_document_close(d);
	refusal_check(p != NULL, &e);
	if (!p)
		return false;
	if (p->topology->nodes <= NODES_OF_WORK && time_proof_check(p, STEPS_OF_WORK, &report, &e)) {
		need_report(&report);
		holds = report.holds;
	}
	time_proof_free(p);
	return holds;
}

/* Three pigeons in two holes, which is impossible, and in three, which is not. Variable pigeon * holes + hole + 1. */
static void pigeons(int holes, int *literals, struct cnf *out)
{
	size_t n = 0;

	*out = (struct cnf){.variables = 3 * holes, .literals = literals};
	for (int p = 0; p < 3; p++, out->n_clauses++) {
		for (int h = 0; h < holes; h++)
			literals[n++] = p * holes + h + 1;
		literals[n++] = 0;
	}
	for (int h = 0; h < holes; h++)
		for (int p = 0; p < 3; p++)
			for (int q = p + 1; q < 3; q++, out->n_clauses++) {
				literals[n++] = -(p * holes + h + 1);
				literals[n++] = -(q * holes + h + 1);
				literals[n++] = 0;
			}
	out->n_literals = out->capacity = n;
}

bool fuzz_trace(const char *bytes, size_t n)
{
	int literals[64];
	struct cnf f;
	struct text trimmed = {0};

	pigeons(3, literals, &f);
	fuzz_need(!rup_check(&f, bytes, n, NULL).refuted, "a formula that has models is refuted");
	pigeons(2, literals, &f);
	struct replay whole = rup_check(&f, bytes, n, NULL);
	fuzz_need(whole.refuted || refusal_is_line(whole.why), "a trace is refused without a line");
	struct replay trim = rup_trim(&f, bytes, n, &trimmed, NULL);
	fuzz_need(trim.refuted == whole.refuted, "a trace refutes, and does not");
	if (trim.refuted)
		fuzz_need(rup_check(&f, trimmed.bytes, trimmed.length, NULL).refuted, "what is left of a trace refutes no more");
	text_free(&trimmed);
	return whole.refuted;
}
