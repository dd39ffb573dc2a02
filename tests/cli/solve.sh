#!/bin/sh
# sccl-synth solve: found, none and gave up, to standard output, to a file and as JSON.
. "$(dirname "$0")/tap.sh"
json='answer topology collective root chunks steps rounds engine seconds file'

help solve

run 0 solve -t ring:3 -c allgather -C 1 -S 1 -R 1
cp out written.json
silent
same 'an algorithm, as it is checked in' "$(cat "$golden/ring3-allgather.json")" written.json
run 0 solve -t ring:3 -c allgather -C 1 -S 1 -R 1 -o new/folder/a.json
same 'what is found is named' 'found ring:3-allgather-c1-s1-r1, verified: new/folder/a.json' out
cmp -s written.json new/folder/a.json
ok $? 'the file is what standard output got'
run 0 solve -t ring:3 -c allgather -C 1 -S 1 -R 1 --json
keys 'keys of solve --json' "$json" out
has 'no file without -o' '"file": null\}$' out
run 0 solve -t ring:3 -c allgather -C 1 -S 1 -R 1 --json -o b.json
keys 'keys of solve --json -o' "$json" out
has 'the file of -o' '^\{"answer": "found", .*"root": null, "chunks": 1, .*"file": "b.json"\}$' out
[ "$(wc -l <out)" = 1 ]
ok $? 'one object, one line'
for engine in lia lia-paper naive bits bits-z3; do
	run 0 solve -t ring:4 -c allgather -C 2 -S 2 -R 3 --engine $engine -o $engine.json --json
	has "$engine says so" "\"engine\": \"$engine\"" out
	run 0 verify $engine.json
	run 1 solve -t ring:4 -c broadcast --root 0 -C 3 -S 2 -R 2 --engine $engine
done

run 1 solve -t star:5 -c alltoall -C 5 -S 2 -R 4 -o none.json
same 'refuted by an engine' \
	'sccl-synth: star:5: there is no such algorithm: engine bits refuted alltoall on star:5 with C=5, S=2, R=4' err
run 1 solve -t dgx1 -c broadcast --root 1 -C 17 -S 3 -R 7 -o none.json
same 'more than whole rounds carry' \
	'sccl-synth: dgx1: there is no such algorithm: C=17 is more than 16, the most that 7 whole rounds can carry in 3 steps' err
run 1 solve -t dgx1 -c allgather -C 3 -S 2 -R 4 -o none.json
same 'below the bound of its steps' \
	'sccl-synth: dgx1: there is no such algorithm: R/C=4/3 is below 3/2, the bandwidth bound for 2 steps' err
run 1 solve -t dgx1 -c allgather -C 1 -S 1 -R 1 -o none.json
same 'below the step bound' \
	'sccl-synth: dgx1: there is no such algorithm: S=1 is below the step bound 2: chunk 0 must get from node 0 to node 4' err
run 1 solve -t dgx1 -c allgather -C 2 -S 2 -R 2 -o none.json
same 'below the bandwidth bound' 'sccl-synth: dgx1: there is no such algorithm: R/C=1 is below the bandwidth bound 7/6' err
run 1 solve -t dgx1 -c allgather -C 3 -S 2 -R 4 -o none.json --json
has 'none, as JSON' '^\{"answer": "none", .*"file": null\}$' out
keys 'keys where there is none' "$json" out

if [ "${ASAN_OPTIONS:-}" ]; then
	skip 'the memory limit' 'the address sanitizer needs all the address space'
else
	run 3 solve -t dgx1 -c alltoall -C 24 -S 8 -R 8 --memory 5 -o large.json
	has 'the memory limit is named' 'gave up: memory limit of 5 MiB$' err
	[ ! -e large.json ]
	ok $? 'nothing is written at a limit'
fi
run 3 solve -t mesh:4x4 -c alltoall -C 16 -S 8 -R 20 --timeout 0.01 -o late.json
has 'it gave up, and says at what' '^sccl-synth: mesh:4x4: gave up: .*time limit of 0.01 s' err
[ ! -s out ]
ok $? 'nothing on standard output'
# Routes and bounds take seconds here, and no solver is reached.
run 3 solve -t switch:1024 -c allgather -C 1 -S 2 -R 600 --timeout 0.1 -o late.json
same 'the limit is one of the whole command' 'sccl-synth: switch:1024: gave up: time limit of 0.1 s' err
[ ! -s out ] && [ -z "$(find . -name 'late*')" ]
ok $? 'and nothing is left behind'
run 3 solve -t switch:1024 -c allgather -C 1 -S 2 -R 600 --timeout 0.1 --json
same 'as JSON too' '{"answer": "gave-up", "topology": "switch:1024", "collective": "allgather", "root": null, "chunks": 1, "steps": 2, "rounds": 600, "engine": null, "seconds": 0.100, "file": null}' out
run 0 solve -t ring:3 -c allgather -C 1 -S 1 -R 1 --timeout 100
run 3 solve -t mesh:4x4 -c alltoall -C 16 -S 8 -R 20 --timeout 0.01 -o late.json --json
has 'gave up, as JSON' '^\{"answer": "gave-up", .*"file": null\}$' out
[ -z "$(find . -name '*none*' -o -name '*late*')" ]
ok $? 'nothing is written where nothing is found, not half either'

run 0 solve -t ring:3 -c broadcast -C 1 -S 1 -R 1 --json
has 'a root is taken' '"root": 0' out
same 'and it says so' 'sccl-synth: --root: not given; node 0 is the root' err

# Large instances: methods are asked before a solver, and may give better than asked.
run 0 solve -t mesh:5x5 -c allgather -C 1 -S 12 -R 12 -o tree.json
has 'a method answers' '^found mesh:5x5-allgather-c1-s12-r12-multitree, verified: tree.json$' out
run 0 solve -t mesh:5x5 -c allgather -C 2 -S 75 -R 80 --json -o rings.json
has 'with fewer steps and rounds' '"chunks": 2, "steps": 8, "rounds": 35, "engine": "methods"' out
run 0 solve -t dgx1 -c allreduce -C 48 -S 14 -R 14 --within composition -o both.json
has 'compositions too' '^found dgx1-allreduce-c48-s14-r14-' out
run 0 verify tree.json rings.json both.json
# A small instance on which a solver takes minutes: methods are asked after a little of its work.
run 0 solve -t switch:8 -c broadcast --root 0 -C 29 -S 5 -R 35 --json -o star.json
has 'methods answer what is not solved at once' '"chunks": 29, "steps": 5, "rounds": 35, "engine": "methods"' out
run 0 verify star.json

# One send of each orbit, or all.
run 0 solve -t torus:8x8 -c alltoall -C 64 -S 8 -R 64 -o compact.json
has 'a symmetry tells all sends' '"symmetry": \[' compact.json
run 0 solve -t torus:8x8 -c alltoall -C 64 -S 8 -R 64 --expand -o full.json
! grep -q '"symmetry"' full.json
ok $? 'all sends without a symmetry'
run 0 verify full.json
run 0 pareto -t torus:8x8 -c allgather --fresh --expand -o whole
! grep -q '"symmetry"' whole/torus:8x8/allgather/c4-s8-r63.json
ok $? 'points are written out too'
run 0 verify whole
finish
