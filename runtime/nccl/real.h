#ifndef SCCL_NCCL_REAL_H
#define SCCL_NCCL_REAL_H

/* The library that this one intercepts. */

#include "runtime/nccl/abi.h"

typedef void (*real_t)(void);

/* The function that the program would have found as NAME without this library; NULL, with a line on standard error, if
 * there is none. */
real_t real_function(const char *name);

#endif
