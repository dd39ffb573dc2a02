#!/bin/sh
# sccl-synth pareto: text, JSON and files; the same bytes by any number of jobs; interrupted, and taken up again.
. "$(dirname "$0")/tap.sh"

help pareto

# Without k: the least R/C for each number of steps, and the certificates beside the frontier.
run 0 pareto -t dgx1 -c allgather --fresh
same 'each point beside the least R/C of its steps' 'allgather on dgx1: S >= 2, R/C >= 7/6; any R
       C     S      R      R/C    least     gap  optimal in proved by  file
       2     2      3      3/2      3/2       -  latency    program    -
       6     3      7      7/6      7/6       -  bandwidth  bound      -
  ended: R/C = 7/6 is the bandwidth bound' out
silent
run 0 pareto -t dgx1 -c broadcast --root 1 -o least --json
keys 'keys of pareto --json without k' 'topology collective root k bounds ended points values refuted open' out
has 'k is null' '"k": null' out
has 'the values' '"values": \[{"steps": 2, "value": "1"}, {"steps": 3, "value": "9/22"}, {"steps": 4, "value": "4/13"}, ' out
find least -type f | sed 's:.*/::' | grep -v '^c' | sort >files
same 'the frontier and its certificates' 'frontier-root1.json
proofs-root1.json' files
run 0 verify --proofs least
cp -r least again
rm again/dgx1/broadcast/proofs-root1.json
run 0 prove again/dgx1/broadcast/frontier-root1.json
has 'prove solves the programs again' 'proofs-root1.json: 5 programs over timed trees, ' out
diff -r least again >differences
ok $? 'and writes the same'
run 0 pareto -t dgx1 -c allreduce -o least
has 'an allreduce directly' '^ +6 +3 +3 +1/2 +1/2 +- +pareto +program +all +least/' out
has 'and composed' '^ +48 +5 +16 +1/3 +1/3 +- +pareto +program +composition least/' out
run 0 verify --proofs least/dgx1/allreduce
# What a relabelled frontier has: a root that is not the first of those that are alike.
cp -r least/dgx1/allreduce alike
sed 's/"root": 0/"root": 5/' alike/frontier.json >forge.tmp && mv forge.tmp alike/frontier.json
run 1 verify --proofs alike/frontier.json
has 'values are shown from the root that is named' 'no program from root 5 shows' out
run 0 prove alike/frontier.json
run 0 verify --proofs alike/frontier.json
# From a catalog, relabelled: the certificates are made again.
run 0 pareto -t ring:4 -c broadcast --root 0 --fresh -o catalog/algorithms
printf '{"format": "sccl-topology", "version": 1, "name": "turned", "nodes": 4, "duplex": true, "links": [' >turned.json
printf '{"src": 0, "dst": 2, "bandwidth": 1}, {"src": 2, "dst": 1, "bandwidth": 1}, ' >>turned.json
printf '{"src": 1, "dst": 3, "bandwidth": 1}, {"src": 3, "dst": 0, "bandwidth": 1}]}\n' >>turned.json
: >catalog/algorithms/ring:4/broadcast/frontier-root0.journal # of a search that was interrupted: no frontier
run 0 pareto -d catalog -t ./turned.json -c broadcast --root 1 -o turned
has 'taken from the catalog' 'catalog/algorithms/ring:4/broadcast/frontier-root0.json: taken from the catalog, relabelled' err
run 0 verify --proofs turned
# Directly with as many steps as compositions have: theirs of the same cost is the point, in one file.
run 0 pareto -t line:3 -c allreduce --max-steps 4 -o merged
has 'a composition among what was searched directly' '^ +3 +4 +4 +4/3 +4/3 +- +both +bound +composition +merged/' out
run 0 verify --proofs merged
run 0 pareto -t switch:16 -c allgather
has 'one step behind a switch' '^ +1 +1 +15 +15 +15 +- +both +bound ' out
run 0 pareto -t dgx1 -c broadcast --root 1 --max-chunks 12
has 'the distance where chunks are few' '^ +[0-9]+ +3 +[0-9]+ +[0-9/]+ +9/22 +[0-9.]+ % +none ' out
run 0 pareto -t ring:4 -c allreduce --max-chunks 1
has 'one chunk, directly, where compositions need one for each node' '^ +1 +2 +2 +2 .* all +-$' out
# Links in one direction: no allgather, but a broadcast from the first node.
cat >oneway.json <<'END'
{"format": "sccl-topology", "version": 1, "name": "oneway", "nodes": 2, "links": [{"src": 0, "dst": 1, "bandwidth": 1}]}
END
run 2 pareto -t ./oneway.json -c all --root 0
has 'collectives that a machine allows, after one that it does not' '^scatter on oneway, root 0:' out
has 'and which it does not' '^sccl-synth: allgather: oneway: node 0 cannot be reached from node 1' err
run 2 pareto -t ./nowhere.json -c all
[ "$(grep -c . err)" = 1 ]
ok $? 'a machine that is not there is reported once'
run 0 pareto -t ring:4 -c alltoall --extra-memory 1 -k 1 --json
has 'the memory beside the points' '"extra_memory": 1, "k": 1, ' out
run 0 pareto -t ring:4 -c alltoall --max-chunks 4
has 'one chunk for each node' '^ +4 +[0-9]+ ' out

# Solvers that end for lack of memory make no value worse, but there may be more chunks.
if [ "${ASAN_OPTIONS:-}" ]; then
	skip 'a lack of memory' 'the address sanitizer needs all the address space'
else
	run 0 pareto -t dgx1 -c broadcast --root 1 --max-steps 4 --memory 1
	same 'it is said once' 'sccl-synth: dgx1: solvers ended for lack of memory (--memory), so points may have more chunks than necessary, or be missing' err
fi
run 0 pareto -t dgx1 -c broadcast --root 1 --max-steps 4 --memory 2000
silent

# Columns are as wide as their longest cell.
cat >fast.json <<'END'
{"format": "sccl-topology", "version": 1, "name": "fast", "nodes": 3, "duplex": true, "links": [
 {"src": 0, "dst": 1, "bandwidth": 100003}, {"src": 1, "dst": 2, "bandwidth": 1000000}, {"src": 0, "dst": 2, "bandwidth": 999983}]}
END
run 0 pareto -t ./fast.json -c broadcast --root 0 --max-steps 1
same 'heads stand above long cells' 'broadcast on fast, root 0: S >= 1, R/C >= 1/1099986; any R
       C     S      R      R/C    least       gap  optimal in proved by  file
    1024     1      1   1/1024 1/100003 9665.92 %  latency    bound      -
  ended: S = 1 is the largest number of steps to search' out

run 0 pareto -t ring:4 -c allgather -k 4 --fresh
same 'a frontier of one point' 'allgather on ring:4: S >= 2, R/C >= 3/2; searched R - S <= 4
       C     S      R      R/C  optimal in proved by  file
       2     2      3      3/2  both       bound      -
  ended: R/C = 3/2 is the bandwidth bound' out
silent
run 0 pareto -t ring:4 -c allgather -k 4 --fresh --json
same 'the same as JSON' '{"topology": "ring:4", "collective": "allgather", "root": null, "k": 4, "bounds": {"steps": 2, "bandwidth": "3/2"}, "ended": "bound", "points": [{"chunks": 2, "steps": 2, "rounds": 3, "bandwidth": "3/2", "class": "both", "proof": "bound", "file": null}], "refuted": [], "open": []}' out

run 0 pareto -t dgx1 -c allgather -k 4 --fresh -o one --json
keys 'keys of pareto --json' 'topology collective root k bounds ended points refuted open' out
has 'the paper: (2,2,3) and (6,3,7)' '"chunks": 2, "steps": 2, "rounds": 3, .*"chunks": 6, "steps": 3, "rounds": 7, ' out
has 'the file of each point is named' '"file": "one/dgx1/allgather/c6-s3-r7.json"' out
find one -type f | sort >files
same 'points and frontier are on disk, and nothing else' 'one/dgx1/allgather/c2-s2-r3.json
one/dgx1/allgather/c6-s3-r7.json
one/dgx1/allgather/frontier.json' files
run 0 pareto -t dgx1 -c allgather -k 4 --fresh -o three -j 3
diff -r one three >differences
ok $? 'three jobs write the same bytes as one'
run 0 verify one/dgx1/allgather/*.json
run 0 pareto -t dgx1 -c allgather -k 4 --fresh --least-steps
has '--least-steps stops at the first point' '^ +2 +2 +3 +3/2 ' out
has_no 'and has no second' '^ +6 +3 +7 ' out
run 0 pareto -t ring:4 -c broadcast --root all --max-steps 3 -k 1 --json
[ "$(wc -l <out)" = 1 ]
ok $? 'all roots of a ring are alike: one line'
run 0 pareto -t line:3 -c broadcast -k 4 --root all --max-steps 3 --json
[ "$(wc -l <out)" = 2 ]
ok $? 'a line has two kinds of root: two lines'
has_no 'and no word of a solver between them' '^[^{]' out
run 0 pareto -t line:3 -c broadcast -k 4 --root all --max-steps 3 -o roots
[ -e roots/line:3/broadcast/frontier-root0.json ] && [ -e roots/line:3/broadcast/frontier-root1.json ]
ok $? 'a frontier file for each'

# All collectives: what is taken from another is as good as what is searched alone, and has certificates of its own.
run 0 pareto -t switch:4 -c all --fresh -o kinds --json
grep -o '"collective": "[a-z]*"' out | cut -d'"' -f4 | paste -sd' ' >order
same 'each after those whose frontiers it takes' 'allgather reducescatter allreduce alltoall broadcast reduce gather scatter' order
run 0 verify --proofs kinds
for kind in reduce reducescatter scatter; do
	run 0 pareto -t switch:4 -c $kind --fresh -o alone
	[ -e alone/switch:4/$kind/proofs*.json ] || [ ! -e kinds/switch:4/$kind/proofs*.json ]
	ok $? "a $kind has certificates where it has them when searched alone"
	for file in alone/switch:4/$kind/frontier*.json; do
		grep -o '"values": .*' "$file" >alone.values
		grep -o '"values": .*' "kinds${file#alone}" >taken.values
		diff alone.values taken.values >differences
		ok $? "and the values of $kind"
	done
done
run 0 pareto -t line:3 -c all --root 1 --fresh --json --max-steps 3
has 'the root is for collectives that have one' '"collective": "reduce", "root": 1' out
has 'and no fault of others' '"collective": "alltoall", "root": null' out
run 0 pareto -t line:3 -c all -k 1 --max-steps 3 --json
[ "$(wc -l <out)" = 8 ]
ok $? 'a class is searched for each'

# A limit: what stays undecided is named, and files are whole.
run 3 pareto -t dgx1 -c allgather -k 4 --fresh --timeout 0.001 -o late --json
has 'candidates stayed open' '"ended": "limit", .*"open": \[\[' out
run 0 verify $(find late -name '*.json')

# No control characters where nobody watches.
timeout 120 "$program" pareto -t dgx1 -c allgather --fresh -k 4 2>&1 </dev/null | cat >both
has 'it spoke' '^allgather on dgx1' both
[ "$(tr -d '\n\40-\176' <both | wc -c)" = 0 ]
ok $? 'no control characters in a pipe'
finish
