/*
 * What inputs are multiplied by before they are added: the factor of a premultiplied sum, and of an average of
 * floating-point numbers. Kernels take it as f32, f64 or an integer, whatever the type that it is given in.
 */
#include "runtime/core/plan.h"
#include "runtime/core/status.h"

#include <string.h>

enum factor_kind { WHOLE, SINGLE, DOUBLE, HALF, BRAIN, E4M3, E5M2 };

static const enum factor_kind kinds[SCCL_DTYPES] = {
	[SCCL_F32] = SINGLE, [SCCL_F64] = DOUBLE, [SCCL_F16] = HALF, [SCCL_BF16] = BRAIN, [SCCL_F8E4M3] = E4M3, [SCCL_F8E5M2] = E5M2,
};

bool sccli_multiplies(sccl_dtype_t type, sccl_op_t op)
{
	return op == SCCL_PREMUL_SUM || (op == SCCL_AVG && kinds[type] != WHOLE);
}

static bool sums_of_all(const sccl_program_t *p)
{
	static const char *const kinds_of[] = {"allreduce", "reduce", "reducescatter"};

	for (size_t i = 0; i < sizeof kinds_of / sizeof *kinds_of; i++)
		if (strcmp(p->collective, kinds_of[i]) == 0)
			return true;
	return false;
}

bool sccli_sums_all(const sccl_program_t *p)
{
	return sums_of_all(p) && p->ranks > 1;
}

sccl_status_t sccli_check_factor(const struct sccl_plan *plan)
{
	const sccl_program_t *p = plan->program;

	if (!p->combining)
		return SCCL_OK;
	if (plan->op == SCCL_AVG && !sums_of_all(p))
		return sccli_fail(SCCL_UNSUPPORTED, "a %s has no averages: its sums are not of all ranks", p->collective);
	bool narrow = kinds[plan->type] == E4M3 || kinds[plan->type] == E5M2 || (p->wide && (kinds[plan->type] == HALF || kinds[plan->type] == BRAIN));
	if (plan->protocol == SCCL_MULTIMEM &&
	    (plan->op == SCCL_AVG || plan->op == SCCL_PREMUL_SUM || (narrow && plan->op != SCCL_MIN && plan->op != SCCL_MAX)))
		return sccli_fail(SCCL_UNSUPPORTED, "switches add inputs as they are, and in their type: no %s of %s", sccl_op_name(plan->op),
		                  sccl_dtype_name(plan->type));
	if (!sccli_multiplies(plan->type, plan->op))
		return SCCL_OK;
	if (plan->protocol == SCCL_SHARED)
		return sccli_fail(SCCL_UNSUPPORTED, "shared inputs are read as they are, and %s of %s multiplies them first",
		                  sccl_op_name(plan->op), sccl_dtype_name(plan->type));
	if (plan->mode == SCCL_COPY_ENGINES)
		return sccli_fail(SCCL_UNSUPPORTED, "copy engines copy inputs as they are, and %s of %s multiplies them first",
		                  sccl_op_name(plan->op), sccl_dtype_name(plan->type));
	return SCCL_OK;
}

static uint64_t bits_of_single(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static uint64_t bits_of_double(double f)
{
	uint64_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

uint64_t sccli_factor(const struct sccl_plan *plan)
{
	uint32_t ranks = plan->comm->meeting.ranks;
	enum factor_kind kind = kinds[plan->type];

	if (plan->op == SCCL_AVG && kind == WHOLE)
		return UINT64_MAX / ranks + 1;
	if (kind == WHOLE)
		return 1;
	double factor = plan->op == SCCL_AVG ? 1.0 / ranks : 1;
	return kind == DOUBLE ? bits_of_double(factor) : bits_of_single((float)factor);
}

/* A number of 8 or 16 bits, with FRACTION bits of fraction and BIAS, as f32. INFINITE: the largest exponent means infinities and
 * NaNs; otherwise the largest number alone means NaN. */
static float widened(uint32_t bits, int width, int fraction, int bias, bool infinite)
{
	uint32_t magnitude = bits & ((1u << (width - 1)) - 1), exponent = magnitude >> fraction, most = (1u << (width - 1 - fraction)) - 1;
	uint32_t part = magnitude & ((1u << fraction) - 1), sign = bits >> (width - 1) << 31, word;
	float f = (float)(exponent ? part | 1u << fraction : part);

	for (int e = (exponent ? (int)exponent : 1) - bias - fraction; e != 0; e += e < 0 ? 1 : -1)
		f = e < 0 ? f / 2 : f * 2;
	memcpy(&word, &f, sizeof word);
	if (infinite && exponent == most)
		word = 0x7f800000u | part << (23 - fraction);
	else if (!infinite && magnitude == (1u << (width - 1)) - 1)
		word = 0x7fc00000u;
	word |= sign;
	memcpy(&f, &word, sizeof f);
	return f;
}

static uint64_t read_factor(enum factor_kind kind, size_t size, const void *at)
{
	uint64_t bits = 0;
	uint32_t word = 0;
	uint16_t half = 0;
	uint8_t byte = 0;

	if (size == sizeof bits)
		memcpy(&bits, at, sizeof bits);
	else if (size == sizeof word)
		memcpy(&word, at, sizeof word);
	else if (size == sizeof half)
		memcpy(&half, at, sizeof half);
	else
		memcpy(&byte, at, sizeof byte);
	switch (kind) {
	case HALF: return bits_of_single(widened(half, 16, 10, 15, true));
	case BRAIN: return (uint64_t)half << 16;
	case E4M3: return bits_of_single(widened(byte, 8, 3, 7, false));
	case E5M2: return bits_of_single(widened(byte, 8, 2, 15, true));
	case WHOLE:
	case SINGLE:
	case DOUBLE:
	default: return bits | word | byte;
	}
}

sccl_status_t sccl_plan_factor(sccl_plan_t *plan, const void *factor)
{
	if (!plan || !factor)
		return sccli_fail(SCCL_INVALID, "sccl_plan_factor needs a plan and a factor");
	if (plan->op != SCCL_PREMUL_SUM)
		return sccli_fail(SCCL_INVALID, "the plan is for %s, which has no factor", sccl_op_name(plan->op));
	plan->factor = read_factor(kinds[plan->type], plan->element, factor);
	return SCCL_OK;
}
