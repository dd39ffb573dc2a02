#!/bin/sh
# sccl-synth distribute: algorithms of one machine over its copies, joined by a switch or by links of any machine.
. "$(dirname "$0")/tap.sh"
json='topology collective root chunks steps rounds bandwidth bound_steps bound_bandwidth file'

help distribute

# Boxes and a switch: what one machine does, times the copies.
run 0 topology show 'ring:4*2'
has 'two boxes of four and a switch' '^ring:4\*2: 8 nodes, 1 switch \(numbered from 8\), 32 links$' out
run 0 bounds -t 'ring:4*2x3' -c allgather
has 'wider links to the switch' 'get from' out
for copies in 2 4; do
	run 0 distribute "$source/algorithms/dgx1/alltoall/c24-s2-r8.json" -t "dgx1*$copies" -o a.json
	has_no "an alltoall over $copies boxes has no gap to the bound" 'above' out
	run 0 verify a.json
done

run 0 solve -t ring:4 -c alltoall -C 4 -S 2 -R 4 -o alltoall.json
run 0 solve -t ring:4 -c allgather -C 2 -S 2 -R 3 -o allgather.json
run 0 solve -t ring:4 -c reducescatter -C 8 -S 2 -R 3 -o reducescatter.json
run 0 solve -t ring:4 -c broadcast --root 1 -C 2 -S 2 -R 3 -o broadcast.json
run 0 solve -t ring:4 -c reduce --root 1 -C 2 -S 2 -R 3 -o reduce.json
run 0 solve -t ring:4 -c gather --root 1 -C 2 -S 2 -R 4 -o gather.json
run 0 solve -t ring:4 -c scatter --root 2 -C 8 -S 2 -R 4 -o scatter.json
# In a torus the copies are rows, joined by links that chunks go along hop by hop.
for machine in 'ring:4*3' torus:4x4; do
	for kind in alltoall allgather reducescatter broadcast reduce gather scatter; do
		run 0 distribute $kind.json -t $machine -o whole.json
		run 0 verify whole.json
		has "$kind on $machine" "\"kind\": \"$kind\"" whole.json
	done
	run 0 distribute gather.json scatter.json -t $machine -o whole.json
	run 0 verify whole.json
	has 'a gather and a scatter make an alltoall' '"kind": "alltoall"' whole.json
	run 0 distribute allgather.json reducescatter.json -t $machine -o whole.json
	run 0 verify whole.json
	has 'a reducescatter and an allgather make an allreduce' '"kind": "allreduce"' whole.json
done
run 0 run whole.json --counts 0,1,50 --calls 2
[ "$(grep -cE "$exact" out)" = 3 ]
ok $? 'it runs, with exact results'
run 0 distribute alltoall.json -t torus:4x4 -o whole.json
run 0 run whole.json --counts 0,1,50 --calls 2
[ "$(grep -cE "$exact" out)" = 3 ]
ok $? 'the alltoall runs, with exact results'

# Through several roots.
run 0 solve -t ring:4 -c gather --root 0,1,2,3 -C 1 -S 2 -R 3 -o gathers.json
run 0 solve -t ring:4 -c scatter --root 0,1,2,3 -C 1 -S 2 -R 3 -o scatters.json
run 0 distribute gathers.json scatters.json -t 'ring:4*2' -o whole.json --json
keys 'keys of distribute --json' "$json" out
run 0 verify whole.json
run 2 distribute gathers.json scatter.json -t 'ring:4*2'
has 'roots are as many' 'has 1 root and 8 chunks, but the gather has 4 and 16: they must be equal' err

# What cannot be.
run 2 distribute gathers.json -t 'ring:4*2'
run 2 distribute alltoall.json allgather.json -t 'ring:4*2'
has 'a pair that makes nothing' 'not alltoall and allgather' err
run 2 distribute allgather.json "$source/algorithms/dgx1/reducescatter/c16-s2-r3.json" -t 'ring:4*4'
has 'two of different machines' 'is for . nodes, but the other is for .$' err
run 2 distribute alltoall.json -t hypercube:3
has 'a link that copies lack' '^sccl-synth: hypercube:3: no link joins nodes . and . of copy 0' err
run 2 distribute alltoall.json -t line:8@drop=3-4@add=0-3@add=4-7
has 'copies that nothing joins' 'cannot be reached' err
run 2 distribute alltoall.json -t ring:9
run 2 distribute alltoall.json -t ring:4
run 1 distribute "$bad/algorithm/verify-overload.json" -t 'ring:3*2'
has 'what is wrong for one is not carried over' 'does not verify: step 1 sends 2 chunks' err
finish
