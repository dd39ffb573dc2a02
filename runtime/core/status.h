#ifndef SCCL_RUNTIME_CORE_STATUS_H
#define SCCL_RUNTIME_CORE_STATUS_H

/* One line about what failed, kept for the thread that asks. Names inside the runtime begin with sccli_, so that they
 * never meet a caller's in a static link. */

#include <sccl/sccl.h>

/* Keeps the text for sccl_error_text and returns STATUS, so that a caller can say "return sccli_fail(...)". Whatever
 * names and texts went into it, it is one plain line (letters.h). */
sccl_status_t sccli_fail(sccl_status_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What ended another rank, as it wrote it down: SCCL_ABORTED where that is no failure at all. */
sccl_status_t sccli_status_read(uint32_t number);

#endif
