#ifndef SCCL_DEVICE_HOST_MOVE_H
#define SCCL_DEVICE_HOST_MOVE_H

/* Copies and reductions on CPUs, a tile at a time. Included by sccl/device.h. */

/* Tile sizes in bytes: what is written to one target is still in the cache when it is written to the next. */
#define SCCL_COPY_TILE 16384u
#define SCCL_REDUCE_TILE 8192u

/* Half a packet is four bytes of data and the mark, written in one store. What a rank has read before it sends a packet, who
 * has that packet may overwrite: hence release and acquire. */
static inline void sccl_pack(const sccl_block_t *x, uint64_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t mark = (uint64_t)sccl_packet_mark(x) << 32;

	if (x->gave_up)
		return;
	for (uint64_t at = 0; at < bytes; at += 4) {
		uint32_t word = 0;
		memcpy(&word, from + at, bytes - at < 4 ? bytes - at : 4);
		__atomic_store_n(to + at / 4, mark | word, SCCL_RELEASE);
	}
	sccl_host_posted();
}

static inline void sccl_unpack(sccl_block_t *x, uint8_t *to, const uint64_t *from, uint64_t bytes, uint32_t sender)
{
	uint32_t mark = sccl_packet_mark(x), polls = 0;

	for (uint64_t at = 0; at < bytes && !x->gave_up; at += 4) {
		uint64_t half = __atomic_load_n(from + at / 4, __ATOMIC_ACQUIRE);
		while (half >> 32 != mark && sccl_waits(x, SCCL_WAITS_FOR_DATA, sender, &polls, NULL))
			half = __atomic_load_n(from + at / 4, __ATOMIC_ACQUIRE);
		uint32_t word = (uint32_t)half;
		memcpy(to + at, &word, bytes - at < 4 ? bytes - at : 4);
	}
	if (polls)
		sccl_tell(x, SCCL_RUNS, sender);
}

/* A line's mark is stored after its data. */
static inline void sccl_pack_lines(const sccl_block_t *x, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	if (x->gave_up)
		return;
	for (uint64_t at = 0; at < bytes; at += SCCL_LINE_DATA, to += SCCL_LINE_BYTES) {
		memcpy(to, from + at, bytes - at < SCCL_LINE_DATA ? bytes - at : SCCL_LINE_DATA);
		__atomic_store_n((uint64_t *)(void *)(to + SCCL_LINE_DATA), sccl_line_mark(x), SCCL_RELEASE);
	}
	sccl_host_posted();
}

static inline void sccl_unpack_lines(sccl_block_t *x, uint8_t *to, const uint8_t *from, uint64_t bytes, uint32_t sender)
{
	uint32_t polls = 0;

	for (uint64_t at = 0; at < bytes && !x->gave_up; at += SCCL_LINE_DATA, from += SCCL_LINE_BYTES) {
		const uint64_t *mark = (const uint64_t *)(const void *)(from + SCCL_LINE_DATA);
		while (__atomic_load_n(mark, __ATOMIC_ACQUIRE) != sccl_line_mark(x))
			if (!sccl_waits(x, SCCL_WAITS_FOR_DATA, sender, &polls, NULL))
				return;
		memcpy(to + at, from, bytes - at < SCCL_LINE_DATA ? bytes - at : SCCL_LINE_DATA);
	}
	if (polls)
		sccl_tell(x, SCCL_RUNS, sender);
}

/* Bytes [at, at + n) of a move, as packets or lines that begin at TO or FROM; AT is a multiple of SCCL_LINE_DATA with lines. */
static inline void sccl_pack_at(const sccl_block_t *x, uint8_t *to, uint64_t at, const uint8_t *from, uint64_t n)
{
	if (x->launch->lines)
		sccl_pack_lines(x, to + at / SCCL_LINE_DATA * SCCL_LINE_BYTES, from, n);
	else
		sccl_pack(x, (uint64_t *)(void *)(to + 2 * at), from, n);
}

static inline void sccl_unpack_at(sccl_block_t *x, uint8_t *to, const uint8_t *from, uint64_t at, uint64_t n, uint32_t sender)
{
	if (x->launch->lines)
		sccl_unpack_lines(x, to, from + at / SCCL_LINE_DATA * SCCL_LINE_BYTES, n, sender);
	else
		sccl_unpack(x, to, (const uint64_t *)(const void *)(from + 2 * at), n, sender);
}

/* What the tiles of a move need: a sum, a source that is unpacked or multiplied, and a sum in f32. */
typedef struct sccl_room {
	uint8_t sum[SCCL_REDUCE_TILE] __attribute__((aligned(64)));
	uint8_t next[SCCL_REDUCE_TILE] __attribute__((aligned(64)));
	float wide[SCCL_WIDE_TILE] __attribute__((aligned(64)));
} sccl_room_t;

/* Is place I to be multiplied? */
static inline int sccl_is_scaled(const sccl_move_t *m, uint32_t i, sccl_fold_t fold)
{
	return fold && fold->scale && sccl_is_input(m, i);
}

/* Bytes [at, at + n) of source I: a pointer to them in place, or, unpacked or multiplied, in ROOM. */
static inline const uint8_t *sccl_source(sccl_block_t *x, const sccl_move_t *m, uint32_t i, uint64_t at, uint64_t n,
					 uint8_t *room, sccl_fold_t fold)
{
	uint8_t *from = sccl_place_at(x, m, i);

	if (sccl_is_scaled(m, i, fold)) {
		fold->scale(room, from + at, n, x->launch->factor);
		return room;
	}
	if (!sccl_is_packet(m, i))
		return from + at;
	sccl_unpack_at(x, room, from, at, n, sccl_sender(m, i));
	return room;
}

/* Bytes [at, at + n) of the reduction of all sources, written to TO, which may be the place of any source. */
static inline void sccl_reduce_tile(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold, uint64_t at, uint64_t n,
				    uint8_t *to, sccl_room_t *room)
{
	const uint8_t *left = sccl_source(x, m, 0, at, n, room->sum, fold);

	if (fold->widen) {
		fold->widen(room->wide, left, n);
		for (uint32_t i = 1; i < m->sources; i++)
			fold->add(room->wide, sccl_source(x, m, i, at, n, room->next, fold), n);
		fold->narrow(to, room->wide, n);
	} else
		for (uint32_t i = 1; i < m->sources; i++) {
			uint8_t *sum = i + 1 < m->sources ? room->sum : to;
			fold->combine(sum, left, sccl_source(x, m, i, at, n, room->next, fold), n);
			left = sum;
		}
	if (m->total && fold->divide)
		fold->divide(to, n, x->env->ranks);
}

/* Each tile is read completely before any of it is written, so that a target may be the place of any source. */
static inline void sccl_move_tiles(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uint64_t tile = fold && fold->widen ? (uint64_t)SCCL_WIDE_TILE * m->element : SCCL_REDUCE_TILE;
	sccl_room_t room;

	if (x->launch->lines)
		tile -= tile % SCCL_LINE_DATA;
	for (uint64_t at = 0; at < m->bytes && !x->gave_up; at += tile) {
		uint64_t n = m->bytes - at < tile ? m->bytes - at : tile;
		const uint8_t *value = sccl_is_packet(m, m->sources) ? room.sum : sccl_place_at(x, m, m->sources) + at;

		if (m->sources > 1)
			sccl_reduce_tile(x, m, fold, at, n, (uint8_t *)(uintptr_t)value, &room);
		else
			value = sccl_source(x, m, 0, at, n, room.sum, fold);
		for (uint32_t i = m->sources; i < m->sources + m->targets; i++) {
			uint8_t *to = sccl_place_at(x, m, i);
			if (sccl_is_packet(m, i))
				sccl_pack_at(x, to, at, value, n);
			else if (to + at != value)
				memcpy(to + at, value, n);
		}
	}
}

#ifdef SCCL_WITH_MULTIMEM
/* Place I of the move at RANK, where sccl_place_at gives the offset in the rank's memory. */
static inline uint8_t *sccl_place_of(const sccl_block_t *x, const sccl_move_t *m, uint32_t i, uint32_t rank)
{
	return (i < m->sources ? x->launch->peer_in : x->launch->peer_out)[rank] + (uintptr_t)sccl_place_at(x, m, i);
}

/* A move with places at all ranks: what a switch does, one rank after the other. Each tile is read completely before any of
 * it is written. */
static inline void sccl_move_of_all(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uint8_t sum[SCCL_REDUCE_TILE] __attribute__((aligned(64)));

	for (uint64_t at = 0; at < m->bytes; at += SCCL_REDUCE_TILE) {
		uint64_t n = m->bytes - at < SCCL_REDUCE_TILE ? m->bytes - at : SCCL_REDUCE_TILE;
		const uint8_t *left = NULL;

		for (uint32_t i = 0; i < m->sources; i++)
			for (uint32_t r = 0; r < (sccl_is_of_all(m->places, i) ? x->env->ranks : 1); r++) {
				const uint8_t *next = (sccl_is_of_all(m->places, i) ? sccl_place_of(x, m, i, r) : sccl_place_at(x, m, i)) + at;
				if (left)
					fold->combine(sum, left, next, n);
				left = left ? sum : next;
			}
		for (uint32_t i = m->sources; i < m->sources + m->targets; i++)
			for (uint32_t r = 0; r < (sccl_is_of_all(m->places, i) ? x->env->ranks : 1); r++) {
				uint8_t *to = (sccl_is_of_all(m->places, i) ? sccl_place_of(x, m, i, r) : sccl_place_at(x, m, i)) + at;
				if (to != left)
					memcpy(to, left, n);
			}
	}
}

static inline int sccl_has_of_all(const sccl_move_t *m)
{
	for (uint32_t i = 0; i < m->sources + m->targets; i++)
		if (sccl_is_of_all(m->places, i))
			return 1;
	return 0;
}
#endif

static inline void sccl_copy(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
#ifdef SCCL_WITH_MULTIMEM
	if (sccl_has_of_all(m)) {
		sccl_move_of_all(x, m, NULL);
		return;
	}
#endif
	if (x->launch->peer_packets || sccl_is_scaled(m, 0, fold)) {
		sccl_move_tiles(x, m, fold);
		return;
	}
	const uint8_t *from = sccl_place_at(x, m, 0);
	uint64_t tile = m->targets == 1 ? m->bytes : SCCL_COPY_TILE;

	for (uint64_t at = 0; at < m->bytes; at += tile) {
		uint64_t n = m->bytes - at < tile ? m->bytes - at : tile;
		for (uint32_t i = 0; i < m->targets; i++) {
			uint8_t *to = sccl_place_at(x, m, 1 + i);
			if (to != from) /* in place: nothing to copy */
				memcpy(to + at, from + at, n);
		}
	}
}

static inline void sccl_reduce(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
#ifdef SCCL_WITH_MULTIMEM
	if (sccl_has_of_all(m)) {
		sccl_move_of_all(x, m, fold);
		return;
	}
#endif
	sccl_move_tiles(x, m, fold);
}

#endif
