#ifndef SCCL_CLI_EXPORT_H
#define SCCL_CLI_EXPORT_H

/* The formats of export; each writes what the options and the file ask for into a text. False with *e set: it is no
 * question, or no plan, for that format. */

#include <stdbool.h>

struct error;
struct options;
struct text;

bool export_question(const struct options *o, struct text *into, struct error *e); /* smt2 */
bool export_msccl(const struct options *o, struct text *into, struct error *e);    /* msccl-xml */

#endif
