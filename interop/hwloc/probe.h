#ifndef SCCL_INTEROP_HWLOC_PROBE_H
#define SCCL_INTEROP_HWLOC_PROBE_H

/* Reads this machine, or an hwloc XML export of another, as a topology whose nodes are the accelerators. */

#include <stddef.h>

struct error;
struct topology;

/* What was seen, for the line printed for a machine without accelerators. */
struct probe_sights {
	int packages, cores, pci_devices;
};

/*
 * FROM is an XML file that hwloc wrote, NULL: this machine. The topology is named NAME, has passed the reader of
 * topology files, and is owned by the caller. NULL with e->kind ERROR_NONE: there is no accelerator, and *seen has what
 * there is. NULL with *e set: the file is invalid, hwloc failed, or this build is without hwloc.
 *
 * hwloc and the drivers it calls run in a process of their own: what they print, leak or crash stays there.
 */
struct topology *probe(const char *from, const char *name, struct probe_sights *seen, struct error *e);
/* The same for the XML itself, the N bytes; errors call it FROM. */
struct topology *probe_xml(const char *from, const char *bytes, size_t n, const char *name, struct probe_sights *seen, struct error *e);

#endif
