/* The engine table, and how an engine is found by name. */

#include "encode/engines.h"

#include "core/base/error.h"

#include <ccadical.h>
#include <stdio.h>
#include <string.h>
#include <z3.h>

/* The first row is what "auto" means. */
static const struct engine engines[] = {
	{"bits", "time-expanded Booleans as CNF, solved by CaDiCaL", true, solve_bits},
	{"bits-z3", "the same with pseudo-Boolean constraints, solved by Z3", true, solve_bits_z3},
	{"lia", "the same with integer rounds in linear arithmetic (QF_LIA), solved by Z3", true, solve_lia},
	{"lia-paper", "the SCCL paper's linear integer arithmetic (QF_LIA), solved by Z3", false, solve_lia_paper},
	{"naive", "a Boolean for each chunk, edge and step (QF_LIA), to compare with, solved by Z3", false, solve_naive},
};

const struct engine *solve_engine(const char *name, struct error *e)
{
	if (!name || strcmp(name, "auto") == 0)
		return &engines[0];
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		if (strcmp(engines[i].name, name) == 0)
			return &engines[i];
	error_set(e, ERROR_INPUT, "--engine", "there is no engine \"%.64s\"; the engines are auto, bits, bits-z3, lia, lia-paper and naive", name);
	return NULL;
}

const char *solve_version(void)
{
	static char version[128];
	snprintf(version, sizeof version, "%s, %s", Z3_get_full_version(), ccadical_signature());
	return version;
}
