#!/bin/sh
# The share of the bytes that threads of a GPU move in units of 16, in the fiber harness, must not be below what is asked for.
#
#   wide.sh FIBERS ALGORITHM.json COUNT:SHARE...
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler.
CC=${CC:-cc}
[ $# -ge 3 ] || { echo "usage: wide.sh FIBERS ALGORITHM.json COUNT:SHARE..." >&2; exit 2; }
fibers=$1 algorithm=$2
shift 2
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

case $algorithm in
*.json) ;;
*) "$SCCL_SYNTH" build --method direct -t "${algorithm%/*}" -c "${algorithm#*/}" -o "$work/built.json" || exit 1; algorithm=$work/built.json ;;
esac
"$SCCL_SYNTH" lower "$algorithm" --target cuda --types f32,f16,u8 --ops sum,prod,max -o "$work" || exit 1
source=$(echo "$work"/*.cu)
$CC -O2 -std=gnu11 -DSCCL_EMULATE='"tests/runtime/include/emulate.h"' -I"$SOURCE_ROOT" -I"$SOURCE_ROOT/runtime/include" -shared -fPIC \
	-x c "$source" -o "${source%.cu}.so" || exit 1
status=0
for one; do
	share=$("$fibers" --count "${one%:*}" "${source%.cu}.so" --calls 1 --threads 8) || { echo "${one%:*} elements: status $?"; exit 1; }
	echo "${one%:*} elements: a share of $share; ${one#*:} is asked for"
	awk -v got="$share" -v wanted="${one#*:}" 'BEGIN { exit got + 0 < wanted + 0 }' || status=1
done
exit $status
