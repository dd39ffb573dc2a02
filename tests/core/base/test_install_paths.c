#include "core/base/install_paths.h"
#include "build_config.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* Programs that were moved, or installed under a staging folder, are run by tests/install. */

Test(place, of_a_test_is_the_build_tree)
{
	cr_expect(install_is_build_tree());
}

Test(place, of_a_program_that_is_not_installed_moves_nothing)
{
	static const char *const paths[] = {SCCL_DATA, SCCL_PREFIX, SCCL_PREFIX "x/share", "/elsewhere", "relative", ""};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		char *at = install_path(paths[i]);
		cr_expect(eq(str, at, (char *)paths[i]));
		free(at);
	}
}
