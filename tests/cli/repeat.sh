#!/bin/sh
# sccl-synth repeat: many overlapping runs of an algorithm as one.
. "$(dirname "$0")/tap.sh"
json='topology collective root chunks steps rounds bandwidth bound_steps bound_bandwidth file'

help repeat

# A pipeline's runs begin every step, each with the rounds that its links need.
run 0 solve -t ring:4 -c allgather -C 2 -S 2 -R 6 --pipeline 1 -o p.json
run 0 repeat p.json --runs 8 -o many.json
same 'a pipeline of eight runs' 'ring:4-allgather-c16-s9-r24-repeat: (16,9,24), R/C = 3/2; bounds S >= 2, R/C >= 3/2; verified: many.json' out
run 0 verify many.json
run 0 run many.json --counts 0,1,50 --calls 2
[ "$(grep -cE "$exact" out)" = 3 ]
ok $? 'it runs, with exact results'
run 0 repeat p.json --runs 8 --every 2
has 'runs further apart take more steps and no fewer rounds' '^ring:4-allgather-c16-s16-r24-repeat: ' out
run 0 repeat p.json --runs 3 --json
keys 'keys of repeat --json' "$json" out
run 0 solve -t ring:4 -c allgather -C 2 -S 4 -R 8 --pipeline 2 -o p2.json
run 0 repeat p2.json --runs 3
has 'a pipeline says how far apart runs are' '^ring:4-allgather-c6-s6-r12-repeat: ' out

# A chain that fills a link a step comes to fill all.
run 0 build -t line:4 -c broadcast --root 0 --method direct -C 1 -o tree.json
has 'one run' '\(1,3,3\), R/C = 3; ' out
run 0 repeat tree.json --runs 100 -o chain.json
has 'a hundred runs' '\(100,102,102\), R/C = 51/50; .* 2.0 % above' out

# Of every kind, with values added, of several roots, of one's own, of a symmetry.
for kind in broadcast gather scatter alltoall reduce reducescatter allreduce; do
	root=
	case $kind in broadcast | gather | scatter | reduce) root='--root 1' ;; esac
	# shellcheck disable=SC2086
	run 0 build -t ring:4 -c $kind $root --method direct -o one.json
	run 0 repeat one.json --runs 5 -o five.json
	run 0 verify five.json
	has "$kind" "\"kind\": \"$kind\"" five.json
	run 0 run five.json --counts 1,33 --calls 2
	[ "$(grep -cE "$exact" out)" = 2 ]
	ok $? "$kind runs, with exact results"
done
run 0 solve -t ring:4 -c gather --root 0,2 -C 1 -S 2 -R 2 -o roots.json
run 0 repeat roots.json --runs 4 -o four.json
run 0 verify four.json
run 0 solve -t line:3 -c scan -C 1 -S 2 -R 2 -o scan.json
run 0 repeat scan.json --runs 6 -o six.json
run 0 verify six.json
run 0 solve -t torus:8x8 -c allgather -C 4 -S 8 -R 63 -o compact.json
run 0 repeat compact.json --runs 2 -o two.json
run 0 verify two.json

# What cannot be.
run 2 repeat p.json
has 'runs are needed' '^sccl-synth: --runs: missing' err
run 2 repeat --runs 2
run 2 repeat p.json p.json --runs 2
run 2 repeat p.json --runs 0
run 2 repeat p.json --runs 2 --every 0
run 3 repeat p.json --runs 16777216
has 'too many are told' 'make too many chunks or steps$' err
run 1 repeat "$bad/algorithm/verify-overload.json" --runs 2
has 'what is wrong is not repeated' 'does not verify: step 1 sends 2 chunks' err
run 2 repeat p.json --runs 2 -o p.json/x
finish
