#ifndef SCCL_METHODS_ROWS_H
#define SCCL_METHODS_ROWS_H

/* What the rows of the table in methods/table.c hold; see struct method. */

#include "methods/method.h"

bool direct_draw(const struct method_request *r, struct drawing *out, struct error *e);

#endif
