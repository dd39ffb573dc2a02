#!/bin/sh
# sccl-synth trees: rate, cut and trees as text and JSON; algorithms of them, which are judged and run.
. "$(dirname "$0")/tap.sh"

help trees

run 0 trees -t complete:3 -c allgather
same 'trees of three nodes, each with links to all' 'allgather on complete:3
  rate    R/C = 1
          the chunks of 2 roots must get out of {1, 2}, and 2 fit into a round
  trees   1 per root, all of them in 1 round, depth 1
    1 x root 0, depth 1: 0>1 0>2
    1 x root 1, depth 1: 1>0 1>2
    1 x root 2, depth 1: 2>0 2>1' out
silent
run 0 trees -t dgx-a100 -c allgather
has 'the published rate of dgx-a100' '^  rate    R/C = 7/12, 342.86 GB/s of the whole result$' out
has 'the cut names the switch' '^ .*\{1, 2, 3, 4, 5, 6, 7\} with switches \{8\}, and 12 fit into a round$' out
run 0 trees -t dgx-a100 -c allgather --json
keys 'keys of trees --json' 'topology collective root halves algorithm' out
has 'rate and cut' '"bandwidth": "7/12", "gigabytes_per_second": "2400/7", "by_routes": "7/12", "by_trees": "7/12", "limits_left_out": 0, "cut": \{"roots": 7, "capacity": 12, ' out
has 'a tree' '\{"root": 3, "count": 1, "depth": 1, "edges": \[\[3, 0\], \[3, 1\], \[3, 2\], \[3, 4\]' out
has 'ways through the switch' '\{"src": 0, "dst": 1, "count": 1, "via": \[8\]\}' out
has 'no algorithm unless asked for' '"algorithm": null\}$' out

run 0 trees -t dgx-a100 -c allgather -o a.json
has 'what is made is named' '^dgx-a100-allgather-c12-s1-r7-forest, R/C = 7/12, verified: a.json$' out
run 0 verify a.json
run 0 trees -t dgx1 -c allreduce -C 48 -o b.json --json
has 'both halves of an allreduce' '"halves": \[\{"collective": "reducescatter", .*\{"collective": "allgather", ' out
has 'the algorithm' '"algorithm": \{"chunks": 48, "steps": [0-9]+, "rounds": [0-9]+, "bandwidth": "[0-9/]+", "file": "b.json"\}\}$' out
run 0 trees -t dgx1v -c reduce --root 3 -C 12 -o c.json
has 'a reduce runs backwards' 'chunks go from the leaves to the root$' out
run 0 verify b.json c.json
run 0 run a.json b.json c.json --sizes 4K:4K
run 0 trees -t mi50-two-rings -c broadcast -C 4
has 'that no root was given is told' '^sccl-synth: --root: not given' err


# What enters and what leaves the switches does not pair: the best that they can forward, and by how much it misses the bound.
cat >uneven.json <<'END'
{"format": "sccl-topology", "version": 1, "name": "uneven", "nodes": 3, "switches": 2, "links": [
  {"src": 0, "dst": 4, "bandwidth": 2}, {"src": 1, "dst": 0, "bandwidth": 3}, {"src": 1, "dst": 3, "bandwidth": 2},
  {"src": 2, "dst": 0, "bandwidth": 1}, {"src": 2, "dst": 3, "bandwidth": 2}, {"src": 3, "dst": 2, "bandwidth": 2},
  {"src": 3, "dst": 4, "bandwidth": 4}, {"src": 4, "dst": 1, "bandwidth": 4}, {"src": 4, "dst": 2, "bandwidth": 3}]}
END
for kind in allgather reducescatter allreduce broadcast reduce; do
	run 0 trees -t ./uneven.json -c $kind -o $kind.json
	run 0 verify $kind.json
done
run 0 trees -t ./uneven.json -c allgather
has 'the bound' '^  rate    R/C = 1/2$' out
has 'what is reached' '^  reached R/C = 2/3, 33.3 % above: ' out
run 0 trees -t ./uneven.json -c allgather --json
has 'also as JSON' '"bandwidth": "1/2", .*"by_trees": "2/3", ' out

# In time, or a line that says why not.
begin=$(date +%s)
run 3 trees -t dragonfly:1x2x71 -c allgather --within 2 -o late.json
[ $(($(date +%s) - begin)) -le 4 ]
ok $? '--within is kept'
same 'why there are no trees' 'sccl-synth: dragonfly:1x2x71: gave up: there was not enough time to pack trees' err
[ ! -e late.json ]
ok $? 'nothing is written then'
run 0 trees -t dgx-a100 -c allgather --within 60 -o timely.json
cmp -s a.json timely.json
ok $? 'the same trees where the time suffices'

run 2 trees -t dgx1 -c alltoall
run 2 trees -t dgx1 -c allgather -C 7
run 2 trees -t line:1 -c allgather
run 2 trees -t dgx1 -c broadcast --root all
run 3 trees -t complete:64 -c allgather -C 65536
run 3 trees -t ring:1200 -c allgather
finish
