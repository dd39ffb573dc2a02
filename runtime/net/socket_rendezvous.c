/*
 * Admission of ranks at rank 0's socket. A poll loop handles any number of connections at once. Each one has
 * HELLO_SECONDS to send its hello, so a connection that is silent, sends garbage or closes cannot delay the others.
 */
#define _GNU_SOURCE /* accept4, POLLRDHUP */
#include "runtime/net/socket_rendezvous.h"

#include "runtime/core/clock.h"
#include "runtime/net/socket_io.h"
#include "runtime/net/socket_place.h"
#include "runtime/core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* HELLO_SECONDS: a rank sends its hello as soon as it is connected. SPARE: number of foreign connections that do not
 * delay any rank. */
enum { HELLO_SECONDS = 5, SPARE = 64, ACCEPTS_A_TURN = 64 };

/* A connection that has not sent its complete hello yet. */
struct pending_connection {
	int file;
	size_t got;
	double until;
	struct hello hello;
};

struct rendezvous {
	int listener;
	uint32_t ranks, missing;
	int *files;
	size_t n, most; /* pending connections, in order of arrival */
	struct pending_connection *pending;
	struct pollfd *polls; /* the listener, the pending connections, the admitted ranks */
	struct hello answer;  /* to all, but for its rank */
	char note[160];       /* about the last rejected connection */
};

static bool fill_token(char token[TOKEN_BYTES], const char *text, size_t n)
{
	if (n == 0 || n > TOKEN_BYTES) {
		sccli_fail(SCCL_INVALID, "a token (SCCL_TOKEN) has 1 to %d bytes, not %zu", TOKEN_BYTES, n);
		return false;
	}
	memcpy(token, text, n);
	return true;
}

static bool read_token_file(char token[TOKEN_BYTES], const char *path)
{
	char line[TOKEN_BYTES + 2] = "";
	struct stat st;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool good = file >= 0 && fstat(file, &st) == 0;
	const char *why = good ? NULL : strerror(errno);

	if (good && (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077) != 0))
		why = "it is not a file that only this user can read";
	ssize_t n = why ? 0 : read(file, line, sizeof line - 1);
	if (n < 0)
		why = strerror(errno);
	if (file >= 0)
		close(file);
	if (!why)
		return fill_token(token, line, strcspn(line, "\n"));
	sccli_fail(SCCL_INVALID, "cannot read the token in %.200s: %s", path, why);
	return false;
}

bool sccli_rendezvous_token(char token[TOKEN_BYTES])
{
	const char *text = getenv("SCCL_TOKEN");

	memset(token, 0, TOKEN_BYTES);
	if (!text)
		return true;
	return text[0] == '@' ? read_token_file(token, text + 1) : fill_token(token, text, strlen(text));
}

static void dismiss(struct rendezvous *d, size_t i)
{
	close(d->pending[i].file);
	d->pending[i].file = -1;
}

/* Removes connections that were closed or admitted from the list. */
static void sweep(struct rendezvous *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++)
		if (d->pending[i].file >= 0)
			d->pending[kept++] = d->pending[i];
	d->n = kept;
}

static void judge(struct rendezvous *d, size_t i)
{
	struct pending_connection *g = &d->pending[i];
	const struct hello *h = &g->hello;
	struct hello answer = d->answer;

	if (memcmp(h->magic, answer.magic, sizeof h->magic) != 0) {
		snprintf(d->note, sizeof d->note, "; the last to connect does not follow the ranks' protocol");
		dismiss(d, i);
		return;
	}
	if (memcmp(h->token, answer.token, sizeof h->token) != 0) {
		snprintf(d->note, sizeof d->note, "; the last to connect has another token");
		dismiss(d, i);
		return;
	}
	if (h->ranks != d->ranks || h->rank == 0 || h->rank >= d->ranks)
		answer.rank = RENDEZVOUS_ELSEWHERE;
	else if (d->files[h->rank] >= 0)
		answer.rank = RENDEZVOUS_TAKEN;
	if (answer.rank != RENDEZVOUS_WELCOME)
		snprintf(d->note, sizeof d->note, "; rank %u of %u tried to join a rendezvous of %u, which has no place for it", h->rank, h->ranks,
		         d->ranks);
	/* A new socket has room for this, so it never blocks. */
	bool sent = send(g->file, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof answer;
	if (!sent || answer.rank != RENDEZVOUS_WELCOME) {
		dismiss(d, i);
		return;
	}
	d->files[h->rank] = g->file;
	d->missing--;
	g->file = -1;
}

static void hear(struct rendezvous *d, size_t i)
{
	struct pending_connection *g = &d->pending[i];
	ssize_t n = recv(g->file, (char *)&g->hello + g->got, sizeof g->hello - g->got, MSG_DONTWAIT);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		dismiss(d, i);
		return;
	}
	g->got += (size_t)n;
	if (g->got == sizeof g->hello)
		judge(d, i);
}

/* If there is no room, closes the oldest connection that has not sent its hello. */
static bool make_room(struct rendezvous *d)
{
	if (d->n == 0)
		return false;
	dismiss(d, 0);
	sweep(d);
	return true;
}

/* 1: accepted or rejected; 0: no connection is waiting; -1: system error. */
static int accept_one(struct rendezvous *d)
{
	int file = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (file < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
		return 0;
	if (file < 0 && make_room(d))
		return 0;
	if (file < 0) {
		sccli_fail(SCCL_SYSTEM, "cannot accept a rank: %s", strerror(errno));
		return -1;
	}
	if (!sccli_place_is_ours(file)) {
		snprintf(d->note, sizeof d->note, "; a process was rejected: %.100s", sccl_error_text());
		close(file);
		return 1;
	}
	if (d->n == d->most)
		make_room(d);
	d->pending[d->n++] = (struct pending_connection){.file = file, .until = clock_seconds() + HELLO_SECONDS};
	return 1;
}

/* Also polls admitted ranks: if one disconnects, another connection may take its place. */
static size_t list_polls(struct rendezvous *d)
{
	size_t n = 0;

	d->polls[n++] = (struct pollfd){.fd = d->listener, .events = POLLIN};
	for (size_t i = 0; i < d->n; i++)
		d->polls[n++] = (struct pollfd){.fd = d->pending[i].file, .events = POLLIN};
	for (uint32_t r = 1; r < d->ranks; r++)
		d->polls[n++] = (struct pollfd){.fd = d->files[r], .events = POLLRDHUP}; /* negative: ignored by poll */
	return n;
}

static void look_at_ranks(struct rendezvous *d, const struct pollfd *polls)
{
	for (uint32_t r = 1; r < d->ranks; r++)
		if (polls[r - 1].fd >= 0 && polls[r - 1].revents) {
			close(d->files[r]);
			d->files[r] = -1;
			d->missing++;
		}
}

static void serve_pending(struct rendezvous *d, const struct pollfd *polls)
{
	double now = clock_seconds();

	for (size_t i = 0; i < d->n; i++)
		if (polls[i].revents)
			hear(d, i);
		else if (now > d->pending[i].until)
			dismiss(d, i);
	sweep(d);
}

static bool turn(struct rendezvous *d, double end)
{
	double until = end;
	for (size_t i = 0; i < d->n; i++)
		until = d->pending[i].until < until ? d->pending[i].until : until;
	size_t n = list_polls(d), pending = d->n;
	int there = poll(d->polls, n, clock_left(until));

	if (there < 0 && errno != EINTR) {
		sccli_fail(SCCL_SYSTEM, "cannot wait for ranks: %s", strerror(errno));
		return false;
	}
	if (there >= 0) {
		look_at_ranks(d, d->polls + 1 + pending);
		serve_pending(d, d->polls + 1);
	}
	for (int i = 0, more = there > 0 && d->polls[0].revents; more > 0 && i < ACCEPTS_A_TURN; i++)
		if ((more = accept_one(d)) < 0)
			return false;
	if (d->missing == 0 || clock_seconds() <= end)
		return true;
	sccli_fail(SCCL_TIMEOUT, "the other ranks did not join in time%s", d->note);
	return false;
}

bool sccli_rendezvous_admit(int listener, uint32_t ranks, int files[], double end)
{
	struct rendezvous d = {.listener = listener, .ranks = ranks, .missing = ranks - 1, .files = files, .most = ranks + SPARE,
	                       .answer = {HELLO_MAGIC, RENDEZVOUS_WELCOME, ranks, ""}};
	if (!sccli_rendezvous_token(d.answer.token))
		return false;
	d.pending = calloc(d.most, sizeof *d.pending);
	d.polls = calloc(1 + d.most + ranks, sizeof *d.polls);
	bool good = d.pending && d.polls;

	if (!good)
		sccli_fail(SCCL_NO_MEMORY, "no memory for %u sockets", ranks);
	while (good && d.missing > 0)
		good = turn(&d, end);
	for (size_t i = 0; i < d.n; i++)
		close(d.pending[i].file);
	free(d.pending);
	free(d.polls);
	return good;
}

bool sccli_rendezvous_enter(int file, uint32_t rank, uint32_t ranks, double end)
{
	struct hello hello = {HELLO_MAGIC, rank, ranks, ""}, answer;

	if (!sccli_rendezvous_token(hello.token))
		return false;
	if (!sccli_socket_send(file, 0, &hello, sizeof hello, end) || !sccli_socket_receive(file, 0, &answer, sizeof answer, end))
		return false;
	if (memcmp(answer.magic, hello.magic, sizeof answer.magic) != 0)
		sccli_fail(SCCL_SYSTEM, "the listener there does not answer as rank 0 does");
	else if (memcmp(answer.token, hello.token, sizeof answer.token) != 0)
		sccli_fail(SCCL_MISMATCH, "the listener there has another token");
	else if (answer.rank == RENDEZVOUS_TAKEN)
		sccli_fail(SCCL_MISMATCH, "rank %u has already joined the rendezvous", rank);
	else if (answer.rank != RENDEZVOUS_WELCOME || answer.ranks != ranks)
		sccli_fail(SCCL_MISMATCH, "rank %u of %u tried to join a rendezvous of %u, which has no place for it", rank, ranks, answer.ranks);
	else
		return true;
	return false;
}
