#ifndef SCCL_CORE_BASE_JSON_H
#define SCCL_CORE_BASE_JSON_H

/*
 * JSON in, with places. jansson reads; a place is a value and the way to it, kept on the reader's stack, so that a
 * fault is told as "topologies/x.json: links[3].bandwidth: ...". A syntax error is told as FILE:LINE:COLUMN.
 */

#include "core/base/rational.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct error;

struct json_document {
	char *path;
	json_t *root;
};

struct json_place {
	const struct json_document *document;
	const struct json_place *parent; /* NULL at the root */
	const char *key;                 /* member of an object, or NULL: */
	size_t index;                    /* element of an array */
	json_t *value;                   /* NULL: an optional member that is not there */
};

/* Refuses duplicate keys, trailing text and nesting deeper than jansson's limit. "-" is standard input. */
struct json_document *json_document_open(const char *path, struct error *e);
struct json_document *json_document_parse(const char *text, const char *path, struct error *e);
void json_document_close(struct json_document *d);
struct json_place json_top(const struct json_document *d);

/* Every fault below goes through here. Returns false. */
bool json_fault(const struct json_place *at, struct error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* An object whose keys are all in KEYS (NULL-terminated) or begin with "x-"; a misspelt key is a fault. */
bool json_object_with(const struct json_place *at, const char *const *keys, struct error *e);

struct json_place json_member(const struct json_place *at, const char *key); /* .value NULL where absent */
bool json_member_needed(const struct json_place *at, const char *key, struct json_place *out, struct error *e);
bool json_array_length(const struct json_place *at, size_t *n, struct error *e); /* a fault unless an array */
struct json_place json_element(const struct json_place *at, size_t i);

/* Typed reads of a place's own value. Integers are integers: 1.0 is a fault. */
bool json_get_integer(const struct json_place *at, int64_t low, int64_t high, int64_t *out, struct error *e);
bool json_get_int(const struct json_place *at, int low, int high, int *out, struct error *e);
bool json_get_string(const struct json_place *at, const char **out, struct error *e); /* borrowed */
bool json_get_bool(const struct json_place *at, bool *out, struct error *e);
bool json_get_rational(const struct json_place *at, struct rational *out, struct error *e); /* integer or "p/q" */

/* "format": NAME and "version": 1 of a document. */
bool json_check_format(const struct json_place *at, const char *name, struct error *e);

#endif
