/* `topology`: dispatches to its subcommands. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/topologies.h"

#include <string.h>

static const char *const format_names[] = {"text", "json", "dot", NULL};
static const struct option_row own_rows[] = {
	{"format", 0, "F", "how to print; see above", option_choice, .field = offsetof(struct topology_options, format),
	 .choices = format_names},
	{"from", 0, "FILE", "read this file in place of the machine", option_text, .field = offsetof(struct topology_options, from)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(output_rows, topology_options, out),
	OPTION_GROUP(json_rows, topology_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Lists the machines that are there by name and the shapes that need no file, shows one, or reads this computer.\n\n"
	"A machine T is a name of the list, a file (it has a slash or ends in .json), or a shape such as torus:4x4; edits may follow: "
	"T@gpus=0,1,4,5 keeps these nodes, renumbered in that order; T@drop=2-3 takes a link away; T@add=0-4x2 adds one.\n\n"
	"`show` prints --format text (a table of links), json (the file) or dot (for graphviz).\n\n"
	"`parts` lists what of a machine of up to 16 nodes a job may be given: its connected sub-machines of 3 nodes or more, of those "
	"that are alike the first, with the digest that all of them share and a node of each kind, by their symmetries.\n\n"
	"`isomorphic` says which node of A is which of B where both are the same machine numbered in two ways: bandwidths and limits "
	"count, names do not.\n\n"
	"`probe` asks hwloc for the accelerators of this computer, or of one that --from FILE tells of (lstopo FILE.xml wrote "
	"it), and prints the machine that they make, or writes it to -o FILE.\n\n"
	"Example: sccl-synth topology show dgx1 --format dot | dot -Tsvg > dgx1.svg\v"
	"Exit status: 0 done; 1 probe found no accelerator, or two machines are not alike; 2 bad input; 3 a machine too large "
	"for parts or isomorphic; 4 hwloc failed.",
	USAGE_GROUPS(groups), .operands = "list | show T | parts T | isomorphic A B | probe",
	.operands_at = offsetof(struct topology_options, words),
};

/* The table of subcommands. */
static const struct verb {
	const char *name;
	size_t words; /* the number of arguments, including its name */
	bool probes; /* accepts --from and -o */
	int (*run)(const struct topology_options *o);
} verbs[] = {
	{"list", 1, false, topology_list},
	{"show", 2, false, topology_show},
	{"parts", 2, false, topology_parts},
	{"isomorphic", 3, false, topology_isomorphic},
	{"probe", 1, true, topology_probe},
};

static const struct verb *verb_of(const struct topology_options *o, struct error *e)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		if (verbs[i].words != o->words.n || strcmp(verbs[i].name, o->words.at[0]) != 0)
			continue;
		if (verbs[i].probes || (!o->from && !o->out))
			return &verbs[i];
		error_set(e, ERROR_INPUT, "topology", "--from and -o are for `probe`");
		return NULL;
	}
	error_set(e, ERROR_INPUT, "topology", "say `list`, `show T`, `parts T`, `isomorphic A B` or `probe`");
	return NULL;
}

int cmd_topology(int argc, char **argv)
{
	struct error e = {0};
	struct topology_options o = {.format = -1};
	const struct verb *verb = options_read(argc, argv, &usage, &o, &e) ? verb_of(&o, &e) : NULL;

	return verb ? verb->run(&o) : fail(&e);
}
