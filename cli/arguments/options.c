/* Reads the command line with argp. The options that a command takes are selected from the table of all options. */

#include "cli/output/command.h"
#include "cli/arguments/option_rows.h"
#include "cli/arguments/options.h"

#include "core/base/memory.h"
#include "prove/check.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 256 };

/* Every command takes --help. */
static bool is_taken(const struct option_row *r, const struct usage *u)
{
	return r->letter == 'h' || strchr(u->options, r->letter);
}

static int key_of(const struct option_row *r)
{
	return r->is_short ? r->letter : KEYS + r->letter;
}

struct option_reading {
	struct options *o;
	const struct usage *usage;
	struct error *e;
};

static error_t read_argument(struct option_reading *r, char *s, const struct argp_state *state)
{
	if (!r->usage->arguments) {
		error_set(r->e, ERROR_INPUT, state->name, "\"%.128s\" is not an option; nothing else is taken", s);
		return EINVAL;
	}
	if (r->usage->arguments == options_lists) {
		if (r->o->list)
			return option_word(r->o, r->o->list, s, r->e) ? 0 : EINVAL;
		error_set(r->e, ERROR_INPUT, state->name, "\"%.128s\" stands before -t and -c", s);
		return EINVAL;
	}
	size_t capacity = r->o->n_files;
	r->o->files = grown(r->o->files, &capacity, r->o->n_files + 1, sizeof *r->o->files);
	r->o->files[r->o->n_files++] = s;
	return 0;
}

static error_t read_one(int key, char *s, struct argp_state *state)
{
	struct option_reading *r = state->input;
	size_t n;
	const struct option_row *rows = option_rows(&n);

	if (key == ARGP_KEY_ARG)
		return read_argument(r, s, state);
	if (key == ARGP_KEY_ERROR) {
		const char *at = state->next > 0 && state->next <= state->argc ? state->argv[state->next - 1] : "";
		error_set(r->e, ERROR_INPUT, state->name, "\"%.128s\" is no option here, or lacks its value; --help lists them", at);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		if (key_of(&rows[i]) == key && is_taken(&rows[i], r->usage))
			return rows[i].read(r->o, s, r->e) ? 0 : EINVAL;
	return ARGP_ERR_UNKNOWN;
}

/* Prints the help and ends the process. With ARGP_SILENT, which suppresses argp's own error messages, argp prints no
 * help. */
static void print_help(const struct argp *argp, const char *command)
{
	char name[64];

	snprintf(name, sizeof name, "sccl-synth %s", command);
	argp_help(argp, stdout, ARGP_HELP_STD_HELP, name);
	if (fflush(stdout) == 0 && !ferror(stdout))
		exit(STATUS_DONE);
	fprintf(stderr, "sccl-synth: standard output: %s\n", strerror(errno));
	exit(STATUS_FAILED);
}

bool options_read(int argc, char **argv, const struct usage *u, struct options *o, struct error *e)
{
	size_t n_rows, n = 0;
	const struct option_row *rows = option_rows(&n_rows);
	struct argp_option *taken = new_array(struct argp_option, n_rows + 1);
	struct option_reading reading = {o, u, e};
	const struct argp argp = {taken, read_one, u->arguments, u->about, NULL, NULL, NULL};

	*o = (struct options){.k = 4, .jobs = 1, .keep = 2048, .budget = check_budget, .solve = {.engine = "auto"}};
	for (size_t i = 0; i < n_rows; i++)
		if (is_taken(&rows[i], u))
			taken[n++] = (struct argp_option){rows[i].name, key_of(&rows[i]), rows[i].argument, 0, rows[i].about, 0};
	error_t result = argp_parse(&argp, argc, argv, ARGP_SILENT | (u->arguments == options_lists ? ARGP_IN_ORDER : 0), NULL, &reading);
	if (o->help && e->kind == ERROR_NONE)
		print_help(&argp, argv[0]);
	free(taken);
	if (result && e->kind == ERROR_NONE)
		error_set(e, ERROR_INPUT, argv[0], "the options cannot be read");
	if (e->kind == ERROR_NONE && o->out && !*o->out)
		error_set(e, ERROR_INPUT, "-o", "a name is missing");
	if (e->kind == ERROR_NONE)
		return true;
	free(o->files);
	o->files = NULL;
	return false;
}
