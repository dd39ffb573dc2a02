#ifndef SCCL_INTEROP_INPUT_XML_H
#define SCCL_INTEROP_INPUT_XML_H

/*
 * XML of others as a tree of elements. libxml2 parses, without network, external files or entities; a build without it
 * reports so. Text between elements is not kept: no format that we read has any.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct xml_attribute {
	char *name, *value;
};

struct xml_element {
	char *name;
	int line;
	size_t n_attributes;
	struct xml_attribute *attributes;
	struct xml_element *parent, *first, *next; /* the first element inside, and the next beside */
};

/* The root of the N bytes; errors call them PATH. NULL with *e set. The caller frees it with xml_free. */
struct xml_element *xml_parse(const char *path, const char *bytes, size_t n, struct error *e);
void xml_free(struct xml_element *root); /* NULL is fine */

/* The first element called NAME inside AT (NULL: any), and the next one after IT; NULL: none. */
const struct xml_element *xml_first(const struct xml_element *at, const char *name);
const struct xml_element *xml_next(const struct xml_element *it, const char *name);

const char *xml_get(const struct xml_element *at, const char *attribute); /* borrowed; NULL: absent */
/* Reports "PATH:LINE: NAME: ..."; false. */
bool xml_fault(const char *path, const struct xml_element *at, struct error *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* An integer attribute from LOW to HIGH; an absent one is OTHERWISE, or an error if NEEDED. False with *e set. */
bool xml_get_int(const char *path, const struct xml_element *at, const char *attribute, int low, int high, int *out, struct error *e);
bool xml_get_int_or(const char *path, const struct xml_element *at, const char *attribute, int low, int high, int otherwise,
		    int *out, struct error *e);

enum { XML_ELEMENTS_MAX = 1 << 20 };

#endif
