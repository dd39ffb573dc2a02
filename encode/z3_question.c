#include "encode/z3_question.h"

#include <stdio.h>
#include <unistd.h>

/* The parent reads a worker that ends so as one that gave up, and names the memory limit if there is one. */
static void give_up(Z3_context c, Z3_error_code code)
{
	(void)c, (void)code;
	_exit(4);
}

struct z3 z3_open(const char *logic)
{
	struct z3 z;
	Z3_config config = Z3_mk_config();

	Z3_set_param_value(config, "model", "true");
	z.context = Z3_mk_context(config);
	Z3_del_config(config);
	Z3_set_error_handler(z.context, give_up);
	z.solver = Z3_mk_solver_for_logic(z.context, Z3_mk_string_symbol(z.context, logic));
	Z3_solver_inc_ref(z.context, z.solver);
	z.model = NULL;
	return z;
}

void z3_close(struct z3 *z)
{
	if (z->model)
		Z3_model_dec_ref(z->context, z->model);
	Z3_solver_dec_ref(z->context, z->solver);
	Z3_del_context(z->context);
}

enum answer z3_check(struct z3 *z)
{
	Z3_lbool result = Z3_solver_check(z->context, z->solver);

	if (result == Z3_L_FALSE)
		return ANSWER_NONE;
	if (result == Z3_L_UNDEF) /* "unknown" is no refusal */
		return ANSWER_GAVE_UP;
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
