/* Other names of shipped machines: those of cloud instances, and of the accelerators in a box. */

#include "core/machine/topology.h"

static const struct machine_alias aliases[] = {
	{"a100", "dgx-a100"},
	{"b200", "dgx-b200"},
	{"dgx-1", "dgx1"},
	{"dgx-2", "dgx2"},
	{"gaudi", "gaudi-hls1"},
	{"gb200", "gb200-nvl72"},
	{"h100", "dgx-h100"},
	{"h200", "dgx-h200"},
	{"mi100", "mi100x8"},
	{"mi250x", "mi250x-frontier"},
	{"mi300x", "mi300x8"},
	{"mi325x", "mi325x8"},
	{"mi355x", "mi355x8"},
	{"ndv2", "dgx1v"},
	{"ndv5", "dgx-h100"},
	{"nvl72", "gb200-nvl72"},
	{"p3.16xlarge", "dgx1v"},
	{"p3dn.24xlarge", "dgx1v"},
	{"p4d.24xlarge", "p4d"},
	{"p5", "dgx-h100"},
	{"p5.48xlarge", "dgx-h100"},
	{"p5e", "dgx-h200"},
	{"p5e.48xlarge", "dgx-h200"},
	{"p5en.48xlarge", "dgx-h200"},
	{"p6-b200.48xlarge", "dgx-b200"},
	{"trn2.48xlarge", "trn2"},
	{"v100", "dgx1v"},
};

const struct machine_alias *topology_aliases(size_t *n)
{
	*n = sizeof aliases / sizeof *aliases;
	return aliases;
}

const char *const *topology_nvls_machines(size_t *n)
{
	static const char *const names[] = {"dgx-b200", "dgx-h100", "dgx-h200", "gb200-nvl72"};

	*n = sizeof names / sizeof *names;
	return names;
}
