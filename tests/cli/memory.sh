#!/bin/sh
# memory.sh PROGRAM SOURCE SHIM [all]: commands out of memory. Each runs with allocation number n failing (fail_allocation.c) for a
# sample of n, or for all of the first thousands, and under address space limits from what the loader needs up (starved.sh).
here=$PWD
. "$(dirname "$0")/tap.sh"
all=${4:-}
case $3 in /*) shim=$3 ;; *) shim=$here/$3 ;; esac
. "$source/tests/cli/starved.sh"
dgx1=$source/algorithms/dgx1
starved 0 verify verify "$dgx1/allgather/c2-s2-r3.json"
starved 0 'verify with proofs' verify --proofs "$dgx1/gather/frontier-root0.json"
starved 0 show show "$dgx1/allgather/c2-s2-r3.json"
starved 0 bounds bounds -t dgx1 -c allgather
starved 0 pareto pareto -t ring:4 -c allgather --fresh -o out
starved 0 'pareto, all roots' pareto -t ring:4 -c broadcast --root all --fresh -o out
for engine in bits bits-z3 lia lia-paper; do
	starved 0 "solve, $engine" solve -t ring:4 -c allgather -C 2 -S 2 -R 3 --engine $engine -o out.json
done
starved 0 'trees on switches' trees -t p3.8xlarge -c broadcast --root 0 -o out
starved 0 build build -t ring:5 -c allreduce --method ring -o out.json
starved 0 'build, blink' build -t p3.8xlarge -c allreduce --method blink -o out.json
starved 0 lower lower "$dgx1/allgather/c2-s2-r3.json" --target host -o out
starved 0 'topology show' topology show dgx1@gpus=0,1,4,5
starved 0 'topology parts' topology parts ring:5
starved 0 'topology isomorphic' topology isomorphic ring:4 torus:2x2
starved 0 prove prove -t ring:5 -c broadcast --root 0 -C 5 -S 3 -R 5 -o out.json
starved 0 simulate simulate "$dgx1/allgather/c2-s2-r3.json" --sizes 1K,1M
# Most machines have no accelerator, and some builds no hwloc.
in_folder "$program" topology probe
starved "$status" 'topology probe' topology probe
# What is compiled lies in a scratch folder, which must be gone each time. This compiler makes nothing.
CC=false
export CC
starved 4 run run "$dgx1/allgather/c2-s2-r3.json"
starved 0 explore explore -t ring:4 -c allgather
finish
