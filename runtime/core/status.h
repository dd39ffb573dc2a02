#ifndef SCCL_RUNTIME_CORE_STATUS_H
#define SCCL_RUNTIME_CORE_STATUS_H

/* A one-line description of each thread's last failure. Internal names of the runtime begin with sccli_, so that they
 * cannot collide with a caller's in a static link. */

#include <sccl/sccl.h>

/* Stores the text for sccl_error_text and returns STATUS, for use as "return sccli_fail(...)". The result is always one
 * plain line, whatever names and texts are inserted (utf8.h). */
sccl_status_t sccli_fail(sccl_status_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Converts a status recorded by another rank; SCCL_ABORTED if NUMBER is not the code of a failure. */
sccl_status_t sccli_status_read(uint32_t number);

#endif
