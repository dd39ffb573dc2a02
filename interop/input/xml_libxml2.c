/*
 * The only file that calls libxml2. Its limits on depth and size stay on, nothing is loaded from elsewhere, and a file
 * that defines entities is refused: no format that we read needs any.
 */

#include "interop/input/xml.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <limits.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void quiet(void *context, const char *format, ...)
{
	(void)context;
	(void)format;
}

static struct xml_element *element_of(xmlDocPtr doc, const xmlNode *node, struct xml_element *parent)
{
	struct xml_element *x = new(struct xml_element);
	size_t n = 0;

	x->name = copy_string((const char *)node->name);
	x->line = (int)node->line;
	x->parent = parent;
	for (xmlAttrPtr a = node->properties; a; a = a->next)
		n++;
	x->attributes = new_array(struct xml_attribute, n);
	for (xmlAttrPtr a = node->properties; a; a = a->next) {
		xmlChar *value = xmlNodeListGetString(doc, a->children, 1);
		x->attributes[x->n_attributes++] = (struct xml_attribute){copy_string((const char *)a->name),
									 copy_string(value ? (const char *)value : "")};
		xmlFree(value);
	}
	return x;
}

static const xmlNode *element_from(const xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

/* Copies the tree, without recursion. False: too many elements. */
static bool copy_tree(xmlDocPtr doc, const xmlNode *node, struct xml_element **root)
{
	struct xml_element *at = *root = element_of(doc, node, NULL);
	size_t count = 1;

	while (at) {
		const xmlNode *inner = element_from(node->children);
		if (inner) {
			at = at->first = element_of(doc, inner, at);
			node = inner;
		} else {
			while (at && !element_from(node->next)) {
				at = at->parent;
				node = node->parent;
			}
			if (!at || !at->parent)
				return true;
			node = element_from(node->next);
			at = at->next = element_of(doc, node, at->parent);
		}
		if (++count > XML_ELEMENTS_MAX)
			return false;
	}
	return true;
}

static bool syntax_fault(xmlParserCtxtPtr context, const char *path, struct error *e)
{
	const xmlError *why = xmlCtxtGetLastError(context);
	char where[sizeof e->where];
	int n = why && why->message ? (int)strcspn(why->message, "\n") : 0;

	snprintf(where, sizeof where, "%.400s:%d", path, why ? why->line : 1);
	return error_set(e, ERROR_INPUT, where, "is not XML: %.*s", n > 200 ? 200 : n, n ? why->message : "nothing can be read");
}

/* In the file itself or from elsewhere, in whatever encoding: the parser ends at the first. */
static void refuse_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id, xmlChar *content)
{
	xmlParserCtxtPtr parser = context;

	(void)name, (void)type, (void)public_id, (void)system_id, (void)content;
	*(bool *)parser->_private = true;
	xmlStopParser(parser);
}

enum { ATTRIBUTES_MAX = 1024 };

/* libxml2 compares each attribute of an element with all before it. Counted as text, so values that look like one count. */
static bool has_too_many_attributes(const char *bytes, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '<')
			count = 0;
		else if (bytes[i] == '=' && ++count > ATTRIBUTES_MAX)
			return true;
	}
	return false;
}

struct xml_element *xml_parse(const char *path, const char *bytes, size_t n, struct error *e)
{
	struct xml_element *root = NULL;

	bool entities = false;

	if (n >= INT_MAX || (n && memchr(bytes, 0, n))) {
		error_set(e, ERROR_INPUT, path, n >= INT_MAX ? "is too large" : "is not text: it has a NUL byte");
		return NULL;
	}
	if (has_too_many_attributes(bytes, n)) {
		error_set(e, ERROR_LIMIT, path, "has an element with more than %d attributes", ATTRIBUTES_MAX);
		return NULL;
	}
	xmlSetGenericErrorFunc(NULL, quiet);
	xmlParserCtxtPtr context = xmlNewParserCtxt();
	if (!context)
		memory_out();
	context->_private = &entities;
	context->sax->entityDecl = refuse_entity;
	xmlDocPtr doc = xmlCtxtReadMemory(context, bytes ? bytes : "", (int)n, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
					  XML_PARSE_NOBLANKS | XML_PARSE_COMPACT | XML_PARSE_NOCDATA);
	const xmlNode *top = doc ? xmlDocGetRootElement(doc) : NULL;
	if (entities)
		error_set(e, ERROR_INPUT, path, "defines entities");
	else if (!top)
		syntax_fault(context, path, e);
	else if (!copy_tree(doc, top, &root)) {
		error_set(e, ERROR_LIMIT, path, "has more than %d elements", XML_ELEMENTS_MAX);
		xml_free(root);
		root = NULL;
	}
	xmlFreeDoc(doc);
	xmlFreeParserCtxt(context);
	return root;
}
