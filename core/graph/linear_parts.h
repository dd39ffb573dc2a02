#ifndef SCCL_CORE_GRAPH_LINEAR_PARTS_H
#define SCCL_CORE_GRAPH_LINEAR_PARTS_H

/* The state of a linear program, shared by its solution in floating point and in exact arithmetic. */

#include "core/graph/linear_program.h"

#include <Clp_C_Interface.h>

struct linear {
	Clp_Simplex *model;
	int rows, columns;
};

#endif
