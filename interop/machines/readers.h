#ifndef SCCL_INTEROP_MACHINES_READERS_H
#define SCCL_INTEROP_MACHINES_READERS_H

/*
 * The readers of machines in the formats of others: what recognizes each by content, and what reads it. Internal to
 * interop/machines/; import.h is the interface.
 */

#include "core/base/text.h"
#include "interop/machines/import.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct topology;

struct machine_source {
	const char *path, *name; /* PATH: without control characters, for what is said; NAME: of the topology */
	const char *bytes;       /* followed by a NUL byte */
	size_t n;
	char root[32];           /* the name of the root element, where it looks like XML; or "" */
	enum import_rates rates;
	struct text *notes;      /* one remark a line, "PATH: ..." */
};

/* They return a topology that has passed the reader of topology files and is owned by the caller; NULL with *e set. */
struct topology *read_nccl_xml(const struct machine_source *s, struct error *e);
struct topology *read_hwloc_xml(const struct machine_source *s, struct error *e);
struct topology *read_nvidia_smi(const struct machine_source *s, struct error *e);
struct topology *read_amd_text(const struct machine_source *s, struct error *e);
struct topology *read_matrix(const struct machine_source *s, struct error *e);
struct topology *read_msccl_tools_topology(const struct machine_source *s, struct error *e);
struct topology *read_taccl(const struct machine_source *s, struct error *e);
struct topology *read_te_ccl(const struct machine_source *s, struct error *e);
struct topology *read_node_link(const struct machine_source *s, struct error *e);
struct topology *read_tacos(const struct machine_source *s, struct error *e);
struct topology *read_astra_yaml(const struct machine_source *s, struct error *e);

#endif
