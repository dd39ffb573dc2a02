/* Algorithms: read, built, verified, simulated, written as programs. */

#include "library/objects.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/schedule/collective.h"
#include "core/verify/verify.h"
#include "lower/lower.h"
#include "simulate/simulator.h"
#include "synth/builder/method.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sccls_algorithm_t *library_algorithm(struct algorithm *a)
{
	sccls_algorithm_t *object = zeroed(1, sizeof *object);

	object->algorithm = a;
	return object;
}

/* Takes A, which may be NULL with *e set, and leaves the library. */
static sccls_status_t give(struct algorithm *a, const struct error *e, sccls_algorithm_t **out)
{
	*out = a ? library_algorithm(a) : NULL;
	return library_leave(e);
}

sccls_status_t sccls_algorithm_open(const char *path, sccls_algorithm_t **out)
{
	struct error e = {0};

	if (!path || !out)
		return library_refuse("sccls_algorithm_open: no path, or nowhere to put the algorithm");
	library_enter();
	return give(algorithm_open(path, &e), &e, out);
}

/* From text, in full form. */
static struct algorithm *parse(const char *json, struct error *e)
{
	struct json_document *d = json_document_parse(json, "algorithm", e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;

	json_document_close(d);
	if (a && !algorithm_expand(a, e)) {
		algorithm_free(a);
		return NULL;
	}
	return a;
}

sccls_status_t sccls_algorithm_parse(const char *json, sccls_algorithm_t **out)
{
	struct error e = {0};

	if (!json || !out)
		return library_refuse("sccls_algorithm_parse: no text, or nowhere to put the algorithm");
	library_enter();
	return give(parse(json, &e), &e, out);
}

sccls_status_t sccls_build(const sccls_topology_t *t, const char *collective, int32_t root, const char *method, int32_t chunks,
                           sccls_algorithm_t **out)
{
	struct error e = {0};
	struct collective k = {0};
	struct text report = {0};
	struct method_options options = {.chunks = chunks};
	struct algorithm *a = NULL;

	if (!t || !collective || !method || !out || chunks < 0)
		return library_refuse("sccls_build: no machine, collective or method, nowhere to put the algorithm, or fewer than 0 chunks");
	library_enter();
	const struct method *m = method_find(method, &e);
	if (m && library_collective(t, collective, root, &k, &e))
		a = method_build(m, t->topology, &k, &options, &report, &e);
	text_free(&report);
	collective_free(&k);
	return give(a, &e, out);
}

const char *sccls_algorithm_name(const sccls_algorithm_t *a)
{
	return a ? a->algorithm->name : NULL;
}

sccls_cost_t sccls_algorithm_cost(const sccls_algorithm_t *a)
{
	if (!a)
		return (sccls_cost_t){0, 0, 0};
	return (sccls_cost_t){a->algorithm->chunks, (int32_t)a->algorithm->n_steps, algorithm_rounds(a->algorithm)};
}

const char *library_json(const sccls_algorithm_t *a)
{
	struct text json = {0};

	if (a->json)
		return a->json;
	algorithm_write(a->algorithm, &json);
	((sccls_algorithm_t *)a)->json = text_take(&json); /* under the lock */
	return a->json;
}

const char *sccls_algorithm_json(const sccls_algorithm_t *a)
{
	const struct error none = {0};

	if (!a)
		return NULL;
	library_enter();
	const char *json = library_json(a);
	library_leave(&none);
	return json;
}

sccls_status_t sccls_algorithm_save(const sccls_algorithm_t *a, const char *path)
{
	struct error e = {0};

	if (!a || !path)
		return library_refuse("sccls_algorithm_save: no algorithm or no path");
	library_enter();
	algorithm_save(a->algorithm, path, &e);
	return library_leave(&e);
}

void sccls_algorithm_free(sccls_algorithm_t *a)
{
	if (!a)
		return;
	algorithm_free(a->algorithm);
	free(a->json);
	free(a);
}

/* False with the library left, in *status. */
static bool verified(const sccls_algorithm_t *a, sccls_status_t *status)
{
	struct verdict v = algorithm_verify(a->algorithm);
	struct error e = {0};
	struct text why = {0};

	if (v.fault == FAULT_NONE)
		return true;
	if (v.fault == FAULT_LIMIT) {
		error_set(&e, ERROR_LIMIT, a->algorithm->name, "is not verified: %s", v.why);
		*status = library_leave(&e);
		return false;
	}
	text_add(&why, "%s: %s: %s", a->algorithm->name, fault_names[v.fault], v.why);
	*status = library_leave_no(why.bytes);
	text_free(&why);
	return false;
}

sccls_status_t sccls_verify(const sccls_algorithm_t *a)
{
	const struct error none = {0};
	sccls_status_t status;

	if (!a)
		return library_refuse("sccls_verify: no algorithm");
	library_enter();
	return verified(a, &status) ? library_leave(&none) : status;
}

sccls_status_t sccls_simulate(const sccls_algorithm_t *a, double bytes, double *microseconds)
{
	struct error e = {0};
	const struct simulation how = {.start = START_STEPS, .sharing = SHARING_FAIR, .alpha = -1};
	struct simulated result;
	sccls_status_t status;

	if (!a || !microseconds || !(bytes > 0) || bytes > 1e18)
		return library_refuse("sccls_simulate: no algorithm, nowhere to put the time, or bytes that are not more than 0 and at most 1e18");
	library_enter();
	if (!verified(a, &status))
		return status;
	struct simulator *s = simulator_new(a->algorithm, &how, &e);
	if (s) {
		simulator_run(s, bytes, &result);
		*microseconds = result.microseconds;
	}
	simulator_free(s);
	return library_leave(&e);
}

static bool write_part(const char *folder, const char *name, const char *suffix, const struct text *part, struct error *e)
{
	struct text path = {0};

	text_add(&path, "%s/%s%s", folder, name, suffix);
	bool ok = file_write(path.bytes, part->bytes, part->length, e);
	text_free(&path);
	return ok;
}

/* As the command: the program of another schedule is not replaced. */
static bool is_free(const char *folder, const struct lowered *l, struct error *e)
{
	struct text path = {0}, there = {0};

	text_add(&path, "%s/%s.h", folder, l->name);
	if (access(path.bytes, F_OK) == 0 && file_read(path.bytes, &there, e) && header_is_of_another(there.bytes, l->header.bytes))
		error_set(e, ERROR_INPUT, path.bytes, "belongs to another schedule with the same name; choose another folder");
	text_free(&path);
	text_free(&there);
	return e->kind == ERROR_NONE;
}

sccls_status_t sccls_lower(const sccls_algorithm_t *a, const char *target, const char *types, const char *ops, const char *folder, char **name)
{
	struct error e = {0};
	struct kernels kernels;
	struct lowered l = {0};
	sccls_status_t status;

	if (!a || !target || !folder || !*folder)
		return library_refuse("sccls_lower: no algorithm, target or folder");
	library_enter();
	if (!verified(a, &status))
		return status;
	const struct target *t = lower_target(target, &e);
	bool ok = t && kernels_read(types, ops, NULL, &kernels, &e) && lower(a->algorithm, t, &kernels, &l, &e);
	ok = ok && is_free(folder, &l, &e) && folder_make(folder, &e) && write_part(folder, l.name, ".h", &l.header, &e) &&
	     write_part(folder, l.name, t->suffix, &l.source, &e);
	if (name)
		*name = ok ? copy_string(l.name) : NULL;
	lowered_free(&l);
	return library_leave(&e);
}
