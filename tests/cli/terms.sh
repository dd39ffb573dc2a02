#!/bin/sh
# solve --pipeline and --extra-memory: found, refused, written, read, judged and forged.
. "$(dirname "$0")/tap.sh"

# Two halves of each input on a ring of 4: 6 chunks a node over 2 links, so that no run can begin more often than every 3 rounds.
run 0 solve -t ring:4 -c allgather -C 2 -S 2 -R 3 -o alone.json
for engine in bits bits-z3 lia lia-paper; do
	run 1 solve -t ring:4 -c allgather -C 2 -S 2 -R 5 --pipeline 1 --engine $engine
	has 'the refusal tells the pipeline' "engine $engine refuted allgather on ring:4 with C=2, S=2, R=5, --pipeline 1" err
	run 0 solve -t ring:4 -c allgather -C 2 -S 2 -R 6 --pipeline 1 --engine $engine -o $engine.json
	run 0 verify $engine.json
done
has 'the file says how often' '^  "pipeline": 1,$' bits.json
has 'its name too' '"name": "ring:4-allgather-c2-s2-r6-pipeline1"' bits.json
run 0 show bits.json
has 'show tells it' '^  pipeline: .* every 1 step, .* 3 rounds$' out
run 0 run bits.json --counts 7 --calls 2
has 'a program is made of it as of any other' "$exact" out
sed 's/^  "topology"/  "pipeline": 1,\n  "topology"/' alone.json >forged.json
run 1 verify forged.json
has 'one that cannot overlap is found out' ': (cost|overload): .*step' out
run 0 solve -t ring:4 -c reducescatter -C 8 -S 2 -R 6 --pipeline 1 -o back.json
run 0 verify back.json
run 0 solve -t line:3 -c broadcast --root 0 -C 1 -S 2 -R 9 --pipeline 1 --json -o less.json
has 'rounds that no step needs are not taken' '"steps": 2, "rounds": 2,' out
run 0 solve -t complete:4 -c allreduce --within direct -C 1 -S 1 -R 1 --pipeline 1

# What no allgather of two steps can alone: 7 rounds for 6 chunks.
run 1 solve -t dgx1 -c allgather -C 6 -S 2 -R 7
run 0 solve -t dgx1 -c allgather -C 6 -S 2 -R 14 --pipeline 1 -o dgx1.json
run 0 verify dgx1.json
run 0 show dgx1.json
has 'each run costs what the bandwidth bound says' 'every 1 step, .* 7 rounds$' out
run 1 solve -t dgx1 -c allgather -C 6 -S 2 -R 12 --pipeline 1
# A question that is first asked folded by symmetry.
run 0 solve -t torus:8x8 -c allgather -C 4 -S 8 -R 126 --pipeline 4 -o torus.json
run 0 verify torus.json

# Gather along a line: the far node's chunks pass by the one between.
run 0 solve -t line:3 -c gather --root 0 -C 2 -S 2 -R 4 --extra-memory 2 -o two.json
has 'the file says how much' '^  "extra_memory": 2,$' two.json
run 0 show two.json
has 'show tells the memory' '^  memory: each node holds at most 2 chunks in transit' out
run 0 verify two.json
sed 's/"extra_memory": 2/"extra_memory": 1/' two.json >forged.json
run 1 verify forged.json --json
has 'less is found out' '"ok": false, "fault": "memory", "step": 0, "chunk": null, "src": null, "dst": 1\}$' out
for engine in bits bits-z3 lia lia-paper; do
	run 1 solve -t line:3 -c gather --root 0 -C 2 -S 2 -R 4 --extra-memory 1 --engine $engine
	run 1 solve -t line:3 -c gather --root 0 -C 2 -S 3 -R 5 --extra-memory 1 --engine $engine
	run 0 solve -t line:3 -c gather --root 0 -C 2 -S 4 -R 4 --extra-memory 1 --engine $engine
	run 1 solve -t line:3 -c gather --root 0 -C 1 -S 2 -R 9 --extra-memory 0 --engine $engine
	run 1 solve -t line:3 -c scatter --root 0 -C 6 -S 2 -R 4 --extra-memory 1 --engine $engine
	run 0 solve -t line:3 -c scatter --root 0 -C 6 -S 4 -R 4 --extra-memory 1 --engine $engine
done
run 0 export two.json --format smt2
has 'another solver is asked for it too' 'declare-const end_2_1 Int' out
run 2 export two.json --format dimacs

# Frontiers: all points keep to it, and so do those that were refused.
run 0 pareto -t ring:4 -c allgather --pipeline 1 -o f
has 'what is searched is told' '^allgather on ring:4, pipeline 1: S >= 2' out
has 'the point that solve found' '^ +2 +2 +6 +3  latency +exhausted  f/pipeline1/ring:4/allgather/c2-s2-r6.json$' out
frontier=f/pipeline1/ring:4/allgather/frontier.json
run 0 verify f
run 2 prove $frontier
has 'no certificates' 'have no certificates$' err
sed 's/"pipeline": 1/"pipeline": 2/' $frontier >f/pipeline1/ring:4/allgather/other.json
run 1 verify f/pipeline1/ring:4/allgather/other.json
has 'a frontier of another pipeline' 'c2-s2-r6.json is for another pipeline or memory' out
sed '/^  "pipeline"/d' $frontier >f/pipeline1/ring:4/allgather/other.json
run 1 verify f/pipeline1/ring:4/allgather/other.json
run 0 pareto -t ring:4 -c allgather --pipeline 1 -o f2 -j 2
cmp -s $frontier f2/pipeline1/ring:4/allgather/frontier.json
ok $? 'two questions at once, the same file'
run 0 pareto -t ring:4 -c allgather --pipeline 3 --json
has 'where nothing overlaps it is the frontier of all' '"pipeline": 3, .*"points": \[\{"chunks": 2, "steps": 2, "rounds": 3' out
run 0 pareto -t line:3 -c gather --root 0 --extra-memory 0 --max-steps 4
has 'nothing passes by' '^gather on line:3, root 0, extra memory 0: S >= 2' out
has_no 'so there is no point' 'latency|bandwidth +bound|both' out
run 0 pareto -t ring:4 -c alltoall --extra-memory 1 --pipeline 2 --max-steps 3 -o f
run 0 verify f/pipeline2-memory1
sed 's/"refuted": \[.*\]}/"refuted": []}/' f/pipeline1/ring:4/allgather/c2-s2-r6.json >f/less.json
run 1 verify f/less.json
has 'without refusals, and the claim does not hold' 'is not among the refuted' out
finish
