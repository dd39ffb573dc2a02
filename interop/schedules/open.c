/* Finds the format of a schedule or plan by what only it contains. */

#include "interop/schedules/schedules.h"

#include "interop/plans/lint.h"
#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <string.h>

static struct algorithm *read_plan(const struct schedule_request *r, struct error *e)
{
	struct foreign_plan *p = plan_parse(r->of->path, r->of->bytes, r->of->n, e);
	struct algorithm *a = p ? plan_to_algorithm(p, r->topology, e) : NULL;

	foreign_plan_free(p);
	return a;
}

/* The first row that fits. HAS: the text contains it; FIRST: its first character other than blanks. */
static const struct schedule_format {
	char first;
	const char *has;
	bool takes_collective;
	struct algorithm *(*read)(const struct schedule_request *r, struct error *e);
} formats[] = {
	{'{', "\"1-Epoch_Duration\"", false, read_te_ccl_schedule},
	{'{', "\"msccl_type\"", false, read_msccl_tools_schedule},
	{'<', "<graphs", true, read_nccl_graph},
	{'<', "<tree ", true, read_forestcoll},
	{'c', "collective,root,chunks,step,rounds,action,chunk,src,dst", false, read_csv_schedule},
	{'<', "", false, read_plan},
	{'{', "", false, read_plan},
};

static const struct schedule_format *format_of(const struct schedule_source *s)
{
	const char first = s->bytes[strspn(s->bytes, " \t\r\n\xef\xbb\xbf")];

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].first == first && strstr(s->bytes, formats[i].has))
			return &formats[i];
	return NULL;
}

struct algorithm *schedule_read(const struct schedule_request *r, struct error *e)
{
	bool trace = is_chakra(r->of->bytes, r->of->n);
	const struct schedule_format *f = NULL;

	if (!trace && r->n > 1)
		error_set(e, ERROR_INPUT, r->of[1].path, "with -t one file is read, or the traces of all ranks");
	else if (!trace && strlen(r->of->bytes) != r->of->n)
		error_set(e, ERROR_INPUT, r->of->path, "is not text: it has a NUL byte");
	else if (!trace && !(f = format_of(r->of)))
		error_set(e, ERROR_INPUT, r->of->path, "is no plan or schedule of a known format");
	else if (r->asked != COLLECTIVE_KINDS && (trace || !f->takes_collective))
		error_set(e, ERROR_INPUT, "-c", "is for NCCL's graphs and ForestColl's trees; %.200s says what it is for", r->of->path);
	else
		return trace ? read_chakra(r, e) : f->read(r, e);
	return NULL;
}
