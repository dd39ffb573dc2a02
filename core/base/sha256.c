/*
 * SHA-256 as FIPS 180-4 specifies it, for inputs of whole bytes. The eight working variables a..h are s[0]..s[7], and
 * memmove rotates them.
 */

#include "core/base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
	0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

struct sha256 sha256_begin(void)
{
	return (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
					 0x5be0cd19}};
}

static uint32_t turned(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void take_block(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], s[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
		       block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
	}
	memcpy(s, state, sizeof s);
	for (int i = 0; i < 64; i++) {
		uint32_t e = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25);
		uint32_t a = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22);
		uint32_t t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
		uint32_t u = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof *s);
		s[4] += t;
		s[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

void sha256_add(struct sha256 *d, const void *bytes, size_t n)
{
	const unsigned char *from = bytes;

	while (n > 0) {
		size_t used = d->length % 64, part = 64 - used < n ? 64 - used : n;
		memcpy(d->block + used, from, part);
		d->length += part;
		from += part;
		n -= part;
		if (used + part == 64)
			take_block(d->state, d->block);
	}
}

void sha256_end(struct sha256 *d, char hex[65])
{
	static const unsigned char padding[64] = {0x80};
	uint64_t bits = d->length * 8;
	unsigned char size[8];

	sha256_add(d, padding, 1 + (119 - d->length % 64) % 64);
	for (int i = 0; i < 8; i++)
		size[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(d, size, sizeof size);
	for (int i = 0; i < 64; i++)
		hex[i] = "0123456789abcdef"[d->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	hex[64] = '\0';
}

void sha256_of(const void *bytes, size_t n, char hex[65])
{
	struct sha256 d = sha256_begin();
	sha256_add(&d, bytes, n);
	sha256_end(&d, hex);
}
