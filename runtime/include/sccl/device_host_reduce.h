#ifndef SCCL_DEVICE_HOST_REDUCE_H
#define SCCL_DEVICE_HOST_REDUCE_H

/*
 * Reductions on CPUs: functions for each data type and operation. They use the compiler's vector extensions, at the width
 * of the registers of the architecture compiled for, so that they are vector code at every optimization level. Included
 * by sccl/device.h.
 *
 * Integers wrap. f16 and bf16 are computed in f32 and rounded to nearest even after each operation; in wide kernels, and
 * always for the 8-bit types, only after the last one of a reduction. What is too large for an 8-bit type becomes its
 * largest number (as NVIDIA's conversions do). min (max) returns b if b is smaller (larger) than a, and otherwise a; so if
 * the two are equal or unordered, the result is a.
 */

/* How the kernel of a type and operation combines values. */
struct sccl_folding {
	/* d = a op b over `bytes` bytes; d may be equal to a or b. NULL: the next three are used. */
	void (*combine)(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t bytes);
	/* sum = a; sum = sum op b; d = sum, rounded. Sums are in the order of `widen`, with room for whole vectors. */
	void (*widen)(float *sum, const uint8_t *a, uint64_t bytes);
	void (*add)(float *sum, const uint8_t *b, uint64_t bytes);
	void (*narrow)(uint8_t *d, const float *sum, uint64_t bytes);
	/* d = a times the launch's factor; d may be a. NULL: inputs are taken as they are. */
	void (*scale)(uint8_t *d, const uint8_t *a, uint64_t bytes, uint64_t factor);
	/* d /= ranks, where the result is that of all ranks. NULL: nothing is divided. */
	void (*divide)(uint8_t *d, uint64_t bytes, uint32_t ranks);
};
#define SCCL_WIDE_TILE 4096u /* numbers; a multiple of the vectors' */

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

/* The same for 8-bit numbers, in the low byte of a lane, whose other bytes are zero. The exponent bias of e4m3 differs from f32's
 * by 120; e5m2 is the upper half of an f16. */
SCCL_VECTOR_FN void sccl_widen_f8e4m3(sccl_vf32 *f, const sccl_vu32 *h)
{
	sccl_vu32 magnitude = (*h & 0x7fu) << 20;
	sccl_vu32 subnormal = (sccl_vu32)(magnitude < 0x00800000u), nan = (sccl_vu32)(magnitude == 0x07f00000u);
	sccl_vf32 small = (sccl_vf32)(magnitude + 0x3c800000u) - 0x1p-6f;

	*f = (sccl_vf32)(SCCL_PICK(subnormal, (sccl_vu32)small, magnitude + 0x3c000000u) | (nan & 0x7fc00000u) | (*h & 0x80u) << 24);
}

SCCL_VECTOR_FN void sccl_widen_f8e5m2(sccl_vf32 *f, const sccl_vu32 *h)
{
	sccl_vu32 half = *h << 8;
	sccl_widen_f16(f, &half);
}

/*
 * The number whose bits are `most` is the largest; below 2^-6 (2^-14), adding 2^14 (2^7) makes the CPU round at the last
 * place of a subnormal number.
 */
#define SCCL_DEFINE_NARROW_8(name, most, rebias, shift, least, magic)                                                 \
	SCCL_VECTOR_FN void sccl_narrow_##name(sccl_vu32 *h, const sccl_vf32 *f)                                      \
	{                                                                                                             \
		sccl_vu32 u = (sccl_vu32)*f, magnitude = u & 0x7fffffffu, nan = (sccl_vu32)(magnitude > 0x7f800000u); \
		const sccl_vu32 none = {0};                                                                           \
		magnitude = SCCL_PICK((sccl_vu32)(magnitude > (most)), none + (most), magnitude);                     \
		sccl_vu32 small = (sccl_vu32)((sccl_vf32)magnitude + (magic)) - (sccl_vu32)((sccl_vf32)none + (magic)); \
		sccl_vu32 normal = (magnitude - (rebias) + ((1u << ((shift) - 1)) - 1) + (magnitude >> (shift) & 1u)) >> (shift); \
		*h = SCCL_PICK((sccl_vu32)(magnitude < (least)), small, normal);                                      \
		*h = SCCL_PICK(nan, none + 0x7fu, *h) | (u >> 24 & 0x80u);                                            \
	}
SCCL_DEFINE_NARROW_8(f8e4m3, 0x43e00000u, 0x3c000000u, 20, 0x3c800000u, 16384.0f)
SCCL_DEFINE_NARROW_8(f8e5m2, 0x47600000u, 0x38000000u, 21, 0x38800000u, 128.0f)

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

/* 8-bit floating-point numbers as integers that compare as they do: zeros are equal, and `unordered` are NaNs. */
SCCL_VECTOR_FN void sccl_key_8(sccl_vi8 *key, const sccl_vu8 *h)
{
	sccl_vi8 magnitude = (sccl_vi8)(*h & 0x7fu), negative = (sccl_vi8)*h < 0;
	*key = SCCL_PICK(negative, -magnitude, magnitude);
}

#define SCCL_APPLY_BETTER_8(x, y, infinity, better)                                                       \
	do {                                                                                              \
		sccl_vi8 p, q;                                                                            \
		sccl_key_8(&p, &(x));                                                                     \
		sccl_key_8(&q, &(y));                                                                     \
		sccl_vi8 picks = (q better p) & (p <= (infinity)) & (p >= -(infinity)) & (q <= (infinity)) & (q >= -(infinity)); \
		(x) = SCCL_PICK((sccl_vu8)picks, (y), (x));                                               \
	} while (0)
#define SCCL_APPLY_8_min(x, y, infinity) SCCL_APPLY_BETTER_8(x, y, infinity, <)
#define SCCL_APPLY_8_max(x, y, infinity) SCCL_APPLY_BETTER_8(x, y, infinity, >)

/* For each type: the vector that holds it, and how an operation is applied to two of them. */
#define SCCL_HOLDS_f32 sccl_vf32
#define SCCL_HOLDS_f64 sccl_vf64
#define SCCL_HOLDS_f16 sccl_vu32
#define SCCL_HOLDS_bf16 sccl_vu32
#define SCCL_HOLDS_i32 sccl_vu32
#define SCCL_HOLDS_i64 sccl_vu64
#define SCCL_HOLDS_u8 sccl_vu8
#define SCCL_HOLDS_f8e4m3 sccl_vu8
#define SCCL_HOLDS_f8e5m2 sccl_vu8
#define SCCL_HOLDS_i8 sccl_vu8
#define SCCL_HOLDS_u32 sccl_vu32
#define SCCL_HOLDS_u64 sccl_vu64
#define SCCL_COMBINE_f32(x, y, op) SCCL_APPLY_##op(x, y, sccl_vf32, sccl_vf32, sccl_vu32)
#define SCCL_COMBINE_f64(x, y, op) SCCL_APPLY_##op(x, y, sccl_vf64, sccl_vf64, sccl_vu64)
#define SCCL_COMBINE_f16(x, y, op) SCCL_APPLY_HALVES(x, y, f16, op)
#define SCCL_COMBINE_bf16(x, y, op) SCCL_APPLY_HALVES(x, y, bf16, op)
#define SCCL_COMBINE_i32(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu32, sccl_vi32, sccl_vu32)
#define SCCL_COMBINE_i64(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu64, sccl_vi64, sccl_vu64)
#define SCCL_COMBINE_u8(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu8, sccl_vu8, sccl_vu8)
#define SCCL_COMBINE_f8e4m3(x, y, op) SCCL_APPLY_8_##op(x, y, 0x7e)
#define SCCL_COMBINE_f8e5m2(x, y, op) SCCL_APPLY_8_##op(x, y, 0x7c)
#define SCCL_COMBINE_i8(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu8, sccl_vi8, sccl_vu8)
#define SCCL_COMBINE_u32(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu32, sccl_vu32, sccl_vu32)
#define SCCL_COMBINE_u64(x, y, op) SCCL_APPLY_##op(x, y, sccl_vu64, sccl_vu64, sccl_vu64)

/* Does the statement behind BYTES for all vectors x of A (and y of B, which may be A). The last one is partial: the rest of it
 * holds leftover values, and the result of the rest is discarded. */
#define SCCL_EACH_VECTOR(holds, d, a, b, bytes, ...)                              \
	do {                                                                      \
		holds x = {0}, y = {0};                                           \
		uint64_t i = 0;                                                   \
		for (; i + SCCL_WIDTH <= (bytes); i += SCCL_WIDTH) {              \
			memcpy(&x, (a) + i, SCCL_WIDTH);                          \
			memcpy(&y, (b) + i, SCCL_WIDTH);                          \
			__VA_ARGS__;                                              \
			memcpy((d) + i, &x, SCCL_WIDTH);                          \
		}                                                                 \
		if (i == (bytes))                                                 \
			break;                                                    \
		memcpy(&x, (a) + i, (bytes)-i);                                   \
		memcpy(&y, (b) + i, (bytes)-i);                                   \
		__VA_ARGS__;                                                      \
		memcpy((d) + i, &x, (bytes)-i);                                   \
	} while (0)

#define SCCL_DEFINE_FOLD(name, op)                                                                         \
	static __attribute__((unused)) void sccl_fold_##name##_##op(uint8_t *d, const uint8_t *a,          \
								    const uint8_t *b, uint64_t bytes)      \
	{                                                                                                  \
		SCCL_EACH_VECTOR(SCCL_HOLDS_##name, d, a, b, bytes, SCCL_COMBINE_##name(x, y, op));        \
	}

/* The numbers of a vector of 32-bit lanes H, one 8- or 16-bit number of each lane at a time, from and to f32 at SUM. */
#define SCCL_LANE_BITS(name) (8 * SCCL_SIZE_##name)
#define SCCL_DEFINE_WIDE(name)                                                                                \
	SCCL_VECTOR_FN void sccl_widen_all_##name(sccl_vf32 f[], const sccl_vu32 *h)                          \
	{                                                                                                     \
		for (uint32_t k = 0; k < 32 / SCCL_LANE_BITS(name); k++) {                                    \
			sccl_vu32 low = *h >> (k * SCCL_LANE_BITS(name)) & ((1u << SCCL_LANE_BITS(name)) - 1); \
			sccl_widen_##name(&f[k], &low);                                                       \
		}                                                                                             \
	}                                                                                                     \
	SCCL_VECTOR_FN void sccl_narrow_all_##name(sccl_vu32 *h, const sccl_vf32 f[])                         \
	{                                                                                                     \
		sccl_vu32 all = {0};                                                                          \
		for (uint32_t k = 0; k < 32 / SCCL_LANE_BITS(name); k++) {                                    \
			sccl_vu32 low;                                                                        \
			sccl_narrow_##name(&low, &f[k]);                                                      \
			all |= low << (k * SCCL_LANE_BITS(name));                                             \
		}                                                                                             \
		*h = all;                                                                                     \
	}                                                                                                     \
	static __attribute__((unused)) void sccl_widen_all_of_##name(float *sum, const uint8_t *a, uint64_t bytes) \
	{                                                                                                     \
		SCCL_EACH_WIDE(name, sum, a, bytes, memcpy(&x, a + i, part); sccl_widen_all_##name(f, &x);    \
			       memcpy(sum + i / SCCL_SIZE_##name, f, sizeof f));                              \
	}                                                                                                     \
	static __attribute__((unused)) void sccl_narrow_all_of_##name(uint8_t *d, const float *sum, uint64_t bytes) \
	{                                                                                                     \
		SCCL_EACH_WIDE(name, sum, d, bytes, memcpy(f, sum + i / SCCL_SIZE_##name, sizeof f);          \
			       sccl_narrow_all_##name(&x, f); memcpy(d + i, &x, part));                       \
	}                                                                                                     \
	SCCL_DEFINE_ADD(name, sum, +)                                                                         \
	SCCL_DEFINE_ADD(name, prod, *)
#define SCCL_DEFINE_ADD(name, op, operator)                                                                   \
	static __attribute__((unused)) void sccl_add_##name##_##op(float *sum, const uint8_t *b, uint64_t bytes) \
	{                                                                                                     \
		SCCL_EACH_WIDE(name, sum, b, bytes, memcpy(&x, b + i, part); sccl_widen_all_##name(f, &x);    \
			       memcpy(g, sum + i / SCCL_SIZE_##name, sizeof g);                               \
			       for (uint32_t k = 0; k < 4 / SCCL_SIZE_##name; k++) g[k] = g[k] operator f[k]; \
			       memcpy(sum + i / SCCL_SIZE_##name, g, sizeof g));                              \
	}
#define SCCL_EACH_WIDE(name, sum, at, bytes, ...)                                                             \
	do {                                                                                                  \
		sccl_vu32 x = {0};                                                                            \
		sccl_vf32 f[4 / SCCL_SIZE_##name], g[4 / SCCL_SIZE_##name];                                   \
		(void)g;                                                                                      \
		for (uint64_t i = 0; i < (bytes); i += SCCL_WIDTH) {                                          \
			uint64_t part = (bytes)-i < SCCL_WIDTH ? (bytes)-i : SCCL_WIDTH;                      \
			__VA_ARGS__;                                                                          \
		}                                                                                             \
	} while (0)

SCCL_DEFINE_WIDE(f16)
SCCL_DEFINE_WIDE(bf16)
SCCL_DEFINE_WIDE(f8e4m3)
SCCL_DEFINE_WIDE(f8e5m2)

/* x times the factor, of which TYPE is the bits. */
#define SCCL_FACTOR_BITS(type, word, factor)             \
	type factor;                                     \
	do {                                             \
		word bits_ = (word)(bits);               \
		memcpy(&factor, &bits_, sizeof factor);  \
	} while (0)
#define SCCL_DEFINE_SCALE(name, type, word, body)                                                             \
	static __attribute__((unused)) void sccl_scale_##name(uint8_t *d, const uint8_t *a, uint64_t bytes, uint64_t bits) \
	{                                                                                                     \
		SCCL_FACTOR_BITS(type, word, factor);                                                         \
		SCCL_EACH_VECTOR(SCCL_HOLDS_##name, d, a, a, bytes, body);                                    \
	}
#define SCCL_SCALE_WIDE(name)                                                                                 \
	do {                                                                                                  \
		sccl_vf32 f[4 / SCCL_SIZE_##name];                                                            \
		sccl_vu32 lanes = (sccl_vu32)y;                                                               \
		sccl_widen_all_##name(f, &lanes);                                                             \
		for (uint32_t k = 0; k < 4 / SCCL_SIZE_##name; k++)                                           \
			f[k] = f[k] * factor;                                                                 \
		sccl_narrow_all_##name(&lanes, f);                                                            \
		x = (SCCL_HOLDS_##name)lanes;                                                                 \
	} while (0)
SCCL_DEFINE_SCALE(f32, float, uint32_t, x = y * factor)
SCCL_DEFINE_SCALE(f64, double, uint64_t, x = y * factor)
SCCL_DEFINE_SCALE(f16, float, uint32_t, SCCL_SCALE_WIDE(f16))
SCCL_DEFINE_SCALE(bf16, float, uint32_t, SCCL_SCALE_WIDE(bf16))
SCCL_DEFINE_SCALE(f8e4m3, float, uint32_t, SCCL_SCALE_WIDE(f8e4m3))
SCCL_DEFINE_SCALE(f8e5m2, float, uint32_t, SCCL_SCALE_WIDE(f8e5m2))
SCCL_DEFINE_SCALE(i32, uint32_t, uint32_t, x = y * factor)
SCCL_DEFINE_SCALE(i64, uint64_t, uint64_t, x = y * factor)
SCCL_DEFINE_SCALE(u8, uint8_t, uint8_t, x = y * factor)

/* Integers divided by RANKS, rounded towards zero. */
#define SCCL_DEFINE_DIVIDE(name, type)                                                                          \
	static __attribute__((unused)) void sccl_divide_##name(uint8_t *d, uint64_t bytes, uint32_t ranks)      \
	{                                                                                                       \
		for (uint64_t i = 0; i < bytes; i += sizeof(type)) {                                            \
			type v;                                                                                 \
			memcpy(&v, d + i, sizeof v);                                                            \
			v = (type)(v / (type)ranks);                                                            \
			memcpy(d + i, &v, sizeof v);                                                            \
		}                                                                                               \
	}
SCCL_DEFINE_DIVIDE(i32, int32_t)
SCCL_DEFINE_DIVIDE(i64, int64_t)
SCCL_DEFINE_DIVIDE(u32, uint32_t)
SCCL_DEFINE_DIVIDE(u64, uint64_t)

/* The number of ranks may be more than these types hold. */
#define SCCL_DEFINE_DIVIDE_8(name, type)                                                                        \
	static __attribute__((unused)) void sccl_divide_##name(uint8_t *d, uint64_t bytes, uint32_t ranks)      \
	{                                                                                                       \
		for (uint64_t i = 0; i < bytes; i++)                                                            \
			d[i] = (uint8_t)((type)d[i] / (int64_t)ranks);                                          \
	}
SCCL_DEFINE_DIVIDE_8(u8, uint8_t)
SCCL_DEFINE_DIVIDE_8(i8, int8_t)

#define SCCL_FOLDING(name, op, ...) \
	static __attribute__((unused)) const struct sccl_folding sccl_folding_##name##_##op = {__VA_ARGS__};
#define SCCL_DEFINE_COMBINED(name, op) \
	SCCL_DEFINE_FOLD(name, op)     \
	SCCL_FOLDING(name, op, sccl_fold_##name##_##op, NULL, NULL, NULL, NULL, NULL)
#define SCCL_DEFINE_FOLDS(name)         \
	SCCL_DEFINE_COMBINED(name, sum) \
	SCCL_DEFINE_COMBINED(name, prod) \
	SCCL_DEFINE_COMBINED(name, min) \
	SCCL_DEFINE_COMBINED(name, max) \
	SCCL_FOLDING(name, premulsum, sccl_fold_##name##_sum, NULL, NULL, NULL, sccl_scale_##name, NULL)
/* NAME in f32, under the name WIDE. */
#define SCCL_WIDE_FOLDING(name, wide, op, operation, scale) \
	SCCL_FOLDING(wide, op, NULL, sccl_widen_all_of_##name, sccl_add_##name##_##operation, sccl_narrow_all_of_##name, scale, NULL)
#define SCCL_DEFINE_WIDE_FOLDS(name, wide)              \
	SCCL_WIDE_FOLDING(name, wide, sum, sum, NULL)   \
	SCCL_WIDE_FOLDING(name, wide, prod, prod, NULL) \
	SCCL_WIDE_FOLDING(name, wide, premulsum, sum, sccl_scale_##name)
#define SCCL_DEFINE_AVERAGE(name, base) SCCL_FOLDING(name, avg, sccl_fold_##base##_sum, NULL, NULL, NULL, NULL, sccl_divide_##name)

SCCL_DEFINE_FOLDS(f32)
SCCL_DEFINE_FOLDS(f64)
SCCL_DEFINE_FOLDS(f16)
SCCL_DEFINE_FOLDS(bf16)
SCCL_DEFINE_FOLDS(i32)
SCCL_DEFINE_FOLDS(i64)
SCCL_DEFINE_FOLDS(u8)
SCCL_DEFINE_WIDE_FOLDS(f16, f16_wide)
SCCL_DEFINE_WIDE_FOLDS(bf16, bf16_wide)
SCCL_DEFINE_WIDE_FOLDS(f8e4m3, f8e4m3)
SCCL_DEFINE_WIDE_FOLDS(f8e5m2, f8e5m2)
SCCL_DEFINE_COMBINED(f8e4m3, min)
SCCL_DEFINE_COMBINED(f8e4m3, max)
SCCL_DEFINE_COMBINED(f8e5m2, min)
SCCL_DEFINE_COMBINED(f8e5m2, max)
/* Sums and products of integers have the same bits with and without sign. */
SCCL_DEFINE_COMBINED(i8, min)
SCCL_DEFINE_COMBINED(i8, max)
SCCL_DEFINE_COMBINED(u32, min)
SCCL_DEFINE_COMBINED(u32, max)
SCCL_DEFINE_COMBINED(u64, min)
SCCL_DEFINE_COMBINED(u64, max)
SCCL_DEFINE_AVERAGE(i32, i32)
SCCL_DEFINE_AVERAGE(i64, i64)
SCCL_DEFINE_AVERAGE(u8, u8)
SCCL_DEFINE_AVERAGE(i8, u8)
SCCL_DEFINE_AVERAGE(u32, i32)
SCCL_DEFINE_AVERAGE(u64, i64)

#endif
