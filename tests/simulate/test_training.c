#include "played.h"
#include "simulate/training.h"
#include "simulate/workload.h"

TestSuite(training, .description = "an iteration of training");

/* A call of L bytes takes 2 + L µs. */
static struct simulator *one_hop(struct algorithm **a, double alpha)
{
	struct error e = {0};
	*a = HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 1");
	struct simulator *s = simulator_new(*a, &(struct simulation){.alpha = alpha, .beta = 1}, &e);
	cr_assert(ne(ptr, s, NULL));
	return s;
}

static struct iteration iterated(struct workload *w, int64_t bucket)
{
	struct iteration i;
	struct algorithm *a;
	struct simulator *s = one_hop(&a, 2);
	struct call_times *c = call_times_new(&s, 1);
	iteration_run(w, c, bucket, &i);
	call_times_free(c);
	simulator_free(s);
	algorithm_free(a);
	return i;
}

Test(training, layers_go_in_order_beside_the_backward_pass)
{
	/* Backward: c from 30 to 50, b to 60 (no parameters), a to 70. c's 40 bytes take 42, to 92; a's 10 bytes wait and take 12, to 104. */
	struct layer layers[] = {{"a", 10, 10, 10}, {"b", 0, 10, 10}, {"c", 40, 10, 20}};
	struct workload w = {.gradient_bytes = 1, .n_layers = 3, .layers = layers};
	struct iteration i = iterated(&w, 0);
	cr_expect(near(i.forward_us, 30));
	cr_expect(near(i.backward_us, 40));
	cr_expect(near(i.communication_us, 52));
	cr_expect(near(i.at_once_us, 122));
	cr_expect(near(i.overlapped_us, 104));
	cr_expect(near(i.overlapped_communication_us, 54));
	cr_expect(eq(int, i.calls, 2));
}

Test(training, a_bucket_waits_until_it_is_full_and_the_last_goes_as_it_is)
{
	struct layer layers[] = {{"a", 10, 10, 10}, {"b", 5, 10, 10}, {"c", 40, 10, 20}};
	struct workload w = {.gradient_bytes = 2, .n_layers = 3, .layers = layers};
	struct iteration i = iterated(&w, 81);
	/* c's 80 bytes wait for b's 10: 92 µs from 60 to 152; a's 20: 22. */
	cr_expect(eq(int, i.calls, 2));
	cr_expect(near(i.overlapped_us, 174));
	i = iterated(&w, 1000);
	cr_expect(eq(int, i.calls, 1));
	cr_expect(near(i.overlapped_us, i.at_once_us), "one bucket for all is one call after the backward pass");
	i = iterated(&w, 0);
	cr_expect(eq(int, i.calls, 3));
}

Test(training, the_fastest_serves_each_call)
{
	struct algorithm *a, *b;
	struct simulator *both[] = {one_hop(&a, 2), one_hop(&b, 1)};
	struct call_times *c = call_times_new(both, 2);
	cr_expect(near(call_time(c, 10), 11));
	cr_expect(near(call_time(c, 1), 2));
	cr_expect(near(call_time(c, 5), 6));
	cr_expect(near(call_time(c, 10), 11), "as it was");
	cr_expect(near(call_time(c, 0), 0));
	call_times_free(c);
	simulator_free(both[0]);
	simulator_free(both[1]);
	algorithm_free(a);
	algorithm_free(b);
}

/* Counted by those who published the networks and their implementations. */
Test(training, the_shipped_networks_have_the_parameters_that_are_known)
{
	static const struct {
		const char *name;
		int64_t parameters;
		double giga_flops; /* of the forward pass of a sample, from below; 0: not compared */
	} known[] = {
		{"alexnet", 61100840, 2 * 0.714},  {"vgg16", 138357544, 2 * 15.47}, {"resnet18", 11689512, 2 * 1.814}, {"resnet50", 25557032, 2 * 4.089},
		{"alphagozero", 1573620, 0.881}, {"fasterrcnn", 13258944, 8.108}, {"ncf", 11042704, 0},
		{"googlenet", 6998552, 2 * 1.582}, {"transformer", 63082496, 0},    {"llama2-7b", 6738415616, 0},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct error e = {0};
		struct workload *w = workload_open(known[i].name, 1, 1, NULL, &e);
		cr_assert(ne(ptr, w, NULL), "%s: %s", e.where, e.what);
		double forward = 0;
		for (size_t l = 0; l < w->n_layers; l++)
			forward += w->layers[l].forward_us;
		cr_expect(eq(i64, workload_gradient_bytes(w) / w->gradient_bytes, known[i].parameters), "%s", known[i].name);
		/* At 1 Tflop/s, a million operations take a µs. */
		if (known[i].giga_flops > 0)
			cr_expect(fabs(forward / 1e3 / known[i].giga_flops - 1) < 0.001, "%s: %g", known[i].name, forward);
		cr_expect(ne(ptr, w->source, NULL));
		workload_free(w);
	}
}
