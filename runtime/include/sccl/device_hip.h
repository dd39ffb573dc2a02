#ifndef SCCL_DEVICE_HIP_H
#define SCCL_DEVICE_HIP_H

/* What sccl/device_simt.h requires, for AMD GPUs (gfx906 and later), and how kernels are launched on them. Flags,
 * packets and all memory that peers write are fine-grained. */

#include <string.h>

#define SCCL_THREADS 256
#define SCCL_TELL_AFTER 4096u
#define SCCL_LANES (uint32_t)__AMDGCN_WAVEFRONT_SIZE
#define SCCL_UNROLL _Pragma("unroll")
#define SCCL_ONCE _Pragma("unroll 1")
#define SCCL_MOVED() ((void)0)
#define SCCL_TALLY(bytes, wide) ((void)0)

SCCL_FN uint32_t sccl_thread(void)
{
	return threadIdx.x;
}

SCCL_FN uint32_t sccl_threads(void)
{
	return SCCL_THREADS;
}

SCCL_FN int sccl_meet(int wants)
{
	return __syncthreads_or(wants);
}

SCCL_FN int sccl_meet_warp(int wants)
{
	int any = __any(wants);

	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
	return any;
}

SCCL_FN void sccl_flag_post(uint64_t *flag, uint64_t value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

/* Every acquire invalidates caches, so polling is relaxed; a single acquire fence follows once the flag has been
 * seen. */
SCCL_FN int sccl_flag_seen(const uint64_t *flag, uint64_t value)
{
	if ((int64_t)(__atomic_load_n(flag, __ATOMIC_RELAXED) - value) < 0)
		return 0;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return 1;
}

SCCL_FN void sccl_packet_post(uint8_t *at, uint32_t mark, uint64_t value)
{
	uint64_t *half = (uint64_t *)at, marked = (uint64_t)mark << 32;

	__atomic_store_n(half, marked | (uint32_t)value, __ATOMIC_RELAXED);
	__atomic_store_n(half + 1, marked | value >> 32, __ATOMIC_RELAXED);
}

SCCL_FN int sccl_packet_seen(const uint8_t *at, uint32_t mark, uint64_t *value)
{
	const uint64_t *half = (const uint64_t *)at;
	uint64_t low = __atomic_load_n(half, __ATOMIC_RELAXED), high = __atomic_load_n(half + 1, __ATOMIC_RELAXED);

	*value = high << 32 | (uint32_t)low;
	return (uint32_t)(low >> 32) == mark && (uint32_t)(high >> 32) == mark;
}

/* Nothing keeps 128 bytes together: the mark follows the data of all lanes, and is seen before they are loaded. */
SCCL_FN void sccl_line_post(uint8_t *line, uint32_t part, uint64_t mark, uint64_t low, uint64_t high)
{
	uint64_t *word = (uint64_t *)(line + 16 * part);

	__atomic_store_n(word, low, __ATOMIC_RELAXED);
	if (part != 7)
		__atomic_store_n(word + 1, high, __ATOMIC_RELAXED);
	__builtin_amdgcn_wave_barrier(); /* so that the fence, of the lane with the mark, comes behind the stores of all */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (part == 7)
		__atomic_store_n(word + 1, mark, __ATOMIC_RELAXED);
}

SCCL_FN int sccl_line_seen(const uint8_t *line, uint32_t part, uint64_t mark, uint64_t *low, uint64_t *high)
{
	const uint64_t *word = (const uint64_t *)(line + 16 * part);

	if (__atomic_load_n((const uint64_t *)(line + SCCL_LINE_DATA), __ATOMIC_RELAXED) != mark)
		return 0;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*low = __atomic_load_n(word, __ATOMIC_RELAXED);
	*high = __atomic_load_n(word + 1, __ATOMIC_RELAXED);
	return 1;
}

SCCL_FN void sccl_store_word(uint64_t *at, uint64_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

SCCL_FN uint32_t sccl_load_abort(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

SCCL_FN void sccl_pause(uint32_t polls)
{
	(void)polls;
	__builtin_amdgcn_s_sleep(1);
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

/* Two f16 at a time, each rounded once, which is the same as through f32 (device_cuda.h says why). */
typedef _Float16 sccl_f16x2_t __attribute__((ext_vector_type(2)));
#define SCCL_PACKED_F16
SCCL_FN sccl_f16x2_t sccl_f16x2(uint32_t bits)
{
	sccl_f16x2_t h;
	memcpy(&h, &bits, sizeof h);
	return h;
}

SCCL_FN uint32_t sccl_bits_of_f16x2(sccl_f16x2_t h)
{
	uint32_t bits;
	memcpy(&bits, &h, sizeof bits);
	return bits;
}

SCCL_FN uint32_t sccl_add_f16x2(uint32_t a, uint32_t b)
{
	return sccl_bits_of_f16x2(sccl_f16x2(a) + sccl_f16x2(b));
}

SCCL_FN uint32_t sccl_multiply_f16x2(uint32_t a, uint32_t b)
{
	return sccl_bits_of_f16x2(sccl_f16x2(a) * sccl_f16x2(b));
}

/* All bits of the halves in which A is less than B. */
SCCL_FN uint32_t sccl_less_f16x2(uint32_t a, uint32_t b)
{
	sccl_f16x2_t x = sccl_f16x2(a), y = sccl_f16x2(b);

	return (x.x < y.x ? 0xffffu : 0) | (x.y < y.y ? 0xffff0000u : 0);
}

/* Implements sccl_kernel_t for KERNEL. */
static inline int sccl_launch_on(const void *kernel, const sccl_launch_t *l, void *stream)
{
	int device = 0, processors = 0, each = 0;
	hipError_t e;

	if (l) {
		sccl_launch_t launch = *l;
		void *arguments[] = {&launch};
		return (int)hipLaunchKernel(kernel, dim3(l->grid), dim3(SCCL_THREADS), arguments, 0, (hipStream_t)stream);
	}
	e = hipGetDevice(&device);
	if (e == hipSuccess)
		e = hipDeviceGetAttribute(&processors, hipDeviceAttributeMultiprocessorCount, device);
	if (e == hipSuccess)
		e = hipOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, SCCL_THREADS, 0);
	return e == hipSuccess ? processors * each : -(int)e;
}

/* In shared memory, and copied from where the arguments lie, because the compiler would copy an argument whose address is
 * taken to every thread's private memory. */
#define SCCL_KERNEL(name, element, fold)                                                                    \
	static __global__ void __launch_bounds__(SCCL_THREADS, 1) name##_kernel(const sccl_launch_t argument) \
	{                                                                                                   \
		__shared__ sccl_launch_t l;                                                                 \
		__shared__ sccl_shared_t shared;                                                            \
		const uint32_t *words = (const uint32_t *)__builtin_amdgcn_kernarg_segment_ptr();           \
		(void)argument;                                                                             \
		for (uint32_t i = threadIdx.x; i < sizeof l / sizeof *words; i += SCCL_THREADS)             \
			((uint32_t *)(void *)&l)[i] = words[i];                                             \
		__syncthreads();                                                                            \
		sccl_run_blocks(&l, &shared, blockIdx.x, element, fold);                                    \
	}                                                                                                   \
	static int name(const sccl_launch_t *l, void *stream)                                               \
	{                                                                                                   \
		return sccl_launch_on((const void *)name##_kernel, l, stream);                              \
	}

#endif
