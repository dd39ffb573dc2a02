/* The tables of options as troff, and as lines for completion. */

#include "cli/arguments/manual.h"

#include "core/base/text.h"
#include "build_config.h"

#include <string.h>

/* Hyphens are minus signs, so that they can be copied, and no line begins a request. */
void manual_escape(const char *words, struct text *into)
{
	bool begins = true;

	for (const char *c = words; *c; c++) {
		if (begins && (*c == '.' || *c == '\''))
			text_add(into, "\\&");
		if (*c == '-' || *c == '\\')
			text_add(into, *c == '-' ? "\\-" : "\\e");
		else
			text_add_bytes(into, c, 1);
		begins = *c == '\n';
	}
}

/* N bytes of help: paragraphs, and lists whose lines begin with spaces. */
static void add_words(const char *words, size_t n, struct text *into)
{
	struct text part = {0};

	text_add_bytes(&part, words, n);
	for (const char *line = n ? part.bytes : ""; *line;) {
		size_t length = strcspn(line, "\n");
		struct text one = {0};
		text_add_bytes(&one, line, length);
		if (!length)
			text_add(into, ".PP\n");
		else {
			text_add(into, "%s", *line == ' ' ? ".br\n" : "");
			manual_escape(one.bytes + (*line == ' ' ? strspn(line, " ") : 0), into);
			text_add(into, "\n");
		}
		text_free(&one);
		line += length + (line[length] == '\n');
	}
	text_free(&part);
}

static void add_option(const struct option_row *r, struct text *into)
{
	text_add(into, ".TP\n.B ");
	if (r->letter)
		text_add(into, "\\-%c%s", r->letter, r->name ? ", " : "");
	if (r->name) {
		text_add(into, "\\-\\-");
		manual_escape(r->name, into);
	}
	if (r->argument) {
		text_add(into, "%s", r->name ? "=" : " ");
		text_add(into, "\\fI");
		manual_escape(r->argument, into);
		text_add(into, "\\fR");
	}
	text_add(into, "\n");
	manual_escape(r->help, into);
	text_add(into, "\n");
}

void manual_write(const char *command, const struct usage *u, struct text *into)
{
	const char *end = strchr(u->about, '\v');
	size_t before = end ? (size_t)(end - u->about) : strlen(u->about);

	text_add(into, ".TH SCCL\\-SYNTH\\-");
	for (const char *c = command; *c; c++)
		text_add(into, "%s%c", *c == '-' ? "\\" : "", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	text_add(into, " 1 \"\" \"sccl\\-synth %s\" \"User Commands\"\n.SH NAME\nsccl\\-synth\\-", SCCL_VERSION);
	manual_escape(command, into);
	text_add(into, " \\- ");
	add_words(u->about, strcspn(u->about, ".\n\v"), into);
	text_add(into, ".SH SYNOPSIS\n.B sccl\\-synth ");
	manual_escape(command, into);
	text_add(into, "\n[\\fIOPTION\\fR...]");
	if (u->operands) {
		text_add(into, "\n\\fI");
		manual_escape(u->operands, into);
		text_add(into, "\\fR");
	}
	text_add(into, "\n.SH DESCRIPTION\n");
	add_words(u->about, before, into);
	text_add(into, ".SH OPTIONS\n");
	for (size_t g = 0; g < u->n_groups; g++)
		for (size_t i = 0; i < u->groups[g].n; i++)
			add_option(&u->groups[g].rows[i], into);
	if (end) {
		const char *after = end + 1 + strspn(end + 1, "\n");
		text_add(into, ".SH NOTES\n");
		add_words(after, strlen(after), into);
	}
	text_add(into, ".SH SEE ALSO\n.BR sccl\\-synth (1)\n");
}

void manual_options(const struct usage *u, struct text *into)
{
	for (size_t g = 0; g < u->n_groups; g++)
		for (size_t i = 0; i < u->groups[g].n; i++) {
			const struct option_row *r = &u->groups[g].rows[i];
			text_add(into, "%s%s\t", r->name ? "--" : "", r->name ? r->name : "");
			if (r->letter)
				text_add(into, "-%c", r->letter);
			text_add(into, "\t%s\t", r->argument ? r->argument : "");
			for (size_t k = 0; r->choices && r->choices[k]; k++)
				text_add(into, "%s%s", k ? " " : "", r->choices[k]);
			text_add(into, "\t%s\n", r->help);
		}
	text_add(into, "--help\t-h\t\t\tprint this help\n");
}
