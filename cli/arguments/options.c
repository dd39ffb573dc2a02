/* Reads a command line with argp, from the groups of options that the command lists. */

#include "cli/arguments/options.h"

#include "cli/arguments/manual.h"
#include "cli/output/command.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of options: letters, or their numbers beyond all characters. */
enum { KEYS = 256 };

/* A row of a command's options, and where its value goes. */
struct known_option {
	const struct option_row *row;
	void *field;
};

struct option_reading {
	const struct usage *usage;
	char *options; /* the struct of the command */
	struct known_option *known;
	struct argp_option *argp; /* ends with a row of zeros */
	size_t n;
	const struct known_option *last; /* the option read by option_words that came last; NULL: none */
	bool help;
	struct error *e;
};

static void add_row(struct option_reading *r, const struct option_row *row, void *field)
{
	r->known[r->n] = (struct known_option){row, field};
	r->argp[r->n] = (struct argp_option){row->name, row->letter ? row->letter : KEYS + (int)r->n, row->argument, 0, row->help, 0};
	r->n++;
}

/* Lists the options of all groups, and --help, which every command takes. */
static void list_options(struct option_reading *r)
{
	static const struct option_row help = {"help", 'h', NULL, "print this help", option_flag, 0, 0, 0, NULL, NULL};
	const struct usage *u = r->usage;
	size_t n = 1;

	for (size_t g = 0; g < u->n_groups; g++)
		n += u->groups[g].n;
	r->known = new_array(struct known_option, n);
	r->argp = new_array(struct argp_option, n + 1);
	for (size_t g = 0; g < u->n_groups; g++)
		for (size_t i = 0; i < u->groups[g].n; i++)
			add_row(r, &u->groups[g].rows[i], r->options + u->groups[g].at + u->groups[g].rows[i].field);
	add_row(r, &help, &r->help);
}

static error_t read_value(struct option_reading *r, const struct known_option *o, const char *s)
{
	if (o->row->read == option_words)
		r->last = o;
	return o->row->read(o->row, s, o->field, r->e) ? 0 : EINVAL;
}

static error_t read_word(struct option_reading *r, const char *s, const char *command)
{
	if (r->last)
		return read_value(r, r->last, s);
	error_set(r->e, ERROR_INPUT, command, "\"%.128s\" must follow -t or -c", s);
	return EINVAL;
}

/* All operands at once: getopt has moved them to the end of argv. */
static error_t read_operands(struct option_reading *r, const struct argp_state *state)
{
	char **first = state->argv + state->next;

	if (!r->usage->operands) {
		error_set(r->e, ERROR_INPUT, state->name, "unexpected argument \"%.128s\"; this command takes only options", *first);
		return EINVAL;
	}
	*(struct operands *)(void *)(r->options + r->usage->operands_at) = (struct operands){first, (size_t)(state->argc - state->next)};
	return 0;
}

static error_t read_one(int key, char *s, struct argp_state *state)
{
	struct option_reading *r = state->input;

	if (key == ARGP_KEY_ARG && r->usage->extends)
		return read_word(r, s, state->name);
	if (key == ARGP_KEY_ARGS)
		return read_operands(r, state);
	if (key == ARGP_KEY_ERROR) {
		const char *at = state->next > 0 && state->next <= state->argc ? state->argv[state->next - 1] : "";
		error_set(r->e, ERROR_INPUT, state->name, "\"%.128s\" is not an option of this command or lacks its value; see --help", at);
		return 0;
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->argp[i].key == key)
			return read_value(r, &r->known[i], s);
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

static void check_operands(const struct usage *u, const char *options, const char *command, struct error *e)
{
	const struct operands *o = (const void *)(options + u->operands_at);

	if (u->operands && !u->extends && (o->n < u->least || (u->most && o->n > u->most)))
		error_set(e, ERROR_INPUT, command, "%s", u->operands_wrong);
}

/* With the single argument --print-manual or --print-options, prints those and ends the process. */
static void print_tables(int argc, char **argv, const struct usage *u)
{
	struct text s = {0};

	if (argc != 2 || strncmp(argv[1], "--print-", 8) != 0)
		return;
	if (strcmp(argv[1], "--print-manual") == 0)
		manual_write(argv[0], u, &s);
	else if (strcmp(argv[1], "--print-options") == 0)
		manual_options(u, &s);
	else
		return;
	fputs(s.bytes, stdout);
	text_free(&s);
	exit(fflush(stdout) == 0 && !ferror(stdout) ? STATUS_DONE : STATUS_FAILED);
}

bool options_read(int argc, char **argv, const struct usage *u, void *options, struct error *e)
{
	print_tables(argc, argv, u);
	struct option_reading r = {.usage = u, .options = options, .e = e};

	list_options(&r);
	const struct argp argp = {r.argp, read_one, u->operands, u->about, NULL, NULL, NULL};
	error_t result = argp_parse(&argp, argc, argv, ARGP_SILENT | (u->extends ? ARGP_IN_ORDER : 0), NULL, &r);
	if (r.help && e->kind == ERROR_NONE)
		print_help(&argp, argv[0]);
	free(r.known);
	free(r.argp);
	if (result && e->kind == ERROR_NONE)
		error_set(e, ERROR_INPUT, argv[0], "the options cannot be parsed");
	if (e->kind == ERROR_NONE)
		check_operands(u, options, argv[0], e);
	return e->kind == ERROR_NONE;
}

int operands_each(const struct operands *files, int (*run)(void *context, const char *path), void *context)
{
	int worst = STATUS_DONE;

	for (size_t i = 0; i < files->n && !interrupted; i++) {
		int status = run(context, files->at[i]);
		worst = status > worst ? status : worst;
	}
	return interrupted ? STATUS_INTERRUPTED : worst;
}
