#ifndef SCCL_NCCL_REAL_H
#define SCCL_NCCL_REAL_H

/* The library that this one stands before. */

#include "runtime/nccl/abi.h"

typedef void (*real_t)(void);

/* NAME as the program would have found it without this library; with a line on standard error where there is none: NULL. */
real_t real_function(const char *name);

#endif
