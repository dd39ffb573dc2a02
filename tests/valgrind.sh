#!/bin/sh
# The program under valgrind where no solver is in the way: reading, judging, bounding, printing, lowering. 77: it is not here.
command -v valgrind >/dev/null || exit 77
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
cd "$2" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
check() {
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" >"$work/out" 2>"$work/err" && return
	echo "valgrind: $*"
	cat "$work/err"
	exit 1
}
a=algorithms/dgx1
check "$program" verify $a/allgather/c2-s2-r3.json $a/allreduce/c16-s4-r6.json $a/allgather/frontier.json
check "$program" verify --proofs $a/allgather $a/gather/frontier-root0.json
check "$program" prove -t dgx1 -c alltoall -C 24 -S 2 -R 7 -o "$work/cut.json"
check "$program" check-proof "$work/cut.json" algorithms/amd-z52/allreduce/proofs.json
check "$program" show $a/allreduce/c16-s4-r6.json
check "$program" show $a/broadcast/c6-s3-r3-root0.json --format dot
check "$program" bounds -t dgx1 -c allreduce --json
check "$program" bounds -t p2.16xlarge -c gather --root 3
check "$program" topology show dgx1@gpus=1,4,5,6@add=0-1x2
check "$program" topology list
check "$program" build -t ring:5 -c allreduce --method double-binary-tree
check "$program" build -t mesh:3x3 -c allreduce --method multitree --tables "$work/tables.json"
check "$program" build -t bigraph:2x4 -c allreduce --method hdrm
check "$program" build -t p3.8xlarge -c allreduce --method blink --threshold 10 -C 20 --beside dgx1-pcie@gpus=0,1,2,3 --switching 5 --json
check "$program" lower $a/allreduce/c16-s4-r6.json --target host -o "$work/c"
check "$program" export $a/allgather/c2-s2-r3.json --format smt2
check "$program" simulate $a/allgather/c2-s2-r3.json $a/allreduce/c16-s4-r6.json --sizes 1K,1M --busiest 3 --svg "$work/times.svg"
check "$program" simulate $a/allreduce/c16-s4-r6.json --start dataflow --sizes 1K,1M --packet 256 --head 16 --buffer 4K --json
"$program" build -t p2.16xlarge -c allreduce --method ring -o "$work/ring.json" >"$work/out" || exit 1
for start in steps dataflow; do
	check "$program" simulate "$work/ring.json" --start $start --sizes 1M
	check "$program" simulate "$work/ring.json" --start $start --sizes 1M --sharing fifo
done
check "$program" train $a/allreduce/c16-s4-r6.json $a/allreduce/c48-s14-r14.json --workload vgg16,transformer --bucket 4M
