/* fork, a process group, and a wait that interrupts pass on to the group. */

#include "cli/commands/children.h"

#include "cli/output/command.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for a child, and kills its whole process group if we are interrupted. Returns its exit status, or STATUS_FAILED
 * if a signal killed it. */
static int wait_for(const struct scratch *s, pid_t child)
{
	siginfo_t ending;
	int status;

	while (waitid(P_PID, (id_t)child, &ending, WEXITED | WNOWAIT) < 0) {
		if (errno != EINTR)
			return STATUS_FAILED;
		if (interrupted)
			kill(-child, SIGTERM);
	}
	if (interrupted)
		kill(-child, SIGKILL); /* processes that the child has left behind */
	scratch_left(s);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILED;
	if (interrupted)
		return STATUS_INTERRUPTED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAILED;
}

/* In the child, which dies with its parent. */
static _Noreturn void enter(const struct scratch *s, int (*work)(const void *what), const void *what, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
	signal(SIGTERM, SIG_DFL);
	signal(SIGTTOU, SIG_IGN); /* a background process group must be able to write to the terminal */
	/* Compilers that are killed leave temporary files behind, so these must be in our folder. */
	if (scratch_enter(s) && setenv("TMPDIR", s->dir, 1) == 0)
		_exit(work(what));
	fprintf(stderr, "sccl-synth: setpgid: %s\n", strerror(errno));
	_exit(STATUS_FAILED);
}

int child_call(const struct scratch *s, int (*work)(const void *what), const void *what)
{
	fflush(stdout);
	pid_t parent = getpid(), child = fork();
	if (child == 0)
		enter(s, work, what, parent);
	if (child > 0) {
		setpgid(child, child); /* the child does the same, whichever comes first */
		return wait_for(s, child);
	}
	fprintf(stderr, "sccl-synth: fork: %s\n", strerror(errno));
	return STATUS_FAILED;
}

int child_become(const char *const *argv)
{
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	fprintf(stderr, "sccl-synth: %s: %s\n", printable(argv[0]), strerror(errno));
	return STATUS_FAILED;
}
