/* `simulate`: runs algorithms in the α-β simulator, and prints times, rates and link use over sizes. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/simulation.h"
#include "cli/arguments/sizes.h"
#include "cli/arguments/folders.h"

#include "core/schedule/algorithm.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "simulate/plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct simulate_options {
	struct simulation how;
	const char *sizes, *svg;
	int busiest;
	bool json;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"busiest", 0, "N", "print the N busiest links", OPTION_WHOLE(simulate_options, busiest, 1, LINKS_MAX)},
	{"svg", 0, "FILE", "plot time and busbw against size in FILE", OPTION(option_text, simulate_options, svg)},
};

static const struct option_group groups[] = {
	OPTION_GROUP(speed_rows, simulate_options, how),
	OPTION_GROUP(simulation_rows, simulate_options, how),
	OPTION_GROUP(step_cost_rows, simulate_options, how.step),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(sizes_rows, simulate_options, sizes),
	OPTION_GROUP(json_rows, simulate_options, json),
};

static const struct usage usage = {
	"Simulates algorithms on their machines message by message, over physical links. For each size of one rank's input, prints "
	"the time, GB/s (size divided by time), busbw, the utilization of the links (on average and of the busiest one), and the "
	"average time that messages waited for other messages. Of a folder, all algorithms in it are simulated.\n\n"
	"α and β are those of each kind of link, unless --alpha and --beta set them for all links; --step-cost adds the cost of a kernel, "
	"or of whatever drives a network, to every step: microseconds, or cuda or hip for NCCL's numbers for each kind of link. With "
	"--start steps, a step begins when the previous one has ended; with --start dataflow, a message is sent as soon as its chunk is "
	"present. --sharing sets how messages share a link. --packet 256 --head 16 adds 16 bytes to every 256; --head without --packet adds "
	"its bytes to every message.\n\n"
	"Example: sccl-synth simulate algorithms/dgx1/allgather/c*.json --sizes 1K:1G --svg allgather.svg\v"
	"Exit status: 0 done; 1 an algorithm does not verify; 2 bad input; 3 too many sends.",
	USAGE_GROUPS(groups), USAGE_FILES(simulate_options, files),
};

/* The simulations of a command. */
struct simulate_session {
	const struct simulate_options *o;
	const struct contestant *all;
	int64_t *sizes;
	size_t n_sizes;
	double *times, *rates; /* [file * n_sizes + size]: microseconds; busbw in GB/s */
};

/* GB/s; 0 if it took no time. */
static double rate_of(double bytes, double microseconds)
{
	return microseconds > 0 ? bytes / microseconds / 1e3 : 0;
}

static void link_name(const struct topology *t, int link, struct text *into)
{
	if (link >= 0)
		text_add(into, "%d-%d", t->links[link].src, t->links[link].dst);
	else if (t->limits[-1 - link].name)
		text_add(into, "limit %s", printable(t->limits[-1 - link].name));
	else
		text_add(into, "limit %d", -1 - link);
}

static void add_busiest(const struct simulate_session *s, const struct contestant *c, double bytes, double time, struct text *into)
{
	struct link_load *loads = new_array(struct link_load, (size_t)s->o->busiest);
	size_t n = time > 0 ? simulator_busiest(c->simulator, bytes, time, loads, (size_t)s->o->busiest) : 0;

	text_add(into, s->o->json ? ", \"links\": [" : "      busiest:");
	for (size_t i = 0; i < n; i++) {
		struct text name = {0};
		link_name(c->algorithm->topology, loads[i].link, &name);
		if (s->o->json) {
			text_add(into, "%s{\"link\": ", i ? ", " : "");
			text_add_json_string(into, name.bytes);
			text_add(into, ", \"use\": %.4f}", loads[i].use);
		} else
			text_add(into, "  %s %.1f %%", name.bytes, 100 * loads[i].use);
		text_free(&name);
	}
	text_add(into, s->o->json ? "]" : "\n");
	free(loads);
}

static void print_row(const struct simulate_session *s, const struct contestant *c, int64_t bytes, const struct simulated *r, double busbw)
{
	struct text line = {0};

	if (s->o->json) {
		text_add(&line, "{\"file\": ");
		text_add_json_string(&line, c->path);
		text_add(&line, ", \"bytes\": %" PRId64 ", \"microseconds\": %.4f, \"gigabytes_per_second\": %.4f, \"busbw\": %.4f", bytes,
			 r->microseconds, rate_of((double)bytes, r->microseconds), busbw);
		if (s->o->busiest)
			add_busiest(s, c, (double)bytes, r->microseconds, &line);
		text_add(&line, "}\n");
	} else {
		text_add(&line, "%14" PRId64 " %14.3f %10.3f %10.3f %8.1f %% %8.1f %% %12.3f\n", bytes, r->microseconds,
			 rate_of((double)bytes, r->microseconds), busbw, 100 * r->use, 100 * r->busiest, r->waiting);
		if (s->o->busiest)
			add_busiest(s, c, (double)bytes, r->microseconds, &line);
	}
	fputs(line.bytes, stdout);
	text_free(&line);
}

static void play(struct simulate_session *s, size_t file)
{
	const struct contestant *c = &s->all[file];

	if (!s->o->json)
		printf("%s: %s on %s, %d nodes\n%14s %14s %10s %10s %10s %10s %12s\n", printable(c->path), collective_called(&c->algorithm->collective),
		       printable(c->algorithm->topology->name), c->algorithm->topology->nodes, "bytes", "time us", "GB/s", "busbw", "use", "busiest",
		       "waiting us");
	for (size_t i = 0; i < s->n_sizes; i++) {
		struct simulated r;
		simulator_run(c->simulator, (double)s->sizes[i], &r);
		s->times[file * s->n_sizes + i] = r.microseconds;
		s->rates[file * s->n_sizes + i] = bus_factor(c->algorithm) * rate_of((double)s->sizes[i], r.microseconds);
		print_row(s, c, s->sizes[i], &r, s->rates[file * s->n_sizes + i]);
	}
}

static bool draw(const struct simulate_session *s, struct error *e)
{
	const struct panel panels[] = {{"time", "us", s->times}, {"busbw", "GB/s", s->rates}};
	const char **names = new_array(const char *, s->o->files.n);
	struct text svg = {0}, title = {0};

	for (size_t i = 0; i < s->o->files.n; i++)
		names[i] = s->all[i].path;
	text_add(&title, "%s on %s", collective_called(&s->all[0].algorithm->collective), s->all[0].algorithm->topology->name);
	plot_write(&(struct plot){title.bytes, s->n_sizes, s->o->files.n, 2, s->sizes, names, panels}, &svg);
	bool ok = file_write(s->o->svg, svg.bytes, svg.length, e);
	text_free(&svg);
	text_free(&title);
	free(names);
	return ok;
}

static int simulate(const struct simulate_options *o)
{
	struct error e = {0};
	struct simulate_session s = {.o = o};

	if (!simulation_check(&o->how, &e) || !sizes_read(o->sizes ? o->sizes : "1K:1G", &s.sizes, &s.n_sizes, &e)) {
		free(s.sizes);
		return fail(&e);
	}
	struct contestant *all = new_array(struct contestant, o->files.n);
	int status = contestants_open(&o->files, &o->how, all);
	s.all = all;
	s.times = new_array(double, o->files.n * s.n_sizes);
	s.rates = new_array(double, o->files.n * s.n_sizes);
	for (size_t i = 0; i < o->files.n && status == STATUS_DONE; i++)
		play(&s, i);
	if (status == STATUS_DONE && o->svg && !draw(&s, &e))
		status = fail(&e);
	contestants_close(all, o->files.n);
	free(s.times);
	free(s.rates);
	free(s.sizes);
	return status;
}

int cmd_simulate(int argc, char **argv)
{
	struct error e = {0};
	struct simulate_options o = {.how = simulation_defaults};

	return options_read(argc, argv, &usage, &o, &e) && operands_open_folders(&o.files, &e) ? simulate(&o) : fail(&e);
}
