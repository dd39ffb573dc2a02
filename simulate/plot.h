#ifndef SCCL_SIMULATE_PLOT_H
#define SCCL_SIMULATE_PLOT_H

/* A plot of curves over sizes as SVG: panels next to each other, both axes logarithmic, one colour per curve. */

#include <stddef.h>
#include <stdint.h>

struct text;

/* One panel; all is borrowed. */
struct panel {
	const char *title, *unit;
	const double *values; /* of curve c at size s: values[c * n_sizes + s]; 0 or less: no point */
};

/* One plot; all is borrowed. */
struct plot {
	const char *title;
	size_t n_sizes, n_curves, n_panels;
	const int64_t *sizes;     /* bytes, ascending, positive */
	const char *const *names; /* of the curves; any UTF-8 */
	const struct panel *panels;
};

/* Appends the plot as an SVG document. */
void plot_write(const struct plot *p, struct text *into);

/* Bytes as people write them, in powers of 1024: "1K", "96000K", "1000". Returns TEXT. */
enum { BYTES_TEXT = 32 };
const char *bytes_text(int64_t bytes, char text[BYTES_TEXT]);

#endif
