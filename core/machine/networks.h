#ifndef SCCL_CORE_MACHINE_NETWORKS_H
#define SCCL_CORE_MACHINE_NETWORKS_H

/* Networks that join several boxes, by name: "dgx-h100*4:ib400". docs/reference/formats.md has their table. */

#include "core/base/rational.h"

#include <stddef.h>

struct box_network {
	const char *name;
	struct rational gigabytes_per_second; /* of one NIC, in each direction */
	struct rational latency_us;           /* from a node of one box to a node of another */
	const char *source;
};

const struct box_network *box_networks(size_t *n);            /* all *N of them */
const struct box_network *box_network_named(const char *name); /* NULL: there is none */

#endif
