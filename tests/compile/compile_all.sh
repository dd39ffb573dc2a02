#!/bin/sh
# Compiles every algorithm of algorithms/ for GPUs; the table is written to FILE.
[ $# -eq 2 ] || { echo "usage: compile_all.sh COMPILER FILE" >&2; exit 2; }
find "$SOURCE_ROOT/algorithms" -name 'c*-s*-r*.json' | LC_ALL=C sort |
	xargs "$SOURCE_ROOT/tests/compile/compile.sh" "$1" --types f32 --ops sum >"$2"
status=$?
cat "$2"
exit $status
