#define _GNU_SOURCE /* memfd_create */
#include "runtime/host/files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(files, .description = "files that processes pass to each other", .timeout = 60);

static int written(const char *text)
{
	int file = memfd_create("passed", MFD_CLOEXEC);
	cr_assert(ge(int, file, 0));
	cr_assert(eq(long, (long)write(file, text, strlen(text)), (long)strlen(text)));
	return file;
}

static bool arrives(const struct file_ticket *ticket, const char *text)
{
	char found[16] = "";
	int file;

	if (sccli_file_fetch(ticket, &file) != SCCL_OK)
		return false;
	bool same = pread(file, found, sizeof found - 1, 0) == (ssize_t)strlen(text) && strcmp(found, text) == 0;
	close(file);
	return same;
}

Test(files, each_ticket_is_for_its_file_until_it_is_withdrawn)
{
	struct file_ticket one, two, forged;

	cr_assert(eq(int, sccli_file_offer(written("one"), &one), SCCL_OK));
	cr_assert(eq(int, sccli_file_offer(written("two"), &two), SCCL_OK));
	forged = (struct file_ticket){one.door, one.key ^ 1};
	cr_expect(arrives(&two, "two"));
	cr_expect(arrives(&one, "one"));
	cr_expect(not(arrives(&forged, "one")));
	sccli_file_withdraw(&one);
	sccli_file_withdraw(&one);
	cr_expect(not(arrives(&one, "one")));
	cr_expect(arrives(&two, "two"));
	sccli_file_withdraw(&two);
	cr_expect(not(arrives(&two, "two")));
	cr_assert(eq(int, sccli_file_offer(written("again"), &one), SCCL_OK), "the socket is opened again");
	cr_expect(arrives(&one, "again"));
	sccli_file_withdraw(&one);
}

/* The least number that no file of this process has, so that it can open none. */
static rlim_t no_room(void)
{
	int most = dup(STDIN_FILENO), lower;

	while ((lower = dup(STDIN_FILENO)) >= 0 && lower < 200)
		most = lower;
	return (rlim_t)most + 1;
}

Test(files, a_process_without_room_for_another_file_answers_later)
{
	struct file_ticket ticket;
	struct rlimit before, tight;
	int ready[2], status = 0;

	cr_assert(eq(int, sccli_file_offer(written("late"), &ticket), SCCL_OK));
	cr_assert(eq(int, pipe(ready), 0));
	cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &before), 0));
	pid_t other = fork();
	if (other == 0) {
		char byte;
		_exit(read(ready[0], &byte, 1) == 1 && arrives(&ticket, "late") ? 0 : 1);
	}
	tight = (struct rlimit){no_room(), before.rlim_max};
	cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &tight), 0));
	cr_assert(eq(long, (long)write(ready[1], "", 1), 1));
	usleep(200000); /* time to try */
	cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &before), 0));
	waitpid(other, &status, 0);
	cr_expect(eq(int, status, 0), "the other process has no file");
	cr_expect(arrives(&ticket, "late"));
	sccli_file_withdraw(&ticket);
}
