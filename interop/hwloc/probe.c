#include "interop/hwloc/probe.h"

#include "interop/hwloc/machine.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 120 }; /* drivers may hang; a computer that needs longer than this is not well */

/* What the reader's process says; a topology as JSON follows where there is one. */
struct head {
	struct probe_sights seen;
	struct error error;
};

/* ---- the reader ---- */

static void write_all(int file, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n > 0) {
		ssize_t done = write(file, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			_exit(1); /* nobody listens */
		at += done;
		n -= (size_t)done;
	}
}

/* hwloc and drivers write what they like to where the parent's data and its one line go. */
static void be_quiet(void)
{
	int nowhere = open("/dev/null", O_WRONLY);
	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	close(nowhere);
}

/* Files have no paths in them: of FROM its last part, in letters that any reader takes. */
static char *source_of(const char *from)
{
	struct text s = {0};
	const char *slash = from ? strrchr(from, '/') : NULL, *base = slash ? slash + 1 : from;

	text_add(&s, "hwloc %s, ", HWLOC_IS);
	if (!base)
		text_add(&s, "on the machine itself");
	for (; base && *base; base++)
		text_add(&s, "%c", *base >= ' ' && *base <= '~' ? *base : '?');
	return text_take(&s);
}

static void read_and_tell(const char *from, const char *name, int file)
{
	struct machine m = {0};
	struct head head = {0};
	struct text json = {0};
	struct topology *t = NULL;

	if (machine_read(from, &m, &head.error) && m.n > 0) {
		char *source = source_of(from);
		t = machine_topology(&m, name, source, &head.error);
		free(source);
	}
	head.seen = m.seen;
	if (t)
		topology_write(t, &json, 0);
	write_all(file, &head, sizeof head);
	write_all(file, json.bytes, json.length);
	topology_free(t);
	machine_free(&m);
	text_free(&json);
}

static void work(const char *from, const char *name, int file, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	be_quiet();
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* where hwloc breaks, one line is left, and no file */
	signal(SIGALRM, SIG_DFL);
	alarm(SECONDS_MAX);
	read_and_tell(from, name, file);
	_exit(0);
}

/* ---- the parent's side ---- */

static bool listen_to(int file, struct text *said, struct error *e)
{
	char block[65536];

	for (;;) {
		ssize_t n = read(file, block, sizeof block);
		if (n == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return error_set(e, ERROR_SYSTEM, "topology probe", "pipe: %s", strerror(errno));
		if (n > 0)
			text_add_bytes(said, block, (size_t)n);
	}
}

static bool ask(const char *from, const char *name, struct text *said, struct error *e)
{
	pid_t parent = getpid();
	int ends[2], status = 0;

	if (pipe(ends) != 0)
		return error_set(e, ERROR_SYSTEM, "topology probe", "pipe: %s", strerror(errno));
	pid_t reader = fork();
	if (reader == 0) {
		close(ends[0]);
		work(from, name, ends[1], parent);
	}
	close(ends[1]);
	bool heard = reader > 0 ? listen_to(ends[0], said, e) : error_set(e, ERROR_SYSTEM, "fork", "%s", strerror(errno));
	close(ends[0]);
	while (reader > 0 && waitpid(reader, &status, 0) < 0 && errno == EINTR)
		;
	if (!heard)
		return false;
	if (WIFSIGNALED(status))
		return error_set(e, from ? ERROR_INPUT : ERROR_SYSTEM, from ? from : "topology probe",
				 WTERMSIG(status) == SIGALRM ? "hwloc was not done after %d seconds" : "signal %d ended hwloc",
				 WTERMSIG(status) == SIGALRM ? SECONDS_MAX : WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
		return error_set(e, ERROR_SYSTEM, "topology probe", "out of memory");
	if (status != 0 || said->length < sizeof(struct head))
		return error_set(e, ERROR_SYSTEM, "topology probe", "the process that asked hwloc failed");
	return true;
}

/* What was built is a topology only once the reader of topology files says so. */
static struct topology *judged(const char *json, const char *where, struct error *e)
{
	struct json_document *d = json_document_parse(json, where, e);
	if (!d)
		return NULL;
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, e);
	json_document_close(d);
	return t;
}

struct topology *probe(const char *from, const char *name, struct probe_sights *seen, struct error *e)
{
	struct topology *t = NULL;
	struct text said = {0};
	struct head head;

	if (ask(from, name, &said, e)) {
		memcpy(&head, said.bytes, sizeof head);
		*seen = head.seen;
		if (head.error.kind != ERROR_NONE)
			*e = head.error;
		else if (said.length > sizeof head)
			t = judged(said.bytes + sizeof head, from ? from : "topology probe", e);
	}
	text_free(&said);
	return t;
}
