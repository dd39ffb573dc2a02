/* Reads tables of choices: text files that `sccl-synth tune` writes and users may edit. The format is in
 * docs/reference/formats.md. */

#include "runtime/core/status.h"

#include <sccl/sccl.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 512, ROWS_MAX = 65536 };

static const char *const protocols[SCCL_PROTOCOLS] = {"plain", "packets", "shared", "multimem", "pull", "lines"};
static const char *const modes[SCCL_MODES] = {"one", "step", "none"};

const char *sccl_protocol_name(sccl_protocol_t protocol)
{
	return (unsigned)protocol < SCCL_PROTOCOLS ? protocols[protocol] : NULL;
}

const char *sccl_mode_name(sccl_mode_t mode)
{
	return (unsigned)mode < SCCL_MODES ? modes[mode] : NULL;
}

/* The position of a line, for error messages. */
struct choices_line {
	const char *path;
	int number;
	char *fields[6];
};

static sccl_status_t wrong(const struct choices_line *l, const char *what, const char *value)
{
	return sccli_fail(SCCL_INVALID, "%s:%d: %s \"%.64s\"", l->path, l->number, what, value);
}

static bool read_number(const char *text, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int find(const char *const *names, int n, const char *text)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

/* Fields: program, largest size in bytes of L or -, protocol, kernels, blocks or -, overlap. */
static sccl_status_t read_row(const struct choices_line *l, const sccl_program_t *const *programs, size_t n, sccl_choice_t *out)
{
	static const char *const answers[] = {"no", "yes"};
	uint64_t blocks = 0;
	int protocol = find(protocols, SCCL_PROTOCOLS, l->fields[2]), mode = find(modes, SCCL_MODES, l->fields[3]);
	int overlap = find(answers, 2, l->fields[5]);

	*out = (sccl_choice_t){.most_bytes = UINT64_MAX};
	for (size_t i = 0; i < n; i++)
		if (strcmp(programs[i]->name, l->fields[0]) == 0)
			out->program = programs[i];
	if (strcmp(l->fields[1], "-") != 0 && !read_number(l->fields[1], &out->most_bytes))
		return wrong(l, "must be a number of bytes or -, not", l->fields[1]);
	if (protocol < 0)
		return wrong(l, "there is no protocol", l->fields[2]);
	if (mode < 0)
		return wrong(l, "there is no kernel mode", l->fields[3]);
	if (strcmp(l->fields[4], "-") != 0 && (!read_number(l->fields[4], &blocks) || blocks < 1 || blocks > 1024))
		return wrong(l, "must be 1 to 1024 blocks or -, not", l->fields[4]);
	if (overlap < 0)
		return wrong(l, "must be yes or no, not", l->fields[5]);
	out->protocol = (sccl_protocol_t)protocol;
	out->mode = (sccl_mode_t)mode;
	out->blocks = (uint32_t)blocks;
	out->overlap = (uint32_t)overlap;
	return SCCL_OK;
}

/* Splits TEXT at blanks. Returns the number of fields; 7 if there are more than six. */
static int split(char *text, char *fields[6])
{
	static const char blanks[] = " \t\r\n";
	int n = 0;
	char *save = NULL;

	for (char *at = strtok_r(text, blanks, &save); at; at = strtok_r(NULL, blanks, &save)) {
		if (n == 6)
			return 7;
		fields[n++] = at;
	}
	return n;
}

static bool wanted(const sccl_choice_t *c, const char *collective, int32_t root)
{
	return c->program && strcmp(c->program->collective, collective) == 0 && c->program->root == root;
}

static sccl_status_t read_lines(FILE *f, struct choices_line *l, const sccl_program_t *const *programs, size_t n_programs,
                                const char *collective, int32_t root, sccl_choice_t **choices, size_t *n)
{
	char text[LINE];
	size_t room = 0;

	while (fgets(text, sizeof text, f)) {
		l->number++;
		if (!strchr(text, '\n') && !feof(f))
			return wrong(l, "the line is too long:", text);
		int fields = *text == '#' ? 0 : split(text, l->fields);
		if (fields == 0)
			continue;
		if (fields != 6)
			return wrong(l, "must be six fields, not those of", l->fields[0]);
		sccl_choice_t choice;
		sccl_status_t status = read_row(l, programs, n_programs, &choice);
		if (status != SCCL_OK)
			return status;
		if (!wanted(&choice, collective, root))
			continue;
		if (*n == room) {
			room = room ? 2 * room : 16;
			sccl_choice_t *more = room > ROWS_MAX ? NULL : realloc(*choices, room * sizeof **choices);
			if (!more)
				return sccli_fail(SCCL_NO_MEMORY, "%s: %s", l->path,
						  room > ROWS_MAX ? "too many rows" : "no memory for its rows");
			*choices = more;
		}
		(*choices)[(*n)++] = choice;
	}
	return ferror(f) ? sccli_fail(SCCL_SYSTEM, "%s: %s", l->path, strerror(errno)) : SCCL_OK;
}

/* Opens regular files only: opening or reading a pipe in its place could block forever. */
static FILE *open_table(const char *path)
{
	struct stat st;
	int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	errno = file >= 0 ? 0 : errno;
	FILE *f = file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(file, "r") : NULL;

	if (!f && file < 0)
		sccli_fail(SCCL_SYSTEM, "%s: %s", path, strerror(errno));
	else if (!f)
		sccli_fail(SCCL_SYSTEM, "%s: %s", path, errno == ENOMEM ? "no memory to read it" : "is not a readable file");
	if (!f && file >= 0)
		close(file);
	return f;
}

sccl_status_t sccl_choices_read(sccl_choice_t **choices, size_t *n, const char *path, const sccl_program_t *const programs[],
                                size_t n_programs, const char *collective, int32_t root)
{
	struct choices_line l = {.path = path};

	if (!choices || !n || !path || (!programs && n_programs) || !collective)
		return sccli_fail(SCCL_INVALID, "sccl_choices_read needs a path, programs, a collective and places");
	*choices = NULL;
	*n = 0;
	FILE *f = open_table(path);
	if (!f)
		return SCCL_SYSTEM;
	sccl_status_t status = read_lines(f, &l, programs, n_programs, collective, root, choices, n);
	fclose(f);
	if (status != SCCL_OK) {
		free(*choices);
		*choices = NULL;
		*n = 0;
	}
	return status;
}

void sccl_choices_free(sccl_choice_t *choices)
{
	free(choices);
}
