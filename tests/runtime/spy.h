#ifndef SCCL_TESTS_RUNTIME_SPY_H
#define SCCL_TESTS_RUNTIME_SPY_H

/* Bootstraps of hostile or curious peers. */

#include <sccl/sccl.h>

#include <stdbool.h>
#include <stdint.h>

/* Passes everything on to BEHIND, and looks for words in what this rank sends that are addresses of this process. LIE, where
 * there is one, changes what the others get. */
struct spy {
	const sccl_bootstrap_t *behind;
	unsigned blobs, addresses;
	void (*lie)(unsigned char *blob, size_t bytes);
};
sccl_bootstrap_t spy_on(struct spy *s, const sccl_bootstrap_t *behind);

/* Words of the runtime's shared mappings, which any rank can write, that are addresses of this process. */
unsigned spy_shared_addresses(void);

/*
 * The bootstrap of one rank of RANKS, on its own: all others send what it sends itself, after FORGE has changed what
 * comes "from" them and (OWN) back to itself.
 */
struct forger {
	uint32_t rank, ranks;
	void (*forge)(void *context, unsigned char *blob, size_t bytes, bool own);
	void *context;
};
sccl_bootstrap_t forger_bootstrap(struct forger *f);

#endif
