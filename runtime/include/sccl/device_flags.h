#ifndef SCCL_DEVICE_FLAGS_H
#define SCCL_DEVICE_FLAGS_H

/* The words that post and await flags, one at a time, on top of sccl_post and sccl_await of the target layer. Included by
 * sccl/device.h. */

/* Erases this block's packets of this call, which all its threads have read. No peer writes there before its offer. */
SCCL_FN void sccl_erase(sccl_block_t *x)
{
	const sccl_launch_t *l = x->launch;
	uint64_t set = (x->turn & 1) * l->blocks + x->block, bytes = l->packet_slots * l->packet_bytes;
	uint8_t *at = l->peer_packets[x->env->rank] + SCCL_PACKETS_FLAGS(x->env->ranks, l->blocks) + set * bytes;

	x->cleared = 1;
	if (sccl_sync(x))
		return;
	for (uint64_t i = (uint64_t)sccl_thread() * 8; i < bytes; i += (uint64_t)sccl_threads() * 8)
		*(uint64_t *)(void *)(at + i) = 0;
	(void)sccl_sync(x);
}

/* sccl_offer permits PEER to write into this rank's memory for this block; sccl_credit waits for PEER's permission. RARE: not
 * if data imply it. Who ends a call in which no packet was empty has heard from PEER in it, after PEER's previous call. */
SCCL_FN void sccl_offer(sccl_block_t *x, uint32_t peer, uint32_t rare)
{
#ifndef SCCL_SIMT
	if (sccl_is_erased(x, x->turn) && !x->cleared)
		sccl_erase(x);
#endif
	if (rare && sccl_is_whole(x) && !sccl_is_erased(x, x->turn))
		return;
	if (x->launch->peer_packets)
		sccl_post(x, sccl_packet_flag(x, peer, x->env->rank), x->turn + 1);
	else
		sccl_post(x, sccl_flag(x, x->env->peer_flags[peer], SCCL_READY, x->env->rank), x->epoch + 1);
}

SCCL_FN void sccl_credit(sccl_block_t *x, uint32_t peer, uint32_t rare)
{
	if (!x->launch->peer_packets)
		sccl_await(x, SCCL_WAITS_FOR_READY, peer, sccl_flag(x, x->env->flags, SCCL_READY, peer), x->epoch + 1);
	else if (x->turn >= 2 && !(rare && x->heard && !sccl_is_erased(x, x->turn - 2)))
		sccl_await(x, SCCL_WAITS_FOR_READY, peer, sccl_packet_flag(x, x->env->rank, peer), x->turn - 1);
}

SCCL_FN int sccl_posts(const uint32_t *w)
{
	return (*w & 0xffu) == SCCL_WORD_OFFER || (*w & 0xffu) == SCCL_WORD_SIGNAL;
}

SCCL_FN void sccl_flag_word(sccl_block_t *x, const uint32_t *w)
{
	switch (*w & 0xffu) {
	case SCCL_WORD_OFFER:
		sccl_offer(x, w[1], w[2]);
		break;
	case SCCL_WORD_CREDIT:
		sccl_credit(x, w[1], w[2]);
		break;
	case SCCL_WORD_WAIT:
		sccl_await(x, SCCL_WAITS_FOR_DATA, w[1], sccl_flag(x, x->env->flags, SCCL_DATA, w[1]), x->epoch + w[2]);
		break;
	case SCCL_WORD_SIGNAL:
		sccl_post(x, sccl_flag(x, x->env->peer_flags[w[1]], SCCL_DATA, x->env->rank), x->epoch + w[2]);
		break;
	default: break;
	}
}

#ifdef SCCL_SIMT
/* Whether memory of this launch has multicast addresses besides those of its ranks. */
#ifdef SCCL_WITH_MULTIMEM
#define SCCL_IS_ALIASED(x) ((x)->launch->all_in != NULL || (x)->launch->all_out != NULL)
#else
#define SCCL_IS_ALIASED(x) 0
#endif
#ifndef SCCL_FENCE_ALIAS
#define SCCL_FENCE_ALIAS() ((void)0)
#endif

/* The flags at W: posted by the first warp, awaited by each for itself. What other warps have accessed before the barrier that
 * precedes a post is ordered by the first warp's fence too, since that lies on the causality path from there (PTX, proxies). */
SCCL_FN void sccl_flags(sccl_block_t *x, const uint32_t *w)
{
	const uint32_t *first = w + 2;
	int posts = sccl_posts(first);
	int aliased = SCCL_IS_ALIASED(x);

	if ((*first & 0xffu) == SCCL_WORD_OFFER && sccl_is_erased(x, x->turn) && !x->cleared)
		sccl_erase(x); /* all threads */
	if (posts && sccl_warp() != 0)
		return;
	if (aliased && posts)
		SCCL_FENCE_ALIAS();
	SCCL_ONCE
	for (uint32_t i = sccl_lane(); i < w[1]; i += SCCL_LANES)
		sccl_flag_word(x, first + SCCL_FLAG_WORDS * i);
	if (aliased && !posts)
		SCCL_FENCE_ALIAS();
	if (!posts)
		x->gave_up = sccl_meet_warp((int)x->gave_up) != 0;
}
#endif

#endif
