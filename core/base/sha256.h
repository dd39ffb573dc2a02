#ifndef SCCL_CORE_BASE_SHA256_H
#define SCCL_CORE_BASE_SHA256_H

/* SHA-256 (FIPS 180-4): the names of formulas and traces. */

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t state[8];
	uint64_t length;
	unsigned char block[64];
};

struct sha256 sha256_begin(void);
void sha256_add(struct sha256 *d, const void *bytes, size_t n);
void sha256_end(struct sha256 *d, char hex[65]);

void sha256_of(const void *bytes, size_t n, char hex[65]);

#endif
