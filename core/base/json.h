#ifndef SCCL_CORE_BASE_JSON_H
#define SCCL_CORE_BASE_JSON_H

/*
 * JSON input with locations. jansson parses; a place is a value together with its path, kept on the reader's stack, so
 * that an error is reported as "topologies/x.json: links[3].bandwidth: ...". A syntax error is reported as
 * FILE:LINE:COLUMN. Every function with a struct error returns false or NULL with *e set where it fails.
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

/* Everything is borrowed: a place must not outlive its document, its parent or its key. */
struct json_place {
	const struct json_document *document;
	const struct json_place *parent; /* NULL at the root */
	const char *key;                 /* of a member of an object; NULL: element INDEX of an array */
	size_t index;
	json_t *value;                   /* NULL: an absent optional member */
};

/*
 * Rejects duplicate keys, NUL bytes, trailing text and nesting deeper than jansson's limit. "-" is standard input. The
 * caller closes the document.
 */
struct json_document *json_document_open(const char *path, struct error *e);
/* The same for TEXT; errors call it PATH. */
struct json_document *json_document_parse(const char *text, const char *path, struct error *e);
void json_document_close(struct json_document *d); /* NULL is fine */
struct json_place json_top(const struct json_document *d); /* the root */

/* Reports an error at a place; every error below does. Returns false. */
bool json_fault(const struct json_place *at, struct error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The value must be an object whose keys are all in KEYS (NULL-terminated) or begin with "x-": a misspelt key is an
 * error.
 */
bool json_object_with(const struct json_place *at, const char *const *keys, struct error *e);

struct json_place json_member(const struct json_place *at, const char *key); /* .value is NULL if absent */
/* The same; an error if absent. */
bool json_member_needed(const struct json_place *at, const char *key, struct json_place *out, struct error *e);
bool json_array_length(const struct json_place *at, size_t *n, struct error *e); /* not an array: an error */
struct json_place json_element(const struct json_place *at, size_t i);

/* Typed reads of the value at a place. Integers must be JSON integers (1.0 is an error), from LOW to HIGH inclusive. */
bool json_get_integer(const struct json_place *at, int64_t low, int64_t high, int64_t *out, struct error *e);
bool json_get_int(const struct json_place *at, int low, int high, int *out, struct error *e);
bool json_get_string(const struct json_place *at, const char **out, struct error *e); /* borrowed; no NUL characters */
bool json_get_bool(const struct json_place *at, bool *out, struct error *e);
bool json_get_rational(const struct json_place *at, struct rational *out, struct error *e); /* integer or "p/q" */
/* The same, and decimals as numbers or texts: 12.5, "12.5". Exact: as many digits as are written, up to 15. */
bool json_get_decimal(const struct json_place *at, struct rational *out, struct error *e);

/* Checks for "format": NAME and "version": 1. */
bool json_check_format(const struct json_place *at, const char *name, struct error *e);

#endif
