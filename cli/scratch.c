#define _GNU_SOURCE /* nftw, close_range */
#include "cli/scratch.h"

#include "core/memory.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the keeper says once: errno and where, or 0 and the folder. */
struct told {
	int why;
	char dir[PATH_MAX];
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	(void)remove(path);
	return 0;
}

static void remove_tree(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- the keeper ---- */

/* Whoever reads what we print must not wait for the keeper, nor whoever has locked a file that we inherited. */
static int keep_only(int line)
{
	int nowhere = open("/dev/null", O_RDWR);

	for (int file = 0; file < 3 && nowhere >= 0; file++)
		dup2(nowhere, file);
	line = dup2(line, 3);
#ifdef SYS_close_range
	(void)syscall(SYS_close_range, 4u, ~0u, 0u);
#endif
	return line;
}

/* Until our owner ends. The group that runs then, 0: none does. */
static pid_t listen_to_owner(int line)
{
	pid_t group = 0, heard;

	for (;;) {
		ssize_t n = recv(line, &heard, sizeof heard, 0);
		if (n == (ssize_t)sizeof heard)
			group = heard;
		else if (n == 0 || errno != EINTR)
			return group;
	}
}

/* Until all are gone: they could write into the folder. */
static void end_group(pid_t group)
{
	const struct timespec nap = {0, 10000000};

	for (int i = 0; i < 500 && group > 0 && kill(-group, SIGKILL) == 0; i++)
		nanosleep(&nap, NULL);
}

static void keep_folder(int line)
{
	struct told told = {0};
	const char *given = getenv("TMPDIR"), *tmp = given && *given ? given : "/tmp";
	int n = snprintf(told.dir, sizeof told.dir, "%s/sccl-run-XXXXXX", tmp);

	if (n >= (int)sizeof told.dir)
		told.why = ENAMETOOLONG;
	else if (!mkdtemp(told.dir))
		told.why = errno;
	if (told.why) /* not a name that nobody has seen */
		snprintf(told.dir, sizeof told.dir, "%s", tmp);
	if (send(line, &told, sizeof told, MSG_NOSIGNAL) == (ssize_t)sizeof told && !told.why)
		end_group(listen_to_owner(line));
	if (!told.why)
		remove_tree(told.dir);
}

static _Noreturn void keep(int line)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPIPE};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_IGN);
	setsid(); /* no signal to a terminal's group, or to ours, comes here */
	keep_folder(keep_only(line));
	_exit(0);
}

/* ---- our side ---- */

/* What the keeper is told it hears at once or never, as it does little else. */
static void tell(const struct scratch *s, pid_t group)
{
	while (send(s->line, &group, sizeof group, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static bool hear(struct scratch *s, struct told *told)
{
	ssize_t n;

	do
		n = recv(s->line, told, sizeof *told, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof *told)
		*told = (struct told){.why = n < 0 ? errno : ECHILD, .dir = "a temporary folder"};
	return told->why == 0;
}

bool scratch_make(struct scratch *s, struct error *e)
{
	struct told told;
	int ends[2];

	*s = (struct scratch){.line = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return error_set(e, ERROR_SYSTEM, "socketpair", "%s", strerror(errno));
	fflush(NULL);
	s->keeper = fork();
	if (s->keeper == 0) {
		close(ends[0]);
		keep(ends[1]);
	}
	s->line = ends[0];
	close(ends[1]);
	if (s->keeper < 0) {
		error_set(e, ERROR_SYSTEM, "fork", "%s", strerror(errno));
		close(s->line);
		return false;
	}
	if (hear(s, &told)) {
		s->dir = copy_string(told.dir);
		return true;
	}
	scratch_remove(s);
	return error_set(e, ERROR_SYSTEM, told.dir, "%s", strerror(told.why));
}

void scratch_remove(struct scratch *s)
{
	int status = 0;

	close(s->line);
	while (waitpid(s->keeper, &status, 0) < 0 && errno == EINTR)
		;
	if (s->dir && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) /* somebody has ended it */
		remove_tree(s->dir);
	free(s->dir);
	*s = (struct scratch){.line = -1};
}

bool scratch_enter(const struct scratch *s)
{
	pid_t self = getpid();

	if (setpgid(0, 0) != 0)
		return false;
	tell(s, self);
	return true;
}

void scratch_left(const struct scratch *s)
{
	tell(s, 0);
}
