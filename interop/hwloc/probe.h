#ifndef SCCL_INTEROP_HWLOC_PROBE_H
#define SCCL_INTEROP_HWLOC_PROBE_H

/* What this computer, or an hwloc XML export of another, looks like as a machine of ours: its accelerators are the nodes. */

struct error;
struct topology;

/* What was seen, for the one line that tells of a computer without accelerators. */
struct probe_sights {
	int packages, cores, pci_devices;
};

/*
 * FROM is a file that hwloc wrote, NULL: this computer. The topology is called NAME, has been through the reader of
 * topology files, and is the caller's. NULL with e->kind ERROR_NONE: there is no accelerator, and *seen says what there
 * is. NULL with *e set: the file is bad, hwloc failed, or this build is without it.
 *
 * hwloc and the drivers that it asks work in a process of their own: what they print, leak or break stays there.
 */
struct topology *probe(const char *from, const char *name, struct probe_sights *seen, struct error *e);

#endif
