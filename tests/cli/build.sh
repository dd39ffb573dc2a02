#!/bin/sh
# sccl-synth build: methods by name, what is told of them, what they refuse; algorithms that are judged and run; tables.
. "$(dirname "$0")/tap.sh"

help build
run 0 build --help
for method in direct one-shot ring 2d-ring 2d-ring-whole hierarchical double-binary-tree recursive-doubling halving-doubling hdrm bruck binomial nvls multitree blink linear-program kernighan-lin timed-trees exact-schedule; do
	has "--help lists $method" "^  $method  " out
done

run 0 build -t dgx1 -c allreduce --method ring -o ring.json
has 'the cost of rings of NCCL, and the gap' '^dgx1-allreduce-c48-s14-r14-ring: \(48,14,14\), R/C = 7/24; bounds S >= 4, R/C >= 7/24; verified: ring.json$' out
has 'the rings are told' '^6 rings$' out
silent
run 0 verify ring.json
run 0 show ring.json

run 0 build -t torus:4x4 -c allgather --method multitree
same 'the steps of MultiTree, and the gap' 'torus:4x4-allgather-c1-s5-r5-multitree: (1,5,5), R/C = 5; bounds S >= 4, R/C >= 15/4, 33.3 % above; verified' out
run 0 build -t torus:4x4 -c allgather --method multitree --json
keys 'keys of build --json' 'method topology collective root chunks steps rounds bandwidth bound_steps bound_bandwidth file' out
run 0 build -t torus:4x4 -c allgather --method multitree -o one.json
run 0 build -t torus:4x4 -c allgather --method multitree -o two.json
cmp -s one.json two.json
ok $? 'the same bytes every time'
run 0 build -t torus:4x4 -c allgather --method multitree --prefer height -o three.json
run 0 verify three.json

run 0 build -t mesh:2x2 -c allreduce --method multitree --tables tables.json -o tree.json
has 'tables say what they are' '"format": "sccl-tables", "version": 1' tables.json
has 'a reduce' '^      \{"step": 2, "op": "reduce", "flow": 2, "parent": 2, "children": \[1\], "start": "1/2", "size": "1/4"\},$' tables.json
has 'a gather from the root of the flow' '^      \{"step": 3, "op": "gather", "flow": 0, "parent": null, "children": \[1, 2\], ' tables.json
run 0 run tree.json --counts 0,1,7,1000 --types i32
run 0 build -t line:3 -c allgather --method multitree --tables nops.json
has 'who sends nothing in a step has a NOP' '^      \{"step": 2, "op": "nop"\}' nops.json

# MXNet's variables.
run 0 build -t dgx1v -c allreduce --method kernighan-lin --tree-backtrack
has 'trees by search' '^0 trees by clustering, 8 by search$' out
for bytes in 39999996 40000000; do
	run 0 build -t dgx1v -c allreduce --method kernighan-lin --bytes $bytes --tree-array-bound 10000000
	cp out "bound-$bytes"
done
has 'one tree below 10,000,000 elements' '\(2,6,10\)' bound-39999996
has 'all from there on' '\(8,7,7\)' bound-40000000
run 0 build -t dgx1v -c allreduce --method kernighan-lin --tree-link-usage-penalty 1 -o unpunished.json
run 0 build -t dgx1v -c allreduce --method kernighan-lin -o punished.json
! cmp -s unpunished.json punished.json
ok $? 'what a penalty changes'
run 0 build -t a100-pcie-pairs -c allreduce --method kernighan-lin
has 'PCIe weighs 1 where NVLinks do not join all' '^links weigh 1 26$' out
run 0 build -t p3.8xlarge -c allreduce --method linear-program --fewest
has 'two patterns' '^C\(G\) = 1/3, 2 trees of weight 3 in total, rate 3$' out
has 'lemma 2.1' '^lemma 2\.1: the slowest link 1 >= the best single tree 1/2 >= C\(G\) 1/3 >= all links 1/3$' out
run 0 build -t dgx1 -c reduce --method binomial
has 'that no root was given is told' '^sccl-synth: --root: not given' err
run 0 build -t bigraph:4x8 -c allgather --method hdrm
has 'ranks of a BiGraph keep apart' '^bigraph:4x8-allgather-c1-s5-r31-hdrm: .* R/C >= 31; verified$' out

run 0 build -t dgx1 -c broadcast --root 0 --method ring
has 'a ring passes a broadcast on in waves' '^dgx1-broadcast-c48-s14-r14-root0-ring: .48,14,14., R/C = 7/24; ' out
mkdir -p own/topologies
sed 's/"name": "dgx1p"/"name": "mine"/' "$source/topologies/dgx1p.json" >own/topologies/mine.json
run 0 build -d own -t mine -c allgather --method ring
has 'a machine of -d' '^mine-allgather-' out

run 2 build -t dgx1 -c allreduce --method 2d-ring
has 'why a method cannot serve' '^sccl-synth: 2d-ring: needs a torus or mesh, and dgx1 is neither$' err
run 2 build -t dgx1 -c gather --root 0 --method multitree
has 'what a method serves' '^sccl-synth: -c: multitree serves allgather, broadcast, alltoall, reduce, reducescatter, allreduce, not gather$' err
run 2 build -t line:4 -c allreduce --method recursive-doubling
run 2 build -t dgx1 -c broadcast --method ring --root all
run 2 build -t dgx1 -c broadcast --method ring --root 0,3
run 3 build -t complete:512 -c allgather --method ring -C 500
has 'too many sends are told' '^sccl-synth: ring: needs more than 33554432 sends here: too many to list$' err
run 4 build -t ring:4 -c allgather --method ring -o /dev/full
# The least R/C of a number of steps: exact, and attained.
run 0 build -t dgx-h100 -c broadcast --method timed-trees -S 2 -o least.json
has 'the value of each number of steps' '^1 step: the least R/C is 7/18$' out
has 'two steps take a quarter of that' '^2 steps: the least R/C is 7/72$' out
has 'and an algorithm attains it' '\(144,2,14\), R/C = 7/72;.*verified' out
run 0 build -t switch:8 -c broadcast --method timed-trees -S 2 -C 10 -o ten.json
has 'with the chunks asked for' '\(10,2,[0-9]+\)' out
run 2 build -t dgx1 -c broadcast --method timed-trees -S 1
has 'too few steps' '^sccl-synth: -S: 1 step cannot be enough: some chunk needs 2$' err
run 2 build -t ring:4 -c allreduce --method timed-trees -S 1
has 'an allreduce has two halves' '^sccl-synth: -S: ' err
run 2 build -t ring:4 -c allreduce --method ring -S 3
has 'other methods have their own number of steps' '^sccl-synth: -S: does not apply to ring$' err
# Links of one way: a sum must come back.
printf '{"format": "sccl-topology", "version": 1, "name": "one-way", "nodes": 3, "links": [{"src": 0, "dst": 1, "bandwidth": 1},
	{"src": 1, "dst": 2, "bandwidth": 1}, {"src": 2, "dst": 0, "bandwidth": 1}]}' >one-way.json
for method in blink linear-program double-binary-tree; do
	run 2 build -t one-way.json -c allreduce --method $method
	has "$method says so" "^sccl-synth: $method: needs links in both directions" err
done
run 0 build -t one-way.json -c broadcast --method blink
has 'a broadcast needs none' 'verified$' out
run 2 build -t switch:520 -c broadcast --method timed-trees
has 'a machine too large for it' '^sccl-synth: timed-trees: 520 nodes and 1 chunks are too many$' err
run 0 build -t ring:4 -c allgather --method exact-schedule --bytes 64K --alpha 0.7 --beta 4e-5 -C 1 -o exact.json
has 'what a solver refuted' '^chunks of 65536 bytes: [0-9.]+ us; no schedule of them, each at its full rate, takes less$' out
run 0 verify exact.json
run 2 build -t ring:4 -c allgather --method exact-schedule
has 'a schedule in time is for a size' '^sccl-synth: --bytes: ' err
run 3 build -t torus:4x4 -c alltoall --method exact-schedule --bytes 1K --alpha 1 --beta 1
run 0 build -t torus:12x12 -c broadcast --method timed-trees -S 12
has 'a program that is not solved in minutes is left after seconds, with a bound' \
	'^12 steps: the least R/C is between 0\.[0-9]* and [0-9.]*$' out
run 0 build -t torus:5x5@drop=0-1 -c broadcast --method timed-trees -S 5
has 'an interval where too many sets of nodes would have to be looked through' \
	'^5 steps: the least R/C is between 0\.[0-9]* and 0\.[0-9]*$' out
has 'and an algorithm near its upper end' '(.*,5,.*), R/C = .*verified' out

# Without --method: all of them, and never worse than one.
run 0 build -t dgx1 -c allgather -o best.json
silent
has 'the least steps are marked' '^\* timed-trees +2 +2 +3 +3/2 +28.6 %$' out
has 'the least R/C is marked' '^\* ring +6 +7 +7 +7/6 +0.0 %$' out
has 'what others beat is there, unmarked' '^  multitree +1 +2 +2 +2 +71.4 %$' out
has 'the least R/C is the result' '^dgx1-allgather-c6-s7-r7-ring: .6,7,7., R/C = 7/6; .*; verified: best.json$' out
run 0 verify best.json
run 0 build -t dgx1 -c allgather -o again.json
cmp -s best.json again.json
ok $? 'without a limit on time the same bytes every time'
run 0 build -t dgx1 -c allgather -S 2 -o few.json
has '-S limits the steps' '^dgx1-allgather-c2-s2-r3-timed-trees: ' out
run 0 build -t dgx1 -c allgather -C 1
has_no '-C limits the chunks' '^\* [^ ]+ +([2-9]|[0-9]{2,})' out
run 0 build -t dgx1 -c allgather
marked=$(grep -c '^\*' out)
run 0 build -t dgx1 -c allgather --json
keys 'keys of the result' 'method topology collective root chunks steps rounds bandwidth bound_steps bound_bandwidth file' out
[ "$(wc -l <out)" = "$marked" ]
ok $? 'a line per marked algorithm'
has 'the result comes first' '^\{"method": "ring", ' out
run 0 build -t dgx1v -c allreduce --bytes 4K
has 'few steps for small inputs' '^dgx1v-allreduce-c1-s3-' out
run 0 build -t dgx1v -c allreduce --bytes 64M
has 'much bandwidth for large ones' '^dgx1v-allreduce-.* R/C = .*, 0\.[0-9] % above; verified$|R/C >= 7/24; verified$' out
# Between boxes a step has 1.3 us, not the 0.65 of one link: one step of 8 rounds takes 2.6 us, two steps of 128/79 in all 2.9.
run 0 build -t 'dgx-h100*2:ib400' -c allgather --bytes 8K -o box.json
has 'steps have the latency of their routes' '^dgx-h100\*2:ib400-allgather-c1-s1-r8-direct: ' out
run 0 build -t torus:8x8 -c allgather -o compact.json
run 0 verify compact.json
run 0 build -t dgx1 -c reduce --tables tables.json --root 3
has 'tables of the result' '"format": "sccl-tables"' tables.json

# In time: the best so far, and what is missing.
run 0 build -t 'dgx-h100*2x2' -c allreduce --within 4 -o soon.json
has 'what there was not enough time for' '^sccl-synth: --within: 4 s were not enough for .*blink' err
run 0 verify soon.json
run 3 build -t 'dgx-h100*2x2' -c allreduce --method linear-program --within 1 -o late.json
has 'a method that does not end in time' '^sccl-synth: dgx-h100\*2x2: gave up: linear-program did not end within 1 s$' err
[ ! -e late.json ]
ok $? 'nothing is written then'
run 0 build -t dgx1 -c allgather --method ring --within 60

finish
