#include "cli/building.h"

#include "cli/command.h"
#include "cli/costs.h"
#include "cli/options.h"
#include "cli/sizes.h"

#include "core/algorithm.h"
#include "core/bounds.h"
#include "core/collective.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/topology.h"
#include "methods/method.h"

#include <stdio.h>

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

bool built_make(const struct options *o, const struct topology *t, const struct collective *k, struct built *b, struct error *e)
{
	struct method_options chosen = o->method.options;
	const struct method *m = method_find(o->method.name, e);

	chosen.chunks = o->chunks;
	b->algorithm = m && read_bytes(o, t, &chosen, e) ? method_build(m, t, k, &chosen, &b->report, e) : NULL;
	return b->algorithm != NULL;
}

bool built_save(const struct built *b, struct error *e)
{
	return !b->path || algorithm_save(b->algorithm, b->path, e);
}

void built_free(struct built *b)
{
	algorithm_free(b->algorithm);
	text_free(&b->report);
}

static void print_json(const struct options *o, const struct built *b)
{
	const struct algorithm *a = b->algorithm;
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
	if (b->path)
		text_add_json_string(&s, b->path);
	else
		text_add(&s, "null");
	text_add(&s, "}");
	puts(s.bytes);
	text_free(&s);
}

static void print_text(const struct built *b)
{
	const struct algorithm *a = b->algorithm;
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];
	struct rational bandwidth = algorithm_bandwidth(a);

	if (b->report.length)
		fwrite(b->report.bytes, 1, b->report.length, stdout);
	printf("%s: (%d,%zu,%d), R/C = %s; bounds S >= %d, R/C >= %s", shown(a->name), a->chunks, a->n_steps, algorithm_rounds(a),
	       rational_text(bandwidth, ratio), a->bound_steps, rational_text(a->bound_bandwidth, bound));
	double gap = rational_double(rational_div(bandwidth, a->bound_bandwidth)) - 1;
	if (gap > 0)
		printf(", %.1f %% above", 100 * gap);
	printf("; verified%s%s\n", b->path ? ": " : "", b->path ? shown(b->path) : "");
}

void built_print(const struct options *o, const struct built *b)
{
	if (o->json)
		print_json(o, b);
	else
		print_text(b);
}
