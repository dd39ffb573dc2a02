#ifndef SCCL_DEVICE_MULTIMEM_H
#define SCCL_DEVICE_MULTIMEM_H

/*
 * Moves with places at all ranks, on devices with threads: what all ranks have there is loaded as one sum, or all get what
 * is stored. In whole units of 16 bytes the switch does that, if the launch has a multicast address of the memory and the
 * layer has the instructions: SCCL_MULTIMEM_ADDS(fold), whether it adds this type and operation;
 * SCCL_MULTIMEM_LOAD(at, fold) and SCCL_MULTIMEM_STORE(at, unit). Otherwise the thread goes from rank to rank, adding in
 * their order. Included by sccl/device.h, for programs that need it.
 */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#include <sccl/device_cuda_multimem.h>
#endif

#ifndef SCCL_MULTIMEM_LOAD
#define SCCL_MULTIMEM_ADDS(fold) 0
#define SCCL_MULTIMEM_STORES 0
#define SCCL_MULTIMEM_LOAD(at, fold) sccl_load_unit(at)
#define SCCL_MULTIMEM_STORE(at, unit) sccl_store_unit(at, unit)
#else
#define SCCL_MULTIMEM_STORES 1
#endif

SCCL_FN int sccl_work_is_of_all(const sccl_work_t *work, uint32_t i)
{
	return sccl_is_of_all(work->places, i);
}

/* Place I of the move at RANK, AT bytes behind its beginning; sccl_address gives its offset in the rank's memory. */
SCCL_FN uint8_t *sccl_address_of(const sccl_block_t *x, const sccl_work_t *work, uint32_t i, uint32_t rank, uint64_t at)
{
	uint8_t *const *bases = i < work->sources ? x->launch->peer_in : x->launch->peer_out;

	return bases[rank] + ((uintptr_t)sccl_address(x, work, i) + at);
}

SCCL_FN sccl_unit_t sccl_load_sum(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at)
{
	if (SCCL_MULTIMEM_ADDS(fold) && x->launch->all_in)
		return SCCL_MULTIMEM_LOAD(x->launch->all_in + ((uintptr_t)sccl_address(x, work, 0) + at), fold);
	sccl_unit_t u = sccl_load_unit(sccl_address_of(x, work, 0, 0, at));
	SCCL_ONCE
	for (uint32_t r = 1; r < x->env->ranks; r++)
		u = sccl_fold_unit(fold, u, sccl_load_unit(sccl_address_of(x, work, 0, r, at)));
	return u;
}

SCCL_FN void sccl_store_all(const sccl_block_t *x, const sccl_work_t *work, uint32_t i, uint64_t at, sccl_unit_t u)
{
	if (SCCL_MULTIMEM_STORES && x->launch->all_out) {
		SCCL_MULTIMEM_STORE(x->launch->all_out + ((uintptr_t)sccl_address(x, work, i) + at), u);
		return;
	}
	SCCL_ONCE
	for (uint32_t r = 0; r < x->env->ranks; r++) {
		SCCL_MOVED();
		sccl_store_unit(sccl_address_of(x, work, i, r, at), u);
	}
}

/* As many units of a tile as sccl_units_t has, of which the first OF exist. */
SCCL_FN void sccl_tile_of_all(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at, uint32_t of)
{
	const sccl_units_t none = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
	sccl_units_t u = none, v = none;

	if (sccl_work_is_of_all(work, 0)) {
		u.a = sccl_load_sum(x, work, fold, at);
		if (of > 1)
			u.b = sccl_load_sum(x, work, fold, at + SCCL_UNITS_APART);
		if (of > 2)
			u.c = sccl_load_sum(x, work, fold, at + 2 * SCCL_UNITS_APART);
		if (of > 3)
			u.d = sccl_load_sum(x, work, fold, at + 3 * SCCL_UNITS_APART);
	} else
		sccl_load_units(&u, sccl_address(x, work, 0) + at, of);
	SCCL_ONCE
	for (uint32_t i = 1; i < work->sources; i++) {
		sccl_load_units(&v, sccl_address(x, work, i) + at, of);
		sccl_fold_units(fold, &u, &v);
	}
	SCCL_ONCE
	for (uint32_t i = work->sources; i < work->sources + work->targets; i++) {
		if (!sccl_work_is_of_all(work, i)) {
			SCCL_MOVED();
			sccl_store_units(sccl_address(x, work, i) + at, &u, of);
			continue;
		}
		sccl_store_all(x, work, i, at, u.a);
		if (of > 1)
			sccl_store_all(x, work, i, at + SCCL_UNITS_APART, u.b);
		if (of > 2)
			sccl_store_all(x, work, i, at + 2 * SCCL_UNITS_APART, u.c);
		if (of > 3)
			sccl_store_all(x, work, i, at + 3 * SCCL_UNITS_APART, u.d);
	}
}

/* The element of place I, which is a source, or the sum of all ranks'. */
SCCL_FN uint64_t sccl_load_element_of(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint32_t i, uint64_t at)
{
	if (!sccl_work_is_of_all(work, i))
		return sccl_load_element(sccl_address(x, work, i) + at, x->element);
	uint64_t value = sccl_load_element(sccl_address_of(x, work, i, 0, at), x->element);
	SCCL_ONCE
	for (uint32_t r = 1; r < x->env->ranks; r++)
		value = sccl_fold_word(fold, value, sccl_load_element(sccl_address_of(x, work, i, r, at), x->element));
	return value;
}

SCCL_FN void sccl_element_of_all(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at)
{
	uint64_t value = sccl_load_element_of(x, work, fold, 0, at);

	SCCL_ONCE
	for (uint32_t i = 1; i < work->sources; i++)
		value = sccl_fold_word(fold, value, sccl_load_element_of(x, work, fold, i, at));
	SCCL_ONCE
	for (uint32_t i = work->sources; i < work->sources + work->targets; i++) {
		int all = sccl_work_is_of_all(work, i);
		SCCL_ONCE
		for (uint32_t r = 0; r < (all ? x->env->ranks : 1); r++) {
			SCCL_MOVED();
			sccl_store_element(all ? sccl_address_of(x, work, i, r, at) : sccl_address(x, work, i) + at, x->element, value);
		}
	}
}

#endif
