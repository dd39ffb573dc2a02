#ifndef SCCL_DEVICE_KERNELS_H
#define SCCL_DEVICE_KERNELS_H

/*
 * The kernels of a program (one per type and operation, or one per element size if nothing is reduced) and the rows of
 * sccl_program_t.kernels that refer to them. Each target layer defines SCCL_KERNEL(name, element, fold). Included by
 * sccl/device.h.
 */

#define SCCL_REDUCING_KERNEL(name, type, op) SCCL_KERNEL(name##_##type##_##op, SCCL_SIZE_##type, SCCL_FOLD(type, op))
/* The same, with sums in f32, of f16 and bf16. */
#define SCCL_WIDE_KERNEL(name, type, op) SCCL_KERNEL(name##_##type##_##op, SCCL_SIZE_##type, SCCL_FOLD(type##_wide, op))

/* An average of floating-point numbers is a premultiplied sum, and integers differ by sign only in min, max and averages. */
#define SCCL_FLOAT_KERNELS(name, type)         \
	SCCL_REDUCING_KERNEL(name, type, sum)  \
	SCCL_REDUCING_KERNEL(name, type, prod) \
	SCCL_REDUCING_KERNEL(name, type, min)  \
	SCCL_REDUCING_KERNEL(name, type, max)  \
	SCCL_REDUCING_KERNEL(name, type, premulsum)
#define SCCL_INTEGER_KERNELS(name, type) \
	SCCL_FLOAT_KERNELS(name, type)   \
	SCCL_REDUCING_KERNEL(name, type, avg)
#define SCCL_SIGN_KERNELS(name, type)         \
	SCCL_REDUCING_KERNEL(name, type, min) \
	SCCL_REDUCING_KERNEL(name, type, max) \
	SCCL_REDUCING_KERNEL(name, type, avg)
#define SCCL_REDUCING_KERNELS(name)      \
	SCCL_FLOAT_KERNELS(name, f32)    \
	SCCL_FLOAT_KERNELS(name, f64)    \
	SCCL_FLOAT_KERNELS(name, f16)    \
	SCCL_FLOAT_KERNELS(name, bf16)   \
	SCCL_FLOAT_KERNELS(name, f8e4m3) \
	SCCL_FLOAT_KERNELS(name, f8e5m2) \
	SCCL_INTEGER_KERNELS(name, i32)  \
	SCCL_INTEGER_KERNELS(name, i64)  \
	SCCL_INTEGER_KERNELS(name, u8)   \
	SCCL_SIGN_KERNELS(name, i8)      \
	SCCL_SIGN_KERNELS(name, u32)     \
	SCCL_SIGN_KERNELS(name, u64)
#define SCCL_COPYING_KERNELS(name)           \
	SCCL_KERNEL(name##_1, 1u, SCCL_NO_FOLD) \
	SCCL_KERNEL(name##_2, 2u, SCCL_NO_FOLD) \
	SCCL_KERNEL(name##_4, 4u, SCCL_NO_FOLD) \
	SCCL_KERNEL(name##_8, 8u, SCCL_NO_FOLD)
/* TYPE's row: sum, prod, min, max, average, premultiplied sum. */
#define SCCL_REDUCING_ROW(name, added, type, averaged)                                                     \
	{name##_##added##_sum, name##_##added##_prod, name##_##type##_min, name##_##type##_max,            \
	 name##_##averaged, name##_##added##_premulsum}
#define SCCL_FLOAT_ROW(name, type) SCCL_REDUCING_ROW(name, type, type, type##_premulsum)
#define SCCL_INTEGER_ROW(name, type, added) SCCL_REDUCING_ROW(name, added, type, type##_avg)
#define SCCL_COPYING_ROW(name, bytes) \
	{name##_##bytes, name##_##bytes, name##_##bytes, name##_##bytes, name##_##bytes, name##_##bytes}
#define SCCL_REDUCING_ROWS(name)                                                                               \
	{SCCL_FLOAT_ROW(name, f32), SCCL_FLOAT_ROW(name, f64), SCCL_FLOAT_ROW(name, f16),                      \
	 SCCL_FLOAT_ROW(name, bf16), SCCL_INTEGER_ROW(name, i32, i32), SCCL_INTEGER_ROW(name, i64, i64),       \
	 SCCL_INTEGER_ROW(name, u8, u8), SCCL_FLOAT_ROW(name, f8e4m3), SCCL_FLOAT_ROW(name, f8e5m2),           \
	 SCCL_INTEGER_ROW(name, i8, u8), SCCL_INTEGER_ROW(name, u32, i32), SCCL_INTEGER_ROW(name, u64, i64)}
#define SCCL_COPYING_ROWS(name)                                                                              \
	{SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8), SCCL_COPYING_ROW(name, 2),                    \
	 SCCL_COPYING_ROW(name, 2), SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8),                    \
	 SCCL_COPYING_ROW(name, 1), SCCL_COPYING_ROW(name, 1), SCCL_COPYING_ROW(name, 1),                    \
	 SCCL_COPYING_ROW(name, 1), SCCL_COPYING_ROW(name, 4), SCCL_COPYING_ROW(name, 8)}

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
