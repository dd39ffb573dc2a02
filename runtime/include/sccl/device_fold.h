#ifndef SCCL_DEVICE_FOLD_H
#define SCCL_DEVICE_FOLD_H

/*
 * Reductions on devices with threads: one thread combines two 8-byte values in the same way, and with the same
 * rounding, as CPUs do (device_host_reduce.h). The type and operation are constants of each kernel, so the compiler
 * removes the switches below. The target layer provides sccl_f16_to_f32 and sccl_f32_to_f16, and, where the hardware
 * computes two 16-bit numbers at a time with the same result, defines SCCL_PACKED_F16, SCCL_PACKED_BF16 (sums) or
 * SCCL_COMPARED_BF16 and the functions used here. The payload of a NaN is not specified. Included by sccl/device.h.
 */

typedef uint32_t sccl_fold_t;

/* The wide ones add and multiply in f32 (device_fold_wide.h). */
enum {
	SCCL_FOLD_f32,
	SCCL_FOLD_f64,
	SCCL_FOLD_f16,
	SCCL_FOLD_bf16,
	SCCL_FOLD_i32,
	SCCL_FOLD_i64,
	SCCL_FOLD_u8,
	SCCL_FOLD_i8,
	SCCL_FOLD_u32,
	SCCL_FOLD_u64,
	SCCL_FOLD_f8e4m3,
	SCCL_FOLD_f8e5m2,
	SCCL_FOLD_f16_wide,
	SCCL_FOLD_bf16_wide
};
enum { SCCL_FOLD_sum, SCCL_FOLD_prod, SCCL_FOLD_min, SCCL_FOLD_max, SCCL_FOLD_avg, SCCL_FOLD_premulsum };
#define SCCL_FOLD(type, op) ((uint32_t)SCCL_FOLD_##type * 8u + (uint32_t)SCCL_FOLD_##op)
#define SCCL_FOLD_TYPE(fold) ((fold) / 8u)
#define SCCL_FOLD_OP(fold) ((fold) % 8u)
#define SCCL_NO_FOLD 0xffffffffu

/* min and max return `a` if the two are equal or unordered. Signed integers are computed as unsigned ones, whose
 * overflow wraps instead of being undefined. */
#define SCCL_DEFINE_APPLY(name, type, wraps)                                       \
	SCCL_FN type sccl_apply_##name(uint32_t op, type a, type b)                \
	{                                                                          \
		switch (op) {                                                      \
		case SCCL_FOLD_prod: return (type)((wraps)a * (wraps)b);           \
		case SCCL_FOLD_min: return b < a ? b : a;                          \
		case SCCL_FOLD_max: return b > a ? b : a;                          \
		default: return (type)((wraps)a + (wraps)b);                       \
		}                                                                  \
	}

SCCL_DEFINE_APPLY(float, float, float)
SCCL_DEFINE_APPLY(double, double, double)
SCCL_DEFINE_APPLY(int, int32_t, uint32_t)
SCCL_DEFINE_APPLY(long, int64_t, uint64_t)
SCCL_DEFINE_APPLY(byte, uint8_t, uint32_t)
SCCL_DEFINE_APPLY(unsigned, uint32_t, uint32_t)
SCCL_DEFINE_APPLY(unsigned_long, uint64_t, uint64_t)

SCCL_FN float sccl_float_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

SCCL_FN uint32_t sccl_bits_of(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

SCCL_FN uint32_t sccl_narrow(float f)
{
	uint32_t u = sccl_bits_of(f);

	return (u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
}

/* B in the halves where MASK is set, A elsewhere. */
SCCL_FN uint32_t sccl_pick(uint32_t mask, uint32_t b, uint32_t a)
{
	return (b & mask) | (a & ~mask);
}

/* Two f16 in 32 bits. */
SCCL_FN uint32_t sccl_fold_f16(uint32_t op, uint32_t a, uint32_t b)
{
#ifdef SCCL_PACKED_F16
	switch (op) {
	case SCCL_FOLD_prod: return sccl_multiply_f16x2(a, b);
	case SCCL_FOLD_min: return sccl_pick(sccl_less_f16x2(b, a), b, a);
	case SCCL_FOLD_max: return sccl_pick(sccl_less_f16x2(a, b), b, a);
	default: return sccl_add_f16x2(a, b);
	}
#else
	uint32_t out = 0;

	for (uint32_t i = 0; i < 32; i += 16)
		out |= (uint32_t)sccl_f32_to_f16(sccl_apply_float(op, sccl_f16_to_f32((uint16_t)(a >> i)),
								  sccl_f16_to_f32((uint16_t)(b >> i)))) << i;
	return out;
#endif
}

/* Two bf16 in 32 bits. The smaller or larger is one of the two, so there is nothing to round; the low bits that the upper
 * half carries as an f32 are cleared. */
SCCL_FN uint32_t sccl_fold_bf16(uint32_t op, uint32_t a, uint32_t b)
{
#ifdef SCCL_COMPARED_BF16
	if (op == SCCL_FOLD_min || op == SCCL_FOLD_max)
		return sccl_pick(op == SCCL_FOLD_min ? sccl_less_bf16x2(b, a) : sccl_less_bf16x2(a, b), b, a);
#endif
	float low_a = sccl_float_of(a << 16), low_b = sccl_float_of(b << 16);
	float high_a = sccl_float_of(a & 0xffff0000u), high_b = sccl_float_of(b & 0xffff0000u);

	if (op == SCCL_FOLD_min || op == SCCL_FOLD_max)
		return sccl_bits_of(sccl_apply_float(op, high_a, high_b)) | sccl_bits_of(sccl_apply_float(op, low_a, low_b)) >> 16;
#ifdef SCCL_PACKED_BF16
	if (op != SCCL_FOLD_prod)
		return sccl_add_bf16x2(a, b);
#endif
	return sccl_narrow(sccl_apply_float(op, low_a, low_b)) | sccl_narrow(sccl_apply_float(op, high_a, high_b)) << 16;
}

/*
 * 0xff in each of four bytes in which X is at least Y, as unsigned numbers. The low seven bits are compared by a difference that
 * borrows from no other byte, since the top bits are set before; where these differ, they decide. Byte by byte, the kernels of the
 * smaller and the larger needed more registers than there are.
 */
SCCL_FN uint32_t sccl_bytes_at_least(uint32_t x, uint32_t y)
{
	const uint32_t tops = 0x80808080u;
	uint32_t is = ((x & ~y) | (~(x ^ y) & ((x | tops) - (y & ~tops)))) & tops;

	return (is << 1) - (is >> 7);
}

/* The smaller or larger of each of two times four bytes; FLIP: the bits by which they are compared as unsigned ones. */
SCCL_FN uint32_t sccl_pick_bytes(uint32_t op, uint32_t a, uint32_t b, uint32_t flip)
{
	return sccl_pick(op == SCCL_FOLD_min ? sccl_bytes_at_least(a ^ flip, b ^ flip) : sccl_bytes_at_least(b ^ flip, a ^ flip), b, a);
}

/* Four bytes in 32 bits. Without the top bits, no sum carries into the next byte. */
SCCL_FN uint32_t sccl_fold_u8(uint32_t op, uint32_t a, uint32_t b)
{
	uint32_t out = 0;

	if (op == SCCL_FOLD_min || op == SCCL_FOLD_max)
		return sccl_pick_bytes(op, a, b, 0);
	if (op == SCCL_FOLD_sum || op == SCCL_FOLD_avg || op == SCCL_FOLD_premulsum)
		return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
	for (uint32_t i = 0; i < 32; i += 8)
		out |= (uint32_t)sccl_apply_byte(op, (uint8_t)(a >> i), (uint8_t)(b >> i)) << i;
	return out;
}

SCCL_FN uint32_t sccl_fold_i8(uint32_t op, uint32_t a, uint32_t b)
{
	return op == SCCL_FOLD_min || op == SCCL_FOLD_max ? sccl_pick_bytes(op, a, b, 0x80808080u) : sccl_fold_u8(op, a, b);
}

/* The smaller or larger of each of two times four 8-bit floating-point numbers, compared as integers: zeros are equal, and what
 * lies beyond INFINITE is no number. */
SCCL_FN uint32_t sccl_pick_f8(uint32_t op, uint32_t a, uint32_t b, int32_t infinite)
{
	uint32_t out = 0;

	SCCL_UNROLL
	for (uint32_t i = 0; i < 32; i += 8) {
		int32_t x = (int32_t)(a >> i & 0x7fu), y = (int32_t)(b >> i & 0x7fu), numbers = x <= infinite && y <= infinite;
		x = a >> i & 0x80u ? -x : x;
		y = b >> i & 0x80u ? -y : y;
		out |= (numbers && (op == SCCL_FOLD_min ? y < x : y > x) ? b : a) & 0xffu << i;
	}
	return out;
}

/* Combines 32 bits of two values; not for 64-bit and wide types. */
SCCL_FN uint32_t sccl_fold_half(sccl_fold_t fold, uint32_t a, uint32_t b)
{
	uint32_t op = SCCL_FOLD_OP(fold);

	switch (SCCL_FOLD_TYPE(fold)) {
	case SCCL_FOLD_f32:
		return sccl_bits_of(sccl_apply_float(op, sccl_float_of(a), sccl_float_of(b)));
	case SCCL_FOLD_i32:
		return (uint32_t)sccl_apply_int(op, (int32_t)a, (int32_t)b);
	case SCCL_FOLD_u32:
		return sccl_apply_unsigned(op, a, b);
	case SCCL_FOLD_f16:
		return sccl_fold_f16(op, a, b);
	case SCCL_FOLD_bf16:
		return sccl_fold_bf16(op, a, b);
	case SCCL_FOLD_i8:
		return sccl_fold_i8(op, a, b);
	case SCCL_FOLD_f8e4m3:
		return sccl_pick_f8(op, a, b, 0x7e);
	case SCCL_FOLD_f8e5m2:
		return sccl_pick_f8(op, a, b, 0x7c);
	default: /* u8 */
		return sccl_fold_u8(op, a, b);
	}
}

SCCL_FN double sccl_double_of(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

SCCL_FN uint64_t sccl_bits_of_double(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

SCCL_FN uint64_t sccl_fold_word(sccl_fold_t fold, uint64_t a, uint64_t b)
{
	uint32_t op = SCCL_FOLD_OP(fold);

	if (fold == SCCL_NO_FOLD)
		return a;
	switch (SCCL_FOLD_TYPE(fold)) {
	case SCCL_FOLD_i64:
		return (uint64_t)sccl_apply_long(op, (int64_t)a, (int64_t)b);
	case SCCL_FOLD_u64:
		return sccl_apply_unsigned_long(op, a, b);
	case SCCL_FOLD_f64:
		return sccl_bits_of_double(sccl_apply_double(op, sccl_double_of(a), sccl_double_of(b)));
	default:
		return sccl_fold_half(fold, (uint32_t)a, (uint32_t)b) |
		       (uint64_t)sccl_fold_half(fold, (uint32_t)(a >> 32), (uint32_t)(b >> 32)) << 32;
	}
}

#endif
