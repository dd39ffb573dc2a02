#!/bin/sh
# sccl-synth build --beside: an algorithm for each of two networks between the same nodes, and how a buffer is split between them.
. "$(dirname "$0")/tap.sh"

run 0 build -t dgx1v -c broadcast --root 0 --method blink --beside dgx1-pcie --switching 2000 --sizes 64M,1G -o nvlink.json --beside-output pcie.json
has 'the first algorithm' '^dgx1v-broadcast-.*; verified: nvlink.json$' out
has 'the second' '^dgx1-pcie-broadcast-.*; verified: pcie.json$' out
has 'the rate of the first, and when it begins' '^dgx1v: 141\.176 GB/s after 71\.400 us$' out
has 'the second begins when it is switched to' '^dgx1-pcie: 5\.689 GB/s after 2332\.000 us$' out
has 'from where on it pays' '^the second network pays .* 319143529 bytes$' out
has 'below that all is the share of the first' '^ +67108864 +67108864 +0 +([0-9.]+) +\1 +0\.0 %$' out
has 'beyond it both have one' '^ +1073741824 +1044512192 +29229632 +7470\.02[0-9] +7677\.07[0-9] +2\.8 %$' out
run 0 verify nvlink.json pcie.json
cmp -s nvlink.json pcie.json
ok $((1 - $?)) 'they are two'

# Equation 8 again, from what is told: R/C of 17/96 at 25 GB/s and 45/128 at 2 GB/s.
awk 'BEGIN {
	first = 25 * 96 / 17; second = 2 * 128 / 45; bytes = 1073741824; t = 1e-6 * (2332 - 71.4)
	share = bytes * second / (first + second) - 1e9 * t * first * second / (first + second)
	exit !(share - 29229632 < 64 && 29229632 - share < 64)
}'
ok $? 'the share is that of equation 8, within a line of memory'

run 0 build -t dgx1v -c allreduce --method ring --beside dgx1-pcie --json --sizes 16M
keys 'keys of the algorithms' 'method topology collective root chunks steps rounds bandwidth bound_steps bound_bandwidth file' out
[ "$(wc -l <out)" = 4 ]
ok $? 'two algorithms, the rates, and a size'
has 'rates in JSON' '^\{"gigabytes_per_second": \[85\.7143, 3\.4286\], "begins_us": \[9\.8000, 70\.0000\], "pays_from": 5160000\}$' out
has 'shares in JSON' '^\{"bytes": 16777216, "shares": \[16330432, 446784\], "microseconds": 200\.3217, "alone": 205\.5342\}$' out
run 0 build -t dgx1v@gpus=0,1,2 -c reduce --root 1 --method binomial --beside dgx1v@gpus=2,1,0 --sizes 1K:4K
has 'without switching, and as fast, half and half' '^ +2048 +1024 +1024 ' out
has_no 'where it pays always nothing is said' 'pays' out

# Both programs, each with what its share is: of a million floats.
run 0 build -t p3.8xlarge -c allreduce --method blink -C 12 --beside dgx1-pcie@gpus=0,1,2,3 --sizes 4000000 -o a.json --beside-output b.json
shares=$(awk '$1 == 4000000 {print $2 / 4, $3 / 4}' out)
ok $((${shares% *} + ${shares#* } != 1000000)) "all elements have a place: $shares"
[ "${shares#* }" -gt 0 ]
ok $? "the second too"
run 0 run a.json --counts "${shares% *}" --types f32
has 'the first program' "$exact" out
run 0 run b.json --counts "${shares#* }" --types f32
has 'the second program' "$exact" out

# What goes wrong leaves no file.
run 2 build -t dgx1v -c broadcast --method blink --beside dgx2 -o no.json --beside-output no2.json
has 'other nodes' '^sccl-synth: --beside: dgx2 has 16 nodes, and dgx1v has 8$' err
run 2 build -t dgx1v -c allreduce --method ring --beside complete:8 -o no.json --beside-output no2.json
has 'no speeds' '^sccl-synth: complete:8: has no latency and speed for link 0-1' err
run 2 build -t dgx1v -c allreduce --method 2d-ring --beside dgx1-pcie -o no.json --beside-output no2.json
run 2 build -t dgx1v -c allgather --method ring --beside dgx1-pcie -o no.json --beside-output no2.json
has 'blocks' '^sccl-synth: --beside: .*; those of allgather have a block per node$' err
sed 's/"latency_us": "1"/"latency_us": "9000000000000000000"/' "$source/topologies/dgx1-pcie.json" >late.json
run 2 build -t dgx1v -c allreduce --method ring --beside ./late.json -o no.json --beside-output no2.json
has 'latencies that hide what a byte takes' '^sccl-synth: dgx1-pcie: has latencies so long ' err
ls no*.json >left 2>/dev/null
ok $(($? == 0)) 'nothing was written'
run 4 build -t dgx1v -c allreduce --method ring --beside dgx1-pcie -o /dev/full --beside-output pcie.json
finish
