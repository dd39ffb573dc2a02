/*
 * Networks between boxes, by name. Speeds are nominal, of one NIC and direction. A latency is that of a message from one
 * box to another over an idle network, without what a kernel, or a proxy that it waits for, adds (--step-cost).
 */

#include "core/machine/networks.h"

#include <string.h>

#define TE_CCL "vendor's speed; latency as TE-CCL, SIGCOMM 2024, takes it for InfiniBand between two NDv2: 1.3 us"
#define ROCE "vendor's speed; latency as topologies/gaudi2.json has it for RDMA over Ethernet: 2 us, assumed"
#define EFA "vendor's speed; latency assumed: 15 us, for a datagram protocol that spreads packets over many paths and reorders them"
#define TCP "vendor's speed; latency assumed: 30 us, through the kernel's TCP"

static const struct box_network networks[] = {
	{"ib100", {25, 2}, {13, 10}, TE_CCL},
	{"ib200", {25, 1}, {13, 10}, TE_CCL},
	{"ib400", {50, 1}, {13, 10}, TE_CCL},
	{"ib800", {100, 1}, {13, 10}, TE_CCL},
	{"roce100", {25, 2}, {2, 1}, ROCE},
	{"roce200", {25, 1}, {2, 1}, ROCE},
	{"roce400", {50, 1}, {2, 1}, ROCE},
	{"roce800", {100, 1}, {2, 1}, ROCE},
	{"efa100", {25, 2}, {15, 1}, EFA},
	{"efa200", {25, 1}, {15, 1}, EFA},
	{"efa400", {50, 1}, {15, 1}, EFA},
	{"eth10", {5, 4}, {30, 1}, TCP},
	{"eth25", {25, 8}, {30, 1}, TCP},
	{"eth100", {25, 2}, {30, 1}, TCP},
};

const struct box_network *box_networks(size_t *n)
{
	*n = sizeof networks / sizeof *networks;
	return networks;
}

const struct box_network *box_network_named(const char *name)
{
	for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
		if (strcmp(networks[i].name, name) == 0)
			return &networks[i];
	return NULL;
}
