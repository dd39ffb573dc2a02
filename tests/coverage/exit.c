/*
 * Linked into every program of a coverage build (scripts/coverage) with -Wl,--wrap=_exit: workers end by _exit, which alone would lose
 * the counts of what they ran. Hidden: each program and library dumps its own, and libraries show no other name than without counts.
 */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
__attribute__((visibility("hidden"))) _Noreturn void __wrap__exit(int status);

_Noreturn void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
