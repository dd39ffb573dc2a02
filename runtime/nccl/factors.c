/*
 * A list: programs have few such operations, and most have none.
 */
#include "runtime/nccl/factors.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct known_factor {
	ncclComm_t comm;
	ncclRedOp_t op;
	ncclDataType_t type;
	uint64_t factor; /* in its first bytes */
	struct known_factor *next;
};

static struct known_factor *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void factors_keep(ncclComm_t comm, ncclRedOp_t op, ncclDataType_t type, const void *factor)
{
	struct known_factor *k = (unsigned)type < NCCL_TYPES && factor ? calloc(1, sizeof *k) : NULL;

	if (!k) /* NCCL serves it */
		return;
	*k = (struct known_factor){.comm = comm, .op = op, .type = type};
	memcpy(&k->factor, factor, call_type_size(type));
	pthread_mutex_lock(&lock);
	k->next = all;
	all = k;
	pthread_mutex_unlock(&lock);
}

void factors_forget(ncclComm_t comm, ncclRedOp_t op)
{
	pthread_mutex_lock(&lock);
	for (struct known_factor **at = &all, *k; (k = *at) != NULL;)
		if (k->comm == comm && (op == NCCL_OPS || k->op == op)) {
			*at = k->next;
			free(k);
		} else
			at = &k->next;
	pthread_mutex_unlock(&lock);
}

void factors_find(struct nccl_call *c)
{
	if ((unsigned)c->op < NCCL_OPS)
		return;
	pthread_mutex_lock(&lock);
	for (const struct known_factor *k = all; k && !c->has_factor; k = k->next)
		if (k->comm == c->comm && k->op == c->op && k->type == c->type) {
			c->has_factor = true;
			c->factor = k->factor;
		}
	pthread_mutex_unlock(&lock);
}
