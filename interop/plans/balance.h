#ifndef SCCL_INTEROP_PLANS_BALANCE_H
#define SCCL_INTEROP_PLANS_BALANCE_H

#include "interop/plans/plan.h"

struct network;

/*
 * Sends that were put into the earliest step are moved to later ones where that needs fewer rounds in all; the number of
 * steps and what each send finds at both ends stay. Steps are numbered from 1. Does nothing for
 * more than BALANCED_MAX sends.
 */
void sends_balance(struct plan_log *log, const struct network *w, int steps);

enum { BALANCED_MAX = 20000 };

#endif
