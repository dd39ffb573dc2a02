#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static bool scarce; /* opendir has no memory */

DIR *opendir(const char *path)
{
	int file = scarce ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (scarce)
		errno = ENOMEM;
	return file < 0 ? NULL : fdopendir(file);
}

static void make_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/sccl-test-file-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(folder), NULL));
	cr_assert(eq(int, chdir(folder), 0));
}

static void remove_folder(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_assert(eq(int, chdir("/"), 0));
	cr_assert(eq(int, system(command), 0));
}

TestSuite(file, .description = "files whole or not at all", .init = make_folder, .fini = remove_folder);

static void expect_content(const char *path, const char *wanted)
{
	struct error e = {0};
	struct text t = {0};
	cr_expect(file_read(path, &t, &e), "%s: %s", e.where, e.what);
	cr_expect(eq(str, t.bytes, (char *)wanted));
	text_free(&t);
}

static int entries(const char *path)
{
	int n = 0;
	DIR *d = opendir(path);
	for (struct dirent *entry; d && (entry = readdir(d));)
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

Test(file, is_written_and_read_back_and_nothing_else_is_left)
{
	struct error e = {0};
	cr_assert(file_write("a", "one", 3, &e));
	expect_content("a", "one");
	cr_assert(file_write("a", "", 0, &e));
	expect_content("a", "");
	cr_expect(eq(int, entries("."), 1));
}

Test(file, missing_folders_are_made)
{
	struct error e = {0};
	cr_assert(file_write("x/y/z.json", "{}", 2, &e), "%s: %s", e.where, e.what);
	expect_content("x/y/z.json", "{}");
	cr_expect(folder_make("x/y", &e));
	cr_expect(folder_make("x/y/", &e));
	cr_expect(folder_make("/", &e));
	cr_expect(folder_check("x/y/z/more", &e));
	cr_expect(ne(int, access("x/y/z", F_OK), 0), "it makes nothing");
	cr_expect(folder_check("new", &e));
	cr_expect(folder_check("/", &e));
}

Test(file, a_file_system_may_take_no_folders)
{
	struct error e = {0};
	cr_expect(not(folder_check("/proc/x", &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.where, "/proc"));
}

Test(file, a_name_that_is_missing_is_an_error_of_the_user)
{
	struct error e = {0};
	struct text t = {0};
	cr_expect(not(file_read("nowhere.json", &t, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.where, "nowhere.json"));
	cr_expect(eq(str, e.what, "No such file or directory"));
	text_free(&t);
}

Test(file, a_folder_is_not_read_or_written_as_a_file)
{
	struct error e = {0}, f = {0};
	struct text t = {0};
	cr_assert(folder_make("d", &e));
	cr_expect(not(file_read("d", &t, &e)));
	cr_expect(eq(str, e.what, "Is a directory"));
	cr_expect(not(file_write("d", "x", 1, &f)));
	cr_expect(eq(str, f.what, "Is a directory"));
	text_free(&t);
}

Test(file, a_file_is_not_a_folder)
{
	struct error e = {0}, f = {0};
	cr_assert(file_write("a", "x", 1, &e));
	cr_expect(not(folder_make("a/b", &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	e = (struct error){0};
	cr_expect(not(folder_check("a/b/c", &e)));
	cr_expect(eq(str, e.where, "a"));
	cr_expect(eq(str, e.what, "Not a directory"));
	cr_expect(not(file_write("a/b", "x", 1, &f)));
	expect_content("a", "x");
}

Test(file, a_pipe_is_written_to_and_stays_a_pipe)
{
	struct error e = {0};
	struct stat s;
	cr_assert(eq(int, mkfifo("pipe", 0600), 0));
	FILE *reader = fopen("pipe", "r+");
	cr_assert(ne(ptr, reader, NULL));
	cr_expect(file_write("pipe", "x\n", 2, &e), "%s: %s", e.where, e.what);
	cr_expect(eq(int, fgetc(reader), 'x'));
	fclose(reader);
	cr_assert(eq(int, stat("pipe", &s), 0));
	cr_expect(ne(int, S_ISFIFO(s.st_mode), 0));
}

Test(file, a_pipe_is_not_waited_for, .timeout = 10)
{
	struct error e = {0}, f = {0}, g = {0};
	struct text t = {0};
	cr_assert(eq(int, mkfifo("pipe", 0600), 0));
	cr_expect(not(file_read("pipe", &t, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.what, "is not a regular file"));
	cr_expect(not(file_write("pipe", "x", 1, &f)));
	cr_expect(eq(int, f.kind, ERROR_INPUT));
	cr_assert(eq(int, symlink("pipe", "link.json"), 0));
	cr_expect(not(file_read("link.json", &t, &g)));
	text_free(&t);
}

Test(file, streams_are_read_and_written_through_their_names)
{
	struct error e = {0}, f = {0}, g = {0};
	struct text t = {0};
	char name[32];
	int file = open("kept", O_RDWR | O_CREAT, 0600), full = open("/dev/full", O_WRONLY);

	cr_assert(file >= 0 && full >= 0);
	expect_content("/dev/null", "");
	snprintf(name, sizeof name, "/dev/fd/%d", file);
	cr_expect(file_write(name, "one", 3, &e), "%s: %s", e.where, e.what);
	expect_content("kept", "one");
	expect_content(name, "one");
	cr_expect(file_write("/dev/stdout", "", 0, &e) && file_write("/dev/stderr", "", 0, &e));
	snprintf(name, sizeof name, "/dev/fd/%d", full);
	cr_expect(not(file_write(name, "x", 1, &e)));
	cr_expect(eq(str, e.what, "No space left on device"));
	cr_expect(not(file_read("/dev/fd/1000", &t, &f)));
	cr_expect(eq(str, f.where, "/dev/fd/1000"));
	cr_expect(not(file_read("/proc/self/mem", &t, &g)));
	cr_expect(eq(str, g.what, "Input/output error"));
	close(file);
	close(full);
	text_free(&t);
}

Test(file, what_cannot_be_written_whole_changes_nothing)
{
	struct error e = {0}, f = {0};
	struct rlimit before, few;

	cr_assert(file_write("a", "old", 3, &e));
	cr_assert(eq(int, getrlimit(RLIMIT_FSIZE, &before), 0));
	few = before;
	few.rlim_cur = 4;
	signal(SIGXFSZ, SIG_IGN);
	cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &few), 0));
	bool written = file_write("a", "0123456789", 10, &e);
	cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &before), 0));
	cr_expect(not(written));
	cr_expect(eq(str, e.what, "File too large"));
	expect_content("a", "old");
	cr_expect(eq(int, entries("."), 1));
	cr_expect(not(file_write("/proc/a", "x", 1, &f)));
	cr_expect(eq(str, f.where, "/proc/a"));
}

Test(file, the_longest_name_is_written)
{
	struct error e = {0};
	char name[256];
	memset(name, 'a', 255);
	name[255] = 0;
	cr_expect(file_write(name, "x", 1, &e), "%s", e.what);
	expect_content(name, "x");
	cr_expect(eq(int, entries("."), 1));
}

Test(file, what_a_killed_writer_left_is_swept_and_what_another_writes_is_not)
{
	int left = open(".sccl-killed", O_WRONLY | O_CREAT, 0600), held = open(".sccl-writes", O_WRONLY | O_CREAT, 0600);
	cr_assert(left >= 0 && held >= 0);
	cr_assert(eq(int, flock(held, LOCK_EX), 0));
	close(left);
	cr_assert(eq(int, symlink("elsewhere", ".sccl-linked"), 0));
	folder_sweep(".");
	cr_expect(ne(int, access(".sccl-killed", F_OK), 0));
	cr_expect(eq(int, access(".sccl-writes", F_OK), 0));
	close(held);
	folder_sweep(".");
	cr_expect(ne(int, access(".sccl-writes", F_OK), 0));
}

static void expect_found(const char *name, const char *wanted)
{
	char *path = search_path_find("topologies", name);
	if (wanted)
		cr_expect(path && strcmp(path, wanted) == 0, "%s is not %s", path ? path : "none", wanted);
	else
		cr_expect(eq(ptr, path, NULL));
	free(path);
}

Test(search_path, goes_from_the_option_to_the_variable_to_the_working_folder, .init = make_folder, .fini = remove_folder)
{
	struct error e = {0};
	static const char *const made[] = {"topologies/here.json", "one/topologies/here.json", "one/topologies/a.json",
					   "two/topologies/a.json", "two/topologies/b.json", "first/topologies/b.json"};
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		cr_assert(file_write(made[i], "", 0, &e));
	setenv("SCCL_PATH", ":one::two:", 1);
	expect_found("a.json", "one/topologies/a.json");
	expect_found("b.json", "two/topologies/b.json");
	expect_found("here.json", "one/topologies/here.json");
	expect_found("none.json", NULL);
	search_path_first("first");
	expect_found("b.json", "first/topologies/b.json");
	unsetenv("SCCL_PATH");
	expect_found("here.json", "./topologies/here.json");
	expect_found("a.json", NULL);
}

Test(search_path, lists_its_folders_in_order, .init = make_folder, .fini = remove_folder)
{
	static const char *const wanted[] = {"first", "one", "two", "."};
	setenv("SCCL_PATH", "one:two", 1);
	search_path_first("first");
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		char *at = search_path_at(i);
		cr_expect(at && strcmp(at, wanted[i]) == 0);
		free(at);
	}
	size_t n = 0;
	for (char *at; (at = search_path_at(n)); n++)
		free(at);
	cr_expect(ge(sz, n, 5));
	cr_expect(le(sz, n, 6));
}

Test(file, a_folder_does_not_seem_empty_for_lack_of_memory, .exit_code = MEMORY_STATUS)
{
	cr_expect(eq(ptr, folder_open("nowhere"), NULL));
	scarce = true;
	folder_open(".");
}
