/*
 * scandir, alphasort
 */
#define _GNU_SOURCE /* scandir, versionsort */
#include "runtime/nccl/catalog.h"

#include "runtime/core/utf8.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct catalog catalog;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool catalog_logs(void)
{
	const char *log = getenv("SCCL_LOG");
	return log && *log;
}

static void print_line(char *line)
{
	sccli_letters_plain(line);
	fprintf(stderr, "sccl-nccl: %s\n", line);
}

void catalog_log(const char *format, ...)
{
	char line[1024];
	va_list ap;

	if (!catalog_logs())
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	print_line(line);
}

static bool is_target(const char *target)
{
	return strcmp(target, "cuda") == 0 || strcmp(target, "hip") == 0 || strcmp(target, "host") == 0;
}

static int is_program(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);
	return n > 3 && strcmp(entry->d_name + n - 3, ".so") == 0;
}

static void load(const char *folder, const char *file)
{
	char path[4096], name[256];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
		return;
	snprintf(name, sizeof name, "%.*s", (int)strlen(file) - 3, file);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) { /* dlopen would block until a pipe is written to */
		catalog_log("%s is skipped: it is not a regular file", path);
		return;
	}
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const sccl_program_t *p = library ? dlsym(library, name) : NULL;
	if (!p)
		catalog_log("%s is skipped: %s", path, dlerror());
	else if (p->abi != SCCL_ABI)
		catalog_log("%s is skipped: it was generated for abi %u, but this is %u", path, p->abi, SCCL_ABI);
	else if (strcmp(p->target, catalog.target) != 0)
		catalog_log("%s is skipped: it is for %s", path, p->target);
	else
		catalog.programs[catalog.n++] = p;
}

double catalog_number(const char *name, double otherwise)
{
	const char *text = getenv(name);
	char *end;
	double value = text ? strtod(text, &end) : 0;
	return text && end != text && !*end && value >= 0 ? value : otherwise;
}

/* Programs are loaded in the same order everywhere, so that all ranks make the same choices. */
static void open_catalog(void)
{
	const char *folder = getenv("SCCL_NCCL_PROGRAMS"), *target = getenv("SCCL_NCCL_TARGET");
	struct dirent **entries;

	if (target && !is_target(target)) {
		char line[160];
		snprintf(line, sizeof line, "SCCL_NCCL_TARGET: there is no target \"%.64s\"; NCCL serves all calls", target);
		print_line(line);
		return;
	}
	int n = folder ? scandir(folder, &entries, is_program, alphasort) : 0;

	if (n < 0)
		catalog_log("SCCL_NCCL_PROGRAMS: %s cannot be read", folder);
	if (n <= 0)
		return;
	catalog.target = target ? target : "cuda";
	catalog.table = getenv("SCCL_NCCL_CHOICES");
	catalog.alpha = catalog_number("SCCL_NCCL_ALPHA", 3);            /* microseconds per step */
	catalog.beta = catalog_number("SCCL_NCCL_BETA", 1.0 / 25000.0); /* microseconds per byte: 25 GB/s per link */
	catalog.programs = calloc((size_t)n, sizeof *catalog.programs);
	for (int i = 0; i < n; i++) {
		if (catalog.programs)
			load(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

const struct catalog *catalog_open(void)
{
	pthread_once(&once, open_catalog);
	return catalog.n ? &catalog : NULL;
}

sccl_choice_t *catalog_choices(const struct catalog *c, uint32_t ranks, const char *collective, int32_t root, size_t *n)
{
	const sccl_program_t **fitting = calloc(c->n, sizeof *fitting);
	sccl_choice_t *choices = NULL;
	sccl_status_t status;
	size_t n_fitting = 0;

	*n = 0;
	for (size_t i = 0; fitting && i < c->n; i++)
		if (c->programs[i]->ranks == ranks)
			fitting[n_fitting++] = c->programs[i];
	if (c->table)
		status = sccl_choices_read(&choices, n, c->table, fitting, n_fitting, collective, root);
	else
		status = sccl_choices_cost(&choices, n, fitting, n_fitting, collective, root, c->alpha, c->beta);
	if (status != SCCL_OK)
		catalog_log("%s", sccl_error_text());
	free(fitting);
	return choices;
}
