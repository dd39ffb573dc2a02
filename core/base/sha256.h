#ifndef SCCL_CORE_BASE_SHA256_H
#define SCCL_CORE_BASE_SHA256_H

/* SHA-256 (FIPS 180-4), which identifies formulas, proof traces, programs and search settings by content. */

#include <stddef.h>
#include <stdint.h>

/* A digest in progress. */
struct sha256 {
	uint32_t state[8];
	uint64_t length;
	unsigned char block[64];
};

/* Incremental use: begin, add any number of times, end. HEX gets 64 lowercase digits and a NUL. */
struct sha256 sha256_begin(void);
void sha256_add(struct sha256 *d, const void *bytes, size_t n);
void sha256_end(struct sha256 *d, char hex[65]);

/* The digest of N bytes in one call. */
void sha256_of(const void *bytes, size_t n, char hex[65]);

#endif
