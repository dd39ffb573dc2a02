#!/bin/sh
# Programs of one machine run by turns in the fiber harness, under several schedules: ranks are calls ahead of each other,
# and in other programs. Exact, and no deadlock.
#
#   free_run.sh FIBERS TOPOLOGY CALLS COLLECTIVE:C:S:R...
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler.
CC=${CC:-cc}
[ $# -ge 4 ] || { echo "usage: free_run.sh FIBERS TOPOLOGY CALLS COLLECTIVE:C:S:R..." >&2; exit 2; }
fibers=$1 topology=$2 calls=$3
shift 3
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for one; do
	kind=${one%%:*} rest=${one#*:}
	chunks=${rest%%:*} rest=${rest#*:}
	"$SCCL_SYNTH" solve -t "$topology" -c "$kind" -C "$chunks" -S "${rest%%:*}" -R "${rest#*:}" -o "$work/$kind.json" &&
		"$SCCL_SYNTH" lower "$work/$kind.json" --target host -o "$work" || exit 1
done
for source in "$work"/*.c; do
	$CC -O1 -std=c11 -DSCCL_HOST_HOOKS -I"$SOURCE_ROOT/runtime/include" -shared -fPIC "$source" -o "${source%.c}.so" ||
		exit 1
done
for seed in 1 2 3 4 5; do
	"$fibers" "$work"/*.so --calls "$calls" --seed $seed || { echo "seed $seed: status $?"; exit 1; }
done
