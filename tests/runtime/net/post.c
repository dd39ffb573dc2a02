#include "tests/runtime/net/post.h"

#include "tests/runtime/ring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct letter {
	uint32_t from;
	size_t bytes;
	struct letter *next;
	unsigned char data[];
};

/* What a carrier's context is: one rank's. */
struct box {
	struct post *post;
	uint32_t rank;
	struct letter *letters; /* the next first */
};

struct post {
	pthread_mutex_t lock;
	struct post_faults faults;
	int sent;
	struct box boxes[RING];
};

static void put(struct box *b, struct letter *l)
{
	struct letter **end = &b->letters;
	while (*end)
		end = &(*end)->next;
	*end = l;
}

/* The offset of the first piece lies behind 72 bytes of head: far out of any memory. */
static void spoil(struct letter *l)
{
	enum { OFFSET_OF_FIRST = 72 + 8 };
	if (l->bytes > OFFSET_OF_FIRST + 8)
		memset(l->data + OFFSET_OF_FIRST, 0x7f, 8);
	else
		l->bytes = 3;
}

enum { VALUE = 16 }; /* of the flag, in a letter's head */

static int post_send(void *context, uint32_t to, const void *data, size_t bytes, void **ticket)
{
	struct box *b = context;
	struct post *p = b->post;
	struct letter *l = malloc(sizeof *l + bytes);

	if (!l)
		return -1;
	*l = (struct letter){.from = b->rank, .bytes = bytes};
	memcpy(l->data, data, bytes);
	*ticket = p;
	pthread_mutex_lock(&p->lock);
	int number = ++p->sent;
	bool refused = p->faults.refused && number >= p->faults.refused, lost = number == p->faults.lost;
	if (number == p->faults.spoilt)
		spoil(l);
	if (number == p->faults.hasty)
		l->data[VALUE + 2]++;
	if (number == p->faults.cut)
		l->bytes /= 2;
	if (!refused && !lost)
		put(&p->boxes[to], l);
	pthread_mutex_unlock(&p->lock);
	if (refused || lost)
		free(l);
	return refused ? -1 : 0;
}

static int post_sent(void *context, void *ticket)
{
	(void)context, (void)ticket;
	return 1;
}

static int post_arrived(void *context, uint32_t *from, size_t *bytes)
{
	struct box *b = context;

	pthread_mutex_lock(&b->post->lock);
	const struct letter *l = b->letters;
	if (l) {
		*from = l->from;
		*bytes = l->bytes;
	}
	pthread_mutex_unlock(&b->post->lock);
	return l != NULL;
}

static int post_receive(void *context, void *data)
{
	struct box *b = context;

	pthread_mutex_lock(&b->post->lock);
	struct letter *l = b->letters;
	b->letters = l->next;
	pthread_mutex_unlock(&b->post->lock);
	memcpy(data, l->data, l->bytes);
	free(l);
	return 0;
}

struct post *post_open(struct post_faults faults)
{
	struct post *p = calloc(1, sizeof *p);

	if (!p)
		abort();
	pthread_mutex_init(&p->lock, NULL);
	p->faults = faults;
	for (uint32_t r = 0; r < RING; r++)
		p->boxes[r] = (struct box){.post = p, .rank = r};
	return p;
}

void post_close(struct post *p)
{
	for (int r = 0; r < RING; r++)
		while (p->boxes[r].letters) {
			struct letter *next = p->boxes[r].letters->next;
			free(p->boxes[r].letters);
			p->boxes[r].letters = next;
		}
	pthread_mutex_destroy(&p->lock);
	free(p);
}

bool post_failed(struct post *p)
{
	const struct post_faults *f = &p->faults;
	int first = f->lost | f->spoilt | f->cut | f->hasty | f->refused; /* one of them, as no test has two */

	pthread_mutex_lock(&p->lock);
	bool failed = first && p->sent >= first;
	pthread_mutex_unlock(&p->lock);
	return failed;
}

sccl_carrier_t post_carrier(struct post *p, uint32_t rank)
{
	return (sccl_carrier_t){&p->boxes[rank], post_send, post_sent, post_arrived, post_receive};
}
