/* Error messages, and the exit status for each kind of error. */

#include "cli/output/command.h"

#include "cli/output/colour.h"

#include <stdio.h>

int fail(const struct error *e)
{
	static const int statuses[] = {
		[ERROR_NONE] = STATUS_FAILED,
		[ERROR_INPUT] = STATUS_INPUT,
		[ERROR_LIMIT] = STATUS_GAVE_UP,
		[ERROR_SYSTEM] = STATUS_FAILED,
	};
	if (interrupted) {
		interrupts_report();
		return STATUS_INTERRUPTED;
	}
	fprintf(stderr, "%ssccl-synth:%s %s: %s\n", colour_begin(stderr, COLOUR_BAD), colour_end(stderr), e->where, e->what);
	return statuses[e->kind];
}
