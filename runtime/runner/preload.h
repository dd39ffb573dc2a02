#ifndef SCCL_RUNTIME_RUNNER_PRELOAD_H
#define SCCL_RUNTIME_RUNNER_PRELOAD_H

/* Runs a program over programs of ours in place of NCCL: ARGV[1] is "--nccl". Returns the program's exit status. */
int run_preloaded(int argc, char **argv);

#endif
