#!/bin/sh
# The matrix of every algorithm in algorithms/. The table is written to FILE. WAYS: deep (plain, every type, 1000 calls of
# each row) or wide (every way, two types, 50 calls).
case $#-${2-} in
2-deep) options="--calls 1000" ;;
2-wide) options="--ways all --types f32,u8 --calls 50 --counts 0,7,1000,20011" ;;
*) echo "usage: catalog_matrix.sh FILE deep|wide" >&2; exit 2 ;;
esac
find "$SOURCE_ROOT/algorithms" -name 'c*-s*-r*.json' | LC_ALL=C sort |
	xargs "$SOURCE_ROOT/tests/runtime/runner/matrix.sh" $options >"$1"
status=$?
cat "$1"
exit $status
