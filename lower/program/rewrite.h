#ifndef SCCL_LOWER_PROGRAM_REWRITE_H
#define SCCL_LOWER_PROGRAM_REWRITE_H

struct program;

/* Adds a signal from each rank to those whose memory it reads, which they wait for before they leave. */
void program_take_leave(struct program *p);
/* Gives up the scratch slots of P that nothing uses any longer; SLOTS: how many there are of each rank. Sets P's numbers. */
void program_close_up(struct program *p, const int *slots);

#endif
