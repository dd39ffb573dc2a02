#include "cli/output/command.h"

#include "core/base/stop.h"

#include <signal.h>
#include <unistd.h>

volatile int interrupted;

/* Again each second until we end: a signal just before a wait is none to the wait. What looks up only after a long computation is
 * not waited for: files are whole or not there, and nothing else is lost. */
static void note(int signal)
{
	enum { PATIENCE = 1 };
	static const char words[] = "sccl-synth: ended in the midst of a long computation\n";
	static volatile sig_atomic_t times;

	(void)signal;
	if (times++ == PATIENCE && write(STDERR_FILENO, words, sizeof words - 1) >= 0)
		_exit(STATUS_INTERRUPTED);
	interrupted = 1;
	alarm(1);
}

void catch_interrupts(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
	struct sigaction action = {.sa_handler = note}; /* no SA_RESTART: waits must end */

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	stop_on(&interrupted);
}
