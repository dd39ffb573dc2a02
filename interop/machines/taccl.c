/*
 * TACCL's profiled topologies: for each link beta, the time of a chunk, and alpha, for the chunk size in the name
 * ("NDv2_1MB"). Which GPUs are joined is in TACCL's code, by name: NDv2 is the hybrid cube mesh of eight V100, DGX2 and
 * others are GPUs behind a switch; "links" and "betas" state them in full.
 */

#include "interop/machines/readers.h"

#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/json.h"

#include <string.h>

enum { TACCL_GPUS_MAX = 256 };

/*
 * Files for other sizes than 1 MB count time in other units, so that alpha remains an integer: those in which the
 * published files of one machine agree.
 */
static const struct chunk_size {
	const char *suffix;
	struct rational us, megabytes; /* of a unit of time; of a chunk */
} chunk_sizes[] = {
	{"_1MB", {1, 1}, {1, 1}}, {"_32KB", {1, 10}, {1, 32}}, {"_1KB", {1, 100}, {1, 1024}},
};

/* 1: the faster of two kinds of link; 2: the slower. */
static const char ndv2[8][9] = {"01221000", "10210200", "22010010", "21100002", "10000122", "02001021", "00102201", "00022110"};

struct taccl {
	const struct machine_source *s;
	struct json_place top;
	const struct chunk_size *size;
	int gpus, switches;
	struct rational alpha;
	struct speed_links links;
};

static bool speed_at(const struct taccl *x, const struct json_place *at, struct rational *speed, struct error *e)
{
	struct rational beta;

	if (!json_get_decimal(at, &beta, e))
		return false;
	if (beta.num <= 0)
		return json_fault(at, e, "must be positive");
	/* GB/s = 1000 MB/us */
	*speed = rational_div(rational_mul(rational(1000, 1), x->size->megabytes), rational_mul(beta, x->size->us));
	return rational_ok(*speed) || json_fault(at, e, "is out of range");
}

static bool add_named(struct taccl *x, const char *name, struct error *e)
{
	struct json_place list, beta;
	struct rational speed[2];
	bool mesh = strncmp(name, "NDv2", 4) == 0 && x->gpus == 8;
	size_t n;

	if (!json_member_needed(&x->top, "node_betas_list", &list, e) || !json_array_length(&list, &n, e))
		return false;
	if (n != (mesh ? 2 : 1))
		return json_fault(&list, e, mesh ? "must have two entries" : "must have one entry");
	for (size_t i = 0; i < n; i++) {
		beta = json_element(&list, i);
		if (!speed_at(x, &beta, &speed[i], e))
			return false;
	}
	for (int a = 0; a < x->gpus; a++) {
		for (int b = 0; mesh && b < x->gpus; b++)
			if (ndv2[a][b] != '0')
				speeds_add(&x->links, a, b, speed[ndv2[a][b] - '1'], x->alpha, "nvlink");
		if (!mesh)
			speeds_add_both(&x->links, a, x->gpus, speed[0], rational_div(x->alpha, rational(2, 1)), "nvswitch");
	}
	x->switches = !mesh;
	return true;
}

static bool add_listed(struct taccl *x, const struct json_place *links, struct error *e)
{
	struct json_place betas;
	int linked;

	if (!json_member_needed(&x->top, "betas", &betas, e))
		return false;
	for (int dst = 0; dst < x->gpus; dst++)
		for (int src = 0; src < x->gpus; src++) {
			struct json_place rows[2] = {json_element(links, (size_t)dst), json_element(&betas, (size_t)dst)};
			struct rational speed;
			size_t n[2];
			for (int i = 0; i < 2; i++)
				if (!json_array_length(&rows[i], &n[i], e) || (n[i] != (size_t)x->gpus && !json_fault(&rows[i], e, "must have %d entries", x->gpus)))
					return false;
			struct json_place link = json_element(&rows[0], (size_t)src), beta = json_element(&rows[1], (size_t)src);
			if (!json_get_int(&link, 0, 1000000, &linked, e))
				return false;
			if (linked && src != dst && !speed_at(x, &beta, &speed, e))
				return false;
			if (linked && src != dst)
				speeds_add(&x->links, src, dst, speed, x->alpha, "link");
		}
	return true;
}

static bool read_head(struct taccl *x, const char **name, struct error *e)
{
	struct json_place called, gpus, alpha;

	if (!json_member_needed(&x->top, "name", &called, e) || !json_get_string(&called, name, e) ||
	    !json_member_needed(&x->top, "gpus_per_node", &gpus, e) || !json_get_int(&gpus, 1, TACCL_GPUS_MAX, &x->gpus, e) ||
	    !json_member_needed(&x->top, "alpha", &alpha, e) || !json_get_decimal(&alpha, &x->alpha, e))
		return false;
	const char *suffix = strrchr(*name, '_');
	for (size_t i = 0; suffix && i < sizeof chunk_sizes / sizeof *chunk_sizes; i++)
		if (strcmp(suffix, chunk_sizes[i].suffix) == 0)
			x->size = &chunk_sizes[i];
	if (!x->size && suffix && strlen(suffix) > 2 && strcmp(suffix + strlen(suffix) - 1, "B") == 0)
		return json_fault(&called, e, "ends in a chunk size whose unit of time is unknown; known are _1MB, _32KB and _1KB");
	if (!x->size)
		x->size = &chunk_sizes[0];
	return speeds_latency_us(x->alpha, x->size->us.num, x->size->us.den, &x->alpha) || json_fault(&alpha, e, "must be a latency, from 0 to 1000 s");
}

struct topology *read_taccl(const struct machine_source *s, struct error *e)
{
	struct taccl x = {.s = s};
	struct topology *t = NULL;
	struct json_document *d = json_document_parse(s->bytes, s->path, e);
	const char *name;

	if (d) {
		x.top = json_top(d);
		struct json_place links = json_member(&x.top, "links"), nics = json_member(&x.top, "nics_per_node");
		size_t rows;
		bool ok = read_head(&x, &name, e);
		if (ok && links.value)
			ok = json_array_length(&links, &rows, e) && (rows == (size_t)x.gpus || json_fault(&links, e, "must have %d rows", x.gpus)) &&
			     add_listed(&x, &links, e);
		else if (ok)
			ok = add_named(&x, name, e);
		struct speeds_head head = {s->path, s->name, NULL, "TACCL's profile of one box", x.gpus, x.switches};
		if (ok)
			t = speeds_topology(&head, &x.links, s->notes, e);
		if (t && nics.value)
			text_add(s->notes, "%s: the links between boxes are left out; join copies of the machine as in -t 'FILE*2:ib100'\n", s->path);
	}
	json_document_close(d);
	speeds_free(&x.links);
	return t;
}
