/*
 * The time limit is a POSIX timer with a signal handler. The handler only calls async-signal-safe functions: it writes
 * texts prepared in advance and exits.
 */

#include "cli/output/deadline.h"

#include "cli/output/command.h"

#include "core/base/memory.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *answer, *message;
static size_t answer_length, message_length;
static timer_t timer;
static volatile sig_atomic_t is_set;
static int exit_status;

static void end(int signal)
{
	(void)signal;
	if (!is_set || interrupted)
		return;
	bool written = write(STDOUT_FILENO, answer, answer_length) == (ssize_t)answer_length &&
		    write(STDERR_FILENO, message, message_length) == (ssize_t)message_length;
	_exit(written ? exit_status : STATUS_FAILED);
}

static void set_texts(const char *answer_text, const char *message_text, int status)
{
	answer = copy_string(answer_text);
	message = copy_string(message_text);
	answer_length = strlen(answer);
	message_length = strlen(message);
	exit_status = status;
}

void deadline_begin(double seconds, const char *answer_text, const char *message_text)
{
	struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	struct itimerspec when = {.it_value = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}};

	set_texts(answer_text, message_text, STATUS_GAVE_UP);
	sigemptyset(&action.sa_mask);
	sigaction(SIGRTMIN, &action, NULL);
	is_set = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
	if (is_set)
		timer_settime(timer, 0, &when, NULL);
}

void deadline_answer(const char *answer_text, const char *message_text, int status)
{
	char *old_answer = answer, *old_message = message;
	sigset_t signal, before;

	if (!is_set)
		return;
	sigemptyset(&signal);
	sigaddset(&signal, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &signal, &before); /* the texts and their lengths change together */
	set_texts(answer_text, message_text, status);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(old_answer);
	free(old_message);
}

void deadline_end(void)
{
	if (!is_set)
		return;
	is_set = 0;
	timer_delete(timer);
	free(answer);
	free(message);
}
