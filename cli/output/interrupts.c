/* Interrupts: a signal sets a flag that long computations and waits poll, and ends the process if they do not. */

#include "cli/output/command.h"

#include "core/base/stop.h"
#include "core/base/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile int interrupted;
static char *volatile line; /* of interrupts_say, with its end; NULL: none */

void interrupts_say(const char *said)
{
	struct text t = {0};
	char *before = line;

	if (said)
		text_add(&t, "%s\n", said);
	line = said ? text_take(&t) : NULL;
	free(before);
}

void interrupts_report(void)
{
	const char *said = line;
	ssize_t written = said ? write(STDERR_FILENO, said, strlen(said)) : 0; /* closed or not, the command ends */

	(void)written;
}

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
		ssize_t written = line ? 0 : write(STDERR_FILENO, words, sizeof words - 1);
		(void)written;
		interrupts_report();
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
