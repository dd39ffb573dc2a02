/*
 * What sccl/device_simt.h needs, of no GPU but of the stand-in driver (stand_in_gpu.c): every block of a launch is a
 * thread, of one GPU thread each. A program that was generated for GPUs is compiled as C with
 * -DSCCL_EMULATE='"tests/runtime/gpu/emulate_threads.h"'.
 */

#include <sched.h>
#include <string.h>

#define SCCL_TELL_AFTER 1024u
#define SCCL_LANES 1u
#define SCCL_ONCE
#define SCCL_UNROLL
#define SCCL_MOVED() ((void)0)
#define SCCL_TALLY(bytes, wide) ((void)0)

/* Of the stand-in driver. */
int standInLaunch(void (*kernel)(const void *argument, uint32_t block), const void *argument, size_t bytes, uint32_t grid,
		  void *stream);
int standInResident(void);
void standInPause(void);
/* Where memory of member I lies that has the multicast address AT; NULL: there is no such member. */
void *standInReplica(const void *at, uint32_t i);
uint32_t standInMembers(const void *at);

/* A switch adds from the last member to the first, all but bytes and products. */
#define SCCL_MULTIMEM_ADDS(fold) ((fold) / 4 != SCCL_FOLD_u8 && (fold) % 4 != SCCL_FOLD_prod)
#define SCCL_MULTIMEM_LOAD(at, fold)                                                                            \
	__extension__({                                                                                         \
		uint32_t i_ = standInMembers(at);                                                               \
		sccl_unit_t u_ = *(const sccl_unit_t *)standInReplica(at, --i_);                                \
		while (i_ > 0)                                                                                  \
			u_ = sccl_fold_unit(fold, u_, *(const sccl_unit_t *)standInReplica(at, --i_));          \
		u_;                                                                                             \
	})
#define SCCL_MULTIMEM_STORE(at, unit)                                                                           \
	do {                                                                                                    \
		for (uint32_t i_ = standInMembers(at); i_ > 0; i_--)                                            \
			*(sccl_unit_t *)standInReplica(at, i_ - 1) = (unit);                                    \
	} while (0)

SCCL_FN uint32_t sccl_thread(void)
{
	return 0;
}

SCCL_FN uint32_t sccl_threads(void)
{
	return 1;
}

SCCL_FN int sccl_meet(int wants)
{
	return wants;
}

SCCL_FN int sccl_meet_warp(int wants)
{
	return wants;
}

SCCL_FN void sccl_flag_post(uint64_t *flag, uint64_t value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

SCCL_FN int sccl_flag_seen(const uint64_t *flag, uint64_t value)
{
	return (int64_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) - value) >= 0;
}

SCCL_FN void sccl_packet_post(uint8_t *at, uint32_t mark, uint64_t value)
{
	uint64_t *half = (uint64_t *)(void *)at, marked = (uint64_t)mark << 32;

	__atomic_store_n(half, marked | (uint32_t)value, __ATOMIC_RELAXED);
	__atomic_store_n(half + 1, marked | value >> 32, __ATOMIC_RELAXED);
}

SCCL_FN int sccl_packet_seen(const uint8_t *at, uint32_t mark, uint64_t *value)
{
	const uint64_t *half = (const uint64_t *)(const void *)at;
	uint64_t low = __atomic_load_n(half, __ATOMIC_RELAXED), high = __atomic_load_n(half + 1, __ATOMIC_RELAXED);

	*value = high << 32 | (uint32_t)low;
	return (uint32_t)(low >> 32) == mark && (uint32_t)(high >> 32) == mark;
}

/* One lane stores the parts of a line in order. */
SCCL_FN void sccl_line_post(uint8_t *line, uint32_t part, uint64_t mark, uint64_t low, uint64_t high)
{
	uint64_t *word = (uint64_t *)(void *)(line + 16 * part);

	word[0] = low;
	__atomic_store_n(word + 1, part == 7 ? mark : high, __ATOMIC_RELEASE);
}

SCCL_FN int sccl_line_seen(const uint8_t *line, uint32_t part, uint64_t mark, uint64_t *low, uint64_t *high)
{
	const uint64_t *word = (const uint64_t *)(const void *)(line + 16 * part);

	if (__atomic_load_n((const uint64_t *)(const void *)(line + SCCL_LINE_DATA), __ATOMIC_ACQUIRE) != mark)
		return 0;
	*low = word[0];
	*high = word[1];
	return 1;
}

SCCL_FN void sccl_store_word(uint64_t *at, uint64_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

SCCL_FN uint32_t sccl_load_abort(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

SCCL_FN void sccl_pause(uint32_t polls)
{
	if (polls % 16 == 0)
		sched_yield();
	standInPause();
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

#define SCCL_KERNEL(name, element, fold)                                                         \
	static void name##_kernel(const void *l, uint32_t block)                                 \
	{                                                                                        \
		sccl_shared_t shared;                                                            \
		sccl_run_blocks((const sccl_launch_t *)l, &shared, block, element, fold);        \
	}                                                                                        \
	static int name(const sccl_launch_t *l, void *stream)                                    \
	{                                                                                        \
		return l ? standInLaunch(name##_kernel, l, sizeof *l, l->grid, stream) : standInResident(); \
	}
