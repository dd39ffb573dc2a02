#ifndef SCCL_DEVICE_FOLD_WIDE_H
#define SCCL_DEVICE_FOLD_WIDE_H

/*
 * On devices with threads: sums and products of 8- and 16-bit floating-point numbers in f32, which are rounded once, after
 * the last source of a reduction; the factors of premultiplied sums; the division of averages. With the same rounding as on
 * CPUs (device_host_reduce.h). Where the hardware converts 8-bit numbers and bf16, the target layer defines SCCL_CONVERTS_F8
 * and SCCL_CONVERTS_BF16 and the functions used here. Included by sccl/device.h.
 */

/* Is FOLD computed in f32? */
SCCL_FN int sccl_is_wide(sccl_fold_t fold)
{
	uint32_t type = SCCL_FOLD_TYPE(fold), op = SCCL_FOLD_OP(fold);

	return fold != SCCL_NO_FOLD && type >= SCCL_FOLD_f8e4m3 && op != SCCL_FOLD_min && op != SCCL_FOLD_max;
}

/* Does FOLD multiply inputs, and divide totals? */
SCCL_FN int sccl_scales(sccl_fold_t fold)
{
	return fold != SCCL_NO_FOLD && SCCL_FOLD_OP(fold) == SCCL_FOLD_premulsum;
}

/* Of numbers that are converted for that, which takes many instructions: they are then combined unit by unit. */
SCCL_FN int sccl_scales_narrow(sccl_fold_t fold)
{
	uint32_t type = SCCL_FOLD_TYPE(fold);

	return sccl_scales(fold) && (type == SCCL_FOLD_f16 || type == SCCL_FOLD_bf16 || type >= SCCL_FOLD_f8e4m3);
}

SCCL_FN int sccl_divides(sccl_fold_t fold)
{
	return fold != SCCL_NO_FOLD && SCCL_FOLD_OP(fold) == SCCL_FOLD_avg;
}

/* The numbers in 32 bits: four, or the first two. */
typedef struct sccl_wide {
	float a, b, c, d;
} sccl_wide_t;

#ifndef SCCL_CONVERTS_F8
SCCL_FN float sccl_f8e4m3_to_f32(uint32_t h)
{
	float magnitude = sccl_f16_to_f32((uint16_t)((h & 0x7fu) << 7)) * 256.0f;

	if ((h & 0x7fu) == 0x7fu)
		return sccl_float_of(0x7fc00000u);
	return sccl_float_of(sccl_bits_of(magnitude) | (h & 0x80u) << 24);
}

/* To the nearest number, and to the largest, whose bits are MOST, if F is beyond it. REBIAS is subtracted from the bits of an
 * f32, SHIFT of which are dropped; numbers below LEAST are rounded at their last place by the addition of MAGIC. */
SCCL_FN uint32_t sccl_narrow_f8(float f, uint32_t most, uint32_t rebias, uint32_t shift, uint32_t least, float magic)
{
	uint32_t u = sccl_bits_of(f), magnitude = u & 0x7fffffffu, sign = u >> 24 & 0x80u;

	if (magnitude > 0x7f800000u)
		return sign | 0x7fu;
	magnitude = magnitude < most ? magnitude : most;
	if (magnitude < least)
		return sign | (sccl_bits_of(sccl_float_of(magnitude) + magic) - sccl_bits_of(magic));
	return sign | (magnitude - rebias + ((1u << (shift - 1)) - 1) + (magnitude >> shift & 1u)) >> shift;
}

/* Two numbers of 16 bits, and two numbers into 16 bits. */
SCCL_FN sccl_wide_t sccl_widen_f8e4m3x2(uint32_t h)
{
	sccl_wide_t w = {sccl_f8e4m3_to_f32(h & 0xffu), sccl_f8e4m3_to_f32(h >> 8 & 0xffu), 0, 0};
	return w;
}

SCCL_FN uint32_t sccl_narrow_f8e4m3x2(float low, float high)
{
	return sccl_narrow_f8(low, 0x43e00000u, 0x3c000000u, 20, 0x3c800000u, 16384.0f) |
	       sccl_narrow_f8(high, 0x43e00000u, 0x3c000000u, 20, 0x3c800000u, 16384.0f) << 8;
}

SCCL_FN uint32_t sccl_narrow_f8e5m2x2(float low, float high)
{
	return sccl_narrow_f8(low, 0x47600000u, 0x38000000u, 21, 0x38800000u, 128.0f) |
	       sccl_narrow_f8(high, 0x47600000u, 0x38000000u, 21, 0x38800000u, 128.0f) << 8;
}
#endif

#ifdef SCCL_CONVERTS_F8
SCCL_FN sccl_wide_t sccl_widen_f8e4m3x2(uint32_t h)
{
	uint32_t two = sccl_f8e4m3x2_to_f16x2(h);
	sccl_wide_t w = {sccl_f16_to_f32((uint16_t)two), sccl_f16_to_f32((uint16_t)(two >> 16)), 0, 0};
	return w;
}
#endif

/* An f8e5m2 is the upper half of an f16. */
SCCL_FN sccl_wide_t sccl_widen_f8e5m2x2(uint32_t h)
{
	sccl_wide_t w = {sccl_f16_to_f32((uint16_t)(h << 8 & 0xff00u)), sccl_f16_to_f32((uint16_t)(h & 0xff00u)), 0, 0};
	return w;
}

/* TYPE is that of a fold, and not of 64 bits or integers. */
SCCL_FN sccl_wide_t sccl_widen(uint32_t type, uint32_t bits)
{
	sccl_wide_t w = {0, 0, 0, 0}, high = w;

	switch (type) {
	case SCCL_FOLD_f16:
	case SCCL_FOLD_f16_wide:
		w.a = sccl_f16_to_f32((uint16_t)bits);
		w.b = sccl_f16_to_f32((uint16_t)(bits >> 16));
		return w;
	case SCCL_FOLD_bf16:
	case SCCL_FOLD_bf16_wide:
		w.a = sccl_float_of(bits << 16);
		w.b = sccl_float_of(bits & 0xffff0000u);
		return w;
	case SCCL_FOLD_f8e4m3:
		w = sccl_widen_f8e4m3x2(bits & 0xffffu);
		high = sccl_widen_f8e4m3x2(bits >> 16);
		break;
	case SCCL_FOLD_f8e5m2:
		w = sccl_widen_f8e5m2x2(bits & 0xffffu);
		high = sccl_widen_f8e5m2x2(bits >> 16);
		break;
	default:
		w.a = sccl_float_of(bits);
		return w;
	}
	w.c = high.a;
	w.d = high.b;
	return w;
}

SCCL_FN uint32_t sccl_narrow_to(uint32_t type, sccl_wide_t w)
{
	switch (type) {
	case SCCL_FOLD_f16:
	case SCCL_FOLD_f16_wide: return (uint32_t)sccl_f32_to_f16(w.a) | (uint32_t)sccl_f32_to_f16(w.b) << 16;
	case SCCL_FOLD_bf16:
	case SCCL_FOLD_bf16_wide:
#ifdef SCCL_CONVERTS_BF16
		return sccl_narrow_bf16x2(w.a, w.b);
#else
		return sccl_narrow(w.a) | sccl_narrow(w.b) << 16;
#endif
	case SCCL_FOLD_f8e4m3: return sccl_narrow_f8e4m3x2(w.a, w.b) | sccl_narrow_f8e4m3x2(w.c, w.d) << 16;
	case SCCL_FOLD_f8e5m2: return sccl_narrow_f8e5m2x2(w.a, w.b) | sccl_narrow_f8e5m2x2(w.c, w.d) << 16;
	default: return sccl_bits_of(w.a);
	}
}

SCCL_FN sccl_wide_t sccl_add_wide(uint32_t op, sccl_wide_t x, sccl_wide_t y)
{
	x.a = sccl_apply_float(op, x.a, y.a);
	x.b = sccl_apply_float(op, x.b, y.b);
	x.c = sccl_apply_float(op, x.c, y.c);
	x.d = sccl_apply_float(op, x.d, y.d);
	return x;
}

/* A reduction of 8 bytes: in the type, or, if it is wide, in f32. */
typedef struct sccl_sum {
	uint64_t word;
	sccl_wide_t low, high;
} sccl_sum_t;

SCCL_FN sccl_sum_t sccl_sum_begin(sccl_fold_t fold, uint64_t word)
{
	sccl_sum_t s = {word, {0, 0, 0, 0}, {0, 0, 0, 0}};

	if (sccl_is_wide(fold)) {
		s.low = sccl_widen(SCCL_FOLD_TYPE(fold), (uint32_t)word);
		s.high = sccl_widen(SCCL_FOLD_TYPE(fold), (uint32_t)(word >> 32));
	}
	return s;
}

SCCL_FN void sccl_sum_add(sccl_fold_t fold, sccl_sum_t *s, uint64_t word)
{
	if (sccl_is_wide(fold)) {
		sccl_sum_t t = sccl_sum_begin(fold, word);
		s->low = sccl_add_wide(SCCL_FOLD_OP(fold), s->low, t.low);
		s->high = sccl_add_wide(SCCL_FOLD_OP(fold), s->high, t.high);
	} else
		s->word = sccl_fold_word(fold, s->word, word);
}

SCCL_FN uint64_t sccl_sum_end(sccl_fold_t fold, const sccl_sum_t *s)
{
	if (!sccl_is_wide(fold))
		return s->word;
	return sccl_narrow_to(SCCL_FOLD_TYPE(fold), s->low) | (uint64_t)sccl_narrow_to(SCCL_FOLD_TYPE(fold), s->high) << 32;
}

/* The products of numbers, never part of a fused multiply-add, so that every target rounds alike. */
#if defined(__CUDACC__)
#define SCCL_KEEP_PRODUCT(p) ((void)0)
#define SCCL_MULTIPLY_FLOAT(a, b) __fmul_rn(a, b)
#define SCCL_MULTIPLY_DOUBLE(a, b) __dmul_rn(a, b)
#elif SCCL_DEVICE_PASS
#define SCCL_KEEP_PRODUCT(p) __asm__("" : "+v"(p))
#else
#define SCCL_KEEP_PRODUCT(p) __asm__("" : "+m"(p))
#endif
#ifndef SCCL_MULTIPLY_FLOAT
#define SCCL_MULTIPLY_FLOAT(a, b) ((a) * (b))
#define SCCL_MULTIPLY_DOUBLE(a, b) ((a) * (b))
#endif

/* 32 bits of an input, multiplied; not of 64-bit types. */
SCCL_FN uint32_t sccl_scale_half(sccl_fold_t fold, uint32_t bits, uint64_t factor)
{
	uint32_t type = SCCL_FOLD_TYPE(fold), by = (uint32_t)factor;

	if (type == SCCL_FOLD_i32)
		return bits * by;
	if (type == SCCL_FOLD_u8) /* every other byte at a time, so that no product reaches the next one that is kept */
		return ((bits & 0xff00ffu) * (by & 0xffu) & 0xff00ffu) | ((bits >> 8 & 0xff00ffu) * (by & 0xffu) & 0xff00ffu) << 8;
	sccl_wide_t w = sccl_widen(type, bits);
	float f = sccl_float_of(by);

	w.a = SCCL_MULTIPLY_FLOAT(w.a, f);
	w.b = SCCL_MULTIPLY_FLOAT(w.b, f);
	w.c = SCCL_MULTIPLY_FLOAT(w.c, f);
	w.d = SCCL_MULTIPLY_FLOAT(w.d, f);
	SCCL_KEEP_PRODUCT(w.a);
	return sccl_narrow_to(type, w);
}

SCCL_FN uint64_t sccl_scale_word(sccl_fold_t fold, uint64_t word, uint64_t factor)
{
	double product;

	switch (SCCL_FOLD_TYPE(fold)) {
	case SCCL_FOLD_i64: return word * factor;
	case SCCL_FOLD_f64:
		product = SCCL_MULTIPLY_DOUBLE(sccl_double_of(word), sccl_double_of(factor));
		SCCL_KEEP_PRODUCT(product);
		return sccl_bits_of_double(product);
	default:
		return sccl_scale_half(fold, (uint32_t)word, factor) | (uint64_t)sccl_scale_half(fold, (uint32_t)(word >> 32), factor) << 32;
	}
}

/* X / ranks, rounded towards zero, given 2^64 / ranks rounded up (and 0 for one rank). X is of at most 32 bits. */
SCCL_FN uint32_t sccl_average(uint32_t x, int negative, uint64_t inverse)
{
	uint32_t magnitude = negative ? 0u - x : x, quotient = inverse ? (uint32_t)sccl_high(magnitude, inverse) : magnitude;

	return negative ? 0u - quotient : quotient;
}

/* The totals in 8 bytes, divided. */
SCCL_FN uint64_t sccl_divide_word(sccl_fold_t fold, uint64_t word, uint64_t inverse, uint32_t ranks)
{
	uint64_t out = 0;

	switch (SCCL_FOLD_TYPE(fold)) {
	case SCCL_FOLD_u64: return word / ranks;
	case SCCL_FOLD_i64: return (uint64_t)((int64_t)word / (int64_t)ranks);
	case SCCL_FOLD_u32:
		return sccl_average((uint32_t)word, 0, inverse) | (uint64_t)sccl_average((uint32_t)(word >> 32), 0, inverse) << 32;
	case SCCL_FOLD_i32:
		return sccl_average((uint32_t)word, (int32_t)word < 0, inverse) |
		       (uint64_t)sccl_average((uint32_t)(word >> 32), (int64_t)word < 0, inverse) << 32;
	default: break;
	}
	SCCL_UNROLL
	for (uint32_t i = 0; i < 64; i += 8) {
		uint32_t byte = (uint32_t)(word >> i) & 0xffu;
		int negative = SCCL_FOLD_TYPE(fold) == SCCL_FOLD_i8 && byte >= 0x80u;
		out |= (uint64_t)(sccl_average(negative ? byte | 0xffffff00u : byte, negative, inverse) & 0xffu) << i;
	}
	return out;
}

#endif
