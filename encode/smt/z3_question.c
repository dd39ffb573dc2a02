/*
 * Opens, checks and reads a Z3 solver through its C API. Errors and lack of memory end the worker process, which the
 * parent reads as giving up; so no call needs to be checked.
 */

#include "encode/smt/z3_question.h"

#include "core/base/memory.h"

#include <string.h>
#include <unistd.h>

/*
 * The parent takes a worker that ends with this status as having given up, and reports the memory limit if there is
 * one.
 */
static void give_up(Z3_context c, Z3_error_code code)
{
	(void)c, (void)code;
	_exit(MEMORY_STATUS);
}

static Z3_context new_context(void)
{
	Z3_config config = Z3_mk_config();

	Z3_set_param_value(config, "model", "true");
	Z3_context c = Z3_mk_context(config);
	Z3_del_config(config);
	Z3_set_error_handler(c, give_up);
	return c;
}

static void set_number(const struct z3 *z, const char *name, unsigned value)
{
	Z3_params one = Z3_mk_params(z->context);

	Z3_params_inc_ref(z->context, one);
	Z3_params_set_uint(z->context, one, Z3_mk_string_symbol(z->context, name), value);
	Z3_solver_set_params(z->context, z->solver, one);
	Z3_params_dec_ref(z->context, one);
}

static struct z3 with_solver(Z3_context c, Z3_solver solver)
{
	struct z3 z = {c, solver, NULL};

	Z3_solver_inc_ref(c, solver);
	set_number(&z, "random_seed", 0);
	return z;
}

struct z3 z3_open(const char *logic)
{
	Z3_context c = new_context();
	return with_solver(c, Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, logic)));
}

struct z3 z3_open_tactics(const char *const *tactics)
{
	Z3_context c = new_context();
	Z3_tactic all = NULL;

	for (; *tactics; tactics++) {
		Z3_tactic one = Z3_mk_tactic(c, *tactics);
		Z3_tactic_inc_ref(c, one);
		Z3_tactic both = all ? Z3_tactic_and_then(c, all, one) : one;
		Z3_tactic_inc_ref(c, both);
		Z3_tactic_dec_ref(c, one);
		if (all)
			Z3_tactic_dec_ref(c, all);
		all = both;
	}
	struct z3 z = with_solver(c, Z3_mk_solver_from_tactic(c, all));
	Z3_tactic_dec_ref(c, all);
	return z;
}

void z3_close(struct z3 *z)
{
	if (z->model)
		Z3_model_dec_ref(z->context, z->model);
	Z3_solver_dec_ref(z->context, z->solver);
	Z3_del_context(z->context);
}

void z3_limit_conflicts(struct z3 *z, unsigned conflicts)
{
	set_number(z, "max_conflicts", conflicts);
}

void z3_seed(struct z3 *z, unsigned seed)
{
	set_number(z, "random_seed", seed);
}

Z3_ast z3_constant(const struct z3 *z, const char *name, Z3_sort sort)
{
	return Z3_mk_const(z->context, Z3_mk_string_symbol(z->context, name), sort);
}

enum answer z3_check(struct z3 *z)
{
	Z3_lbool result = Z3_solver_check(z->context, z->solver);

	if (result == Z3_L_FALSE)
		return ANSWER_NONE;
	if (result == Z3_L_UNDEF) { /* "unknown" is not a refutation */
		if (strstr(Z3_solver_get_reason_unknown(z->context, z->solver), "mem"))
			_exit(MEMORY_STATUS); /* "memout", "out of memory" */
		return ANSWER_GAVE_UP;
	}
	z->model = Z3_solver_get_model(z->context, z->solver);
	Z3_model_inc_ref(z->context, z->model);
	return ANSWER_FOUND;
}

bool z3_is_true(const struct z3 *z, Z3_ast boolean)
{
	Z3_ast value;
	return Z3_model_eval(z->context, z->model, boolean, true, &value) &&
	       Z3_get_bool_value(z->context, value) == Z3_L_TRUE;
}

int z3_integer(const struct z3 *z, Z3_ast integer)
{
	Z3_ast value;
	int n = 0;
	if (Z3_model_eval(z->context, z->model, integer, true, &value))
		Z3_get_numeral_int(z->context, value, &n);
	return n;
}
