/* Interrupts: a signal sets a flag that long computations and waits poll, and ends the process if they do not. */

#include "cli/output/command.h"

#include "core/base/stop.h"

#include <signal.h>
#include <unistd.h>

volatile int interrupted;

/* The first signal sets the flag and an alarm that repeats it after a second, since a signal just before a blocking
 * call does not interrupt it. The second one ends the process: a computation that polls the flag too rarely is not
 * waited for. Files are complete or absent, and nothing else is lost. */
static void note(int signal)
{
	enum { PATIENCE = 1 };
	static const char words[] = "sccl-synth: interrupted during a long computation\n";
	static volatile sig_atomic_t times;

	(void)signal;
	if (times++ == PATIENCE) {
		ssize_t written = write(STDERR_FILENO, words, sizeof words - 1); /* closed or not, the process ends */
		(void)written;
		_exit(STATUS_INTERRUPTED);
	}
	interrupted = 1;
	alarm(1);
}

void catch_interrupts(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
	struct sigaction action = {.sa_handler = note}; /* no SA_RESTART: blocking calls must return */

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	stop_on(&interrupted);
}
