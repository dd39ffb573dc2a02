/*
 * Serialization of messages: structs as raw bytes, since both sides are the same build, and the topology and collective
 * as JSON, read by the same code as files. Every read is checked against the length of the message; the version of the
 * solvers is compared, so that the answers do not depend on where they are computed.
 */

#include "synth/frontier/remote_messages.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "encode/answer.h"

#include <stdio.h>
#include <string.h>

void message_begin(struct text *m, enum message_kind kind, int number)
{
	struct message_head head = {(int)kind, number};
	text_add_bytes(m, &head, sizeof head);
}

static bool take(const struct text *m, size_t *at, void *into, size_t n)
{
	if (m->length - *at < n)
		return false;
	memcpy(into, m->bytes + *at, n);
	*at += n;
	return true;
}

bool message_head(const struct text *m, struct message_head *out)
{
	size_t at = 0;
	return take(m, &at, out, sizeof *out) && out->kind >= 0 && out->kind < MESSAGE_KINDS;
}

/* Including the NUL, which shows where the next one begins. */
static void add_string(struct text *m, const char *s)
{
	text_add_bytes(m, s, strlen(s) + 1);
}

static const char *take_string(const struct text *m, size_t *at)
{
	const char *s = m->bytes + *at;
	size_t n = strnlen(s, m->length - *at);

	if (*at + n == m->length)
		return NULL;
	*at += n + 1;
	return s;
}

/* ---- questions ---- */

struct question_head {
	struct candidate candidate;
	int direct;
	double timeout;
	size_t memory;
};

void message_add_question(struct text *m, const struct problem *p, struct candidate c, const struct solve_options *o)
{
	struct question_head head = {c, p->direct, o->timeout, o->memory};
	struct text topology = {0}, collective = {0};

	topology_write(p->topology, &topology, 0);
	collective_write(&p->collective, &collective, 0);
	text_add_bytes(m, &head, sizeof head);
	add_string(m, solve_version());
	add_string(m, o->engine ? o->engine : "auto");
	add_string(m, topology.bytes);
	add_string(m, collective.bytes);
	text_free(&topology);
	text_free(&collective);
}

static struct topology *read_topology(const char *s, struct error *e)
{
	return topology_read_document(json_document_parse(s, "question", e), e);
}

static bool read_collective(const char *s, int nodes, struct collective *out, struct error *e)
{
	struct collective one = {0};
	struct json_document *d = json_document_parse(s, "question", e);
	if (!d)
		return false;
	struct json_place top = json_top(d);
	bool ok = collective_read(&top, nodes, 1, &one, e);
	json_document_close(d);
	if (ok) {
		*out = collective_unscaled(&one);
		if (!out->custom)
			*out = collective_copy(&one);
		collective_free(&one);
	}
	return ok;
}

/* Opens the parts in order; on failure it closes those that are open. */
static bool open_parts(const struct question_head *h, const char *topology, const char *collective, struct asked *out,
		       struct error *e)
{
	out->topology = read_topology(topology, e);
	if (!out->topology)
		return false;
	if (read_collective(collective, out->topology->nodes, &out->collective, e)) {
		if ((h->direct ? problem_open_direct : problem_open)(out->topology, &out->collective, &out->problem, e)) {
			if (problem_instance(&out->problem, h->candidate, &out->instance, e))
				return true;
			problem_close(&out->problem);
		}
		collective_free(&out->collective);
	}
	topology_free(out->topology);
	return false;
}

bool message_read_question(const struct text *m, struct asked *out, struct error *e)
{
	struct question_head head;
	size_t at = sizeof(struct message_head);
	const char *version, *engine = NULL, *topology = NULL, *collective = NULL;

	*out = (struct asked){0};
	bool whole = take(m, &at, &head, sizeof head) && (version = take_string(m, &at)) && (engine = take_string(m, &at)) &&
		     (topology = take_string(m, &at)) && (collective = take_string(m, &at));
	if (!whole)
		return error_set(e, ERROR_SYSTEM, "question", "it cannot be read: it comes from another build");
	if (strcmp(version, solve_version()) != 0)
		return error_set(e, ERROR_SYSTEM, "question", "it asks for other solvers (%s) than there are (%s)", version,
				 solve_version());
	const struct engine *row = solve_engine(engine, e);
	if (!row)
		return false;
	out->options = (struct solve_options){.engine = row->name, .timeout = head.timeout, .memory = head.memory};
	return open_parts(&head, topology, collective, out, e);
}

void asked_close(struct asked *a)
{
	problem_instance_done(&a->instance);
	problem_close(&a->problem);
	collective_free(&a->collective);
	topology_free(a->topology);
	*a = (struct asked){0};
}

/* ---- answers ---- */

struct answer_head {
	double seconds;
	size_t peak_kib;
	char why[sizeof((struct solution *)0)->why];
};

void message_add_answer(struct text *m, const struct solution *got)
{
	struct answer_head head = {got->seconds, got->peak_kib, ""};

	snprintf(head.why, sizeof head.why, "%s", got->why);
	text_add_bytes(m, &head, sizeof head);
	add_string(m, got->engine);
	answer_add(m, got);
}

bool message_read_answer(const struct text *m, struct solution *out)
{
	struct answer_head head;
	size_t at = sizeof(struct message_head);
	const char *engine = NULL;
	struct error e = {0};

	*out = (struct solution){0};
	if (!take(m, &at, &head, sizeof head) || !(engine = take_string(m, &at)) || !answer_take(m, &at, out)) {
		steps_free(out->steps, out->n_steps);
		return false;
	}
	const struct engine *row = solve_engine(engine, &e);
	out->engine = row ? row->name : "auto";
	out->seconds = head.seconds;
	out->peak_kib = head.peak_kib;
	snprintf(out->why, sizeof out->why, "%.*s", (int)sizeof head.why - 1, head.why);
	return true;
}

/* ---- faults ---- */

void message_add_fault(struct text *m, const struct error *e)
{
	text_add_bytes(m, e, sizeof *e);
}

void message_read_fault(const struct text *m, struct error *e)
{
	size_t at = sizeof(struct message_head);

	if (!take(m, &at, e, sizeof *e) || e->kind <= ERROR_NONE || e->kind > ERROR_SYSTEM)
		*e = (struct error){ERROR_SYSTEM, "worker", "it failed without a message"};
	e->where[sizeof e->where - 1] = e->what[sizeof e->what - 1] = '\0';
}
