#!/bin/sh
# sccl-synth topology: list, and show as text, JSON and dot.
. "$(dirname "$0")/tap.sh"

help topology

run 0 topology list
silent
for file in "$source"/topologies/*.json; do
	name=$(basename "$file" .json)
	has "$name is listed" "^  $name +[0-9]+ nodes +[0-9]+ links  ." out
done
for shape in ring line star complete hypercube torus mesh switch bigraph fat-tree dragonfly tpu-v4 tpu-v5p; do
	has "the shape $shape is listed" "^  $shape:" out
done
has 'other names are listed' '^  p3\.16xlarge +dgx1v$' out
has 'networks are listed, with their source' "^  ib400 +50 GB/s per NIC and direction, 13/10 us; vendor's speed; latency" out
run 0 topology list --json
keys 'keys of topology list --json' 'name nodes switches links description' out

run 0 topology show ring:3
same 'a small machine as a table' 'ring:3: 3 nodes, 6 links
  bandwidths, in chunks per round:
  from\to    0    1    2
     0            1    1
     1       1         1
     2       1    1     ' out
run 0 topology show ring:3 --format dot
same 'a small machine as a picture' 'digraph "ring:3" {
  layout=circo;
  node [shape=circle];
  0 -> 1 [label="1", penwidth=1, dir=none];
  0 -> 2 [label="1", penwidth=1, dir=none];
  1 -> 2 [label="1", penwidth=1, dir=none];
}' out

# What is shown as JSON is a machine again, and the same one.
for machine in ring:3 dgx1 switch:4 'dgx1@gpus=0,1,2,3' 'ring:4@drop=0-1@add=0-2x3' 'torus:4x8+twist' tpu-v4:4x4x4 'h100*2:4xib400+rails'; do
	run 0 topology show "$machine" --format json
	cp out machine.json
	run 0 topology show ./machine.json --format json
	cmp -s out machine.json
	ok $? "$machine reads back as it was written"
done
run 0 topology show dgx1 --json
cp out whole.json
run 0 topology show dgx1 --format json
cmp -s out whole.json
ok $? '--json is --format json'

# Machines that are the same but for their numbers.
run 0 topology isomorphic line:3 'line:3@gpus=1,0,2'
has 'the middle goes to the middle' '^0->[12] 1->0 2->[12]$' out
silent
run 0 topology isomorphic dgx1 dgx1v
has 'a line of pairs' '^0->[0-7]( [1-7]->[0-7]){7}$' out
run 0 topology isomorphic ring:3 complete:3 --json
keys 'keys of topology isomorphic --json' 'a b isomorphic to' out
has 'with a number for each node' '"isomorphic": true, "to": \[[0-2], [0-2], [0-2]\]\}$' out
run 1 topology isomorphic dgx1v dgx1p
same 'there is none' 'dgx1v and dgx1p are not isomorphic' out
run 1 topology isomorphic dgx1v dgx1p --json
has 'nor as JSON' '"isomorphic": false, "to": null' out
run 0 topology parts dgx1p
has 'how many there are' '^dgx1p: 14 connected sub-machines ' out
[ "$(grep -c ', roots 0' out)" = 14 ]
ok $? 'and a line for each'
run 0 topology parts line:3 --json
keys 'keys of topology parts --json' 'name nodes digest alike roots' out
has 'a line has two kinds of node' '"roots": \[0, 1\]' out

# Units of bandwidth from speeds: 50, 12.5 and 25 GB/s are 4, 1 and 2 units of 12.5.
cat >speeds.json <<'END'
{"format": "sccl-topology", "version": 1, "name": "speeds", "nodes": 4, "duplex": true,
 "kinds": {"nvlink": {"latency_us": 0.7, "gigabytes_per_second": 50}, "ib": {"latency_us": "1.3", "gigabytes_per_second": "12.5"}},
 "links": [{"src": 0, "dst": 1, "kind": "nvlink"}, {"src": 2, "dst": 3, "kind": "nvlink"}, {"src": 0, "dst": 2, "kind": "ib"},
           {"src": 1, "dst": 3, "gigabytes_per_second": 25, "latency_us": 2}],
 "limits": [{"out_of": 0, "gigabytes_per_second": 50}]}
END
run 0 topology show ./speeds.json
has 'the unit is the greatest common divisor' 'kind ib: latency 13/10 us, 25/2 GB/s per unit of bandwidth' out
has 'of all kinds' 'kind nvlink: latency 7/10 us, 25/2 GB/s per unit of bandwidth' out
has 'and of limits' 'at most 4 chunks per round out of node 0' out
run 0 topology show ./speeds.json --format json
has 'a link with a speed of its own' '"dst": 3, "bandwidth": 2, "kind": "25 GB/s, 2 us"' out
cp out units.json
run 0 topology show ./units.json --format json
cmp -s out units.json
ok $? 'what is written in units reads the same'
# What was written in units has kinds that are named by the speeds of whole links: a link of such a speed is of another kind.
sed 's/"dst": 3, "bandwidth": 2, "kind": "25 GB\/s, 2 us"}/"dst": 3, "gigabytes_per_second": 25, "latency_us": 2}/; /"limits"/,/]/d' \
	units.json >edited.json
run 0 topology show ./edited.json --format json
has 'the name of a kind does not make its speed' '"dst": 3, "bandwidth": 2, "kind": "25 GB/s, 2 us \(2\)"' out
run 0 bounds -t ./speeds.json -c broadcast
has 'bounds count in units' 'R/C >= 1/' out

# Boxes that a network joins: its links have its speed and latency, and the unit follows.
run 0 topology show 'h100*2:ib400/rails'
has 'an alias and another spelling have one name' '^dgx-h100\*2:ib400\+rails: 16 nodes, 10 switches' out
has 'the network has a kind of its own' 'kind ib400: latency 13/20 us, 50 GB/s per unit of bandwidth' out
has 'in the unit of the box' 'kind nvlink4: latency 7/20 us, 50 GB/s per unit of bandwidth' out
has 'and a source' 'source: .*; ib400: vendor' out
run 0 topology show 'dgx1*2'
has 'without a network all is as it was' 'kind nvlink2: latency 7/10 us, 25 GB/s per unit of bandwidth' out
has_no 'and the switch has no kind' 'kind ib' out
run 0 bounds -t 'dgx-h100*4:ib400' -c allgather
has 'bounds count both: nine units into a GPU by NVLink, one by its NIC' 'R/C >= 31/10$' out
run 0 topology isomorphic trn2 torus:4x4

mkdir -p own/topologies
cp "$source/topologies/p3.8xlarge.json" own/topologies/h100.json
run 0 topology show h100 -d own
has 'a file comes before an alias' '^p3.8xlarge: 4 nodes' out
sed 's/"description": "[^"]*"/"description": "my own"/' "$source/topologies/dgx1.json" >own/topologies/dgx1.json
run 0 topology show dgx1 -d own --format json
has '-d looks there first' '"my own"' out
# Names as people type them.
for name in H100 DGX_H100 DGX-1 dgx1; do
	run 0 topology show "$name"
done
for name in AllReduce all_reduce ALL-REDUCE; do
	run 0 bounds -t ring:3 -c "$name"
	has "$name is allreduce" '^allreduce' out
done
run 0 bounds -t ring:3 -c bcast
run 2 bounds -t ring:3 -c all_reduction
finish
