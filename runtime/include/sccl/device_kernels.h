#ifndef SCCL_DEVICE_KERNELS_H
#define SCCL_DEVICE_KERNELS_H

/*
 * The kernels of a program (one per type and operation, or one per element size if nothing is reduced) and the rows of
 * sccl_program_t.kernels that refer to them. Each target layer defines SCCL_KERNEL(name, element, fold). Included by
 * sccl/device.h.
 */

#define SCCL_REDUCING_KERNEL(name, type, op) SCCL_KERNEL(name##_##type##_##op, SCCL_SIZE_##type, SCCL_FOLD(type, op))
#define SCCL_KERNELS_OF_TYPE(name, type)      \
	SCCL_REDUCING_KERNEL(name, type, sum) \
	SCCL_REDUCING_KERNEL(name, type, prod) \
	SCCL_REDUCING_KERNEL(name, type, min) \
	SCCL_REDUCING_KERNEL(name, type, max)
#define SCCL_REDUCING_KERNELS(name)      \
	SCCL_KERNELS_OF_TYPE(name, f32)  \
	SCCL_KERNELS_OF_TYPE(name, f64)  \
	SCCL_KERNELS_OF_TYPE(name, f16)  \
	SCCL_KERNELS_OF_TYPE(name, bf16) \
	SCCL_KERNELS_OF_TYPE(name, i32)  \
	SCCL_KERNELS_OF_TYPE(name, i64)  \
	SCCL_KERNELS_OF_TYPE(name, u8)
#define SCCL_COPYING_KERNELS(name)           \
	SCCL_KERNEL(name##_1, 1u, SCCL_NO_FOLD) \
	SCCL_KERNEL(name##_2, 2u, SCCL_NO_FOLD) \
	SCCL_KERNEL(name##_4, 4u, SCCL_NO_FOLD) \
	SCCL_KERNEL(name##_8, 8u, SCCL_NO_FOLD)
#define SCCL_REDUCING_ROW(name, type) {name##_##type##_sum, name##_##type##_prod, name##_##type##_min, name##_##type##_max}
#define SCCL_COPYING_ROW(name, bytes) {name##_##bytes, name##_##bytes, name##_##bytes, name##_##bytes}
#define SCCL_REDUCING_ROWS(name)                                                                               \
	{SCCL_REDUCING_ROW(name, f32), SCCL_REDUCING_ROW(name, f64), SCCL_REDUCING_ROW(name, f16),             \
	 SCCL_REDUCING_ROW(name, bf16), SCCL_REDUCING_ROW(name, i32), SCCL_REDUCING_ROW(name, i64),            \
	 SCCL_REDUCING_ROW(name, u8)}
#define SCCL_COPYING_ROWS(name)                                                                              \
	{SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8), SCCL_COPYING_ROW(name, 2),                    \
	 SCCL_COPYING_ROW(name, 2), SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8),                    \
	 SCCL_COPYING_ROW(name, 1)}

/* A kernel in a file of its own: that file exports the static KERNEL as NAME, and the file of the program declares
 * NAME. */
#define SCCL_DECLARE_KERNEL(name) \
	SCCL_EXTERN __attribute__((visibility("hidden"))) int name(const sccl_launch_t *l, void *stream);
#define SCCL_EXPORT_KERNEL(name, kernel)               \
	SCCL_DECLARE_KERNEL(name)                      \
	int name(const sccl_launch_t *l, void *stream) \
	{                                              \
		return kernel(l, stream);              \
	}

#endif
