#include "runtime/core/clock.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(socket, .description = "ranks that meet at a Unix socket", .timeout = 60);

static char path[64];

/* The group only says who is who here. */
static sccl_status_t meets_at_a_socket(uint32_t rank, const sccl_bootstrap_t *unused)
{
	sccl_bootstrap_t b;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	int32_t in[3] = {(int32_t)rank, (int32_t)rank + 10, (int32_t)rank + 20}, out[RING * 3] = {0};

	(void)unused;
	sccl_status_t status = sccl_socket_open(&b, path, rank, RING, 20);
	if (status != SCCL_OK)
		return status;
	status = sccl_comm_create(&comm, rank, RING, &b, NULL);
	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, 3, NULL);
	if (status == SCCL_OK)
		status = sccl_run(plan, in, out, 3, NULL);
	for (int i = 0; i < RING * 3 && status == SCCL_OK; i++)
		status = out[i] == i / 3 + i % 3 * 10 ? SCCL_OK : SCCL_STATUSES;
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	sccl_socket_close(&b);
	return status;
}

static void expect_meeting(void)
{
	struct outcome out[RING];
	in_processes(meets_at_a_socket, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

Test(socket, brings_processes_together_and_leaves_nothing)
{
	snprintf(path, sizeof path, "/tmp/sccl-test-%d", (int)getpid());
	expect_meeting();
	cr_expect(ne(int, access(path, F_OK), 0));
}

Test(socket, may_have_a_name_outside_the_file_system)
{
	snprintf(path, sizeof path, "@sccl-test-%d", (int)getpid());
	expect_meeting();
}

Test(socket, who_comes_alone_gives_up)
{
	sccl_bootstrap_t b;
	cr_expect(eq(int, sccl_socket_open(&b, "@sccl-test-alone", 0, 2, 0.1), SCCL_BOOTSTRAP));
	cr_expect(eq(str, (char *)sccl_error_text(), "the other ranks did not join in time"));
	cr_expect(eq(int, sccl_socket_open(&b, "@sccl-test-alone", 1, 2, 0.1), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "cannot reach rank 0"), NULL));
	cr_expect(eq(int, sccl_socket_open(&b, "", 1, 2, 0.1), SCCL_INVALID));
	cr_expect(eq(int, sccl_socket_open(&b, "/no/such/folder/socket", 0, 2, 0.1), SCCL_BOOTSTRAP));
	cr_expect(eq(int, sccl_socket_open(&b, "/tmp/", 0, 2, 0.1), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "is a folder"), NULL), "%s", sccl_error_text());
}

/* Rank 3 is late for one meeting. What it brought then must not be taken for what is brought to the next. */
static sccl_status_t one_is_late(uint32_t rank, const sccl_bootstrap_t *unused)
{
	sccl_bootstrap_t b;
	uint32_t mine = rank + 100, all[RING];
	int first, second;

	(void)unused;
	sccl_status_t status = sccl_socket_open(&b, path, rank, RING, 0.2);
	if (status != SCCL_OK)
		return status;
	if (rank == 3)
		clock_sleep(600000);
	first = b.allgather(b.context, &mine, all, sizeof mine);
	mine = rank + 200;
	second = b.allgather(b.context, &mine, all, sizeof mine);
	sccl_socket_close(&b);
	return first == 0 || second == 0 ? SCCL_STATUSES : SCCL_OK;
}

Test(socket, a_meeting_that_failed_spoils_no_other)
{
	struct outcome out[RING];

	snprintf(path, sizeof path, "@sccl-late-%d", (int)getpid());
	in_processes(one_is_late, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

/* ---- odd times ---- */

static double odd;

static sccl_status_t meets_within(uint32_t rank, const sccl_bootstrap_t *unused)
{
	sccl_bootstrap_t b;

	(void)unused;
	sccl_status_t status = sccl_socket_open(&b, path, rank, RING, odd);
	if (status == SCCL_OK && b.barrier(b.context) != 0)
		status = SCCL_BOOTSTRAP;
	sccl_socket_close(&b);
	return status;
}

Test(socket, any_time_is_taken_or_refused)
{
	static const double wrong[] = {-1, -1e-300, -INFINITY, NAN}, short_ones[] = {5e-324, 1e-9}, long_ones[] = {1e9, 1e300, INFINITY};
	struct outcome out[RING];
	sccl_group_t *group;
	sccl_bootstrap_t b;

	snprintf(path, sizeof path, "@sccl-times-%d", (int)getpid());
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, wrong[i]), SCCL_INVALID), "%g", wrong[i]);
		cr_expect(eq(int, sccl_group_create(&group, 2, wrong[i]), SCCL_INVALID), "%g", wrong[i]);
	}
	alarm(30);
	for (uint32_t rank = 0; rank < 2; rank++)
		for (size_t i = 0; i < sizeof short_ones / sizeof *short_ones; i++)
			cr_expect(eq(int, sccl_socket_open(&b, path, rank, 2, short_ones[i]), SCCL_BOOTSTRAP), "%g", short_ones[i]);
	for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++) {
		odd = long_ones[i];
		in_processes(meets_within, out);
		for (int r = 0; r < RING; r++)
			cr_expect(eq(int, out[r].status, SCCL_OK), "%g: rank %d: %s", odd, r, out[r].text);
	}
	alarm(0);
}

/* ---- what is left open ---- */

static int open_files(void)
{
	int n = 0;
	for (int file = 0; file < 1024; file++)
		n += fcntl(file, F_GETFD) >= 0;
	return n;
}

Test(socket, no_attempt_leaves_a_file_open)
{
	char folder[] = "/tmp/sccl-files-XXXXXX", taken[64];
	sccl_bootstrap_t b;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
	snprintf(taken, sizeof taken, "%s/file", folder);
	close(open(taken, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	int before = open_files();
	for (int i = 0; i < 20; i++) {
		cr_expect(eq(int, sccl_socket_open(&b, path, 0, 2, 0.01), SCCL_BOOTSTRAP));
		cr_expect(eq(int, sccl_socket_open(&b, path, 1, 2, 0.01), SCCL_BOOTSTRAP));
		for (uint32_t rank = 0; rank < 2; rank++)
			cr_expect(eq(int, sccl_socket_open(&b, taken, rank, 2, 0.01), SCCL_BOOTSTRAP));
		cr_expect(eq(int, sccl_socket_open(&b, path, 0, 1, 1), SCCL_OK));
		sccl_socket_close(&b);
	}
	cr_expect(eq(int, open_files(), before));
	unlink(taken);
	cr_expect(eq(int, rmdir(folder), 0));
}
