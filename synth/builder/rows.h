#ifndef SCCL_SYNTH_BUILDER_ROWS_H
#define SCCL_SYNTH_BUILDER_ROWS_H

/* The functions behind the rows of the table in synth/methods/table.c; see struct method. */

#include "synth/builder/method.h"

bool direct_construct(const struct method_request *r, struct construction *out, struct error *e);
bool one_shot_construct(const struct method_request *r, struct construction *out, struct error *e);
bool ring_construct(const struct method_request *r, struct construction *out, struct error *e);
bool grid_rings_construct(const struct method_request *r, struct construction *out, struct error *e);
bool grid_rings_whole_construct(const struct method_request *r, struct construction *out, struct error *e);
bool hierarchical_construct(const struct method_request *r, struct construction *out, struct error *e);
bool double_binary_tree_construct(const struct method_request *r, struct construction *out, struct error *e);
bool recursive_doubling_construct(const struct method_request *r, struct construction *out, struct error *e);
bool halving_doubling_construct(const struct method_request *r, struct construction *out, struct error *e);
bool hdrm_construct(const struct method_request *r, struct construction *out, struct error *e);
bool bruck_construct(const struct method_request *r, struct construction *out, struct error *e);
bool nvls_construct(const struct method_request *r, struct construction *out, struct error *e);
bool binomial_construct(const struct method_request *r, struct construction *out, struct error *e);
bool multitree_construct(const struct method_request *r, struct construction *out, struct error *e);
bool blink_construct(const struct method_request *r, struct construction *out, struct error *e);
bool timed_trees_construct(const struct method_request *r, struct construction *out, struct error *e);
bool exact_schedule_construct(const struct method_request *r, struct construction *out, struct error *e);
bool linear_program_construct(const struct method_request *r, struct construction *out, struct error *e);
bool kernighan_lin_construct(const struct method_request *r, struct construction *out, struct error *e);

#endif
