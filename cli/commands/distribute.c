/* `distribute`: algorithms for several copies of a machine from algorithms for one (synth/replicate/distribute.h). */

#include "cli/output/command.h"
#include "cli/commands/made.h"

#include "core/machine/topology.h"
#include "synth/replicate/distribute.h"

struct distribute_options {
	const char *topology;
	int steps;
	struct made_options made;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"topology", 't', "T",
	 "machine that consists of several copies, as in dgx1*4: a name from `sccl-synth topology list`, a file or a shape",
	 OPTION(option_text, distribute_options, topology)},
	{"steps", 'S', "S", "maximum number of steps; more steps may save rounds",
	 OPTION_WHOLE(distribute_options, steps, 1, STEPS_MAX)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	MADE_GROUPS(distribute_options, made),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Builds an algorithm for several copies of a machine from algorithms for one copy.\n\n"
	"A single FILE is an alltoall, allgather, broadcast or gather, or the inverse of one of these. Two files are a gather and a "
	"scatter, which are combined through their roots into an alltoall, or a reducescatter and an allgather, which are combined "
	"into an allreduce. -t is the whole machine: if one copy has L nodes, node n of copy c is node c L + n of the whole "
	"machine. dgx1*4 is four copies whose nodes are all connected to one switch; in dgx1*4x2, the links to the switch have "
	"bandwidth 2. With -S, more steps may be used to save rounds: chunks from other copies are then transferred in groups, and "
	"each group is distributed while the next is being transferred. The result is verified, and reported with its gap to the "
	"bounds of the whole machine.\n\n"
	"Example: sccl-synth distribute local.json -t dgx1*4 -o whole.json\v"
	"Exit status: 0 done; 1 a FILE does not verify; 2 bad input, including a machine in which a copy lacks a link; 3 too many "
	"sends.",
	USAGE_GROUPS(groups), .operands = "FILE...", .operands_at = offsetof(struct distribute_options, files), .least = 1, .most = 2,
	.operands_wrong = "takes one or two algorithm files for a single machine",
};

static int distribute(const struct distribute_options *o)
{
	struct error e = {0};
	struct algorithm *local[2] = {NULL, NULL}, *a = NULL;
	int status = STATUS_DONE;
	struct topology *t = topology_open(o->topology, &e);

	bool ok = t && made_open(o->files.at[0], &local[0], &status, &e) &&
		  (o->files.n == 1 || made_open(o->files.at[1], &local[1], &status, &e));
	if (ok)
		a = distributed(t, local, o->files.n, o->steps, &e);
	status = made_end(&o->made, a, status, &e);
	algorithm_free(local[0]);
	algorithm_free(local[1]);
	topology_free(t);
	return status;
}

int cmd_distribute(int argc, char **argv)
{
	struct error e = {0};
	struct distribute_options o = {0};

	if (options_read(argc, argv, &usage, &o, &e) && !o.topology)
		error_set(&e, ERROR_INPUT, "-t", "missing; give a machine of several copies, as in -t dgx1*4");
	return e.kind == ERROR_NONE ? distribute(&o) : fail(&e);
}
