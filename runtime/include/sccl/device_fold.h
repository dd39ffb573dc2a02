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

enum { SCCL_FOLD_f32, SCCL_FOLD_f64, SCCL_FOLD_f16, SCCL_FOLD_bf16, SCCL_FOLD_i32, SCCL_FOLD_i64, SCCL_FOLD_u8 };
enum { SCCL_FOLD_sum, SCCL_FOLD_prod, SCCL_FOLD_min, SCCL_FOLD_max };
#define SCCL_FOLD(type, op) ((uint32_t)SCCL_FOLD_##type * 4u + (uint32_t)SCCL_FOLD_##op)
#define SCCL_NO_FOLD 0xffffffffu

/* min and max return `a` if the two are equal or unordered. Signed integers are computed as unsigned ones, whose
 * overflow wraps instead of being undefined. */
#define SCCL_DEFINE_APPLY(name, type, wraps)                                       \
	SCCL_FN type sccl_apply_##name(uint32_t op, type a, type b)                \
	{                                                                          \
		switch (op) {                                                      \
		case SCCL_FOLD_sum: return (type)((wraps)a + (wraps)b);            \
		case SCCL_FOLD_prod: return (type)((wraps)a * (wraps)b);           \
		case SCCL_FOLD_min: return b < a ? b : a;                          \
		default: return b > a ? b : a;                                     \
		}                                                                  \
	}

SCCL_DEFINE_APPLY(float, float, float)
SCCL_DEFINE_APPLY(double, double, double)
SCCL_DEFINE_APPLY(int, int32_t, uint32_t)
SCCL_DEFINE_APPLY(long, int64_t, uint64_t)
SCCL_DEFINE_APPLY(byte, uint8_t, uint32_t)

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
	case SCCL_FOLD_sum: return sccl_add_f16x2(a, b);
	case SCCL_FOLD_prod: return sccl_multiply_f16x2(a, b);
	case SCCL_FOLD_min: return sccl_pick(sccl_less_f16x2(b, a), b, a);
	default: return sccl_pick(sccl_less_f16x2(a, b), b, a);
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
	if (op == SCCL_FOLD_sum)
		return sccl_add_bf16x2(a, b);
#endif
	return sccl_narrow(sccl_apply_float(op, low_a, low_b)) | sccl_narrow(sccl_apply_float(op, high_a, high_b)) << 16;
}

/* Four bytes in 32 bits. Without the top bits, no sum carries into the next byte. */
SCCL_FN uint32_t sccl_fold_u8(uint32_t op, uint32_t a, uint32_t b)
{
	uint32_t out = 0;

	if (op == SCCL_FOLD_sum)
		return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
	for (uint32_t i = 0; i < 32; i += 8)
		out |= (uint32_t)sccl_apply_byte(op, (uint8_t)(a >> i), (uint8_t)(b >> i)) << i;
	return out;
}

/* Combines 32 bits of two values; not for i64 and f64. */
SCCL_FN uint32_t sccl_fold_half(sccl_fold_t fold, uint32_t a, uint32_t b)
{
	uint32_t op = fold % 4;

	switch (fold / 4) {
	case SCCL_FOLD_f32:
		return sccl_bits_of(sccl_apply_float(op, sccl_float_of(a), sccl_float_of(b)));
	case SCCL_FOLD_i32:
		return (uint32_t)sccl_apply_int(op, (int32_t)a, (int32_t)b);
	case SCCL_FOLD_f16:
		return sccl_fold_f16(op, a, b);
	case SCCL_FOLD_bf16:
		return sccl_fold_bf16(op, a, b);
	default: /* u8 */
		return sccl_fold_u8(op, a, b);
	}
}

SCCL_FN uint64_t sccl_fold_word(sccl_fold_t fold, uint64_t a, uint64_t b)
{
	double x, y;

	if (fold == SCCL_NO_FOLD)
		return a;
	switch (fold / 4) {
	case SCCL_FOLD_i64:
		return (uint64_t)sccl_apply_long(fold % 4, (int64_t)a, (int64_t)b);
	case SCCL_FOLD_f64:
		memcpy(&x, &a, sizeof x);
		memcpy(&y, &b, sizeof y);
		x = sccl_apply_double(fold % 4, x, y);
		memcpy(&a, &x, sizeof a);
		return a;
	default:
		return sccl_fold_half(fold, (uint32_t)a, (uint32_t)b) |
		       (uint64_t)sccl_fold_half(fold, (uint32_t)(a >> 32), (uint32_t)(b >> 32)) << 32;
	}
}

#endif
