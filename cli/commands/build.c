/* `build`: builds an algorithm by a method of the table (synth/builder/method.h), for one machine or two. */

#include "cli/commands/building.h"
#include "cli/output/command.h"
#include "cli/arguments/options.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/builder/method.h"
#include "synth/trees/schedule_tables.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Builds an algorithm by a method that does not search: other systems' and the classics. It is verified as any other, and told "
	"with its gap to the bounds.\n\n"
	"--beside T builds it for a second machine too, another network between the same nodes, and tells for each size how a buffer is "
	"split between the two so that both end at once.\n\n"
	"Example: sccl-synth build -t dgx1 -c allreduce --method ring -o ring.json\v";

static const char status[] =
	"\nExit status: 0 done; 2 bad input, also a machine or collective that the method cannot serve; 3 too many sends.";

/* The text of --help, with the list of methods. The caller frees it. */
static char *usage_text(void)
{
	struct text s = {0};
	size_t n;
	const struct method *all = methods_all(&n);

	text_add(&s, "%sMethods:\n", about);
	for (size_t i = 0; i < n; i++)
		text_add(&s, "  %-20s %s\n", all[i].name, all[i].about);
	text_add(&s, "%s", status);
	return text_take(&s);
}

static bool check_tables(const struct options *o, struct error *e)
{
	return !o->out || !o->method.tables || strcmp(o->out, o->method.tables) != 0 ||
	       error_set(e, ERROR_INPUT, "--tables", "is the file of -o");
}

static bool save_tables(const struct algorithm *a, const char *path, struct error *e)
{
	struct text s = {0};

	tables_write(a, &s);
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	return ok;
}

static int answer(const struct options *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct built b = {.path = o->out};
	bool ok = built_make(o, t, k, &b, &e) && built_save(&b, &e) && (!o->method.tables || save_tables(b.algorithm, o->method.tables, &e));

	if (ok) {
		options_report_root(o, k);
		built_print(o, &b);
	}
	built_free(&b);
	return ok ? STATUS_DONE : fail(&e);
}

int cmd_build(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	struct topology *t = NULL;
	struct collective k = {0};
	char *text = usage_text();
	const struct usage usage = {"tcrCoJO0346AB{}~$sd", NULL, text};

	bool ok = options_read(argc, argv, &usage, &o, &e) && options_one_root(&o, &e) && beside_check(&o, &e) && check_tables(&o, &e);
	if (ok && !o.method.name)
		ok = error_set(&e, ERROR_INPUT, "--method", "say which, as in --method ring");
	ok = ok && options_subject(&o, &t, &k, &e);
	int result = !ok ? fail(&e) : o.beside.topology ? beside_build(&o, t, &k) : answer(&o, t, &k);
	collective_free(&k);
	topology_free(t);
	free(text);
	return result;
}
