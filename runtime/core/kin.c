/*
 * What communicators that were made from one another share.
 */
#include "runtime/core/comm.h"

#include <stdlib.h>

static void leave_heritage(struct heritage *h)
{
	if (!h || atomic_fetch_sub(&h->users, 1) != 1)
		return;
	sccli_symmetric_free(&h->boards);
	free(h);
}

void sccli_kin_leave(struct kin *kin)
{
	sccl_group_free(kin->group);
	sccli_symmetric_free(&kin->mail);
	leave_heritage(kin->heritage);
	*kin = (struct kin){0};
}

void sccli_boards_free(struct sccl_comm *c)
{
	if (!c->heir) {
		sccli_symmetric_free(&c->boards);
		return;
	}
	c->heir->boards = c->boards;
	c->boards = (struct symmetric){0};
	leave_heritage(c->heir);
}
