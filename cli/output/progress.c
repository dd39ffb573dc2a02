/* The progress line of a frontier search: carriage return, erase to the end of the line, and text cut to the width. */

#define _DEFAULT_SOURCE /* TIOCGWINSZ */
#include "cli/output/progress.h"

#include "cli/output/command.h"

#include "core/base/clock.h"
#include "core/base/text.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int columns(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void draw_line(struct progress *p, const char *line)
{
	fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
	fflush(stderr);
	p->drawn = true;
}

static void draw(void *context, const struct pareto_news *news)
{
	struct progress *p = context;
	struct text line = {0};

	text_add(&line, "%s: S=%d, %d point%s, %zu refuted, %zu open, %.1f s", printable(p->subject), news->steps, (int)news->n_points, plural((int64_t)news->n_points),
		 news->n_refuted, news->n_open, news->seconds);
	if (news->best.chunks)
		text_add(&line, "; best (%d,%d,%d)", news->best.chunks, news->best.steps, news->best.rounds);
	for (size_t i = 0; i < news->n_running; i++)
		text_add(&line, "%s(%d,%d,%d)", i ? " " : "; solving ", news->running[i].chunks, news->running[i].steps,
			 news->running[i].rounds);
	draw_line(p, line.bytes);
	text_free(&line);
}

void (*progress_callback(void))(void *context, const struct pareto_news *news)
{
	return isatty(STDERR_FILENO) ? draw : NULL;
}

void progress_show(struct progress *p, const char *line)
{
	if (isatty(STDERR_FILENO))
		draw_line(p, line);
}

void progress_doing(void *context, const char *what)
{
	struct progress *p = context;
	struct text line = {0};

	p->begun = p->begun > 0 ? p->begun : clock_seconds();
	text_add(&line, "%s: %s, %.0f s", printable(p->subject), what, clock_seconds() - p->begun);
	progress_show(p, line.bytes);
	text_free(&line);
}

void progress_print(struct progress *p, const char *line)
{
	progress_clear(p);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s\n", line);
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
