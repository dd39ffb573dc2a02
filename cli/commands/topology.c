/* `topology`: dispatches to its subcommands. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/topologies.h"

#include <string.h>

static const char *const format_names[] = {"text", "json", "dot", NULL};
static const struct option_row own_rows[] = {
	{"format", 0, "F", "output format of `show`: text, json or dot (text)",
	 OPTION_CHOICE(topology_options, format, format_names)},
	{"from", 0, "FILE", "`probe`: read FILE, written by lstopo, instead of detecting this computer",
	 OPTION(option_text, topology_options, from)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(output_rows, topology_options, out),
	OPTION_GROUP(json_rows, topology_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Lists the named machines and the available shapes, shows or compares machines, or detects the accelerators of this "
	"computer and their links.\n\n"
	"A machine T is a name from the list, a file (with a slash in its path, or ending in .json), or a shape such as torus:4x4. "
	"T*4 is four copies of T joined by a switch, T*4:ib400 by a network from the list, with a NIC for each node; T*4:2xib400 has two "
	"NICs per box, T*4:ib400+rails a switch for the NICs of the same number, and T*4:ib400+spine2:1 a fat tree that is oversubscribed "
	"two to one. Edits may follow: T@gpus=0,1,4,5 keeps these nodes, renumbered in this order, and with @relay after it the others "
	"as switches; T@drop=2-3 removes a link; T@add=0-4x2 adds a link of bandwidth 2. T+nvls is T with switches that copy and "
	"add.\n\n"
	"`show` prints a machine as text (a table of links), as JSON (a machine file) or as dot (for Graphviz).\n\n"
	"`parts` lists the connected sub-machines with at least 3 nodes, one for each isomorphism class, with the digest of the "
	"class and one node of each orbit. The machine may have up to 16 nodes.\n\n"
	"`isomorphic` checks whether two machines are isomorphic and, if so, prints which node of A corresponds to which node of B. "
	"Bandwidths and limits must match; names need not.\n\n"
	"`probe` detects the accelerators of this computer with hwloc, or reads a file written by `lstopo FILE.xml`. It prints the "
	"machine, or writes it to the file given by -o.\n\n"
	"Example: sccl-synth topology show dgx1 --format dot | dot -Tsvg > dgx1.svg\v"
	"Exit status: 0 done; 1 `probe` found no accelerator, or the two machines are not isomorphic; 2 bad input; 3 a machine is "
	"too large for `parts` or `isomorphic`; 4 hwloc failed.",
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
		error_set(e, ERROR_INPUT, "topology", "--from and -o are only for `probe`");
		return NULL;
	}
	error_set(e, ERROR_INPUT, "topology", "must be followed by `list`, `show T`, `parts T`, `isomorphic A B` or `probe`");
	return NULL;
}

int cmd_topology(int argc, char **argv)
{
	struct error e = {0};
	struct topology_options o = {.format = -1};
	const struct verb *verb = options_read(argc, argv, &usage, &o, &e) ? verb_of(&o, &e) : NULL;

	return verb ? verb->run(&o) : fail(&e);
}
