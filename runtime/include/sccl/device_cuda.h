#ifndef SCCL_DEVICE_CUDA_H
#define SCCL_DEVICE_CUDA_H

/* What sccl/device_simt.h requires, for NVIDIA GPUs (sm_70 and later), and how kernels are launched on them. */

#include <string.h>

#define SCCL_THREADS 512
#define SCCL_TELL_AFTER 4096u
#define SCCL_LANES 32u
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
	int any = __any_sync(0xffffffffu, wants);

	__syncwarp(); /* orders memory, as the vote does not */
	return any;
}

/* Orders accesses through a multicast address and through the address of one GPU to the same memory. */
#define SCCL_FENCE_ALIAS() asm volatile("fence.proxy.alias;" ::: "memory")

SCCL_FN void sccl_flag_post(uint64_t *flag, uint64_t value)
{
	asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(flag), "l"(value) : "memory");
}

SCCL_FN int sccl_flag_seen(const uint64_t *flag, uint64_t value)
{
	uint64_t seen;
	asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(flag) : "memory");
	return (int64_t)(seen - value) >= 0;
}

SCCL_FN void sccl_packet_post(uint8_t *at, uint32_t mark, uint64_t value)
{
	asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(at), "r"((uint32_t)value), "r"(mark),
		     "r"((uint32_t)(value >> 32))
		     : "memory");
}

SCCL_FN int sccl_packet_seen(const uint8_t *at, uint32_t mark, uint64_t *value)
{
	uint32_t low, low_mark, high, high_mark;
	asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(low), "=r"(low_mark), "=r"(high), "=r"(high_mark)
		     : "l"(at)
		     : "memory");
	*value = (uint64_t)high << 32 | low;
	return low_mark == mark && high_mark == mark;
}

/* Eight lanes at once: one transaction of 128 bytes. The mark is the last lane's second word. */
SCCL_FN void sccl_line_post(uint8_t *line, uint32_t part, uint64_t mark, uint64_t low, uint64_t high)
{
	asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(line + 16 * part), "l"(low), "l"(part == 7 ? mark : high) : "memory");
}

SCCL_FN int sccl_line_seen(const uint8_t *line, uint32_t part, uint64_t mark, uint64_t *low, uint64_t *high)
{
	asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(*low), "=l"(*high) : "l"(line + 16 * part) : "memory");
	return part != 7 || *high == mark;
}

SCCL_FN void sccl_store_word(uint64_t *at, uint64_t value)
{
	asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

SCCL_FN uint32_t sccl_load_abort(const uint32_t *at)
{
	uint32_t value;
	asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

SCCL_FN void sccl_pause(uint32_t polls)
{
	(void)polls;
}

SCCL_FN float sccl_f16_to_f32(uint16_t h)
{
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
}

SCCL_FN uint16_t sccl_f32_to_f16(float f)
{
	uint16_t h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
}

/*
 * Two 16-bit numbers at a time. A sum or product of f16 rounded once is the same as through f32, whose 24 bits are enough
 * (2 p + 2 for p = 11, Figueroa 1995); so is a sum of bf16. A product of bf16 is not where f32 is subnormal.
 */
#define SCCL_PACKED_F16
SCCL_FN uint32_t sccl_add_f16x2(uint32_t a, uint32_t b)
{
	uint32_t c;
	asm("add.rn.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
	return c;
}

SCCL_FN uint32_t sccl_multiply_f16x2(uint32_t a, uint32_t b)
{
	uint32_t c;
	asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
	return c;
}

/* All bits of the halves in which A is less than B. */
SCCL_FN uint32_t sccl_less_f16x2(uint32_t a, uint32_t b)
{
	uint32_t mask;
	asm("set.lt.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(a), "r"(b));
	return mask;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define SCCL_PACKED_BF16
/* Before sm_90 there is no sum, but one of a product: 1 a + b. */
SCCL_FN uint32_t sccl_add_bf16x2(uint32_t a, uint32_t b)
{
	uint32_t c;
#if __CUDA_ARCH__ >= 900
	asm("add.rn.bf16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
#else
	asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(c) : "r"(a), "r"(0x3f803f80u), "r"(b));
#endif
	return c;
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SCCL_COMPARED_BF16
SCCL_FN uint32_t sccl_less_bf16x2(uint32_t a, uint32_t b)
{
	uint32_t mask;
	asm("set.lt.u32.bf16x2 %0, %1, %2;" : "=r"(mask) : "r"(a), "r"(b));
	return mask;
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define SCCL_CONVERTS_BF16
SCCL_FN uint32_t sccl_narrow_bf16x2(float low, float high)
{
	uint32_t two;
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(high), "f"(low));
	return two;
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define SCCL_CONVERTS_F8
/* Two f8e4m3 of 16 bits. */
SCCL_FN uint32_t sccl_f8e4m3x2_to_f16x2(uint32_t h)
{
	uint32_t two;
	asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(two) : "h"((uint16_t)h));
	return two;
}

SCCL_FN uint32_t sccl_narrow_f8e4m3x2(float low, float high)
{
	uint16_t h;
	asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(high), "f"(low));
	return h;
}

SCCL_FN uint32_t sccl_narrow_f8e5m2x2(float low, float high)
{
	uint16_t h;
	asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(h) : "f"(high), "f"(low));
	return h;
}
#endif

/* Implements sccl_kernel_t for KERNEL. */
static inline int sccl_launch_on(const void *kernel, const sccl_launch_t *l, void *stream)
{
	int device = 0, processors = 0, each = 0;
	cudaError_t e;

	if (l) {
		sccl_launch_t launch = *l;
		void *arguments[] = {&launch};
		return (int)cudaLaunchKernel(kernel, dim3(l->grid), dim3(SCCL_THREADS), arguments, 0, (cudaStream_t)stream);
	}
	e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, SCCL_THREADS, 0);
	return e == cudaSuccess ? processors * each : -(int)e;
}

/* The second launch bound, one block per multiprocessor, lets each thread use as many registers as it can have. */
#define SCCL_KERNEL(name, element, fold)                                                                    \
	static __global__ void __launch_bounds__(SCCL_THREADS, 1) name##_kernel(const sccl_launch_t l)      \
	{                                                                                                   \
		__shared__ sccl_shared_t shared;                                                            \
		sccl_run_blocks(&l, &shared, blockIdx.x, element, fold);                                    \
	}                                                                                                   \
	static int name(const sccl_launch_t *l, void *stream)                                               \
	{                                                                                                   \
		return sccl_launch_on((const void *)name##_kernel, l, stream);                              \
	}

#endif
