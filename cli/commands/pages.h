#ifndef SCCL_CLI_COMMANDS_PAGES_H
#define SCCL_CLI_COMMANDS_PAGES_H

/* Pages of what files hold, for `show`, `topology show` and `report`. */

#include "show/page.h"

/* Writes the page as HTML to the file OUT, or to standard output if that is NULL, and releases it. False with *e set. */
bool pages_finish(struct page *p, const char *out, struct error *e);
/* Sections of a machine: its picture, links, limits, and bounds of the collectives. */
void pages_add_machine(struct page *p, const struct topology *t);
/* Sections of an algorithm that is verified. False with *e set: too large. */
bool pages_add_algorithm(struct page *p, const struct algorithm *a, struct error *e);
/* The page of a file: an algorithm, a frontier or a machine. An exit status, after reporting errors. */
int pages_show(const char *path, const char *out);

#endif
