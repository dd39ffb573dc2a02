#ifndef SCCL_DEVICE_CUDA_MULTIMEM_H
#define SCCL_DEVICE_CUDA_MULTIMEM_H

/*
 * NVLink SHARP (sm_90 and later): loads of sums and stores to all through a multicast address, 16 bytes at a time. The
 * switch adds in an order of its own; 16-bit floating point is added in f32. It does not know products, f32 and f64 minima
 * and maxima, or bytes. Included by sccl/device_multimem.h.
 */

SCCL_FN int sccl_multimem_adds(sccl_fold_t fold)
{
	switch (fold) {
	case SCCL_FOLD(f32, sum):
	case SCCL_FOLD(f64, sum):
	case SCCL_FOLD(f16, sum):
	case SCCL_FOLD(f16, min):
	case SCCL_FOLD(f16, max):
	case SCCL_FOLD(bf16, sum):
	case SCCL_FOLD(bf16, min):
	case SCCL_FOLD(bf16, max):
	case SCCL_FOLD(i32, sum):
	case SCCL_FOLD(i32, min):
	case SCCL_FOLD(i32, max):
	case SCCL_FOLD(i64, sum):
	case SCCL_FOLD(i64, min):
	case SCCL_FOLD(i64, max): return 1;
	default: return 0;
	}
}

/* Four of 32 bits, in one load or in four, and two of 64. */
#define SCCL_MULTIMEM_VECTOR(what)                                                                     \
	asm volatile("multimem.ld_reduce.relaxed.sys.global." what " {%0, %1, %2, %3}, [%4];"          \
		     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                              \
		     : "l"(at)                                                                         \
		     : "memory")
#define SCCL_MULTIMEM_WORDS(what)                                                                      \
	asm volatile("multimem.ld_reduce.relaxed.sys.global." what " %0, [%4];\n\t"                    \
		     "multimem.ld_reduce.relaxed.sys.global." what " %1, [%4 + 4];\n\t"                \
		     "multimem.ld_reduce.relaxed.sys.global." what " %2, [%4 + 8];\n\t"                \
		     "multimem.ld_reduce.relaxed.sys.global." what " %3, [%4 + 12];"                   \
		     : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d)                                          \
		     : "l"(at)                                                                         \
		     : "memory")
#define SCCL_MULTIMEM_LONGS(what)                                                                      \
	asm volatile("multimem.ld_reduce.relaxed.sys.global." what " %0, [%2];\n\t"                    \
		     "multimem.ld_reduce.relaxed.sys.global." what " %1, [%2 + 8];"                    \
		     : "=&l"(u.low), "=&l"(u.high)                                                     \
		     : "l"(at)                                                                         \
		     : "memory");                                                                      \
	return u

SCCL_FN sccl_unit_t sccl_multimem_load(const uint8_t *at, sccl_fold_t fold)
{
	uint32_t a = 0, b = 0, c = 0, d = 0;
	sccl_unit_t u = {0, 0};

	switch (fold) {
	case SCCL_FOLD(f32, sum): SCCL_MULTIMEM_VECTOR("add.v4.f32"); break;
	case SCCL_FOLD(f16, sum): SCCL_MULTIMEM_VECTOR("add.acc::f32.v4.f16x2"); break;
	case SCCL_FOLD(f16, min): SCCL_MULTIMEM_VECTOR("min.v4.f16x2"); break;
	case SCCL_FOLD(f16, max): SCCL_MULTIMEM_VECTOR("max.v4.f16x2"); break;
	case SCCL_FOLD(bf16, sum): SCCL_MULTIMEM_VECTOR("add.acc::f32.v4.bf16x2"); break;
	case SCCL_FOLD(bf16, min): SCCL_MULTIMEM_VECTOR("min.v4.bf16x2"); break;
	case SCCL_FOLD(bf16, max): SCCL_MULTIMEM_VECTOR("max.v4.bf16x2"); break;
	case SCCL_FOLD(i32, sum): SCCL_MULTIMEM_WORDS("add.u32"); break;
	case SCCL_FOLD(i32, min): SCCL_MULTIMEM_WORDS("min.s32"); break;
	case SCCL_FOLD(i32, max): SCCL_MULTIMEM_WORDS("max.s32"); break;
	case SCCL_FOLD(i64, sum): SCCL_MULTIMEM_LONGS("add.u64");
	case SCCL_FOLD(i64, min): SCCL_MULTIMEM_LONGS("min.s64");
	case SCCL_FOLD(i64, max): SCCL_MULTIMEM_LONGS("max.s64");
	case SCCL_FOLD(f64, sum): SCCL_MULTIMEM_LONGS("add.f64");
	default: break;
	}
	u.low = (uint64_t)b << 32 | a;
	u.high = (uint64_t)d << 32 | c;
	return u;
}

SCCL_FN void sccl_multimem_store(uint8_t *at, sccl_unit_t u)
{
	asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"((uint32_t)u.low),
		     "r"((uint32_t)(u.low >> 32)), "r"((uint32_t)u.high), "r"((uint32_t)(u.high >> 32))
		     : "memory");
}

#define SCCL_MULTIMEM_ADDS(fold) sccl_multimem_adds(fold)
#define SCCL_MULTIMEM_LOAD(at, fold) sccl_multimem_load(at, fold)
#define SCCL_MULTIMEM_STORE(at, unit) sccl_multimem_store(at, unit)

#endif
