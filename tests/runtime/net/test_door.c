#define _GNU_SOURCE /* setresuid */
#include "runtime/core/clock.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(door, .description = "strangers at the socket where ranks meet", .timeout = 120);

enum { NOBODY = 65534 };

static char path[64];

/* What ranks say first, in bytes. */
struct hello {
	char magic[8];
	uint32_t rank, ranks;
	char token[64];
};

static void name_path(const char *format)
{
	snprintf(path, sizeof path, format, (int)getpid());
}

static socklen_t address_of(struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(a->sun_path, path, strlen(path));
	if (path[0] == '@')
		a->sun_path[0] = 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
}

/* A connection as soon as somebody listens. -1: nobody does for ten seconds. */
static int knock(void)
{
	struct sockaddr_un a;
	socklen_t n = address_of(&a);

	for (int i = 0; i < 2000; i++) {
		int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(file, (const struct sockaddr *)&a, n) == 0)
			return file;
		close(file);
		clock_sleep(5000);
	}
	return -1;
}

static int listen_raw(int queue)
{
	struct sockaddr_un a;
	socklen_t n = address_of(&a);
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(file, (const struct sockaddr *)&a, n) != 0 || listen(file, queue) != 0)
		_exit(1);
	return file;
}

static void say(int file, const void *bytes, size_t n)
{
	(void)!send(file, bytes, n, MSG_NOSIGNAL);
}

static pid_t child(void (*work)(void))
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work();
		_exit(0);
	}
	return pid;
}

static int ending_of(pid_t pid)
{
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- strangers while ranks meet ---- */

static void garbage(void)
{
	for (int i = 0; i < 20; i++) {
		unsigned char bytes[4096];
		memset(bytes, 0x11 * i, sizeof bytes);
		int file = knock();
		say(file, bytes, i < 10 ? sizeof bytes : sizeof(struct hello));
	}
	pause();
}

static void silence(void)
{
	for (int i = 0; i < 20; i++)
		knock();
	pause();
}

static void early_end(void)
{
	for (int i = 0; i < 20; i++) {
		int file = knock();
		say(file, "sccl-3", (size_t)i % 7);
		close(file);
	}
}

static void half_a_hello(void)
{
	struct hello h = {"sccl-3", 1, RING, ""};
	for (size_t i = 1; i < sizeof h; i++)
		say(knock(), &h, i);
	pause();
}

static void wrong_numbers(void)
{
	static const struct hello all[] = {{"sccl-3", 0, RING, ""}, {"sccl-3", RING, RING, ""}, {"sccl-3", UINT32_MAX, RING, ""}, {"sccl-3", 1, RING + 1, ""},
					   {"sccl-3", 1, 0, ""}, {"sccl-3", 1, UINT32_MAX, ""}, {"sccl-4", 1, RING, ""}, {"sccl-1", 1, RING, ""}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		say(knock(), &all[i], sizeof all[i]);
	pause();
}

/* In the name of a rank that has not come yet, and away again. */
static void impostor(void)
{
	for (uint32_t i = 0; i < 12; i++) {
		struct hello h = {"sccl-3", 1 + i % 3, RING, ""};
		int file = knock();
		say(file, &h, sizeof h);
		close(file);
	}
}

static void flood(void)
{
	for (int i = 0; i < 400; i++)
		knock();
	pause();
}

/* The group only says who is who here. Ranks come after the strangers. */
static sccl_status_t meets_late(uint32_t rank, const sccl_bootstrap_t *unused)
{
	sccl_bootstrap_t b;
	uint32_t mine = rank * 7, all[RING] = {0};

	(void)unused;
	if (rank > 0)
		clock_sleep(300000);
	sccl_status_t status = sccl_socket_open(&b, path, rank, RING, 20);
	if (status == SCCL_OK && b.allgather(b.context, &mine, all, sizeof mine) != 0)
		status = SCCL_BOOTSTRAP;
	for (uint32_t r = 0; r < RING && status == SCCL_OK; r++)
		status = all[r] == 7 * r ? SCCL_OK : SCCL_STATUSES;
	sccl_socket_close(&b);
	return status;
}

static void expect_meeting(const char *what)
{
	struct outcome out[RING];
	double begin = clock_seconds();

	in_processes(meets_late, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "%s: rank %d: %s", what, r, out[r].text);
	cr_expect(lt(dbl, clock_seconds() - begin, 15.0), "%s", what); /* less than what ranks have */
}

static const struct {
	const char *what;
	void (*comes)(void);
} strangers[] = {
	{"garbage", garbage},       {"silence", silence},   {"early end", early_end}, {"half a hello", half_a_hello},
	{"wrong numbers", wrong_numbers}, {"impostor", impostor}, {"flood", flood},
};

Test(door, a_stranger_ends_only_its_own_connection)
{
	for (size_t i = 0; i < 2 * sizeof strangers / sizeof *strangers; i++) {
		name_path(i % 2 ? "@sccl-door-%d" : "/tmp/sccl-door-%d");
		pid_t stranger = child(strangers[i / 2].comes);
		expect_meeting(strangers[i / 2].what);
		end(stranger);
	}
	cr_expect(ne(int, access(path, F_OK), 0));
}

static void first_of_three(void)
{
	sccl_bootstrap_t b;
	_exit(sccl_socket_open(&b, path, 0, 3, 10) != SCCL_OK);
}

static void a_rank_of_three(void)
{
	sccl_bootstrap_t b;
	bool met = sccl_socket_open(&b, path, 1, 3, 10) == SCCL_OK;
	_exit(met ? 0 : strstr(sccl_error_text(), "rank 1 has already joined") ? 5 : 1);
}

Test(door, a_rank_that_is_there_already_is_told_so)
{
	sccl_bootstrap_t b;

	name_path("@sccl-twice-%d");
	pid_t first = child(first_of_three), one = child(a_rank_of_three), two = child(a_rank_of_three);
	int status = 0;
	pid_t told = waitpid(-1, &status, 0);
	bool right = (told == one || told == two) && WIFEXITED(status) && WEXITSTATUS(status) == 5;
	cr_expect(right);
	cr_expect(eq(int, sccl_socket_open(&b, path, 2, 3, 10), SCCL_OK), "%s", sccl_error_text());
	cr_expect(eq(int, ending_of(first), 0));
	cr_expect(eq(int, ending_of(told == one ? two : one), 0));
	sccl_socket_close(&b);
}

/* ---- other groups of the same user ---- */

static void strange_token(void)
{
	for (uint32_t r = 1; r < RING; r++) {
		struct hello h = {"sccl-3", r, RING, "of another group"};
		say(knock(), &h, sizeof h);
	}
	pause();
}

static void listens_with_another_token(void)
{
	struct hello h = {"sccl-3", 0, RING, "of another group"}, heard;
	int file = accept(listen_raw(4), NULL, NULL);

	(void)!recv(file, &heard, sizeof heard, MSG_WAITALL);
	say(file, &h, sizeof h);
	pause();
}

static void enters(void)
{
	sccl_bootstrap_t b;
	bool met = sccl_socket_open(&b, path, 1, RING, 10) == SCCL_OK;
	_exit(!met && strstr(sccl_error_text(), "the listener there has another token") ? 0 : 1);
}

Test(door, a_rank_of_another_group_takes_no_place)
{
	name_path("@sccl-token-%d");
	setenv("SCCL_TOKEN", "of this group", 1);
	pid_t stranger = child(strange_token);
	expect_meeting("another token");
	end(stranger);
	name_path("@sccl-other-token-%d");
	stranger = child(listens_with_another_token);
	cr_expect(eq(int, ending_of(child(enters)), 0));
	end(stranger);
}

static void expect_token(const char *what, mode_t mode, const char *text, const char *why)
{
	char file[96];
	sccl_bootstrap_t b;

	snprintf(file, sizeof file, "@/tmp/sccl-token-%d", (int)getpid());
	setenv("SCCL_TOKEN", file, 1);
	FILE *f = fopen(file + 1, "w");
	cr_assert(ne(ptr, f, NULL));
	fputs(text, f);
	fclose(f);
	chmod(file + 1, mode);
	name_path("@sccl-file-%d");
	bool met = sccl_socket_open(&b, path, 0, 1, 1) == SCCL_OK;
	cr_expect(eq(int, met, why == NULL), "%s", what);
	cr_expect(why == NULL || strstr(sccl_error_text(), why) != NULL, "%s: %s", what, sccl_error_text());
	sccl_socket_close(&b);
	unlink(file + 1);
}

Test(door, a_token_comes_from_a_file_for_this_user_only)
{
	expect_token("a file", 0600, "secret\n", NULL);
	expect_token("a file for all", 0644, "secret\n", "only this user can read");
	expect_token("an empty file", 0600, "", "1 to 64 bytes");
	expect_token("a long line", 0600, "0123456789012345678901234567890123456789012345678901234567890123456789", "1 to 64 bytes");
	setenv("SCCL_TOKEN", "@/tmp/no/such/file", 1);
	sccl_bootstrap_t b;
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 1, 1), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "cannot read the token in /tmp/no/such/file"), NULL), "%s", sccl_error_text());
}

/* ---- other users ---- */

static void become_nobody(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
		_exit(9);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void foreign_rank(void)
{
	struct hello h = {"sccl-3", 0, RING, ""};

	become_nobody();
	for (uint32_t i = 0; i < 30; i++) {
		h.rank = 1 + i % 3;
		say(knock(), &h, sizeof h);
	}
	pause();
}

static void foreign_first(void)
{
	become_nobody();
	int listener = listen_raw(10);
	for (;;) {
		struct hello h;
		int file = accept(listener, NULL, NULL);
		if (recv(file, &h, sizeof h, MSG_WAITALL) == (ssize_t)sizeof h)
			_exit(7); /* it was believed */
		close(file);
	}
}

static void foreign_connect_to_file(void)
{
	struct sockaddr_un a;
	socklen_t n = address_of(&a);

	become_nobody();
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	_exit(connect(file, (const struct sockaddr *)&a, n) == 0 || errno != EACCES);
}

Test(door, other_users_are_not_let_in_and_not_believed)
{
	sccl_bootstrap_t b;

	if (geteuid() != 0)
		cr_skip("only root can be two users");
	name_path("@sccl-foreign-%d");
	pid_t stranger = child(foreign_rank);
	expect_meeting("a rank of another user");
	end(stranger);

	stranger = child(foreign_first);
	clock_sleep(100000);
	double begin = clock_seconds();
	cr_expect(eq(int, sccl_socket_open(&b, path, 1, 2, 5), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "the peer belongs to user 65534"), NULL), "%s", sccl_error_text());
	cr_expect(lt(dbl, clock_seconds() - begin, 4.0));
	clock_sleep(50000);
	cr_expect(eq(int, waitpid(stranger, NULL, WNOHANG), 0));
	end(stranger);
}

/* ---- the file ---- */

static void first_of_two(void)
{
	sccl_bootstrap_t b;
	_exit(sccl_socket_open(&b, path, 0, 2, 20) != SCCL_OK);
}

static bool appears(void)
{
	for (int i = 0; i < 2000 && access(path, F_OK) != 0; i++)
		clock_sleep(5000);
	return access(path, F_OK) == 0;
}

/* Nothing but our path, if that, may be in the folder. */
static void expect_empty(const char *folder, const char *what)
{
	cr_expect(eq(int, rmdir(folder), 0), "%s: %s", what, strerror(errno));
}

Test(door, the_file_is_for_its_user_whatever_the_umask)
{
	static const mode_t umasks[] = {0, 022, 077, 0177, 0777};
	char folder[] = "/tmp/sccl-umask-XXXXXX";

	cr_assert(mkdtemp(folder) != NULL);
	chmod(folder, 0755);
	snprintf(path, sizeof path, "%s/socket", folder);
	for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
		struct stat st = {0};
		sccl_bootstrap_t b;
		mode_t before = umask(umasks[i]);
		pid_t first = child(first_of_two);
		umask(before);
		cr_assert(appears());
		cr_expect(eq(int, stat(path, &st), 0));
		cr_expect(eq(int, (int)(st.st_mode & 07777), 0600), "umask %o", (unsigned)umasks[i]);
		if (geteuid() == 0)
			cr_expect(eq(int, ending_of(child(foreign_connect_to_file)), 0));
		cr_expect(eq(int, sccl_socket_open(&b, path, 1, 2, 10), SCCL_OK), "umask %o: %s", (unsigned)umasks[i], sccl_error_text());
		sccl_socket_close(&b);
		cr_expect(eq(int, ending_of(first), 0));
	}
	expect_empty(folder, "umask");
}

Test(door, a_listener_that_was_killed_stops_no_later_one)
{
	char folder[] = "/tmp/sccl-killed-XXXXXX";
	sccl_bootstrap_t b;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
	pid_t killed = child(first_of_two);
	cr_assert(appears());
	clock_sleep(50000);
	end(killed);
	pid_t first = child(first_of_two);
	cr_expect(eq(int, sccl_socket_open(&b, path, 1, 2, 10), SCCL_OK), "%s", sccl_error_text());
	sccl_socket_close(&b);
	cr_expect(eq(int, ending_of(first), 0));
	expect_empty(folder, "killed");
}

Test(door, nothing_but_a_dead_socket_is_replaced)
{
	char folder[] = "/tmp/sccl-replace-XXXXXX", other[80];
	sccl_bootstrap_t b;
	struct stat st;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
	snprintf(other, sizeof other, "%s/file", folder);
	close(open(path, O_CREAT | O_WRONLY, 0644));
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, 1), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "not a socket"), NULL), "%s", sccl_error_text());
	cr_expect(lstat(path, &st) == 0 && S_ISREG(st.st_mode));
	rename(path, other);
	cr_assert(eq(int, symlink(other, path), 0));
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, 1), SCCL_BOOTSTRAP));
	cr_expect(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
	unlink(path);
	unlink(other);
	cr_assert(eq(int, mkdir(path, 0700), 0));
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, 1), SCCL_BOOTSTRAP));
	rmdir(path);

	pid_t first = child(first_of_two);
	cr_assert(appears());
	double begin = clock_seconds();
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, 5), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "another rendezvous"), NULL), "%s", sccl_error_text());
	cr_expect(lt(dbl, clock_seconds() - begin, 2.0));
	cr_expect(eq(int, sccl_socket_open(&b, path, 1, 2, 10), SCCL_OK), "%s", sccl_error_text());
	sccl_socket_close(&b);
	cr_expect(eq(int, ending_of(first), 0));
	expect_empty(folder, "replace");
}

/* Whoever can write in the folder could lead a rank into another meeting. */
Test(door, no_link_leads_a_rank_into_another_meeting)
{
	char folder[] = "/tmp/sccl-links-XXXXXX", meeting[64];
	sccl_bootstrap_t b;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
	memcpy(meeting, path, sizeof path);
	pid_t first = child(first_of_two);
	cr_assert(appears());
	snprintf(path, sizeof path, "%s/link", folder);
	cr_assert(eq(int, symlink(meeting, path), 0));
	cr_expect(eq(int, sccl_socket_open(&b, path, 1, 2, 1), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "cannot reach rank 0"), NULL), "%s", sccl_error_text());
	cr_expect(eq(int, sccl_socket_open(&b, meeting, 1, 2, 10), SCCL_OK), "%s", sccl_error_text());
	sccl_socket_close(&b);
	cr_expect(eq(int, ending_of(first), 0));
	unlink(path);
	expect_empty(folder, "links");
}

/* ---- time limits ---- */

static void connects_to_a_full_queue(void)
{
	sccl_bootstrap_t b;
	double begin = clock_seconds();

	alarm(20);
	sccl_status_t status = sccl_socket_open(&b, path, 1, 2, 0.5);
	_exit(status != SCCL_BOOTSTRAP || clock_seconds() - begin > 5 || clock_seconds() - begin < 0.4);
}

Test(door, a_full_queue_is_waited_for_no_longer_than_was_said)
{
	struct sockaddr_un a;

	name_path("@sccl-full-%d");
	int listener = listen_raw(0), waiting[8];
	socklen_t n = address_of(&a);
	for (int i = 0; i < 8; i++) {
		waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)!connect(waiting[i], (const struct sockaddr *)&a, n);
	}
	cr_expect(eq(int, ending_of(child(connects_to_a_full_queue)), 0));
	for (int i = 0; i < 8; i++)
		close(waiting[i]);
	close(listener);
}

static void comes_late_and_says_no_more(void)
{
	struct hello h = {"sccl-3", 1, 2, ""};
	int file = knock();

	clock_sleep(1600000);
	say(file, &h, sizeof h);
	pause();
}

Test(door, a_meeting_begins_within_the_time_or_fails)
{
	sccl_bootstrap_t b;

	name_path("@sccl-slow-%d");
	pid_t slow = child(comes_late_and_says_no_more);
	double begin = clock_seconds();
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, 2), SCCL_BOOTSTRAP));
	cr_expect(lt(dbl, clock_seconds() - begin, 3.0));
	end(slow);
}

/* ---- false ranks of the same user: errors, in time, and nothing worse ---- */

static unsigned seed;

static void fill(unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = seed % 3 == 0 ? 0 : (unsigned char)(rand_r(&seed) >> (seed % 2 ? 8 : 20));
}

static void make_comm(uint32_t rank)
{
	sccl_bootstrap_t b;
	sccl_comm_t *comm = NULL;

	alarm(20);
	if (sccl_socket_open(&b, path, rank, 2, 0.5) == SCCL_OK)
		(void)sccl_comm_create(&comm, rank, 2, &b, NULL);
	sccl_comm_free(comm);
	sccl_socket_close(&b);
	_exit(0);
}

static void true_first(void)
{
	make_comm(0);
}

static void true_second(void)
{
	make_comm(1);
}

static void babble(int file, int turns)
{
	static unsigned char bytes[4096];

	for (int i = 0; i < turns; i++) {
		fill(bytes, sizeof bytes);
		(void)!send(file, bytes, (size_t)(rand_r(&seed) % (int)sizeof bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
		while (recv(file, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
			;
		if (i % 8 == 7)
			clock_sleep(1000);
	}
}

static void false_second(void)
{
	struct hello h = {"sccl-3", 1, 2, ""};
	int file = knock();

	say(file, &h, sizeof h);
	babble(file, 100);
}

static void false_first(void)
{
	struct hello h = {"sccl-3", 0, 2, ""}, heard;
	int listener = listen_raw(4), file = accept(listener, NULL, NULL);

	if (seed % 4)
		(void)!recv(file, &heard, sizeof heard, MSG_WAITALL);
	if (seed % 5)
		say(file, &h, sizeof h);
	babble(file, seed % 7 ? 100 : 0);
}

Test(door, a_false_rank_does_no_more_than_make_others_fail)
{
	for (unsigned i = 0; i < 60; i++) {
		name_path("@sccl-false-%d");
		seed = i;
		pid_t liar = child(i % 2 ? false_first : false_second);
		cr_expect(eq(int, ending_of(child(i % 2 ? true_second : true_first)), 0), "seed %u", i);
		end(liar);
	}
}
