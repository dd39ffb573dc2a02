#ifndef SCCL_RUNTIME_HOST_REST_H
#define SCCL_RUNTIME_HOST_REST_H

/* What a rank on a CPU does while it waits longer than it spins (sccl_env_t: spin, rest, wake). */

#include <stdbool.h>
#include <stdint.h>

struct sccl_env;

/* The present wait of a rank. Zero before the first. */
struct resting {
	bool fits;            /* every rank of this machine can have a CPU of its own */
	bool armed;           /* the flag's sleeper word is set */
	uint32_t polls;       /* of the last rest */
	const uint64_t *flag; /* that it waited for */
	uint64_t since;       /* nanoseconds: the first rest of this wait */
};

enum { REST_CPUS = 1024 }; /* of a machine; more are not seen */

/* Sets the bits of the CPUs that the calling thread may use; none if the system does not tell. */
void sccli_rest_cpus(uint64_t cpus[REST_CPUS / 64]);

/* Number of polls before the first rest; 0 if RANKS have to share CPUS. */
uint32_t sccli_rest_spin(uint32_t ranks, uint32_t cpus);

/* Binds the calling thread to the RANK-th of the CPUs that it may use, counted in a circle. False with the error text
 * set if the system refuses. */
bool sccli_rest_pin(uint32_t rank);

/* The CPU on which the calling thread runs. */
uint32_t sccli_rest_cpu(void);

/* As sccl_env_t requires them. The environment's owner is a struct sccl_comm. */
int sccli_rest(const struct sccl_env *env, uint32_t block, uint32_t peer, uint32_t polls, const uint64_t *flag);
void sccli_rest_wake(uint32_t *sleeper);

#endif
