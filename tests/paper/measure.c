/* measure OUT COMMAND...: runs it and writes its CPU seconds and largest resident set (KiB), children included, to OUT.
 * Exits as the command did. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	int status;
	struct rusage use;

	if (argc < 3) {
		fputs("usage: measure OUT COMMAND...\n", stderr);
		return 2;
	}
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &use) != 0) {
		perror("measure");
		return 4;
	}
	FILE *out = fopen(argv[1], "w");
	if (!out || fprintf(out, "%.2f %ld\n", seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss) < 0 ||
	    fclose(out) != 0) {
		perror(argv[1]);
		return 4;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
