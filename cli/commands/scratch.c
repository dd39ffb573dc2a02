/*
 * The keeper is a forked process that creates the folder, waits for the other end of a socket to close, kills the
 * running process group, and removes the folder. The socket closes however its owner ends.
 */

#define _GNU_SOURCE /* getdents64, close_range */
#include "cli/commands/scratch.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The only message of the keeper: 0 and the folder, or errno and the place of the failure. */
struct keeper_report {
	int why;
	char dir[PATH_MAX];
};

static bool is_entry(const char *name)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Removes the content of a folder. Returns whether anything was removed. Does not allocate memory, as opendir and nftw
 * do, since it also runs when memory is exhausted. */
static bool empty(int folder)
{
	_Alignas(struct dirent64) char block[4096];
	bool removed = false;
	ssize_t n;

	(void)lseek(folder, 0, SEEK_SET);
	while ((n = getdents64(folder, block, sizeof block)) > 0)
		for (const char *at = block; at < block + n;) {
			const struct dirent64 *entry = (const void *)at;
			at += entry->d_reclen;
			if (!is_entry(entry->d_name))
				continue;
			int inner = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			while (inner >= 0 && empty(inner))
				;
			if (inner >= 0)
				close(inner);
			removed |= unlinkat(folder, entry->d_name, inner >= 0 ? AT_REMOVEDIR : 0) == 0;
		}
	return removed;
}

/* Reading a folder while entries are removed may skip some, so this repeats until nothing more can be removed. */
static void remove_tree(const char *dir)
{
	int folder = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	while (folder >= 0 && empty(folder))
		;
	if (folder >= 0)
		close(folder);
	rmdir(dir);
}

/* ---- the keeper ---- */

/* Redirects the standard files to /dev/null and closes all others except LINE, whose new number is returned: neither
 * readers of our output nor users of inherited locks may have to wait for the keeper. */
static int keep_only(int line)
{
	line = fcntl(line, F_DUPFD_CLOEXEC, 3); /* the line may be one of 0 to 2 if a caller closed that */
	int nowhere = open("/dev/null", O_RDWR);

	for (int file = 0; file < 3 && nowhere >= 0; file++)
		dup2(nowhere, file);
	line = dup2(line, 3);
#ifdef SYS_close_range
	(void)syscall(SYS_close_range, 4u, ~0u, 0u);
#endif
	return line;
}

/* Waits until the owner ends. Returns the process group that is running then; 0: none. */
static pid_t wait_for_owner(int line)
{
	pid_t group = 0, received;

	for (;;) {
		ssize_t n = recv(line, &received, sizeof received, 0);
		if (n == (ssize_t)sizeof received)
			group = received;
		else if (n == 0 || errno != EINTR)
			return group;
	}
}

/* Kills the group and waits, up to 5 seconds, until all are gone, since they could still write into the folder. */
static void end_group(pid_t group)
{
	const struct timespec nap = {0, 10000000};

	for (int i = 0; i < 500 && group > 0 && kill(-group, SIGKILL) == 0; i++)
		nanosleep(&nap, NULL);
}

static void keep_folder(int line)
{
	struct keeper_report report = {0};
	const char *given = getenv("TMPDIR"), *tmp = given && *given ? given : "/tmp";
	int n = snprintf(report.dir, sizeof report.dir, "%s/sccl-run-XXXXXX", tmp);

	if (n >= (int)sizeof report.dir)
		report.why = ENAMETOOLONG;
	else if (!mkdtemp(report.dir))
		report.why = errno;
	if (report.why) /* report the parent, not a generated name */
		snprintf(report.dir, sizeof report.dir, "%s", tmp);
	if (send(line, &report, sizeof report, MSG_NOSIGNAL) == (ssize_t)sizeof report && !report.why)
		end_group(wait_for_owner(line));
	if (!report.why)
		remove_tree(report.dir);
}

static _Noreturn void keep(int line)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPIPE};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_IGN);
	setsid(); /* signals to the terminal's process group, or to ours, do not reach the keeper */
	keep_folder(keep_only(line));
	_exit(0);
}

/* ---- the owner ---- */

/* Sends the running group to the keeper, which does little but listen: a message arrives at once or never. */
static void send_group(const struct scratch *s, pid_t group)
{
	while (send(s->line, &group, sizeof group, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static bool receive_report(struct scratch *s, struct keeper_report *report)
{
	ssize_t n;

	do
		n = recv(s->line, report, sizeof *report, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof *report)
		*report = (struct keeper_report){.why = n < 0 ? errno : ECHILD, .dir = "a temporary folder"};
	return report->why == 0;
}

bool scratch_make(struct scratch *s, struct error *e)
{
	struct keeper_report report;
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
	if (receive_report(s, &report)) {
		s->dir = copy_string(report.dir);
		return true;
	}
	scratch_remove(s);
	return error_set(e, ERROR_SYSTEM, report.dir, "%s", strerror(report.why));
}

void scratch_remove(struct scratch *s)
{
	int status = 0;

	close(s->line);
	while (waitpid(s->keeper, &status, 0) < 0 && errno == EINTR)
		;
	if (s->dir && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) /* the keeper was killed */
		remove_tree(s->dir);
	free(s->dir);
	*s = (struct scratch){.line = -1};
}

bool scratch_enter(const struct scratch *s)
{
	pid_t self = getpid();

	if (setpgid(0, 0) != 0)
		return false;
	send_group(s, self);
	return true;
}

void scratch_left(const struct scratch *s)
{
	send_group(s, 0);
}
