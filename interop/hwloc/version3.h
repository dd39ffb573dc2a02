#ifndef SCCL_INTEROP_HWLOC_VERSION3_H
#define SCCL_INTEROP_HWLOC_VERSION3_H

#include <stdbool.h>

struct text;

/*
 * If XML is of hwloc 3, which hwloc 2 refuses, rewrites what differs for a machine with its devices: the version of the
 * root, and types of operating-system devices, which are sets of bits there. Returns whether it was.
 */
bool hwloc_xml_as_version2(struct text *xml);

#endif
