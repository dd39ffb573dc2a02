/*
 * same_order MOST FILE.so...: runs compiled programs (for the host, or for the GPU that is emulated) at all counts of a
 * list from 1 element up to MOST, in every protocol, with several numbers of blocks, and compares the bits of each element
 * of the result with those of all other calls. Inputs are f32 of very different sizes, so that the order in which they
 * are added shows. An element's inputs depend on its position alone.
 *
 * Exit status: 0 all bits are equal, also between the programs; 1 they are not, and the first difference is printed; 2 bad
 * usage; 4 a call failed.
 */

#include <sccl/device.h>
#include <sccl/sccl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, NAME_SIZE = 256 };

struct setting {
	sccl_protocol_t protocol;
	uint32_t blocks, overlap;
};

static const struct setting settings[] = {
	{SCCL_PLAIN, 0, 0}, {SCCL_PLAIN, 1, 0}, {SCCL_PLAIN, 3, 0}, {SCCL_PLAIN, 4, 1}, {SCCL_PACKETS, 1, 0}, {SCCL_PACKETS, 2, 0}, {SCCL_LINES, 1, 0}, {SCCL_LINES, 3, 0},
	{SCCL_SHARED, 1, 0}, {SCCL_SHARED, 3, 1}, {SCCL_PULL, 1, 0}, {SCCL_PULL, 3, 1},
};

/* The bits of every element of a result, of the first call that had it. */
struct known {
	uint32_t *bits;
	unsigned char *is;
	unsigned long compared;
};

static int complain(const char *what)
{
	fprintf(stderr, "same_order: %s: %s\n", what, sccl_error_text());
	return 4;
}

static float input(uint32_t rank, uint64_t i)
{
	uint64_t h = (i * 64 + rank + 1) * 0x9e3779b97f4a7c15u;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	h ^= h >> 32;
	union {
		uint32_t bits;
		float value;
	} x = {(uint32_t)(h & 0x807fffffu) | (uint32_t)(117 + (h >> 40) % 21) << 23}; /* 2^-10 to 2^10, of either sign */
	return x.value;
}

/* The position in L of the first element of a rank's result. */
static uint64_t base_of(const sccl_program_t *p, uint32_t rank, uint64_t count)
{
	return strcmp(p->collective, "reducescatter") == 0 ? sccl_cut(count, rank, p->ranks) : 0;
}

static int compare(const sccl_program_t *p, const struct setting *s, uint32_t rank, uint64_t count, const float *out, struct known *k)
{
	uint64_t base = base_of(p, rank, count), n = p->output_count(rank, count);

	for (uint64_t i = 0; i < n; i++) {
		uint32_t bits;
		memcpy(&bits, &out[i], sizeof bits);
		if (!k->is[base + i]) {
			k->is[base + i] = 1;
			k->bits[base + i] = bits;
		}
		k->compared++;
		if (k->bits[base + i] == bits)
			continue;
		printf("%s, %s, %u blocks, %llu elements: element %llu at rank %u has the bits %08x, elsewhere %08x\n", p->name,
		       sccl_protocol_name(s->protocol), s->blocks, (unsigned long long)count, (unsigned long long)(base + i), rank, bits,
		       k->bits[base + i]);
		return 1;
	}
	return 0;
}

struct ranks {
	sccl_comm_t *comms[RANKS_MAX];
	sccl_memory_t *in[RANKS_MAX], *out[RANKS_MAX];
	void *inputs[RANKS_MAX], *outputs[RANKS_MAX];
	sccl_stream_t streams[RANKS_MAX]; /* NULL on the host */
};

/* The emulated driver's; NULL until a program for it was loaded. */
static int (*stream_create)(sccl_stream_t *stream, unsigned flags), (*stream_wait)(sccl_stream_t stream);

static int make_streams(const sccl_program_t *p, struct ranks *r)
{
	if (strcmp(p->target, "host") == 0)
		return 1;
	void *driver = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
	*(void **)&stream_create = driver ? dlsym(driver, "cudaStreamCreateWithFlags") : NULL;
	*(void **)&stream_wait = driver ? dlsym(driver, "cudaStreamSynchronize") : NULL;
	for (uint32_t i = 0; i < p->ranks; i++)
		if (!stream_create || !stream_wait || stream_create(&r->streams[i], 1) != 0)
			return 0;
	return 1;
}

static int run_counts(const sccl_program_t *p, const struct setting *s, const struct ranks *r, sccl_plan_t *const *plans, uint64_t most,
                      struct known *k)
{
	for (uint64_t count = most;; count = count > 40 ? count * 5 / 8 : count - 1) {
		for (uint32_t i = 0; i < p->ranks; i++)
			memset(r->outputs[i], 0xee, p->output_count(i, count) * sizeof(float));
		if (sccl_run_all(plans, p->ranks, (const void *const *)r->inputs, r->outputs, count, r->streams) != SCCL_OK)
			return complain(p->name);
		for (uint32_t i = 0; i < p->ranks && r->streams[i]; i++)
			stream_wait(r->streams[i]);
		for (uint32_t i = 0; i < p->ranks; i++)
			if (compare(p, s, i, count, r->outputs[i], k))
				return 1;
		if (count == 1)
			return 0;
	}
}

static int run_settings(const sccl_program_t *p, const struct ranks *r, uint64_t most, struct known *k)
{
	int status = 0;

	for (size_t i = 0; i < sizeof settings / sizeof *settings && status == 0; i++) {
		const struct setting *s = &settings[i];
		if (!p->tables[s->protocol].words)
			continue;
		sccl_plan_t *plans[RANKS_MAX] = {NULL};
		const sccl_plan_options_t how = {.blocks = s->blocks, .protocol = s->protocol, .overlap = s->overlap, .symmetric_only = s->protocol != SCCL_PACKETS && s->protocol != SCCL_LINES};
		if (sccl_plans_create(plans, r->comms, p->ranks, p, SCCL_F32, SCCL_SUM, most, &how) != SCCL_OK)
			return complain(p->name);
		status = run_counts(p, s, r, plans, most, k);
		for (uint32_t j = 0; j < p->ranks; j++)
			sccl_plan_free(plans[j]);
	}
	return status;
}

static int run_program(const sccl_program_t *p, uint64_t most, struct known *k)
{
	struct ranks r = {{NULL}, {NULL}, {NULL}, {NULL}, {NULL}, {NULL}};
	const sccl_comm_options_t options = {.target = p->target, .timeout = 60};

	if (p->ranks > RANKS_MAX || !make_streams(p, &r) || sccl_comms_create(r.comms, p->ranks, NULL, &options) != SCCL_OK ||
	    sccl_memories_create(r.in, r.comms, p->ranks, NULL, most * sizeof(float)) != SCCL_OK ||
	    sccl_memories_create(r.out, r.comms, p->ranks, NULL, most * sizeof(float)) != SCCL_OK)
		return complain(p->name);
	for (uint32_t i = 0; i < p->ranks; i++) {
		r.inputs[i] = sccl_memory_at(r.in[i], 0);
		r.outputs[i] = sccl_memory_at(r.out[i], 0);
		for (uint64_t j = 0; j < most; j++)
			((float *)r.inputs[i])[j] = input(i, j);
	}
	int status = run_settings(p, &r, most, k);
	for (uint32_t i = 0; i < p->ranks; i++) {
		sccl_memory_free(r.in[i]);
		sccl_memory_free(r.out[i]);
	}
	sccl_comms_free(r.comms, p->ranks);
	return status;
}

static const sccl_program_t *load(const char *file)
{
	char name[NAME_SIZE];
	const char *slash = strrchr(file, '/');
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	snprintf(name, sizeof name, "%s", slash ? slash + 1 : file);
	name[strcspn(name, ".")] = 0;
	return library ? dlsym(library, name) : NULL;
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	struct known k = {calloc(most + 1, sizeof *k.bits), calloc(most + 1, 1), 0};
	int status = 0;

	if (most < 1 || !k.bits || !k.is) {
		fprintf(stderr, "usage: same_order MOST FILE.so...\n");
		return 2;
	}
	for (int i = 2; i < argc && status == 0; i++) {
		const sccl_program_t *p = load(argv[i]);
		if (!p) {
			fprintf(stderr, "same_order: %s: %s\n", argv[i], dlerror());
			return 2;
		}
		status = run_program(p, most, &k);
	}
	if (status == 0)
		printf("%lu elements compared, all bits equal\n", k.compared);
	free(k.bits);
	free(k.is);
	return status;
}
