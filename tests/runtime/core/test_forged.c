#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS */
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"
#include "tests/runtime/spy.h"

#include "runtime/core/comm.h"
#include "runtime/core/device.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(forged, .description = "what hostile ranks send harms nobody", .timeout = 120);

/* ---- no address leaves a process ---- */

static sccl_status_t everything(uint32_t rank, const sccl_bootstrap_t *behind)
{
	struct spy spy;
	sccl_bootstrap_t b = spy_on(&spy, behind);
	sccl_comm_t *comm = NULL;
	sccl_memory_t *memory = NULL;
	sccl_plan_t *plan = NULL;
	sccl_selector_t *selector = NULL;
	sccl_choice_t choice = {.program = &ring_allgather, .most_bytes = UINT64_MAX};

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, &b, NULL);
	if (status == SCCL_OK)
		status = sccl_memory_create(&memory, comm, 10000);
	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_F32, SCCL_SUM, 10, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_create(&selector, comm, &choice, 1, SCCL_F32, SCCL_SUM, 10, NULL);
	/* Ranks that are threads share what is looked at: nobody unmaps it meanwhile. */
	if (status == SCCL_OK && b.barrier(b.context) == 0)
		spy.addresses += spy_shared_addresses();
	if (status == SCCL_OK && b.barrier(b.context) != 0)
		status = SCCL_BOOTSTRAP;
	sccl_selector_free(selector);
	sccl_plan_free(plan);
	sccl_memory_free(memory);
	sccl_comm_free(comm);
	return status == SCCL_OK && (spy.addresses > 0 || spy.blobs < 10) ? SCCL_STATUSES : status;
}

static sccl_status_t registers_memory(uint32_t rank, const sccl_bootstrap_t *behind)
{
	static unsigned char buffers[RING][4096];
	struct spy spy;
	sccl_bootstrap_t b = spy_on(&spy, behind);
	sccl_comm_t *comm = NULL;
	sccl_memory_t *memory = NULL;

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, &b, NULL);
	if (status == SCCL_OK)
		status = sccl_memory_register(&memory, comm, buffers[rank], sizeof buffers[rank]);
	sccl_memory_free(memory);
	sccl_comm_free(comm);
	return status == SCCL_OK && spy.addresses > 0 ? SCCL_STATUSES : status;
}

Test(forged, no_address_leaves_a_process)
{
	struct outcome out[RING];

	in_processes(everything, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
	in_threads(everything, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
	in_threads(registers_memory, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

/* ---- forged handles ---- */

enum { HANDLE = sizeof(union piece_handle) };

/* What every byte of the handles becomes, or one word. */
struct forgery {
	size_t at, bytes;
	uint64_t value;
};

static void forge_word(void *context, unsigned char *blob, size_t bytes, bool own)
{
	const struct forgery *f = context;
	if (!own && bytes == HANDLE)
		memcpy(blob + f->at, &f->value, f->bytes);
}

static sccl_status_t meet(void (*forge)(void *, unsigned char *, size_t, bool), void *context, const sccl_comm_options_t *options)
{
	struct forger f = {.rank = 1, .ranks = 2, .forge = forge, .context = context};
	sccl_bootstrap_t b = forger_bootstrap(&f);
	sccl_comm_t *comm = NULL;
	sccl_status_t status = sccl_comm_create(&comm, 1, 2, &b, options);

	sccl_comm_free(comm);
	return status;
}

/* WORK in a process of its own; its exit status, or -1 where a signal ended it. */
static int apart(int (*work)(void *), void *context)
{
	int status;
	fflush(NULL);
	pid_t child = fork();

	if (child == 0)
		_exit(work(context));
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int meet_with_words(void *context)
{
	static const uint64_t values[] = {0, 1, 2, 8, 0x7f, 0x1000, 0x41414141, INT32_MAX, UINT32_MAX, (uint64_t)1 << 32,
					  0x4141414141414140, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 7, 0x400000};
	struct forgery *f = context;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		f->value = values[i];
		meet(forge_word, f, NULL);
	}
	return 0;
}

Test(forged, no_value_of_any_word_of_a_handle_is_believed)
{
	for (size_t bytes = 1; bytes <= 8; bytes *= 2)
		for (size_t at = 0; at + bytes <= HANDLE; at += bytes) {
			struct forgery f = {at, bytes, 0};
			cr_expect(eq(int, apart(meet_with_words, &f), 0), "%zu bytes at %zu", bytes, at);
		}
}

static void fill(void *context, unsigned char *blob, size_t bytes, bool own)
{
	if (!own && bytes == HANDLE)
		memset(blob, *(int *)context, bytes);
}

static int meet_with_filled(void *context)
{
	return meet(fill, context, NULL) == SCCL_OK;
}

Test(forged, a_handle_of_one_byte_is_refused)
{
	for (int byte = 0; byte < 256; byte++)
		cr_expect(eq(int, apart(meet_with_filled, &byte), 0), "%d", byte);
}

/* Handles of memory that all have opened long ago, as they were or as if another process had sent them. */
struct replay {
	union piece_handle old;
	bool known, elsewhere;
};

static void send_again(void *context, unsigned char *blob, size_t bytes, bool own)
{
	struct replay *r = context;
	union piece_handle h;

	if (bytes != HANDLE)
		return;
	if (!r->known) {
		memcpy(&r->old, blob, bytes);
		r->known = true;
	} else if (!own && memcmp(blob, &r->old, bytes) != 0) {
		h = r->old;
		h.shared.owner.start += r->elsewhere; /* the process's number is in use again */
		memcpy(blob, &h, bytes);
	}
}

static int meet_again(void *context)
{
	struct replay *r = context;
	struct forger f = {.rank = 0, .ranks = 1, .forge = send_again, .context = r};
	sccl_bootstrap_t b = forger_bootstrap(&f);
	sccl_comm_t *comm = NULL;

	if (sccl_comm_create(&comm, 0, 1, &b, NULL) != SCCL_OK || !r->known)
		return 2;
	sccl_status_t status = meet(send_again, r, NULL);
	sccl_comm_free(comm);
	return status == SCCL_OK;
}

Test(forged, a_handle_is_good_once)
{
	struct replay here = {.known = false}, elsewhere = {.elsewhere = true};

	cr_expect(eq(int, apart(meet_again, &here), 0));
	cr_expect(eq(int, apart(meet_again, &elsewhere), 0));
}

/* Handles name FILE, of this very process, as if another one offered it. */
struct victim {
	int file;
	size_t bytes; /* that ranks expect */
	const char *name;
	bool small;
	int seals;
	bool on_disk; /* a file that looks as memory does by its name */
};

static void name_file(void *context, unsigned char *blob, size_t bytes, bool own)
{
	struct victim *v = context;
	union piece_handle h;
	char path[64];
	struct stat st;

	if (own || bytes != HANDLE)
		return;
	memcpy(&h, blob, sizeof h);
	snprintf(path, sizeof path, "/proc/self/fd/%d", (int)h.shared.file);
	if (stat(path, &st) != 0)
		return;
	if (v->name) {
		char name[64];
		ssize_t n = readlink(path, name, sizeof name - 1);
		name[n > 0 ? n : 0] = 0;
		name[strcspn(name, " ")] = 0;
		v->file = v->on_disk ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
				     : memfd_create(*v->name ? v->name : name + strlen("/memfd:"), MFD_ALLOW_SEALING);
		if (v->on_disk && v->file >= 0)
			unlink(name);
	}
	if (ftruncate(v->file, v->small ? 16 : st.st_size) != 0 || (v->seals && fcntl(v->file, F_ADD_SEALS, v->seals) != 0) ||
	    fstat(v->file, &st) != 0)
		_exit(3);
	h.shared.owner.nonce++;
	h.shared.file = v->file;
	h.shared.inode = (uint64_t)st.st_ino;
	memcpy(blob, &h, sizeof h);
}

static int meet_with_file(void *context)
{
	struct victim *v = context;
	sccl_status_t status = meet(name_file, v, NULL);
	struct stat st;
	unsigned char bytes[4096];

	if (fstat(v->file, &st) != 0 || st.st_size == 0 || lseek(v->file, 0, SEEK_SET) != 0)
		return 2;
	for (ssize_t n; (n = read(v->file, bytes, sizeof bytes)) > 0;)
		for (ssize_t i = 0; i < n; i++)
			if (bytes[i])
				return 4; /* somebody wrote there */
	return status == SCCL_OK;
}

Test(forged, no_file_but_shared_memory_is_mapped)
{
	enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
	char path[] = "/tmp/sccl-forged-XXXXXX";
	struct victim plain = {.file = mkstemp(path)};
	struct victim other = {.name = "other", .seals = SEALS}, loose = {.name = ""}, shrinks = {.name = "", .seals = F_SEAL_GROW},
		      small = {.name = "", .seals = SEALS, .small = true}, on_disk = {.name = "", .on_disk = true};

	unlink(path);
	cr_expect(eq(int, apart(meet_with_file, &plain), 0), "a file of the user");
	cr_expect(eq(int, apart(meet_with_file, &other), 0), "memory of another program");
	cr_expect(eq(int, apart(meet_with_file, &loose), 0), "memory without seals");
	cr_expect(eq(int, apart(meet_with_file, &shrinks), 0), "memory that can be shortened");
	cr_expect(eq(int, apart(meet_with_file, &small), 0), "memory that is too small");
	if (access("/", W_OK) == 0) /* elsewhere a mount namespace would do */
		cr_expect(eq(int, apart(meet_with_file, &on_disk), 0), "a file with the name of memory");
	close(plain.file);
}

/* ---- other blobs ---- */

/* Rank 0 sends everyone a list of servers in which none is as it said. */
static void forge_servers(void *context, unsigned char *blob, size_t bytes, bool own)
{
	(void)context, (void)own;
	if (bytes == sizeof(uint32_t))
		memset(blob, 0x77, bytes);
}

static int meet_with_servers(void *context)
{
	sccl_carrier_t carrier = {0};
	sccl_comm_options_t options = {.carrier = &carrier, .server = 5};

	(void)context;
	return meet(forge_servers, NULL, &options) != SCCL_BOOTSTRAP || !strstr(sccl_error_text(), "changed the data of rank 1");
}

Test(forged, a_rank_hears_back_what_it_said)
{
	cr_expect(eq(int, apart(meet_with_servers, NULL), 0));
}

static void forge_answer(void *context, unsigned char *blob, size_t bytes, bool own)
{
	(void)context;
	if (!own)
		memset(blob, 0xee, bytes);
}

static int meet_with_answer(void *context)
{
	sccl_status_t status = meet(forge_answer, context, NULL);
	return status <= SCCL_OK || status >= SCCL_STATUSES || strlen(sccl_error_text()) > 300;
}

Test(forged, an_answer_without_an_end_is_cut)
{
	cr_expect(eq(int, apart(meet_with_answer, NULL), 0));
}

static void forge_nothing(void *context, unsigned char *blob, size_t bytes, bool own)
{
	(void)context, (void)blob, (void)bytes, (void)own;
}

static int read_board(void *context)
{
	struct forger f = {.rank = 0, .ranks = 1, .forge = forge_nothing};
	sccl_bootstrap_t b = forger_bootstrap(&f);
	sccl_comm_t *comm;
	char text[4096];

	(void)context;
	if (sccl_comm_create(&comm, 0, 1, &b, NULL) != SCCL_OK)
		return 1;
	struct board *board = comm_board(comm, 0);
	memset(board->fault_text, 'A', comm->boards.bytes - offsetof(struct board, fault_text));
	board->fault_status = 9999;
	board->fault = 2;
	board->abort_word = 1;
	sccl_status_t status = sccl_comm_status(comm, text, sizeof text);
	bool good = status > SCCL_OK && status < SCCL_STATUSES && strlen(text) < sizeof board->fault_text;
	board->fault_status = SCCL_OK;
	good = good && sccl_comm_status(comm, NULL, 0) != SCCL_OK;
	sccl_comm_free(comm);
	return !good;
}

Test(forged, a_board_is_read_with_care)
{
	cr_expect(eq(int, apart(read_board, NULL), 0));
}

/* ---- memory that peers can write into ---- */

/* Rank 1 writes over all that rank 0 shares with it, then over its own; rank 0 makes calls meanwhile. */
static sccl_status_t overwrites(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	int32_t in[10] = {0}, out[RING * 10];
	sccl_comm_options_t options = {.timeout = 0.5};

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);
	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, 10, NULL);
	if (status != SCCL_OK)
		return status;
	if (rank == 1)
		memset(comm->flags.bases[0], 0x41, (comm->flags.bytes + 4095) / 4096 * 4096);
	if (b->barrier(b->context) != 0)
		return SCCL_BOOTSTRAP;
	for (int call = 0; call < 3 && rank != 1; call++)
		(void)sccl_run(plan, in, out, 10, NULL);
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return SCCL_OK;
}

Test(forged, what_peers_write_into_flags_moves_no_rank_out_of_its_program)
{
	struct outcome out[RING];

	in_processes(overwrites, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}
