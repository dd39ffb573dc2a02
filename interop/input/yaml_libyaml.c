/* The only file that calls libyaml: its events become rows of keys and values. */

#include "interop/input/yaml.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <yaml.h>

enum { VALUES_MAX = 1 << 12 }; /* each key is compared with those before it */

static bool fault(const char *path, size_t line, struct error *e, const char *what)
{
	char where[sizeof e->where];

	snprintf(where, sizeof where, "%.400s:%zu", path, line + 1);
	return error_set(e, ERROR_INPUT, where, "%s", what);
}

struct yaml_reading {
	const char *path;
	struct yaml_table *into;
	int depth;      /* 0: before the mapping, 1: in it, 2: in a list of it */
	bool key_next, ended;
	size_t values;
};

static bool add_scalar(struct yaml_reading *r, const yaml_event_t *v, struct error *e)
{
	struct yaml_table *t = r->into;
	const char *s = (const char *)v->data.scalar.value;

	if (r->depth == 0)
		return fault(r->path, v->start_mark.line, e, "must be a mapping of keys to values");
	if (++r->values > VALUES_MAX)
		return fault(r->path, v->start_mark.line, e, "has too many values");
	if (r->depth == 1 && r->key_next) {
		if (yaml_table_get(t, s))
			return fault(r->path, v->start_mark.line, e, "has this key twice");
		t->rows = grown(t->rows, &t->capacity, t->n + 1, sizeof *t->rows);
		t->rows[t->n++] = (struct yaml_row){.key = copy_string(s), .line = (int)v->start_mark.line + 1};
		r->key_next = false;
		return true;
	}
	struct yaml_row *row = &t->rows[t->n - 1];
	row->values = grown(row->values, &row->capacity, row->n + 1, sizeof *row->values);
	row->values[row->n++] = copy_string(s);
	r->key_next = r->depth == 1;
	return true;
}

static bool take(struct yaml_reading *r, const yaml_event_t *v, struct error *e)
{
	switch ((int)v->type) {
	case YAML_SCALAR_EVENT:
		return add_scalar(r, v, e);
	case YAML_MAPPING_START_EVENT:
		if (r->depth++ > 0)
			return fault(r->path, v->start_mark.line, e, "nests deeper than descriptions of networks do");
		r->key_next = true;
		return true;
	case YAML_SEQUENCE_START_EVENT:
		if (r->depth++ != 1 || r->key_next)
			return fault(r->path, v->start_mark.line, e, "has a list where a key is expected");
		return true;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		r->key_next = true;
		return true;
	case YAML_ALIAS_EVENT:
		return fault(r->path, v->start_mark.line, e, "uses an alias");
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		r->ended = true;
		return true;
	default:
		return true;
	}
}

bool yaml_table_read(const char *path, const char *bytes, size_t n, struct yaml_table *out, struct error *e)
{
	struct yaml_reading r = {.path = path, .into = out};
	yaml_parser_t parser;
	yaml_event_t event;
	bool ok = true;

	if (!yaml_parser_initialize(&parser))
		memory_out();
	yaml_parser_set_input_string(&parser, (const unsigned char *)(bytes ? bytes : ""), n);
	while (ok && !r.ended) {
		if (!yaml_parser_parse(&parser, &event)) {
			ok = fault(path, parser.problem_mark.line, e, parser.problem ? parser.problem : "is not YAML");
			break;
		}
		ok = take(&r, &event, e);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return ok;
}
