#ifndef SCCL_TESTS_RUNTIME_NET_POST_H
#define SCCL_TESTS_RUNTIME_NET_POST_H

/* A carrier between four threads, which can be told to fail. */

#include <sccl/sccl.h>

#include <stdbool.h>

struct post;

/* How it fails, at the letter of that number, counted over all; 0: never. */
struct post_faults {
	int lost;     /* never comes */
	int spoilt;   /* says that it is for memory that there is none of */
	int cut;      /* half of it comes */
	int hasty;    /* moves the flag far ahead of what was sent */
	int refused;  /* and all after it */
};

struct post *post_open(struct post_faults faults);
void post_close(struct post *p);
bool post_failed(struct post *p); /* as it was told to */
sccl_carrier_t post_carrier(struct post *p, uint32_t rank);

#endif
