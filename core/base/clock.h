#ifndef SCCL_CORE_BASE_CLOCK_H
#define SCCL_CORE_BASE_CLOCK_H

/* Monotonic time in seconds, measured from an unspecified origin. */
double clock_seconds(void);

/* CPU time of this process in seconds: under load it passes more slowly. */
double clock_cpu_seconds(void);

#endif
