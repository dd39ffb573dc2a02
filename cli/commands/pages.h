#ifndef SCCL_CLI_COMMANDS_PAGES_H
#define SCCL_CLI_COMMANDS_PAGES_H

/* Pages of what files hold, for `show`, `topology show` and `report`. */

#include "show/page.h"

/* Sections of a machine: its picture, links, limits, and bounds of the collectives. */
void pages_add_machine(struct page *p, const struct topology *t);
/* Sections of an algorithm that is verified. False with *e set: too large. */
bool pages_add_algorithm(struct page *p, const struct algorithm *a, struct error *e);
/* The page of a file, or with IS_PICTURE an SVG: an algorithm, a frontier or a machine; or rows, as a page alone. An exit status,
 * after reporting errors. */
int pages_show(const char *path, const char *out, bool is_picture);

#endif
