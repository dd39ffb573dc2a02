/* What people type: names of machines with shapes and edits, and command lines. */
#include "tests/fuzz/targets.h"

#include "cli/arguments/costs.h"
#include "cli/arguments/options.h"
#include "cli/arguments/sizes.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "tests/fuzz/refusal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The product of all numbers in a name that do not end a word: about as many nodes as it may have. */
static double numbers(const char *s)
{
	double product = 1;

	for (bool word = false, after_digit = false; *s;) {
		if (!isdigit((unsigned char)*s)) {
			word = isalpha((unsigned char)*s) && !(after_digit && *s == 'x');
			after_digit = false;
			s++;
			continue;
		}
		after_digit = true;
		char *end;
		unsigned long x = strtoul(s, &end, 10);
		product *= !word && x > 1 ? (double)x : 1;
		s = end;
	}
	return product;
}

bool fuzz_name(const char *bytes, size_t n)
{
	enum { LARGEST = 2048 };
	struct error e = {0};
	struct text out = {0};

	if (memchr(bytes, '\0', n) || numbers(bytes) > LARGEST)
		return false;
	struct topology *t = topology_open_named(bytes, &e);
	refusal_check(t != NULL, &e);
	if (!t)
		return false;
	topology_write(t, &out, 0);
	text_free(&out);
	topology_free(t);
	return true;
}

struct every_option {
	const char *text, *path;
	bool flag;
	int whole, choice;
	double decimal, seconds;
	int64_t bytes;
	struct cost_option cost;
	struct step_overhead step_cost;
	struct words words;
	struct operands files;
};

static const char *const colours[] = {"red", "green", NULL};
static const struct option_row rows[] = {
	{"text", 't', "TEXT", "", OPTION(option_text, every_option, text)},
	{"path", 'o', "PATH", "", OPTION(option_path, every_option, path)},
	{"flag", 'f', NULL, "", OPTION(option_flag, every_option, flag)},
	{"whole", 'n', "N", "", OPTION_WHOLE(every_option, whole, 1, 4096)},
	{"choice", 'c', "WORD", "", OPTION_CHOICE(every_option, choice, colours)},
	{"decimal", 'd', "X", "", OPTION_DECIMAL(every_option, decimal, 0, 100, "a number")},
	{"seconds", 's', "SEC", "", OPTION(option_seconds, every_option, seconds)},
	{"bytes", 'b', "BYTES", "", OPTION(option_bytes, every_option, bytes)},
	{"cost", 'a', "US", "", OPTION(option_cost, every_option, cost)},
	{"step-cost", 0, "US", "", OPTION(option_step_cost, every_option, step_cost)},
	{"words", 'w', "WORD", "", OPTION(option_words, every_option, words)},
};
static const struct option_group groups[] = {OPTION_GROUP_OWN(rows)};

/* Does it ask for help, which ends the process? An abbreviation does, too. */
static bool asks_for_help(const char *word)
{
	if (word[0] != '-')
		return false;
	return word[1] == '-' ? word[2] && strchr("huv", word[2]) : strpbrk(word, "?hV") != NULL;
}

bool fuzz_options(const char *bytes, size_t n)
{
	enum { WORDS = 24 };
	static const struct usage usage = {
		.about = "", USAGE_GROUPS(groups), USAGE_FILES(every_option, files)};
	struct error e = {0};
	struct every_option read = {0};
	char *copy = malloc(n + 1), *argv[WORDS + 1] = {(char[]){"fuzzed"}};
	int argc = 1;
	bool help = false;

	fuzz_need(copy, "no memory");
	memcpy(copy, bytes, n);
	copy[n] = '\0';
	for (char *word = copy; word <= copy + n && argc < WORDS; word += strlen(word) + 1) {
		word[strcspn(word, "\n")] = '\0';
		help |= asks_for_help(word);
		argv[argc++] = word;
	}
	bool ok = !help && options_read(argc, argv, &usage, &read, &e);
	if (!help)
		refusal_check(ok, &e);
	if (ok) {
		int64_t *sizes = NULL;
		size_t n_sizes = 0;
		struct error wrong = {0};
		bool good = read.text && sizes_read(read.text, &sizes, &n_sizes, &wrong);
		if (read.text)
			refusal_check(good, &wrong);
		free(sizes);
	}
	free(copy);
	return ok;
}
