#!/bin/sh
# The matrix of every algorithm in algorithms/, 1000 calls of each row. The table is written to FILE.
[ $# -eq 1 ] || { echo "usage: catalog_matrix.sh FILE" >&2; exit 2; }
find "$SOURCE_ROOT/algorithms" -name 'c*-s*-r*.json' | LC_ALL=C sort |
	xargs "$SOURCE_ROOT/tests/runtime/matrix.sh" --calls 1000 >"$1"
status=$?
cat "$1"
exit $status
