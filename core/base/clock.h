#ifndef SCCL_CORE_BASE_CLOCK_H
#define SCCL_CORE_BASE_CLOCK_H

/* Seconds of a clock that only goes forward, from some beginning. */
double clock_seconds(void);

#endif
