/*
 * What sccl/device_simt.h needs, of no GPU but of a harness: every thread of every block is a fiber (fibers.c). A
 * program that was generated for GPUs is compiled as C with -DSCCL_EMULATE='"tests/runtime/include/emulate.h"'. Every thread
 * is a warp; with -DSCCL_EMULATED_LANES=16 there are so many in each.
 */

#include <string.h>

#define SCCL_TELL_AFTER 1u
#ifndef SCCL_EMULATED_LANES
#define SCCL_EMULATED_LANES 1
#endif
#define SCCL_LANES (SCCL_EMULATED_LANES + 0u)
#define SCCL_ONCE
#define SCCL_UNROLL
#define SCCL_MOVED() sccl_emulated_hop()
#define SCCL_TALLY(bytes, wide) sccl_emulated_tally(bytes, wide)

uint32_t sccl_emulated_thread(void);
uint32_t sccl_emulated_threads(void);
int sccl_emulated_meet(int wants);
int sccl_emulated_meet_lanes(uint32_t lanes, int wants); /* of the so many threads to which this one belongs */
void sccl_emulated_line(uint8_t *line, uint32_t part, uint64_t *words, int stores); /* one access of eight threads */
void sccl_emulated_hop(void);   /* others may go on */
void sccl_emulated_tally(uint32_t bytes, int wide);
void *sccl_emulated_shared(size_t bytes); /* of the block */
void sccl_emulated_pause(void); /* others are to go on */
void sccl_emulated_launch(void (*kernel)(const sccl_launch_t *l, uint32_t block), const sccl_launch_t *l);

SCCL_FN uint32_t sccl_thread(void)
{
	return sccl_emulated_thread();
}

SCCL_FN uint32_t sccl_threads(void)
{
	return sccl_emulated_threads();
}

SCCL_FN int sccl_meet(int wants)
{
	return sccl_emulated_meet(wants);
}

SCCL_FN int sccl_meet_warp(int wants)
{
	return SCCL_LANES > 1 ? sccl_emulated_meet_lanes(SCCL_LANES, wants) : wants;
}

SCCL_FN void sccl_flag_post(uint64_t *flag, uint64_t value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELEASE);
	sccl_emulated_hop();
}

SCCL_FN int sccl_flag_seen(const uint64_t *flag, uint64_t value)
{
	return (int64_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) - value) >= 0;
}

/* The halves arrive on their own. */
SCCL_FN void sccl_packet_post(uint8_t *at, uint32_t mark, uint64_t value)
{
	uint64_t *half = (uint64_t *)(void *)at, marked = (uint64_t)mark << 32;

	half[1] = marked | value >> 32;
	sccl_emulated_hop();
	half[0] = marked | (uint32_t)value;
	sccl_emulated_hop();
}

SCCL_FN int sccl_packet_seen(const uint8_t *at, uint32_t mark, uint64_t *value)
{
	const uint64_t *half = (const uint64_t *)(const void *)at;

	*value = half[1] << 32 | (uint32_t)half[0];
	return (uint32_t)(half[0] >> 32) == mark && (uint32_t)(half[1] >> 32) == mark;
}

/* With lanes, all 128 bytes arrive at once; else one after the other. */
SCCL_FN void sccl_line_post(uint8_t *line, uint32_t part, uint64_t mark, uint64_t low, uint64_t high)
{
	uint64_t *word = (uint64_t *)(void *)(line + 16 * part), words[] = {low, part == 7 ? mark : high};

	if (SCCL_LANES > 1) {
		sccl_emulated_line(line, part, words, 1);
		return;
	}
	word[0] = words[0];
	sccl_emulated_hop();
	word[1] = words[1];
	sccl_emulated_hop();
}

SCCL_FN int sccl_line_seen(const uint8_t *line, uint32_t part, uint64_t mark, uint64_t *low, uint64_t *high)
{
	const uint64_t *word = (const uint64_t *)(const void *)(line + 16 * part);
	uint64_t words[] = {word[0], word[1]};

	if (SCCL_LANES > 1)
		sccl_emulated_line((uint8_t *)(uintptr_t)line, part, words, 0);
	*low = words[0];
	*high = words[1];
	if (SCCL_LANES > 1)
		return part != 7 || *high == mark;
	return *(const uint64_t *)(const void *)(line + SCCL_LINE_DATA) == mark;
}

SCCL_FN void sccl_store_word(uint64_t *at, uint64_t value)
{
	*at = value;
}

SCCL_FN uint32_t sccl_load_abort(const uint32_t *at)
{
	return *at;
}

SCCL_FN void sccl_pause(uint32_t polls)
{
	(void)polls;
	sccl_emulated_pause();
}

SCCL_FN float sccl_f16_to_f32(uint16_t h)
{
	_Float16 f;
	memcpy(&f, &h, sizeof f);
	return (float)f;
}

SCCL_FN uint16_t sccl_f32_to_f16(float f)
{
	_Float16 h = (_Float16)f;
	uint16_t bits;
	memcpy(&bits, &h, sizeof bits);
	return bits;
}

#define SCCL_KERNEL(name, element, fold)                                    \
	static void name##_kernel(const sccl_launch_t *l, uint32_t block)   \
	{                                                                   \
		sccl_run_blocks(l, (sccl_shared_t *)sccl_emulated_shared(sizeof(sccl_shared_t)), block, element, fold); \
	}                                                                   \
	static int name(const sccl_launch_t *l, void *stream)               \
	{                                                                   \
		(void)stream;                                               \
		if (l)                                                      \
			sccl_emulated_launch(name##_kernel, l);             \
		return l ? 0 : 0x7fffffff;                                  \
	}
