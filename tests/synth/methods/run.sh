#!/bin/sh
# Algorithms of each method, the whole way: built, lowered to the host, compiled, run and compared with a reference.
#
#   run.sh [all]
#
# The first of the list, one of each method, or all.
#
# $SCCL_SYNTH and $SCCL_RUN are the programs, $SOURCE_ROOT the source tree, $CC the compiler.
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

while read -r method machine kind; do
	if [ "$method" = - ]; then
		[ "${1-}" ] && continue
		break
	fi
	case $kind in broadcast | reduce | gather | scatter) root='--root 1' ;; *) root= ;; esac
	# shellcheck disable=SC2086
	"$SCCL_SYNTH" build -t "$machine" -c "$kind" --method "$method" $root -o "$work/$method-$kind-$machine.json" >"$work/log" 2>&1 ||
		{ cat "$work/log"; exit 1; }
done <<END
direct p3.8xlarge alltoall
one-shot p3.8xlarge allreduce
ring line:3 gather
2d-ring torus:3x2 allgather
2d-ring-whole torus:3x2 allreduce
blink dgx1v reducescatter
multitree torus:3x2 alltoall
hierarchical switch:5 broadcast
double-binary-tree p3.8xlarge reduce
recursive-doubling complete:5 allreduce
halving-doubling line:3 allreduce
hdrm bigraph:2x2 reducescatter
bruck ring:5 alltoall
binomial line:4 scatter
nvls switch:3+nvls reduce
linear-program ring:4 allreduce
kernighan-lin p3.8xlarge allreduce
-
one-shot complete:5 allreduce
ring p3.8xlarge allreduce
ring ring:4 broadcast
2d-ring mesh:2x2 allreduce
hierarchical complete:4 reduce
double-binary-tree ring:5 allreduce
recursive-doubling hypercube:2 allreduce
binomial star:5 reduce
nvls switch:4+nvls allreduce
multitree ring:5 allreduce
multitree mesh:2x2 reduce
blink ring:4 broadcast
blink p3.8xlarge allreduce
blink switch:4 allreduce
blink line:3 scatter
END
sh "$SOURCE_ROOT/tests/runtime/runner/matrix.sh" --counts 0,1,7,1000 --types f32,i32 --calls 5 "$work"/*.json
