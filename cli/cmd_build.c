#include "cli/command.h"
#include "cli/costs.h"
#include "cli/options.h"
#include "cli/sizes.h"

#include "core/bounds.h"
#include "core/cost.h"
#include "core/file.h"
#include "core/text.h"
#include "core/topology.h"
#include "methods/method.h"
#include "methods/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Builds an algorithm by a method that does not search: other systems' and the classics. It is verified as any other, and told "
	"with its gap to the bounds.\n\n"
	"Example: sccl-synth build -t dgx1 -c allreduce --method ring -o ring.json\v";

static const char status[] =
	"\nExit status: 0 done; 2 bad input, also a machine or collective that the method cannot serve; 3 too many sends.";

/* The methods there are belong into --help. */
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

static void print_json(const struct options *o, const struct algorithm *a)
{
	struct text s = {0};
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];

	text_add(&s, "{\"method\": \"%s\", \"topology\": ", o->method.name);
	text_add_json_string(&s, a->topology->name);
	text_add(&s, ", \"collective\": \"%s\", \"root\": ", collective_name(&a->collective));
	if (collective_row(&a->collective)->rooted)
		text_add(&s, "%d", a->collective.root);
	else
		text_add(&s, "null");
	text_add(&s, ", \"chunks\": %d, \"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\", \"bound_steps\": %d, "
		 "\"bound_bandwidth\": \"%s\", \"file\": ", a->chunks, a->n_steps, algorithm_rounds(a),
		 rational_text(algorithm_bandwidth(a), ratio), a->bound_steps, rational_text(a->bound_bandwidth, bound));
	if (o->out)
		text_add_json_string(&s, o->out);
	else
		text_add(&s, "null");
	text_add(&s, "}");
	puts(s.bytes);
	text_free(&s);
}

static void print_text(const struct options *o, const struct algorithm *a, const struct text *report)
{
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];
	struct rational bandwidth = algorithm_bandwidth(a);

	if (report->length)
		fwrite(report->bytes, 1, report->length, stdout);
	printf("%s: (%d,%zu,%d), R/C = %s; bounds S >= %d, R/C >= %s", a->name, a->chunks, a->n_steps, algorithm_rounds(a),
	       rational_text(bandwidth, ratio), a->bound_steps, rational_text(a->bound_bandwidth, bound));
	double gap = rational_double(rational_div(bandwidth, a->bound_bandwidth)) - 1;
	if (gap > 0)
		printf(", %.1f %% above", 100 * gap);
	printf("; verified%s%s\n", o->out ? ": " : "", o->out ? o->out : "");
}

static bool save_tables(const struct algorithm *a, const char *path, struct error *e)
{
	struct text s = {0};

	tables_write(a, &s);
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	return ok;
}

/* --bytes, with what a step and a byte take on the machine or as given. */
static bool read_bytes(const struct options *o, const struct topology *t, struct method_options *to, struct error *e)
{
	bool has_alpha, has_beta;

	if (!o->method.bytes)
		return (!o->alpha && !o->beta) || error_set(e, ERROR_INPUT, o->alpha ? "--alpha" : "--beta", "is for --bytes");
	if (!bytes_read("--bytes", o->method.bytes, &to->bytes, e))
		return false;
	bool timed = topology_alpha_beta(t, &to->alpha, &to->beta);
	if (!cost_read("--alpha", o->alpha, &has_alpha, &to->alpha, e) || !cost_read("--beta", o->beta, &has_beta, &to->beta, e))
		return false;
	return timed || (has_alpha && has_beta) ||
	       error_set(e, ERROR_INPUT, t->name, "does not say what its links take; --bytes needs --alpha and --beta");
}

static int answer(const struct options *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct text report = {0};
	struct method_options chosen = o->method.options;
	const struct method *m = method_find(o->method.name, &e);

	chosen.chunks = o->chunks;
	struct algorithm *a = m && read_bytes(o, t, &chosen, &e) ? method_build(m, t, k, &chosen, &report, &e) : NULL;
	bool ok = a && (!o->out || algorithm_save(a, o->out, &e)) && (!o->method.tables || save_tables(a, o->method.tables, &e));
	if (ok) {
		options_tell_root(o, k);
		if (o->json)
			print_json(o, a);
		else
			print_text(o, a, &report);
	}
	algorithm_free(a);
	text_free(&report);
	return ok ? STATUS_DONE : fail(&e);
}

int cmd_build(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	struct topology *t = NULL;
	struct collective k = {0};
	char *text = usage_text();
	const struct usage usage = {"tcrCoJO0346AB", NULL, text};

	bool ok = options_read(argc, argv, &usage, &o, &e) && options_one_root(&o, &e);
	if (ok && !o.method.name)
		ok = error_set(&e, ERROR_INPUT, "--method", "say which, as in --method ring");
	int result = ok && options_subject(&o, &t, &k, &e) ? answer(&o, t, &k) : fail(&e);
	collective_free(&k);
	topology_free(t);
	free(text);
	return result;
}
