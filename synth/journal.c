#include "synth/journal.h"

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct journal {
	char *path;
	int file;
	size_t n_entries, capacity;
	struct journal_entry *entries;
};

/* A machine, a collective: what answers hold for. One line without its end. */
static char *header(const struct problem *p)
{
	struct text topology = {0}, collective = {0}, line = {0};

	topology_write(p->topology, &topology, 0);
	collective_write(&p->collective, &collective, 0);
	text_add(&line, "{\"format\": \"sccl-journal\", \"version\": 1, \"topology\": ");
	text_add_json_string(&line, topology.bytes);
	text_add(&line, ", \"collective\": ");
	text_add_json_string(&line, collective.bytes);
	if (terms_any(&p->terms)) {
		text_add(&line, ", \"terms\": \"");
		terms_add(&p->terms, &line);
		text_add(&line, "\"");
	}
	text_add(&line, "}");
	text_free(&topology);
	text_free(&collective);
	return text_take(&line);
}

static bool read_send(const struct json_place *at, struct send *s, struct error *e)
{
	size_t n;
	int *const into[] = {&s->chunk, &s->src, &s->dst};

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 3)
		return json_fault(at, e, "must be [chunk, src, dst]");
	for (size_t i = 0; i < n; i++) {
		struct json_place number = json_element(at, i);
		if (!json_get_int(&number, 0, CHUNKS_MAX, into[i], e))
			return false;
	}
	return true;
}

/* [rounds, [chunk, src, dst], ..., "add", [chunk, src, dst], ...]: what comes after the word are reduces. */
static bool read_step(const struct json_place *at, struct step *s, struct error *e)
{
	size_t n, *count = &s->n_sends;

	if (!json_array_length(at, &n, e))
		return false;
	struct json_place rounds = json_element(at, 0);
	if (n < 1 || !json_get_int(&rounds, 1, ROUNDS_MAX, &s->rounds, e))
		return n < 1 ? json_fault(at, e, "must begin with the rounds") : false;
	s->sends = new_array(struct send, n);
	s->reduces = new_array(struct send, n);
	for (size_t i = 1; i < n; i++) {
		struct json_place send = json_element(at, i);
		if (json_is_string(send.value) && count == &s->n_sends)
			count = &s->n_reduces;
		else if (!read_send(&send, &(count == &s->n_sends ? s->sends : s->reduces)[*count], e))
			return false;
		else
			(*count)++;
	}
	return true;
}

static bool read_steps(const struct json_place *at, struct journal_entry *into, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	into->n_steps = n;
	into->steps = new_array(struct step, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place step = json_element(at, i);
		if (!read_step(&step, &into->steps[i], e))
			return false;
	}
	return true;
}

/* {"candidate": [C, S, R]} was refuted; with "steps" it was found. */
static bool read_entry(const struct json_place *at, struct journal_entry *into, struct error *e)
{
	static const char *const keys[] = {"candidate", "steps", NULL};
	struct json_place candidate, steps;
	struct send csr;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "candidate", &candidate, e) ||
	    !read_send(&candidate, &csr, e))
		return false;
	into->candidate = (struct candidate){csr.chunk, csr.src, csr.dst};
	steps = json_member(at, "steps");
	into->found = steps.value != NULL;
	return !into->found || read_steps(&steps, into, e);
}

static bool read_line(struct journal *j, const char *line, size_t number, struct error *e)
{
	struct text where = {0};
	text_add(&where, "%s line %zu", j->path, number);
	struct json_document *d = json_document_parse(line, where.bytes, e);
	text_free(&where);
	if (!d)
		return false;

	j->entries = grown(j->entries, &j->capacity, j->n_entries + 1, sizeof *j->entries);
	struct journal_entry *entry = &j->entries[j->n_entries++];
	*entry = (struct journal_entry){0};
	struct json_place top = json_top(d);
	bool ok = read_entry(&top, entry, e);
	json_document_close(d);
	return ok;
}

/* A last line without its end was torn by the kill: it is cut off, and what it said is asked again. */
static bool read_lines(struct journal *j, const char *wanted, struct error *e)
{
	struct text text = {0};
	if (!file_read(j->path, &text, e))
		return false;

	char *line = text.bytes, *end;
	bool ok = true;
	for (size_t number = 1; ok && line && (end = strchr(line, '\n')); line = end + 1, number++) {
		*end = '\0';
		if (number > 1)
			ok = read_line(j, line, number, e);
		else if (strcmp(line, wanted) != 0)
			ok = error_set(e, ERROR_INPUT, j->path, "is the journal of another machine or collective");
	}
	if (ok && line && truncate(j->path, line - text.bytes) != 0)
		ok = error_set(e, ERROR_SYSTEM, j->path, "%s", strerror(errno));
	text_free(&text);
	return ok;
}

static bool append(struct journal *j, const char *bytes, size_t n, struct error *e)
{
	while (n > 0) {
		ssize_t done = write(j->file, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_set(e, ERROR_SYSTEM, j->path, "%s", strerror(errno));
		bytes += done;
		n -= (size_t)done;
	}
	return fdatasync(j->file) == 0 || error_set(e, ERROR_SYSTEM, j->path, "%s", strerror(errno));
}

struct journal *journal_open(const char *path, const struct problem *p, bool resume, struct error *e)
{
	struct journal *j = new(struct journal);
	char *line = header(p);
	j->path = copy_string(path);
	j->file = -1;

	struct text first = {0};
	text_add(&first, "%s\n", line);
	bool there = resume && access(path, F_OK) == 0;
	bool ok = !there || read_lines(j, line, e);
	if (ok) {
		j->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (there ? 0 : O_TRUNC), 0666);
		ok = j->file >= 0 || error_set(e, ERROR_SYSTEM, path, "%s", strerror(errno));
	}
	if (ok && lseek(j->file, 0, SEEK_END) == 0)
		ok = append(j, first.bytes, first.length, e);
	text_free(&first);
	free(line);
	if (ok)
		return j;
	journal_close(j, false);
	return NULL;
}

const struct journal_entry *journal_find(const struct journal *j, struct candidate c)
{
	for (size_t i = 0; i < j->n_entries; i++) {
		struct candidate k = j->entries[i].candidate;
		if (k.chunks == c.chunks && k.steps == c.steps && k.rounds == c.rounds)
			return &j->entries[i];
	}
	return NULL;
}

bool journal_add(struct journal *j, const struct journal_entry *entry, struct error *e)
{
	struct text line = {0};
	struct candidate c = entry->candidate;

	text_add(&line, "{\"candidate\": [%d, %d, %d]", c.chunks, c.steps, c.rounds);
	for (size_t s = 0; entry->found && s < entry->n_steps; s++) {
		const struct step *step = &entry->steps[s];
		text_add(&line, "%s[%d", s ? ", " : ", \"steps\": [", step->rounds);
		for (size_t i = 0; i < step->n_sends; i++)
			text_add(&line, ", [%d, %d, %d]", step->sends[i].chunk, step->sends[i].src, step->sends[i].dst);
		for (size_t i = 0; i < step->n_reduces; i++)
			text_add(&line, "%s, [%d, %d, %d]", i ? "" : ", \"add\"", step->reduces[i].chunk, step->reduces[i].src,
				 step->reduces[i].dst);
		text_add(&line, "]");
	}
	text_add(&line, entry->found ? "]}\n" : "}\n");
	bool ok = append(j, line.bytes, line.length, e);
	text_free(&line);
	return ok;
}

void journal_close(struct journal *j, bool remove)
{
	if (!j)
		return;
	if (j->file >= 0)
		close(j->file);
	if (remove)
		unlink(j->path);
	for (size_t i = 0; i < j->n_entries; i++)
		steps_free(j->entries[i].steps, j->entries[i].n_steps);
	free(j->entries);
	free(j->path);
	free(j);
}
