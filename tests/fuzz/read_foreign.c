/* What other tools write: a machine that is accepted is written, and reads as the same. */
#include "tests/fuzz/targets.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "interop/machines/import.h"
#include "tests/fuzz/refusal.h"

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
