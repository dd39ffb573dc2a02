/* What other tools write: a machine that is accepted is written, and reads as the same; a plan is played; a schedule verifies. */
#include "tests/fuzz/targets.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"
#include "interop/machines/import.h"
#include "interop/plans/lint.h"
#include "interop/schedules/schedules.h"
#include "tests/fuzz/refusal.h"

#include <stdlib.h>
#include <string.h>

bool fuzz_machine(const char *bytes, size_t n)
{
	const char *path = fuzz_file(bytes, n);
	struct text notes = {0}, out = {0};
	struct import_report report = {.notes = &notes};
	struct error e = {0}, again = {0};
	struct topology *t = import_machine(&path, 1, "fuzzed", RATES_PLANNED, &report, &e);

	refusal_check(t != NULL, &e);
	if (t) {
		topology_write(t, &out, 0);
		struct topology *copy = topology_read_document(json_document_parse(out.bytes, "again", &again), &again);
		fuzz_need(copy && topology_same(t, copy), "a machine that was imported reads as another");
		topology_free(copy);
	}
	bool accepted = t != NULL;
	topology_free(t);
	text_free(&notes);
	text_free(&out);
	return accepted;
}

static bool one_line_each(const struct text *lines)
{
	for (size_t i = 0; i < lines->length; i++)
		if ((unsigned char)lines->bytes[i] < ' ' && lines->bytes[i] != '\n')
			return false;
	return true;
}

bool fuzz_plan(const char *bytes, size_t n)
{
	const char *path = fuzz_file(bytes, n);
	struct text lines = {0}, notes = {0};
	struct plan_faults f = {.lines = &lines};
	struct error e = {0};
	struct foreign_plan *p = plan_open(path, &e);

	refusal_check(p != NULL, &e);
	if (!p)
		return false;
	if (plan_lint(p, p->format == PLAN_MSCCL ? FOR_RCCL : FOR_MSCCLPP, bytes, &f, &notes, &e))
		fuzz_need(one_line_each(&lines), "a fault that is not one line");
	else
		refusal_check(false, &e);
	foreign_plan_free(p);
	text_free(&lines);
	text_free(&notes);
	return true;
}

/* On three nodes; a trace stands for both of two. */
bool fuzz_schedule(const char *bytes, size_t n)
{
	static struct topology *machines[2];
	char *text = new_array(char, n + 1);
	struct schedule_source of[2] = {{"fuzzed.0.et", text, n}, {"fuzzed.1.et", text, n}};
	struct error e = {0};

	memcpy(text, bytes, n);
	for (int i = 0; i < 2 && !machines[i]; i++)
		machines[i] = topology_open(i ? "complete:2" : "complete:3", &e);
	fuzz_need(machines[0] && machines[1], "no machine");
	bool trace = is_chakra(text, n);
	struct schedule_request r = {of, trace ? 2 : 1, machines[trace], COLLECTIVE_KINDS};
	struct algorithm *a = schedule_read(&r, &e);
	refusal_check(a != NULL, &e);
	fuzz_need(!a || algorithm_verify(a).fault == FAULT_NONE, "a schedule that was imported does not verify");
	bool accepted = a != NULL;
	algorithm_free(a);
	free(text);
	return accepted;
}
