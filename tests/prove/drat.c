/*
 * A checker of refutations in binary DRAT that shares no code with the project's (prove/rup.c) and none with drat.py, for traces that are too
 * long for the latter. Clauses are taken in the order of the trace; each must follow from those before it by reverse unit propagation
 * with two watched literals, and the last must be empty. Nothing needs more than that: a clause that is only a resolution asymmetric
 * tautology is refused. Literals that follow from the clauses alone stay true for good, also when a clause that implied them is
 * deleted: what is shown from them still follows from the formula.
 *
 * usage: drat FORMULA TRACE    in DIMACS, in binary DRAT
 * Prints how many clauses were shown, status 0; or what is wrong, status 1; status 2 without memory or files.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREE, TRUE, FALSE };

/* A clause lies in `literals` from BEGIN on; it is deleted where SIZE is negative. The first two are watched. */
struct clause {
	size_t begin;
	int64_t size;
	uint32_t same; /* the next with this hash, 0: none */
};

struct watched {
	uint32_t clause;
	uint32_t other; /* a literal of the clause: if it is true, the clause need not be looked at */
};

struct list {
	struct watched *all;
	size_t n, capacity;
};

/* Literals are 2 v, and 2 v + 1 for the negation. */
static uint32_t variables, *of_line, *literals, *trail, *mark, marks;
static size_t of_line_capacity, n_literals, literals_capacity, n_trail, done;
static struct clause *clauses;
static size_t n_clauses = 1, clauses_capacity; /* 0 is none */
static struct list *watches;
static unsigned char *value;
static uint32_t *first_of; /* clauses by their hash */
static bool contradiction;
enum { HASHES = 1 << 20 };

_Noreturn static void refuse(const char *why, size_t at)
{
	printf("%s %zu\n", why, at);
	exit(1);
}

_Noreturn static void end(const char *why)
{
	fprintf(stderr, "drat: %s\n", why);
	exit(2);
}

static void *room(void *array, size_t *capacity, size_t n, size_t size)
{
	if (n <= *capacity)
		return array;
	*capacity = n + n / 2 + 16;
	array = realloc(array, *capacity * size);
	if (!array)
		end("no memory");
	return array;
}

static void *zeros(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		end("no memory");
	return p;
}

/* ---- propagation ---- */

static void assign(uint32_t literal)
{
	value[literal] = TRUE;
	value[literal ^ 1] = FALSE;
	trail[n_trail++] = literal;
}

static void watch(uint32_t literal, uint32_t clause, uint32_t other)
{
	struct list *l = &watches[literal];

	l->all = room(l->all, &l->capacity, l->n + 1, sizeof *l->all);
	l->all[l->n++] = (struct watched){clause, other};
}

/* LITERAL is false now. Returns false if a clause has no other. */
static bool visit(uint32_t literal)
{
	size_t n = watches[literal].n, kept = 0, i;
	bool ok = true;

	for (i = 0; i < n && ok; i++) {
		struct watched w = watches[literal].all[i];
		struct clause *c = &clauses[w.clause];
		uint32_t *l = literals + c->begin;
		int64_t next = 2;

		if (c->size < 0)
			continue;
		watches[literal].all[kept++] = w;
		if (value[w.other] == TRUE)
			continue;
		if (l[0] == literal) {
			l[0] = l[1];
			l[1] = literal;
		}
		if (value[l[0]] == TRUE)
			continue;
		while (next < c->size && value[l[next]] == FALSE)
			next++;
		if (next < c->size) {
			l[1] = l[next];
			l[next] = literal;
			watch(l[1], w.clause, l[0]);
			kept--;
		} else if (value[l[0]] == FALSE) {
			ok = false;
		} else {
			assign(l[0]);
		}
	}
	for (; i < n; i++)
		watches[literal].all[kept++] = watches[literal].all[i];
	watches[literal].n = kept;
	return ok;
}

static bool propagate(void)
{
	while (done < n_trail)
		if (!visit(trail[done++] ^ 1))
			return false;
	return true;
}

/* ---- clauses ---- */

/* Leaves each literal once; true: the clause has a literal and its negation. */
static bool reduce(uint32_t *l, size_t *n)
{
	size_t kept = 0;
	bool both = false;

	marks++;
	for (size_t i = 0; i < *n; i++) {
		if (mark[l[i]] == marks)
			continue;
		mark[l[i]] = marks;
		both = both || mark[l[i] ^ 1] == marks;
		l[kept++] = l[i];
	}
	*n = kept;
	return both;
}

/* Does not depend on the order of the literals. */
static uint32_t hash(const uint32_t *l, size_t n)
{
	uint32_t sum = 0, mixed = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t h = l[i] * 2654435761u;
		sum += h ^ (h >> 15);
		mixed ^= h;
	}
	return (sum ^ (mixed >> 12)) % HASHES;
}

static void add(uint32_t *l, size_t n)
{
	bool both = reduce(l, &n);
	uint32_t at = (uint32_t)n_clauses, *same = &first_of[hash(l, n)];

	if (n_clauses == UINT32_MAX)
		end("too many clauses");
	/* Those that are not false come first: they are watched. */
	for (size_t i = 0, front = 0; i < n && front < 2; i++)
		if (value[l[i]] != FALSE) {
			uint32_t x = l[front];
			l[front++] = l[i];
			l[i] = x;
		}
	clauses = room(clauses, &clauses_capacity, n_clauses + 1, sizeof *clauses);
	literals = room(literals, &literals_capacity, n_literals + n, sizeof *literals);
	clauses[n_clauses++] = (struct clause){n_literals, (int64_t)n, *same};
	*same = at;
	if (n)
		memcpy(literals + n_literals, l, n * sizeof *l);
	n_literals += n;
	if (both)
		return; /* always true, so it is not watched */
	if (n > 1) {
		watch(l[0], at, l[1]);
		watch(l[1], at, l[0]);
	}
	if (n == 0 || value[l[0]] == FALSE)
		contradiction = true;
	else if ((n == 1 || value[l[1]] == FALSE) && value[l[0]] == FREE) {
		assign(l[0]);
		contradiction = contradiction || !propagate();
	}
}

static bool is_marked(const struct clause *c)
{
	for (int64_t i = 0; i < c->size; i++)
		if (mark[literals[c->begin + (size_t)i]] != marks)
			return false;
	return true;
}

static void delete(uint32_t *l, size_t n, size_t line)
{
	reduce(l, &n);
	uint32_t *at = &first_of[hash(l, n)];

	while (*at && !(clauses[*at].size == (int64_t)n && is_marked(&clauses[*at])))
		at = &clauses[*at].same;
	if (!*at)
		refuse("a clause is deleted that is not there: line", line);
	clauses[*at].size = -1;
	*at = clauses[*at].same;
}

static bool follows(const uint32_t *l, size_t n)
{
	size_t before = n_trail, before_done = done;
	bool ok = contradiction;

	for (size_t i = 0; i < n && !ok; i++) {
		ok = value[l[i]] == TRUE;
		if (value[l[i]] == FREE)
			assign(l[i] ^ 1);
	}
	ok = ok || !propagate();
	while (n_trail > before) {
		uint32_t x = trail[--n_trail];
		value[x] = value[x ^ 1] = FREE;
	}
	done = before_done;
	return ok;
}

/* ---- files ---- */

static void read_formula(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n = 0, wanted, read = 0;
	long x;
	int c;

	if (!f)
		end("no such formula");
	while ((c = getc(f)) == 'c')
		while ((c = getc(f)) != '\n' && c != EOF)
			;
	if (c != 'p' || fscanf(f, " cnf %u %zu", &variables, &wanted) != 2 || variables > INT32_MAX / 2)
		end("the formula has no header");
	value = zeros(2 * (size_t)variables + 2, sizeof *value);
	mark = zeros(2 * (size_t)variables + 2, sizeof *mark);
	watches = zeros(2 * (size_t)variables + 2, sizeof *watches);
	trail = zeros((size_t)variables + 1, sizeof *trail);
	first_of = zeros(HASHES, sizeof *first_of);
	while (fscanf(f, "%ld", &x) == 1) {
		if (labs(x) > (long)variables)
			end("the formula has a variable beyond its last");
		if (x) {
			of_line = room(of_line, &of_line_capacity, n + 1, sizeof *of_line);
			of_line[n++] = x > 0 ? 2 * (uint32_t)x : 2 * (uint32_t)-x + 1;
			continue;
		}
		add(of_line, n);
		n = 0;
		read++;
	}
	if (n || read != wanted || !feof(f))
		end("the formula has another number of clauses than it says");
	fclose(f);
}

/* A number of a line in groups of seven bits, the lowest first. */
static uint64_t number(FILE *f, size_t line)
{
	uint64_t x = 0;

	for (int shift = 0;; shift += 7) {
		int c = getc(f);
		if (c == EOF)
			refuse("the trace ends within line", line);
		if (shift > 56)
			refuse("a literal of a variable that does not exist: line", line);
		x |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return x;
	}
}

static void check(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t shown = 0;
	int kind;

	if (!f)
		end("no such trace");
	for (size_t line = 1; (kind = getc(f)) != EOF; line++) {
		size_t n = 0;
		if (kind != 'a' && kind != 'd')
			refuse("neither an addition nor a deletion: line", line);
		for (uint64_t x; (x = number(f, line)) != 0;) {
			if (x < 2 || x / 2 > variables)
				refuse("a literal of a variable that does not exist: line", line);
			of_line = room(of_line, &of_line_capacity, n + 1, sizeof *of_line);
			of_line[n++] = (uint32_t)x;
		}
		if (kind == 'd') {
			delete(of_line, n, line);
			continue;
		}
		if (!follows(of_line, n))
			refuse("a clause does not follow: line", line);
		shown++;
		if (n == 0) {
			printf("%zu clauses shown\n", shown);
			exit(0);
		}
		add(of_line, n);
	}
	refuse("the trace does not end with the empty clause; clauses shown:", shown);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		end("usage: drat FORMULA TRACE");
	read_formula(argv[1]);
	check(argv[2]);
}
