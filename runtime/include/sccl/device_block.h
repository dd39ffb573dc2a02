#ifndef SCCL_DEVICE_BLOCK_H
#define SCCL_DEVICE_BLOCK_H

/*
 * One block of a rank during a call, and how the words of a program map to addresses. The same for every target.
 * Included by sccl/device.h.
 */

struct sccl_shared;

/* The state of one block during a call. On devices with threads, every thread has its own copy. */
typedef struct sccl_block {
	const sccl_env_t *env;
	const sccl_launch_t *launch;
	uint64_t epoch;
	uint64_t turn;       /* packets: number of calls before this one in which the block had a part */
	uint64_t heard;      /* packets: not 0 if none of the block's packets in the last of them was empty */
	uint64_t begin, end; /* this block's byte range in every slot, and thus in every chunk */
	struct sccl_shared *shared; /* device_simt.h: what the threads of the block share */
	uint32_t block, element; /* element: size in bytes */
	uint32_t step;        /* of the current instruction */
	uint32_t half, ready; /* the half of `shared` that is in use, and the number of moves executed from it */
	uint32_t gave_up; /* this thread has seen the abort word: it stops waiting and writes nothing that others
	                   * read */
	uint32_t cleared; /* this call's packets have been erased */
} sccl_block_t;

/* Offset in BYTES, a multiple of 64, at which block `block` of `blocks` begins and the previous block ends. */
SCCL_BOTH_FN uint64_t sccl_block_begin(uint64_t bytes, uint32_t block, uint32_t blocks)
{
	uint64_t each = blocks == 1 ? bytes : (bytes / 64 + blocks - 1) / blocks * 64;

	return each * block < bytes ? each * block : bytes;
}

/* The operands of one copy or reduction of a block. */
typedef struct sccl_move {
	const uint32_t *places; /* sources, then targets, two words each */
	uint32_t sources, targets;
	sccl_span_t span;
	uint64_t first, bytes; /* this block's range within the chunk: offset of the first byte and number of bytes */
	uint32_t lead;         /* offset of the chunk in a scratch slot, in bytes */
	uint32_t element;      /* size in bytes */
	uint32_t total;        /* 1: the result is that of all ranks */
} sccl_move_t;

/*
 * Decodes the copy or reduction at W. Returns the word after it. In a scratch slot, a chunk begins at the same offset from
 * a multiple of 64 bytes as in the input, so that both are read and written in units of 16 bytes; blocks are cut at such
 * multiples. Packets need no such units.
 */
SCCL_FN const uint32_t *sccl_move_read(const sccl_block_t *x, const uint32_t *w, uint32_t element, sccl_move_t *m)
{
	uint64_t bytes, begin, end;

	m->sources = w[2];
	m->targets = w[3];
	m->places = w + 4;
	m->element = element;
	m->total = (*w & 0xffu) == SCCL_WORD_TOTAL;
	m->span = sccl_launch_span(x->launch, &x->launch->cuts[w[1]]);
	m->lead = x->launch->peer_packets ? 0 : (uint32_t)((m->span.base + m->span.start) * element % 64);
	bytes = (m->span.end - m->span.start) * element;
	begin = x->begin > m->lead ? x->begin - m->lead : 0;
	end = x->end > m->lead ? x->end - m->lead : 0;
	m->first = begin < bytes ? begin : bytes;
	m->bytes = (end < bytes ? end : bytes) - m->first;
	return m->places + 2 * (m->sources + m->targets);
}

/* Whether place I is a packet slot. */
SCCL_FN int sccl_is_packet(const sccl_move_t *m, uint32_t i)
{
	return m->places[2 * i] >> 30 == SCCL_PACKET_SLOT;
}

/* Whether place I is at all ranks at once. */
SCCL_FN int sccl_is_of_all(const uint32_t *places, uint32_t i)
{
	return (places[2 * i] & 0x3fffffffu) == SCCL_ALL_RANKS;
}

/* Whether place I, a source, is in the rank's own input. At most one is. */
SCCL_FN int sccl_is_input(const sccl_move_t *m, uint32_t i)
{
	return m->places[2 * i] == SCCL_PLACE(SCCL_IN, 0);
}

/* The rank that writes source I, which is a packet. */
SCCL_FN uint32_t sccl_sender(const sccl_move_t *m, uint32_t i)
{
	return m->places[2 * i] & 0x3fffffffu;
}

/* Address of place I of the move: its first byte, or its first packet. Of a place at all ranks, the offset in the memory. */
SCCL_FN uint8_t *sccl_place_at(const sccl_block_t *x, const sccl_move_t *m, uint32_t i)
{
	const sccl_launch_t *l = x->launch;
	uint32_t buffer = m->places[2 * i] >> 30, rank = m->places[2 * i] & 0x3fffffffu;
	uint64_t index = m->places[2 * i + 1];
	uint64_t element = index * m->span.length + m->span.start;

#ifdef SCCL_WITH_MULTIMEM
	if (rank == SCCL_ALL_RANKS) {
		uint64_t at = buffer == SCCL_IN ? l->in_offset + (m->span.base + element) * m->element : l->out_offset + element * m->element;
		return (uint8_t *)(uintptr_t)(at + m->first);
	}
#endif
	if (buffer == SCCL_IN) /* only ever read */
		return (rank ? l->peer_in[rank - 1] + l->in_offset : (uint8_t *)(uintptr_t)l->in) +
		       (m->span.base + element) * m->element + m->first;
	if (buffer == SCCL_OUT)
		return (rank == x->env->rank ? l->out : l->peer_out[rank] + l->out_offset) + element * m->element + m->first;
	if (buffer == SCCL_SCRATCH_SLOT)
		return l->peer_scratch[rank] + index * l->slot_bytes + m->lead + m->first;
	if (i < m->sources)
		rank = x->env->rank;
	index += ((x->turn & 1) * l->blocks + x->block) * l->packet_slots;
	return l->peer_packets[rank] + SCCL_PACKETS_FLAGS(x->env->ranks, l->blocks) + index * l->packet_bytes;
}

/* The mark of this call's packets; never 0, which is the content of fresh memory. */
SCCL_FN uint32_t sccl_packet_mark(const sccl_block_t *x)
{
	return (uint32_t)(x->turn % 0xffffffffu) + 1;
}

/* The mark of this call's lines, which does not repeat; never 0 either. */
SCCL_FN uint64_t sccl_line_mark(const sccl_block_t *x)
{
	return x->turn + 1;
}

/* Whether the call number TURN erases its packets once it has read them. Marks repeat after 2^32 - 1 calls, and a short call leaves the
 * ends of longer ones in their slots, so two calls in a row, one for each set of packets, do so 2 times in 2^32 calls. */
SCCL_FN int sccl_is_erased(const sccl_block_t *x, uint64_t turn)
{
	return x->launch->peer_packets && !x->launch->lines && (turn & 0x7fffffffu) >= 0x7ffffffeu;
}

/* Whether this block has a part of each chunk, so that no packet is empty in this call. */
SCCL_FN int sccl_is_whole(const sccl_block_t *x)
{
	return x->begin < x->launch->parts_of[0].quotient * x->element;
}

/* Whether this block has a part of no chunk, and sends and awaits no packet: to it the call does not exist. Alike on all ranks. */
SCCL_FN int sccl_is_absent(const sccl_block_t *x)
{
	const sccl_launch_t *l = x->launch;
	uint64_t longest = l->blocks_of.rest ? l->parts_of[1].quotient + (l->parts_of[1].rest != 0)
					     : l->parts_of[0].quotient + (l->parts_of[0].rest != 0);

	return l->peer_packets && x->begin >= longest * x->element;
}

/* The flag of KIND in FLAGS that SOURCE writes. Packets have separate flags, because they count calls separately. */
SCCL_FN uint64_t *sccl_flag(const sccl_block_t *x, uint8_t *flags, uint32_t kind, uint32_t source)
{
	return (uint64_t *)(void *)(flags + SCCL_FLAG_OFFSET(kind, source, x->block, x->env->ranks, x->env->max_blocks));
}

/* The flag in OWNER's packet memory that SOURCE writes for this block. */
SCCL_FN uint64_t *sccl_packet_flag(const sccl_block_t *x, uint32_t owner, uint32_t source)
{
	uint64_t at = (uint64_t)source * x->launch->blocks + x->block;

	return (uint64_t *)(void *)(x->launch->peer_packets[owner] + at * SCCL_FLAG_STRIDE);
}

#endif
