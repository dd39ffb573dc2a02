#!/bin/sh
# A post without release order is a fault that many processors hide. The thread sanitizer must find it, and must find
# nothing where the order is as it should be.
#
#   relaxed.sh TOPOLOGY COLLECTIVE C S R
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler. Exit status 77: no thread sanitizer here.
CC=${CC:-cc}
[ $# -eq 5 ] || { echo "usage: relaxed.sh TOPOLOGY COLLECTIVE C S R" >&2; exit 2; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
flags="-O1 -std=c11 -g -fsanitize=thread -I$SOURCE_ROOT/runtime/include"

echo 'int main(void) { return 0; }' >"$work/probe.c"
# shellcheck disable=SC2086
$CC $flags "$work/probe.c" -o "$work/probe" 2>/dev/null && "$work/probe" || exit 77

"$SCCL_SYNTH" solve -t "$1" -c "$2" -C "$3" -S "$4" -R "$5" -o "$work/found.json" &&
	"$SCCL_SYNTH" lower "$work/found.json" --target host --types f32 --ops sum -o "$work" || exit 1
source=$(echo "$work"/*.c | tr ' ' '\n' | grep -v /probe.c)
# shellcheck disable=SC2086
$CC $flags -D_POSIX_C_SOURCE=200809L -I"$SOURCE_ROOT" -o "$work/sccl-run" "$SOURCE_ROOT"/runtime/core/*.c \
	"$SOURCE_ROOT"/runtime/host/*.c "$SOURCE_ROOT"/runtime/gpu/*.c "$SOURCE_ROOT"/runtime/net/*.c "$SOURCE_ROOT"/runtime/runner/*.c -ldl -pthread || exit 4

# run ORDER: the status of a run whose posts have this order.
run() {
	# shellcheck disable=SC2086
	$CC $flags -DSCCL_RELEASE="$1" -shared -fPIC "$source" -o "${source%.c}.so" || return 4
	TSAN_OPTIONS=exitcode=66 "$work/sccl-run" "${source%.c}.so" --mode threads --counts 1000 --calls 20 >/dev/null 2>"$work/log"
}

run __ATOMIC_RELEASE || { echo "found in what is right:"; cat "$work/log"; exit 1; }
run __ATOMIC_RELAXED && { echo "a relaxed post was not found"; exit 1; }
grep -q 'data race' "$work/log" || { echo "something else was found:"; cat "$work/log"; exit 1; }
