/*
 * Status codes, names of types and operations, and the thread's last error message.
 */
#include "runtime/core/status.h"

#include "runtime/core/utf8.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last[1024];

static const char *const status_texts[SCCL_STATUSES] = {
	[SCCL_OK] = "done",
	[SCCL_INVALID] = "invalid argument",
	[SCCL_MISMATCH] = "the ranks do not agree",
	[SCCL_UNSUPPORTED] = "not supported",
	[SCCL_NO_MEMORY] = "out of memory",
	[SCCL_SYSTEM] = "system error",
	[SCCL_BOOTSTRAP] = "the ranks could not connect",
	[SCCL_TIMEOUT] = "timed out",
	[SCCL_DEAD_RANK] = "a rank has died",
	[SCCL_ABORTED] = "aborted",
};

static const struct {
	const char *name;
	size_t size;
} types[SCCL_DTYPES] = {
	[SCCL_F32] = {"f32", 4}, [SCCL_F64] = {"f64", 8}, [SCCL_F16] = {"f16", 2}, [SCCL_BF16] = {"bf16", 2},
	[SCCL_I32] = {"i32", 4}, [SCCL_I64] = {"i64", 8}, [SCCL_U8] = {"u8", 1}, [SCCL_F8E4M3] = {"f8e4m3", 1},
	[SCCL_F8E5M2] = {"f8e5m2", 1}, [SCCL_I8] = {"i8", 1}, [SCCL_U32] = {"u32", 4}, [SCCL_U64] = {"u64", 8},
};

static const char *const op_names[SCCL_OPS] = {
	[SCCL_SUM] = "sum", [SCCL_PROD] = "prod", [SCCL_MIN] = "min", [SCCL_MAX] = "max",
	[SCCL_AVG] = "avg", [SCCL_PREMUL_SUM] = "premulsum",
};

const char *sccl_status_text(sccl_status_t status)
{
	return (unsigned)status < SCCL_STATUSES ? status_texts[status] : "no such status";
}

const char *sccl_error_text(void)
{
	return last;
}

size_t sccl_dtype_size(sccl_dtype_t type)
{
	return (unsigned)type < SCCL_DTYPES ? types[type].size : 0;
}

const char *sccl_dtype_name(sccl_dtype_t type)
{
	return (unsigned)type < SCCL_DTYPES ? types[type].name : NULL;
}

const char *sccl_op_name(sccl_op_t op)
{
	return (unsigned)op < SCCL_OPS ? op_names[op] : NULL;
}

sccl_status_t sccli_fail(sccl_status_t status, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(last, sizeof last, format, ap);
	va_end(ap);
	sccli_letters_plain(last);
	return status;
}

sccl_status_t sccli_status_read(uint32_t number)
{
	return number > SCCL_OK && number < SCCL_STATUSES ? (sccl_status_t)number : SCCL_ABORTED;
}
