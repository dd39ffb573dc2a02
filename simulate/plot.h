#ifndef SCCL_SIMULATE_PLOT_H
#define SCCL_SIMULATE_PLOT_H

/* A picture of curves over sizes, as SVG: panels side by side, both axes logarithmic, one colour a curve. */

#include <stddef.h>
#include <stdint.h>

struct text;

struct panel {
	const char *title, *unit;
	const double *values; /* of curve c at size s: values[c * n_sizes + s]; none where not more than 0 */
};

struct plot {
	const char *title;
	size_t n_sizes, n_curves, n_panels;
	const int64_t *sizes;     /* bytes, ascending, more than 0 */
	const char *const *names; /* of the curves; any UTF-8 */
	const struct panel *panels;
};

void plot_write(const struct plot *p, struct text *into);

/* "1K", "96000K", "1000": bytes as people write them. */
enum { BYTES_TEXT = 32 };
const char *bytes_text(int64_t bytes, char text[BYTES_TEXT]);

#endif
