#!/bin/sh
# Programs of one machine run by turns in the fiber harness, under several schedules: ranks are calls ahead of each other,
# and in other programs. Exact, and no deadlock.
#
#   free_run.sh FIBERS TARGET TOPOLOGY CALLS COLLECTIVE:C:S:R...
#
# On a machine whose switches copy and add, COLLECTIVE:C:S is built for it.
#
# TARGET lanes: cuda, where sixteen threads are a warp, and lines are the protocol of every call.
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler.
CC=${CC:-cc}
[ $# -ge 5 ] || { echo "usage: free_run.sh FIBERS TARGET TOPOLOGY CALLS COLLECTIVE:C:S:R..." >&2; exit 2; }
fibers=$1 target=$2 topology=$3 calls=$4
shift 4
lanes='' with=''
[ "$target" = lanes ] && target=cuda lanes=-DSCCL_EMULATED_LANES=16 with='--protocol lines --threads 16'
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for one; do
	kind=${one%%:*} rest=${one#*:}
	chunks=${rest%%:*} rest=${rest#*:}
	case $topology in
	*+nvls) "$SCCL_SYNTH" build --method nvls -t "$topology" -c "$kind" -C "$chunks" -S "$rest" -o "$work/$kind.json" ;;
	*) "$SCCL_SYNTH" solve -t "$topology" -c "$kind" -C "$chunks" -S "${rest%%:*}" -R "${rest#*:}" -o "$work/$kind.json" ;;
	esac &&
		"$SCCL_SYNTH" lower "$work/$kind.json" --target "$target" --types f32,f16,u8 --ops sum,prod,max -o "$work" || exit 1
done
case $target in
host) flags="-std=c11 -DSCCL_HOST_HOOKS" ;;
*) flags="-std=gnu11 -DSCCL_EMULATE=\"tests/runtime/include/emulate.h\" $lanes -I$SOURCE_ROOT" ;;
esac
for source in "$work"/*.c*; do
	# shellcheck disable=SC2086
	$CC -O1 $flags -I"$SOURCE_ROOT/runtime/include" -shared -fPIC -x c "$source" -o "${source%.c*}.so" || exit 1
done
for seed in 1 2 3 4 5; do
	# shellcheck disable=SC2086
	"$fibers" "$work"/*.so $with --calls "$calls" --seed $seed || { echo "seed $seed: status $?"; exit 1; }
done
