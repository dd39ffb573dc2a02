/*
 * TE-CCL's inputs: "TopologyParams" name a machine that its code builds. These are the machines of that code: their
 * matrices, speeds in GB/s and latencies, with its numbers of GPUs; its switches come after all GPUs here.
 */

#include "interop/machines/readers.h"

#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/json.h"

#include <string.h>

struct te_ccl {
	const struct machine_source *s;
	struct json_place parameters;
	int chassis, side;
	struct rational alpha[2]; /* us */
	int nodes, switches;
	struct speed_links links;
};

/* Links of one box: digits are multiples of the speed. */
static const char dgx1[8][9] = {"02112000", "20120100", "11020020", "12200001", "20000211", "01002012", "00201102", "00011220"};
static const char amd[16][17] = {
	"0400200010000000", "4000010001100000", "0004001001100000", "0040000200010000", "2000041000000000", "0100401100000000",
	"0010110400000000", "0002014000000000", "1000000004002000", "0110000040000100", "0110000000040010", "0001000000400002",
	"0000000020000410", "0000000001004011", "0000000000101104", "0000000000020140",
};

static void add_box(struct te_ccl *x, const char *matrix, int n, int first, int64_t speed, struct rational latency, const char *kind)
{
	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++) {
			char digit = matrix[a * (n + 1) + b];
			if (digit != '0')
				speeds_add(&x->links, first + a, first + b, rational((digit - '0') * speed, 1), latency, kind);
		}
}

static bool build_dgx1(struct te_ccl *x, struct error *e)
{
	(void)e;
	x->nodes = 8;
	add_box(x, *dgx1, 8, 0, 25, x->alpha[0], "nvlink");
	return true;
}

/* Two boxes joined from GPU 0 of each to GPU 1 of the other; more through a switch. */
static bool build_ndv2(struct te_ccl *x, struct error *e)
{
	const struct rational slow = {25, 2}, near = {7, 10}, far = {13, 10};

	(void)e;
	x->nodes = 8 * x->chassis;
	for (int c = 0; c < x->chassis; c++)
		add_box(x, *dgx1, 8, 8 * c, 25, near, "nvlink");
	if (x->chassis == 2) {
		speeds_add(&x->links, 0, 9, slow, far, "network");
		speeds_add(&x->links, 8, 1, slow, far, "network");
	} else
		for (int c = 0; c < x->chassis; c++) {
			x->switches = 1;
			speeds_add(&x->links, 8 * c, x->nodes, slow, far, "network");
			speeds_add(&x->links, x->nodes, 8 * c + 1, slow, far, "network");
		}
	return true;
}

static bool build_dgx2(struct te_ccl *x, struct error *e)
{
	(void)e;
	x->nodes = 32;
	x->switches = 2;
	for (int v = 0; v < 32; v++)
		speeds_add_both(&x->links, v, 32 + v / 16, rational(125, 1), rational(7, 20), "nvswitch");
	for (int c = 0; c < 2; c++)
		for (int v = 0; v < 16; v += 2)
			speeds_add(&x->links, 16 * c + v + 1, 16 * (1 - c) + v, rational(25, 2), rational(26, 10), "network");
	return true;
}

/* In several boxes two GPUs share a network interface, and a switch joins these. */
static bool build_amd(struct te_ccl *x, struct error *e)
{
	(void)e;
	x->nodes = 16 * x->chassis;
	for (int c = 0; c < x->chassis; c++)
		add_box(x, *amd, 16, 16 * c, 50, x->alpha[0], "xgmi");
	if (x->chassis == 1)
		return true;
	x->switches = 8 * x->chassis + 1;
	for (int i = 0; i < 8 * x->chassis; i++) {
		speeds_add_both(&x->links, 2 * i, x->nodes + i, rational(25, 1), x->alpha[1], "network");
		speeds_add_both(&x->links, 2 * i + 1, x->nodes + i, rational(25, 1), x->alpha[1], "network");
		speeds_add_both(&x->links, x->nodes + i, x->nodes + x->switches - 1, rational(25, 1), x->alpha[1], "network");
	}
	return true;
}

/* Neighbours are by number, so the end of a row is next to the beginning of the following one. */
static bool build_mesh(struct te_ccl *x, struct error *e)
{
	struct json_place side;

	if (!json_member_needed(&x->parameters, "side_length", &side, e) || !json_get_int(&side, 2, 32, &x->side, e))
		return false;
	x->nodes = x->side * x->side;
	for (int a = 0; a < x->nodes; a++)
		for (int k = 0; k < 2; k++) {
			int b = a + (k ? x->side : 1);
			if (b < x->nodes)
				speeds_add_both(&x->links, a, b, rational(100, 1), x->alpha[0], "link");
		}
	text_add(x->s->notes, "%s: as in TE-CCL's code, the last node of a row is linked to the first of the next\n", x->s->path);
	return true;
}

static const struct te_ccl_machine {
	const char *name;
	bool (*build)(struct te_ccl *x, struct error *e);
	struct rational alpha_us; /* where the file gives none */
} machines[] = {
	{"DGX1", build_dgx1, {7, 10}}, {"NDv2", build_ndv2, {7, 10}}, {"DGX2", build_dgx2, {7, 20}}, {"AMD", build_amd, {7, 10}},
	{"Mesh", build_mesh, {7, 10}},
};

/* "alpha": seconds, of links in a box and between boxes. */
static bool read_alpha(struct te_ccl *x, struct rational otherwise, struct error *e)
{
	struct json_place list = json_member(&x->parameters, "alpha");
	size_t n;

	x->alpha[0] = otherwise;
	x->alpha[1] = rational(13, 10);
	if (!list.value)
		return true;
	if (!json_array_length(&list, &n, e))
		return false;
	for (size_t i = 0; i < n && i < 2; i++) {
		struct json_place one = json_element(&list, i);
		struct rational seconds;
		if (!json_get_decimal(&one, &seconds, e))
			return false;
		if (!speeds_latency_us(seconds, 1000000, 1, &x->alpha[i]))
			return json_fault(&one, e, "must be a latency in seconds");
	}
	return true;
}

static bool read_parameters(struct te_ccl *x, struct error *e)
{
	struct json_place name, chassis = json_member(&x->parameters, "chassis");
	const char *called;

	x->chassis = 1;
	if (!json_member_needed(&x->parameters, "name", &name, e) || !json_get_string(&name, &called, e) ||
	    (chassis.value && !json_get_int(&chassis, 1, 64, &x->chassis, e)))
		return false;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (strcmp(machines[i].name, called) == 0)
			return read_alpha(x, machines[i].alpha_us, e) && machines[i].build(x, e);
	return json_fault(&name, e, "is none of TE-CCL's machines: DGX1, NDv2, DGX2, AMD, Mesh");
}

struct topology *read_te_ccl(const struct machine_source *s, struct error *e)
{
	struct te_ccl x = {.s = s};
	struct topology *t = NULL;
	struct json_document *d = json_document_parse(s->bytes, s->path, e);

	if (d) {
		struct json_place top = json_top(d);
		if (json_member_needed(&top, "TopologyParams", &x.parameters, e) && read_parameters(&x, e)) {
			struct speeds_head head = {s->path, s->name, NULL, "TE-CCL's code and this input for it", x.nodes, x.switches};
			t = speeds_topology(&head, &x.links, s->notes, e);
		}
	}
	json_document_close(d);
	speeds_free(&x.links);
	return t;
}
