#ifndef SCCL_DEVICE_HOST_REDUCE_H
#define SCCL_DEVICE_HOST_REDUCE_H

/*
 * Reductions on CPUs: one function per data type and operation, d = a op b. They use the compiler's vector extensions,
 * at the width of the registers of the architecture compiled for, so that they are vector code at every optimization
 * level. Included by sccl/device.h.
 *
 * Integers wrap. f16 and bf16 are computed in f32 and rounded to nearest even after each operation. min (max) returns b
 * if b is smaller (larger) than a, and otherwise a; so if the two are equal or unordered, the result is a.
 */

#if defined(__AVX512F__)
#define SCCL_WIDTH 64
#elif defined(__AVX2__)
#define SCCL_WIDTH 32
#else
#define SCCL_WIDTH 16
#endif

#define SCCL_VECTOR __attribute__((vector_size(SCCL_WIDTH)))
typedef float sccl_vf32 SCCL_VECTOR;
typedef double sccl_vf64 SCCL_VECTOR;
typedef uint32_t sccl_vu32 SCCL_VECTOR;
typedef int32_t sccl_vi32 SCCL_VECTOR;
typedef uint64_t sccl_vu64 SCCL_VECTOR;
typedef int64_t sccl_vi64 SCCL_VECTOR;
typedef uint8_t sccl_vu8 SCCL_VECTOR;
typedef int8_t sccl_vi8 SCCL_VECTOR;

#define SCCL_VECTOR_FN static inline __attribute__((always_inline))

/* mask ? a : b, bit by bit; all three are vectors of unsigned 32-bit integers. */
#define SCCL_PICK(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))

/*
 * 16-bit numbers are computed two to a lane, one in the low half and one in the high half. widen converts the number in
 * the low half to f32; narrow rounds to the nearest number, stored in the low half, with zeros in the high half.
 */
SCCL_VECTOR_FN void sccl_widen_bf16(sccl_vf32 *f, const sccl_vu32 *h)
{
	*f = (sccl_vf32)(*h << 16);
}

SCCL_VECTOR_FN void sccl_narrow_bf16(sccl_vu32 *h, const sccl_vf32 *f)
{
	sccl_vu32 u = (sccl_vu32)*f, nan = (sccl_vu32)((u & 0x7fffffffu) > 0x7f800000u);

	*h = SCCL_PICK(nan, u >> 16 | 0x40u, (u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

/* The exponent biases differ by 112. Subnormal numbers are normalized by a subtraction, because arithmetic on f32's own
 * subnormals is a hundred times slower. */
SCCL_VECTOR_FN void sccl_widen_f16(sccl_vf32 *f, const sccl_vu32 *h)
{
	sccl_vu32 magnitude = (*h & 0x7fffu) << 13;
	sccl_vu32 subnormal = (sccl_vu32)(magnitude < 0x00800000u), special = (sccl_vu32)(magnitude >= 0x0f800000u);
	sccl_vu32 normal = magnitude + 0x38000000u + (special & 0x38000000u);
	sccl_vf32 small = (sccl_vf32)(magnitude + 0x38800000u) - 0x1p-14f;

	*f = (sccl_vf32)(SCCL_PICK(subnormal, (sccl_vu32)small, normal) | (*h & 0x8000u) << 16);
}

/* Below 2^-14, adding 1/2 makes the CPU round at the last place of a subnormal number. */
SCCL_VECTOR_FN void sccl_narrow_f16(sccl_vu32 *h, const sccl_vf32 *f)
{
	sccl_vu32 u = (sccl_vu32)*f, magnitude = u & 0x7fffffffu;
	sccl_vu32 small = (sccl_vu32)((sccl_vf32)magnitude + 0.5f) - 0x3f000000u;
	sccl_vu32 normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1u)) >> 13;
	sccl_vu32 nan = (sccl_vu32)(magnitude > 0x7f800000u);
	sccl_vu32 big = 0x7c00u | (nan & (0x200u | (magnitude >> 13 & 0x3ffu)));
	sccl_vu32 finite = SCCL_PICK((sccl_vu32)(magnitude < 0x38800000u), small, normal);

	*h = SCCL_PICK((sccl_vu32)(magnitude >= 0x47800000u), big, finite) | (u >> 16 & 0x8000u);
}

/* x = x op y. compared: the type to compare as; mask: the type of a comparison's result. */
#define SCCL_APPLY_sum(x, y, type, compared, mask) (x) = (x) + (y)
#define SCCL_APPLY_prod(x, y, type, compared, mask) (x) = (x) * (y)
#define SCCL_APPLY_min(x, y, type, compared, mask) SCCL_APPLY_BETTER(x, y, type, compared, mask, <)
#define SCCL_APPLY_max(x, y, type, compared, mask) SCCL_APPLY_BETTER(x, y, type, compared, mask, >)
#define SCCL_APPLY_BETTER(x, y, type, compared, mask, better) \
	(x) = (type)SCCL_PICK((mask)((compared)(y) better (compared)(x)), (mask)(y), (mask)(x))

/* Both halves of each lane of a 16-bit type, computed in f32. */
#define SCCL_APPLY_HALVES(x, y, name, op)                                                                  \
	do {                                                                                               \
		sccl_vu32 upper_x = (x) >> 16, upper_y = (y) >> 16, lower, upper;                          \
		sccl_vf32 p, q;                                                                            \
		sccl_widen_##name(&p, &(x));                                                               \
		sccl_widen_##name(&q, &(y));                                                               \
		SCCL_APPLY_##op(p, q, sccl_vf32, sccl_vf32, sccl_vu32);                                    \
		sccl_narrow_##name(&lower, &p);                                                            \
		sccl_widen_##name(&p, &upper_x);                                                           \
		sccl_widen_##name(&q, &upper_y);                                                           \
		SCCL_APPLY_##op(p, q, sccl_vf32, sccl_vf32, sccl_vu32);                                    \
		sccl_narrow_##name(&upper, &p);                                                            \
		(x) = lower | upper << 16;                                                                 \
	} while (0)

/* For each type: the vector that holds it, and how an operation is applied to two of them. */
#define SCCL_HOLDS_f32 sccl_vf32
#define SCCL_HOLDS_f64 sccl_vf64
#define SCCL_HOLDS_f16 sccl_vu32
#define SCCL_HOLDS_bf16 sccl_vu32
#define SCCL_HOLDS_i32 sccl_vu32
#define SCCL_HOLDS_i64 sccl_vu64
#define SCCL_HOLDS_u8 sccl_vu8
#define SCCL_COMBINE_f32(x, y, op) SCCL_APPLY_##op(x, y, sccl_vf32, sccl_vf32, sccl_vu32)
#define SCCL_COMBINE_f64(x, y, op) SCCL_APPLY_##op(x, y, sccl_vf64, sccl_vf64, sccl_vu64)
#define SCCL_COMBINE_f16(x, y, op) SCCL_APPLY_HALVES(x, y, f16, op)
#define SCCL_COMBINE_bf16(x, y, op) SCCL_APPLY_HALVES(x, y, bf16, op)
#define SCCL_COMBINE_i32(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu32, sccl_vi32, sccl_vu32)
#define SCCL_COMBINE_i64(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu64, sccl_vi64, sccl_vu64)
#define SCCL_COMBINE_u8(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu8, sccl_vu8, sccl_vu8)

/* The last, partial vector: the unused rest of it holds leftover values, and the result of the rest is discarded. */
#define SCCL_DEFINE_FOLD(name, op)                                                                         \
	static __attribute__((unused)) void sccl_fold_##name##_##op(uint8_t *d, const uint8_t *a,          \
								    const uint8_t *b, uint64_t bytes)      \
	{                                                                                                  \
		SCCL_HOLDS_##name x = {0}, y = {0};                                                        \
		uint64_t i = 0;                                                                            \
		for (; i + SCCL_WIDTH <= bytes; i += SCCL_WIDTH) {                                         \
			memcpy(&x, a + i, SCCL_WIDTH);                                                     \
			memcpy(&y, b + i, SCCL_WIDTH);                                                     \
			SCCL_COMBINE_##name(x, y, op);                                                     \
			memcpy(d + i, &x, SCCL_WIDTH);                                                     \
		}                                                                                          \
		if (i == bytes)                                                                            \
			return;                                                                            \
		memcpy(&x, a + i, bytes - i);                                                              \
		memcpy(&y, b + i, bytes - i);                                                              \
		SCCL_COMBINE_##name(x, y, op);                                                             \
		memcpy(d + i, &x, bytes - i);                                                              \
	}

#define SCCL_DEFINE_FOLDS(name)     \
	SCCL_DEFINE_FOLD(name, sum) \
	SCCL_DEFINE_FOLD(name, prod) \
	SCCL_DEFINE_FOLD(name, min) \
	SCCL_DEFINE_FOLD(name, max)

SCCL_DEFINE_FOLDS(f32)
SCCL_DEFINE_FOLDS(f64)
SCCL_DEFINE_FOLDS(f16)
SCCL_DEFINE_FOLDS(bf16)
SCCL_DEFINE_FOLDS(i32)
SCCL_DEFINE_FOLDS(i64)
SCCL_DEFINE_FOLDS(u8)

#endif
