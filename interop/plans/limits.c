/*
 * What each consumer of plans takes, from their sources: msccl (NCCL 2.12), RCCL 2.18 to 2.27 (later ones load no plans),
 * Azure's executor, MSCCL++ 0.9. Past a limit they refuse the file, or write past an array.
 */

#include "interop/plans/limits.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const plan_consumer_names[] = {"mscclpp", "msccl", "rccl", "azure", NULL};

static const struct plan_limits {
	enum plan_format format;
	size_t steps, blocks, channel_blocks;
	int count, channels, name;
	bool all_stated;     /* size range and places are mandatory */
	bool strict_xml;     /* it has a reader of XML of its own */
	bool checks_chunks;  /* i_chunks and o_chunks must agree with nchunksperloop */
	const char *collectives[14];
} limits[CONSUMERS] = {
	[FOR_MSCCLPP] = {PLAN_MSCCLPP, 64, 0, 0, 0, 16, 0, false, false, false, {NULL}},
	[FOR_MSCCL] = {PLAN_MSCCL, 256, 216, 32, 71, 32, 63, false, true, true,
		       {"allreduce", "allgather", "reduce", "broadcast", "alltoall", "reduce_scatter", "custom"}},
	[FOR_RCCL] = {PLAN_MSCCL, 64, 64, 32, 71, 32, 0, true, true, false,
		      {"reduce", "broadcast", "allreduce", "reducescatter", "allgather", "send", "recv", "gather", "scatter", "alltoall", "alltoallv"}},
	[FOR_AZURE] = {PLAN_MSCCL, 256, 1024, 32, 71, 32, 0, true, true, false,
		       {"reduce", "broadcast", "allreduce", "reducescatter", "allgather", "send", "recv", "gather", "scatter", "alltoall", "alltoallv"}},
};

enum { ELEMENTS_MAX = 4096, MSCCL_OFFSETS_MAX = 32767, BARRIERS_MAX = 16, PLACES_MAX_OF_OP = 10 };

static void check_head(const struct foreign_plan *p, const struct plan_limits *l, const char *who, struct plan_faults *f)
{
	bool known = false;

	for (size_t i = 0; i < sizeof l->collectives / sizeof *l->collectives && l->collectives[i]; i++)
		known |= strcmp(l->collectives[i], p->collective) == 0;
	if (l->collectives[0] && !known)
		plan_fault(f, p, -1, -1, NULL, "%s knows no collective \"%.40s\"", who, p->collective);
	if (l->all_stated && (!p->sizes_stated || !p->places_stated))
		plan_fault(f, p, -1, -1, NULL, "%s needs %s", who, p->places_stated ? "minBytes and maxBytes" : "inplace and outofplace");
	if (l->name && strlen(p->name) > (size_t)l->name)
		plan_fault(f, p, -1, -1, NULL, "the name has more than %s's %d bytes", who, l->name);
	if (l->format == PLAN_MSCCL && p->channels > l->channels)
		plan_fault(f, p, -1, -1, NULL, "%d channels; %s takes at most %d", p->channels, who, l->channels);
	if (p->most_bytes && p->most_bytes < p->least_bytes)
		plan_fault(f, p, -1, -1, NULL, "is never selected: its most bytes are less than its least");
	if (!p->in_place && !p->out_of_place)
		plan_fault(f, p, -1, -1, NULL, "is never selected: neither for calls in place nor for others");
}

static void check_chunks(const struct foreign_plan *p, int rank, const char *who, struct plan_faults *f)
{
	int in = p->of[rank].chunks[PLAN_INPUT], out = p->of[rank].chunks[PLAN_OUTPUT];

	in *= p->kind == PLAN_ALLGATHER ? p->ranks : 1;
	out *= p->kind == PLAN_REDUCESCATTER ? p->ranks : 1;
	if ((in && in != p->chunks_per_loop) || (out && out != p->chunks_per_loop))
		plan_fault(f, p, rank, -1, NULL, "%s wants i_chunks and o_chunks to agree with nchunksperloop, %d", who, p->chunks_per_loop);
}

static void check_msccl_block(const struct foreign_plan *p, int rank, int block, const struct plan_limits *l, const char *who, struct plan_faults *f)
{
	const struct plan_block *b = &p->of[rank].blocks[block];

	if (b->n > l->steps)
		plan_fault(f, p, rank, block, NULL, "%zu steps; %s takes at most %zu", b->n, who, l->steps);
	if (b->channel >= p->channels && p->channels > 0)
		plan_fault(f, p, rank, block, NULL, "channel %d of %d", b->channel, p->channels);
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < b->ops[i].n_transfers; k++) {
			const struct plan_transfer *t = &b->ops[i].transfers[k];
			if (t->n > l->count)
				plan_fault(f, p, rank, block, &b->ops[i], "%d chunks at once; %s takes at most %d", t->n, who, l->count);
			if ((t->n_reads && t->reads[0].at > MSCCL_OFFSETS_MAX) || (t->n_writes && t->writes[0].at > MSCCL_OFFSETS_MAX))
				plan_fault(f, p, rank, block, &b->ops[i], "an offset beyond %d", MSCCL_OFFSETS_MAX);
		}
	for (int other = 0; other < block; other++) {
		const struct plan_block *o = &p->of[rank].blocks[other];
		if (o->channel == b->channel && ((b->send >= 0 && o->send == b->send) || (b->receive >= 0 && o->receive == b->receive)))
			plan_fault(f, p, rank, block, NULL, "has the same connection as thread block %d", other);
	}
}

static void check_msccl_rank(const struct foreign_plan *p, int rank, const struct plan_limits *l, const char *who, struct plan_faults *f)
{
	const struct plan_rank *r = &p->of[rank];
	size_t elements = 1 + (size_t)p->ranks + r->n, *sending = new_array(size_t, (size_t)p->channels + 1);
	size_t *receiving = new_array(size_t, (size_t)p->channels + 1);

	if (r->n > l->blocks)
		plan_fault(f, p, rank, -1, NULL, "%zu thread blocks; %s takes at most %zu", r->n, who, l->blocks);
	if (r->n == 0)
		plan_fault(f, p, rank, -1, NULL, "has no thread block; %s starts at least one", who);
	for (size_t b = 0; b < r->n && f->n < PLAN_FAULTS_MAX; b++) {
		int channel = r->blocks[b].channel;
		elements += r->blocks[b].n;
		check_msccl_block(p, rank, (int)b, l, who, f);
		if (channel < 0 || channel >= p->channels)
			continue;
		if ((r->blocks[b].send >= 0 && ++sending[channel] == l->channel_blocks + 1) ||
		    (r->blocks[b].receive >= 0 && ++receiving[channel] == l->channel_blocks + 1))
			plan_fault(f, p, rank, (int)b, NULL, "more than %zu peers over channel %d", l->channel_blocks, channel);
	}
	if (elements > ELEMENTS_MAX && l->all_stated)
		plan_fault(f, p, rank, -1, NULL, "%zu elements of XML; %s reads at most %d", elements, who, ELEMENTS_MAX);
	if (l->checks_chunks)
		check_chunks(p, rank, who, f);
	free(sending);
	free(receiving);
}

/* Their reader takes neither prologs, nor tabs before elements, nor line ends or single quotes inside one. */
static void check_text(const struct foreign_plan *p, const char *bytes, const char *who, struct plan_faults *f)
{
	bool inside = false;

	if (strstr(bytes, "<?"))
		plan_fault(f, p, -1, -1, NULL, "begins with <?xml ...?>, which %s cannot read", who);
	if (strstr(bytes, "\n\t"))
		plan_fault(f, p, -1, -1, NULL, "is indented by tabs, which %s cannot read", who);
	for (const char *c = bytes; *c; c++) {
		if (strncmp(c, "<!--", 4) == 0) {
			c = strstr(c, "-->");
			if (!c)
				return;
		}
		inside = *c == '<' || (inside && *c != '>');
		if (inside && (*c == '\n' || *c == '\'')) {
			plan_fault(f, p, -1, -1, NULL, "has a %s inside an element, which %s cannot read", *c == '\n' ? "line end" : "single quote", who);
			return;
		}
	}
}

static void check_mscclpp_block(const struct foreign_plan *p, int rank, int block, const struct plan_limits *l, struct plan_faults *f)
{
	const struct plan_block *b = &p->of[rank].blocks[block];

	if (b->listed_ops > l->steps)
		plan_fault(f, p, rank, block, NULL, "%zu ops; MSCCL++ takes at most %zu", b->listed_ops, l->steps);
	if (b->listed_channels > (size_t)l->channels)
		plan_fault(f, p, rank, block, NULL, "%zu channels or remote buffers of one type; MSCCL++ takes at most %d", b->listed_channels, l->channels);
	for (size_t i = 0; i < b->n; i++) {
		if (b->ops[i].listed > PLACES_MAX_OF_OP)
			plan_fault(f, p, rank, block, &b->ops[i], "more than 8 channels or 10 places in one op");
		if (b->ops[i].barrier >= BARRIERS_MAX)
			plan_fault(f, p, rank, block, &b->ops[i], "barrier %d; MSCCL++ has %d", b->ops[i].barrier, BARRIERS_MAX);
		if (b->ops[i].barrier >= 0 && (size_t)b->ops[i].barrier_blocks > p->of[rank].n)
			plan_fault(f, p, rank, block, &b->ops[i], "waits for %d thread blocks; the rank has %zu", b->ops[i].barrier_blocks, p->of[rank].n);
	}
}

static void check_mscclpp_rank(const struct foreign_plan *p, int rank, const struct plan_limits *l, struct plan_faults *f)
{
	const int *chunks = p->of[rank].chunks;

	for (size_t b = 0; b < p->of[rank].n && f->n < PLAN_FAULTS_MAX; b++)
		check_mscclpp_block(p, rank, (int)b, l, f);
	if (chunks[PLAN_INPUT] == 0 || chunks[PLAN_OUTPUT] == 0) /* the loader computes a remainder by each */
		plan_fault(f, p, rank, -1, NULL, "input_chunks or output_chunks is 0, by which MSCCL++ divides");
}

void plan_check_limits(const struct foreign_plan *p, enum plan_consumer consumer, const char *bytes, struct plan_faults *f)
{
	const struct plan_limits *l = consumer == FOR_ANY ? NULL : &limits[consumer];
	const char *who = consumer == FOR_ANY ? "" : plan_consumer_names[consumer];

	if (!l)
		return;
	if (l->format != p->format) {
		plan_fault(f, p, -1, -1, NULL, "is %s, which %s does not load", plan_format_names[p->format], who);
		return;
	}
	check_head(p, l, who, f);
	if (l->strict_xml)
		check_text(p, bytes, who, f);
	for (int r = 0; r < p->ranks && f->n < PLAN_FAULTS_MAX; r++) {
		if (p->format == PLAN_MSCCL)
			check_msccl_rank(p, r, l, who, f);
		else
			check_mscclpp_rank(p, r, l, f);
	}
}
