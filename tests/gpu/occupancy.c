/*
 * occupancy FILE.so...: how many blocks of each kernel of a compiled program the GPU holds at once. A row for each, of
 * program, type, operation and blocks. A kernel that fits badly is slow for that reason alone, so this is looked at before
 * speed is measured. Exit status 1: a kernel cannot be loaded or does not fit; 2: bad usage.
 */

#include <sccl/program.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

static const char *const types[SCCL_DTYPES] = {"f32", "f64", "f16", "bf16", "i32", "i64", "u8"};
static const char *const ops[SCCL_OPS] = {"sum", "prod", "min", "max"};

static int print_program(const sccl_program_t *p)
{
	int status = 0;

	for (int type = 0; type < SCCL_DTYPES; type++)
		for (int op = 0; op < (p->combining ? SCCL_OPS : 1); op++) {
			if (!p->kernels[type][op])
				continue;
			int blocks = p->kernels[type][op](NULL, NULL);
			printf("%s %s %s %d\n", p->name, types[type] ? types[type] : "-", p->combining && ops[op] ? ops[op] : "-", blocks);
			status |= blocks < 1;
		}
	return status;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++) {
		char name[NAME_SIZE];
		const char *slash = strrchr(argv[i], '/');
		snprintf(name, sizeof name, "%s", slash ? slash + 1 : argv[i]);
		name[strcspn(name, ".")] = 0;
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		const sccl_program_t *p = library ? dlsym(library, name) : NULL;
		if (!p || p->abi != SCCL_ABI) {
			fprintf(stderr, "occupancy: %s: %s\n", argv[i], p ? "has another abi" : dlerror());
			return 1;
		}
		status |= print_program(p);
	}
	return argc > 1 ? status : 2;
}
