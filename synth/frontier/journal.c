/*
 * An append-only file: a header line that identifies the problem, then one line per answer, synced before the search
 * goes on. Lines are signed with this user's key (synth/frontier/signature.h), the header being part of the signed
 * message, so that a refutation cannot be moved to another problem. An entry that was read stays in memory, and the
 * linear search for it costs less than a solver.
 */

#include "synth/frontier/journal.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct journal {
	char *path, *header;
	int file;
	struct signing_key key;
	journal_note *note;
	size_t n_unsigned; /* refutations that were read and are not trusted */
	size_t n_entries, capacity;
	struct journal_entry *entries;
};

/* The machine, collective and constraints that the answers hold for, as one line without its newline. */
static char *header(const struct problem *p)
{
	struct text topology = {0}, collective = {0}, line = {0};

	topology_write(p->topology, &topology, 0);
	collective_write(&p->collective, &collective, 0);
	text_add(&line, "{\"format\": \"sccl-journal\", \"version\": 1, \"topology\": ");
	text_add_json_string(&line, topology.bytes);
	text_add(&line, ", \"collective\": ");
	text_add_json_string(&line, collective.bytes);
	if (constraints_any(&p->constraints)) {
		text_add(&line, ", \"terms\": \"");
		constraints_add(&p->constraints, &line);
		text_add(&line, "\"");
	}
	text_add(&line, "}");
	text_free(&topology);
	text_free(&collective);
	return text_take(&line);
}

static void print_note(const struct journal *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print_note(const struct journal *j, const char *format, ...)
{
	struct text line = {0};
	va_list ap;

	va_start(ap, format);
	text_add_list(&line, format, ap);
	va_end(ap);
	if (j->note)
		j->note(j->path, line.bytes);
	text_free(&line);
}

/* A list of three integers; the i-th is from LEAST to MOST[i]. */
static bool read_three(const struct json_place *at, int least, const int most[3], int *const into[3], const char *form, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 3)
		return json_fault(at, e, "must be %s", form);
	for (size_t i = 0; i < n; i++) {
		struct json_place number = json_element(at, i);
		if (!json_get_int(&number, least, most[i], into[i], e))
			return false;
	}
	return true;
}

static bool read_send(const struct json_place *at, struct send *s, struct error *e)
{
	static const int most[] = {CHUNKS_MAX, NODES_MAX, NODES_MAX};

	return read_three(at, 0, most, (int *const[]){&s->chunk, &s->src, &s->dst}, "[chunk, src, dst]", e);
}

static bool read_candidate(const struct json_place *at, struct candidate *c, struct error *e)
{
	static const int most[] = {CHUNKS_MAX, STEPS_MAX, ROUNDS_MAX};

	return read_three(at, 1, most, (int *const[]){&c->chunks, &c->steps, &c->rounds}, "[chunks, steps, rounds]", e) &&
	       (c->rounds >= c->steps || json_fault(at, e, "each step needs a round"));
}

/* [rounds, [chunk, src, dst], ..., "add", [chunk, src, dst], ...]: reductions follow the word. */
static bool read_step(const struct json_place *at, struct step *s, struct error *e)
{
	size_t n, *count = &s->n_sends;

	if (!json_array_length(at, &n, e))
		return false;
	struct json_place rounds = json_element(at, 0);
	if (n < 1 || !json_get_int(&rounds, 1, ROUNDS_MAX, &s->rounds, e))
		return n < 1 ? json_fault(at, e, "must begin with the number of rounds") : false;
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
	int64_t rounds = 0;
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != (size_t)into->candidate.steps)
		return json_fault(at, e, "must be %d steps, not %zu", into->candidate.steps, n);
	into->n_steps = n;
	into->steps = new_array(struct step, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place step = json_element(at, i);
		if (!read_step(&step, &into->steps[i], e))
			return false;
		rounds += into->steps[i].rounds;
	}
	return rounds <= into->candidate.rounds || json_fault(at, e, "takes more than %d rounds", into->candidate.rounds);
}

/* {"candidate": [C, S, R]} is a refutation; with "steps" the candidate was found. */
static bool read_entry(const struct json_place *at, struct journal_entry *into, struct error *e)
{
	static const char *const keys[] = {"candidate", "steps", "signature", NULL};
	struct json_place candidate, steps;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "candidate", &candidate, e) ||
	    !read_candidate(&candidate, &into->candidate, e))
		return false;
	steps = json_member(at, "steps");
	into->found = steps.value != NULL;
	return !into->found || read_steps(&steps, into, e);
}

static const char before_signature[] = ", \"signature\": \"", behind_signature[] = "\"}";

/* Does LINE end in a valid signature of what precedes it? */
static bool is_signed(const struct journal *j, const char *line)
{
	struct text tail = {0};
	char hex[65];
	size_t n = strlen(line), size = sizeof before_signature - 1 + 64 + sizeof behind_signature - 1;

	if (n < size || !signature_of(&j->key, j->header, line, n - size, hex))
		return false;
	text_add(&tail, "%s%s%s", before_signature, hex, behind_signature);
	bool same = strcmp(line + n - size, tail.bytes) == 0;
	text_free(&tail);
	return same;
}

static void keep(struct journal *j, const struct journal_entry *entry)
{
	j->entries = grown(j->entries, &j->capacity, j->n_entries + 1, sizeof *j->entries);
	j->entries[j->n_entries++] = *entry;
}

static void read_line(struct journal *j, const char *line, size_t length, size_t number)
{
	struct journal_entry entry = {0};
	struct error e = {0};
	struct json_document *d = json_document_parse(line, j->path, &e);
	struct json_place top = d ? json_top(d) : (struct json_place){0};

	if (strlen(line) != length)
		error_set(&e, ERROR_INPUT, j->path, "has a NUL byte");
	bool ok = d && e.kind == ERROR_NONE && read_entry(&top, &entry, &e);
	if (!ok)
		print_note(j, "line %zu is damaged, so its candidate is solved again: %s", number, e.what);
	else if (!entry.found && !is_signed(j, line))
		j->n_unsigned++;
	else
		keep(j, &entry);
	if (!ok)
		steps_free(entry.steps, entry.n_steps);
	json_document_close(d);
}

/* A last line without a newline was being written when the search was killed: it is cut off and its question asked
 * again. */
static bool read_lines(struct journal *j, struct error *e)
{
	struct text text = {0};
	if (!file_read_open(j->file, j->path, &text, e)) {
		text_free(&text);
		return false;
	}

	char *line = text.bytes, *end, *last = text.bytes + text.length;
	bool ok = true;
	for (size_t number = 1; ok && line && (end = memchr(line, '\n', (size_t)(last - line))); line = end + 1, number++) {
		*end = '\0';
		if (number > 1)
			read_line(j, line, (size_t)(end - line), number);
		else if (strcmp(line, j->header) != 0)
			ok = error_set(e, ERROR_INPUT, j->path, "belongs to another machine or collective");
	}
	if (ok && line && ftruncate(j->file, line - text.bytes) != 0)
		ok = error_set(e, ERROR_SYSTEM, j->path, "%s", strerror(errno));
	text_free(&text);
	if (ok && j->n_unsigned)
		print_note(j, "%zu refutation%s not signed by a search of this user and version, so solved again", j->n_unsigned,
		    j->n_unsigned == 1 ? " is" : "s are");
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

/* Does the path hold a journal of another problem? A file that is no journal does not count. */
static bool is_of_another(const struct journal *j)
{
	static const char format[] = "{\"format\": \"sccl-journal\"";
	struct error ignored = {0};
	struct text text = {0};
	struct stat s;
	bool other = lstat(j->path, &s) == 0 && S_ISREG(s.st_mode) && file_read(j->path, &text, &ignored);

	if (other) {
		size_t n = strcspn(text.bytes, "\n");
		other = strncmp(text.bytes, format, sizeof format - 1) == 0 &&
			(strlen(j->header) != n || strncmp(text.bytes, j->header, n) != 0);
	}
	text_free(&text);
	return other;
}

/* An existing file is unlinked rather than written to: it may be a link to a file that is not ours. */
static bool begin(struct journal *j, struct error *e)
{
	if (is_of_another(j))
		return error_set(e, ERROR_INPUT, j->path, "belongs to another machine or collective; remove it or write elsewhere");
	do {
		if (unlink(j->path) != 0 && errno != ENOENT)
			return error_set(e, ERROR_SYSTEM, j->path, "%s", strerror(errno));
		j->file = open(j->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	} while (j->file < 0 && errno == EEXIST);
	return j->file >= 0 || error_set(e, ERROR_SYSTEM, j->path, "%s", strerror(errno));
}

static bool take_up(struct journal *j, struct error *e)
{
	struct stat s;

	j->file = file_open(j->path, O_RDWR | O_APPEND | O_NOFOLLOW, e);
	if (j->file < 0)
		return false;
	if (fstat(j->file, &s) == 0 && s.st_nlink != 1)
		return error_set(e, ERROR_INPUT, j->path, "has other hard links, so it may not be ours");
	return read_lines(j, e);
}

struct journal *journal_open(const char *path, const struct problem *p, bool resume, journal_note *note, struct error *e)
{
	struct journal *j = new(struct journal);
	struct text first = {0};
	struct stat s;

	j->path = copy_string(path);
	j->header = header(p);
	j->file = -1;
	j->key = signing_key_open();
	j->note = note;
	text_add(&first, "%s\n", j->header);
	bool ok = resume && lstat(path, &s) == 0 ? take_up(j, e) : begin(j, e);
	if (ok && lseek(j->file, 0, SEEK_END) == 0)
		ok = append(j, first.bytes, first.length, e);
	text_free(&first);
	if (ok)
		return j;
	j->note = NULL; /* nothing was taken from it, so that there is nothing to report */
	journal_close(j);
	return NULL;
}

struct journal_entry *journal_find(struct journal *j, struct candidate c)
{
	for (size_t i = 0; i < j->n_entries; i++) {
		struct candidate k = j->entries[i].candidate;
		if (!j->entries[i].doubted && k.chunks == c.chunks && k.steps == c.steps && k.rounds == c.rounds)
			return &j->entries[i];
	}
	return NULL;
}

void journal_doubt(struct journal *j, struct journal_entry *entry, const char *why)
{
	struct candidate c = entry->candidate;

	entry->doubted = true;
	print_note(j, "the algorithm for (%d,%d,%d) does not hold up, so the candidate is solved again: %s", c.chunks, c.steps, c.rounds, why);
}

bool journal_add(struct journal *j, const struct journal_entry *entry, struct error *e)
{
	struct text line = {0};
	struct candidate c = entry->candidate;
	char hex[65];

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
	text_add(&line, "%s", entry->found ? "]" : "");
	if (signature_of(&j->key, j->header, line.bytes, line.length, hex))
		text_add(&line, "%s%s%s\n", before_signature, hex, behind_signature);
	else
		text_add(&line, "}\n");
	bool ok = append(j, line.bytes, line.length, e);
	text_free(&line);
	return ok;
}

static void note_counts(const struct journal *j)
{
	size_t counted[2] = {0};

	for (size_t i = 0; i < j->n_entries; i++)
		counted[j->entries[i].found] += !j->entries[i].doubted;
	if (counted[0] || counted[1])
		print_note(j, "has %zu algorithm%s, verified before use, and %zu signed refutation%s of an interrupted search", counted[1],
		    plural((int64_t)counted[1]), counted[0], plural((int64_t)counted[0]));
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	note_counts(j);
	if (j->file >= 0)
		close(j->file);
	for (size_t i = 0; i < j->n_entries; i++)
		steps_free(j->entries[i].steps, j->entries[i].n_steps);
	free(j->entries);
	free(j->header);
	free(j->path);
	free(j);
}
