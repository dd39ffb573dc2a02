#ifndef SCCL_INTEROP_HWLOC_VENDORS_H
#define SCCL_INTEROP_HWLOC_VENDORS_H

/*
 * What the vendors' management libraries say of this computer's accelerators: NVML and ROCm SMI, loaded at run time where
 * they are installed. hwloc knows links between GPUs only if it was built with these libraries.
 */

#include "interop/hwloc/machine.h"

/*
 * Completes M, which hwloc has read: if it has no fast links, those of the vendors' libraries between its accelerators, found
 * by their PCI addresses; if it has no accelerator, theirs, in their order. What a library cannot tell is left out. True:
 * something was added.
 */
bool vendors_complete(struct machine *m);

#endif
