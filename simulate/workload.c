/* Reads a workload file, and derives the times of layers that give only operations from batch and teraflops. */

#include "simulate/workload.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(const struct json_place *at, const char *key, bool needed, char **out, struct error *e)
{
	struct json_place member = json_member(at, key);
	const char *s;

	if (!member.value && !needed)
		return true;
	if (!json_member_needed(at, key, &member, e) || !json_get_string(&member, &s, e))
		return false;
	*out = copy_string(s);
	return true;
}

/* A ratio of 0 or more, or above 0 if POSITIVE; *out is unchanged if the member is missing. */
static bool read_ratio(const struct json_place *at, const char *key, bool positive, double *out, struct error *e)
{
	struct json_place member = json_member(at, key);
	struct rational r;

	if (!member.value)
		return true;
	if (!json_get_rational(&member, &r, e))
		return false;
	*out = rational_double(r);
	if (r.num < 0 || (positive && r.num == 0))
		return json_fault(&member, e, positive ? "must be more than 0" : "must not be negative");
	return true;
}

/*
 * 1 teraflop/s is a million operations per µs. The backward pass computes the gradients of both inputs and parameters,
 * hence twice the forward time.
 */
static bool read_flops(const struct json_place *at, const struct workload *w, struct layer *l, struct error *e)
{
	struct json_place flops;
	int64_t n;

	if (!json_member_needed(at, "flops", &flops, e) || !json_get_integer(&flops, 0, INT64_MAX, &n, e))
		return false;
	if (w->teraflops <= 0)
		return json_fault(at, e, "the file has no \"teraflops\", and none were given");
	l->forward_us = (double)n * w->batch / w->teraflops / 1e6;
	l->backward_us = 2 * l->forward_us;
	return true;
}

/*
 * Cycles of a product of M x K by K x N: tiles share the arrays evenly; a tile takes its K multiplications, and its operands
 * rows + columns - 2 more until the last has come to the far corner.
 */
static double product_cycles(double m, double n, double k, const struct multiplier_arrays *a)
{
	return ceil(ceil(m / a->rows) * ceil(n / a->columns) / a->count) * (k + a->rows + a->columns - 2);
}

/* The batch is more rows of a product. Backward two products as large: for inputs and for parameters. */
static bool read_products(const struct json_place *at, const struct workload *w, const struct multiplier_arrays *a, struct layer *l,
			  struct error *e)
{
	struct json_place list = json_member(at, "products");
	size_t n, three;
	int side[3];

	if (!list.value)
		return json_fault(at, e, "has no \"products\" for arrays to compute");
	if (!json_array_length(&list, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place product = json_element(&list, i);
		if (!json_array_length(&product, &three, e))
			return false;
		if (three != 3)
			return json_fault(&product, e, "must be [m, n, k]");
		for (size_t k = 0; k < 3; k++) {
			struct json_place number = json_element(&product, k);
			if (!json_get_int(&number, 1, PRODUCT_SIDE_MAX, &side[k], e))
				return false;
		}
		l->forward_us += product_cycles((double)side[0] * w->batch, side[1], side[2], a) / a->gigahertz / 1e3;
	}
	l->backward_us = 2 * l->forward_us;
	return true;
}

/* A layer gives either its operations or measured times. */
static bool read_layer(const struct json_place *at, const struct workload *w, bool scaled, const struct multiplier_arrays *arrays,
		       struct layer *l, struct error *e)
{
	static const char *const keys[] = {"name", "parameters", "flops", "products", "forward_us", "backward_us", NULL};
	struct json_place parameters, times = json_member(at, "forward_us"), back = json_member(at, "backward_us");

	if (!json_object_with(at, keys, e) || !read_text(at, "name", true, &l->name, e) ||
	    !json_member_needed(at, "parameters", &parameters, e) ||
	    !json_get_integer(&parameters, 0, (int64_t)1 << 40, &l->parameters, e))
		return false;
	if (!times.value && !back.value && arrays)
		return read_products(at, w, arrays, l, e);
	if (!times.value && !back.value)
		return read_flops(at, w, l, e);
	if (json_member(at, "flops").value)
		return json_fault(at, e, "has both flops and times");
	if (scaled)
		return json_fault(at, e, "has times, which cannot be scaled to another batch or teraflops");
	return json_member_needed(at, "forward_us", &times, e) && json_member_needed(at, "backward_us", &back, e) &&
	       read_ratio(at, "forward_us", false, &l->forward_us, e) && read_ratio(at, "backward_us", false, &l->backward_us, e);
}

static bool read_layers(const struct json_place *at, bool scaled, const struct multiplier_arrays *arrays, struct workload *w, struct error *e)
{
	struct json_place list;
	size_t n;

	if (!json_member_needed(at, "layers", &list, e) || !json_array_length(&list, &n, e))
		return false;
	if (n < 1 || n > LAYERS_MAX)
		return json_fault(&list, e, "must have from 1 to %d layers", LAYERS_MAX);
	w->layers = new_array(struct layer, n);
	w->n_layers = n;
	for (size_t i = 0; i < n; i++) {
		struct json_place layer = json_element(&list, i);
		if (!read_layer(&layer, w, scaled, arrays, &w->layers[i], e))
			return false;
	}
	return true;
}

static bool read_workload(const struct json_place *at, int batch, double teraflops, const struct multiplier_arrays *arrays, struct workload *w,
			  struct error *e)
{
	static const char *const keys[] = {"format", "version", "name", "description", "source", "batch", "gradient_bytes", "teraflops",
					   "layers", NULL};
	struct json_place own, bytes;

	if (!json_object_with(at, keys, e) || !json_check_format(at, "sccl-workload", e) || !read_text(at, "name", true, &w->name, e) ||
	    !read_text(at, "description", false, &w->description, e) || !read_text(at, "source", false, &w->source, e) ||
	    !json_member_needed(at, "batch", &own, e) || !json_get_int(&own, 1, BATCH_MAX, &w->batch, e) ||
	    !json_member_needed(at, "gradient_bytes", &bytes, e) || !json_get_int(&bytes, 1, 16, &w->gradient_bytes, e) ||
	    !read_ratio(at, "teraflops", true, &w->teraflops, e))
		return false;
	if (batch)
		w->batch = batch;
	if (teraflops > 0)
		w->teraflops = teraflops;
	if (arrays) /* what they do at most; printed as the rate */
		w->teraflops = 2. * arrays->rows * arrays->columns * arrays->count * arrays->gigahertz / 1e3;
	return read_layers(at, batch || teraflops > 0 || arrays, arrays, w, e);
}

static char *path_of(const char *name, struct error *e)
{
	size_t n = strlen(name);

	if (strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0))
		return copy_string(name);
	char *file = zeroed(n + 6, 1);
	snprintf(file, n + 6, "%s.json", name);
	char *path = search_path_find("workloads", file);
	free(file);
	if (!path)
		error_set(e, ERROR_INPUT, name, "no such workload; --help lists them");
	return path;
}

struct workload *workload_open(const char *name, int batch, double teraflops, const struct multiplier_arrays *arrays, struct error *e)
{
	char *path = path_of(name, e);
	struct json_document *d = path ? json_document_open(path, e) : NULL;
	struct workload *w = NULL;

	if (d) {
		struct json_place top = json_top(d);
		w = new(struct workload);
		if (!read_workload(&top, batch, teraflops, arrays && arrays->count ? arrays : NULL, w, e)) {
			workload_free(w);
			w = NULL;
		}
		json_document_close(d);
	}
	free(path);
	return w;
}

void workload_free(struct workload *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_layers; i++)
		free(w->layers[i].name);
	free(w->layers);
	free(w->name);
	free(w->description);
	free(w->source);
	free(w);
}
