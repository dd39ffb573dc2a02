/*
 * Agreement is one allgather of every rank's status, error text and terms. All ranks then evaluate the same entries in
 * the same order, so they reach the same verdict.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "runtime/core/agree.h"

#include "runtime/core/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct agreed_terms {
	uint32_t status;
	char text[256];
	uint64_t values[AGREE_TERMS];
};

sccl_status_t sccli_exchange(const sccl_bootstrap_t *bootstrap, uint32_t rank, const void *mine, void *all, size_t bytes)
{
	sccli_fail(SCCL_OK, "%s", "");
	if (bootstrap->allgather(bootstrap->context, mine, all, bytes) == 0) {
		if (memcmp((const char *)all + rank * bytes, mine, bytes) == 0)
			return SCCL_OK;
		return sccli_fail(SCCL_BOOTSTRAP, "the bootstrap's allgather of %zu bytes changed the data of rank %u", bytes, rank);
	}
	if (*sccl_error_text()) /* set by one of the built-in bootstraps */
		return SCCL_BOOTSTRAP;
	return sccli_fail(SCCL_BOOTSTRAP, "the bootstrap's allgather of %zu bytes failed", bytes);
}

static sccl_status_t judge(const struct agreed_terms *all, uint32_t rank, uint32_t ranks, const struct terms *terms)
{
	for (uint32_t r = 0; r < ranks; r++) {
		if (all[r].status == SCCL_OK)
			continue;
		const char *text = all[r].text;
		int length = (int)sizeof all[r].text - 1;
		if (r == rank)
			return sccli_fail(sccli_status_read(all[r].status), "%.*s", length, text);
		return sccli_fail(sccli_status_read(all[r].status), "rank %u: %.*s", r, length, text);
	}
	for (uint32_t r = 1; r < ranks; r++)
		for (int i = 0; i < AGREE_TERMS && terms->names[i]; i++)
			if (all[r].values[i] != all[0].values[i])
				return sccli_fail(SCCL_MISMATCH, "the ranks do not agree on the %s: %llu on rank 0, %llu on rank %u",
				                  terms->names[i], (unsigned long long)all[0].values[i],
				                  (unsigned long long)all[r].values[i], r);
	return SCCL_OK;
}

sccl_status_t sccli_agree(const sccl_bootstrap_t *bootstrap, uint32_t rank, uint32_t ranks, sccl_status_t mine,
                          const struct terms *terms)
{
	static const struct terms none;
	struct agreed_terms answer = {.status = (uint32_t)mine};
	size_t bytes = ranks * sizeof answer;
	/* Pages of their own: a rank whose heap is full must tell the others so, or they would wait for it. */
	struct agreed_terms *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	terms = terms ? terms : &none;
	if (mine != SCCL_OK)
		snprintf(answer.text, sizeof answer.text, "%s", sccl_error_text());
	memcpy(answer.values, terms->values, sizeof answer.values);
	if (all == MAP_FAILED)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the answers of %u ranks", ranks);
	sccl_status_t status = sccli_exchange(bootstrap, rank, &answer, all, sizeof answer);
	if (status == SCCL_OK)
		status = judge(all, rank, ranks, terms);
	munmap(all, bytes);
	return status;
}
