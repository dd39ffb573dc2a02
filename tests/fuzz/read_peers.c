/* What other processes send, over sockets and between hosts of one search, and the tables that users edit. */
#include "tests/fuzz/targets.h"

#include "core/base/error.h"
#include "encode/engines.h"
#include "runtime/core/clock.h"
#include "runtime/net/socket_rendezvous.h"
#include "synth/frontier/remote_messages.h"
#include "tests/fuzz/refusal.h"

#include <sccl/sccl.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The first byte chooses the side: a rank that is answered, or rank 0 before whoever connects. */
static bool answered(const char *bytes, size_t n)
{
	int pair[2];

	fuzz_need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "no sockets");
	fuzz_need(send(pair[1], bytes, n, MSG_NOSIGNAL) == (ssize_t)n && shutdown(pair[1], SHUT_WR) == 0, "no answer is sent");
	bool in = sccli_rendezvous_enter(pair[0], 1, 2, clock_seconds() + 1);
	fuzz_need(in || refusal_is_line(sccl_error_text()), "a rank is refused without a line");
	close(pair[0]);
	close(pair[1]);
	return in;
}

static bool admitted(const char *bytes, size_t n)
{
	struct sockaddr_un here = {.sun_family = AF_UNIX};
	socklen_t size = sizeof here;
	int files[2] = {-1, -1}, listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), peer = socket(AF_UNIX, SOCK_STREAM, 0);

	/* A name of its own, which the kernel chooses. */
	fuzz_need(bind(listener, (struct sockaddr *)&here, sizeof here.sun_family) == 0 && listen(listener, 4) == 0 &&
	                  getsockname(listener, (struct sockaddr *)&here, &size) == 0 &&
	                  connect(peer, (struct sockaddr *)&here, size) == 0,
	          "no listener");
	fuzz_need(send(peer, bytes, n, MSG_NOSIGNAL) == (ssize_t)n && shutdown(peer, SHUT_WR) == 0, "nothing is sent");
	bool in = sccli_rendezvous_admit(listener, 2, files, clock_seconds() + 0.001);
	fuzz_need(in == (files[1] >= 0) && (in || refusal_is_line(sccl_error_text())), "a rendezvous fails without a line");
	if (files[1] >= 0)
		close(files[1]);
	close(listener);
	close(peer);
	return in;
}

bool fuzz_rendezvous(const char *bytes, size_t n)
{
	if (n < 1)
		return false;
	return *bytes & 1 ? admitted(bytes + 1, n - 1) : answered(bytes + 1, n - 1);
}

bool fuzz_choices(const char *bytes, size_t n)
{
	static const sccl_program_t ring = {.name = "ring", .collective = "allreduce", .root = -1};
	static const sccl_program_t tree = {.name = "tree", .collective = "allreduce", .root = -1};
	const sccl_program_t *programs[] = {&ring, &tree};
	sccl_choice_t *choices;
	size_t n_choices;

	bool ok = sccl_choices_read(&choices, &n_choices, fuzz_file(bytes, n), programs, 2, "allreduce", -1) == SCCL_OK;
	fuzz_need(ok || refusal_is_line(sccl_error_text()), "a table is refused without a line");
	sccl_choices_free(choices);
	return ok && n_choices > 0;
}

/* Behind the kind of message, whole messages come only from programs of the same build, but damage is noticed. */
bool fuzz_remote(const char *bytes, size_t n)
{
	struct text m = {0};
	struct message_head head;
	struct error e = {0};
	struct solution got = {0};
	bool ok = false;

	text_add_bytes(&m, bytes, n);
	if (message_head(&m, &head)) {
		ok = message_read_answer(&m, &got);
		if (ok)
			steps_free(got.steps, got.n_steps);
		message_read_fault(&m, &e);
	}
	text_free(&m);
	return ok;
}
