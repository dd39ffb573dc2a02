#!/bin/sh
# sccl-synth tune: which program serves what size.
. "$(dirname "$0")/tap.sh"

help tune

run 0 solve -t ring:4 -c allgather -C 1 -S 2 -R 2 -o low.json
run 0 solve -t ring:4 -c allgather -C 2 -S 3 -R 3 -o high.json
run 0 tune low.json high.json --alpha 1 --beta 1
silent
# Steps at 1 us, bytes at 1 us: (1,2,2) in packets costs 1 + 4 L, plain 2 + 2 L, (2,3,3) in packets 1.5 + 3 L, plain
# 3 + 1.5 L: from 64 bytes on the last is the fastest.
[ "$(grep -vc '^#' out)" = 2 ]
ok $? 'a blank line and one row where data alone counts'
has 'the algorithm of the best bandwidth' '^ring_4_allgather_c2_s3_r3 - plain one - no$' out
run 0 tune low.json high.json --alpha 1000 --beta 1
# (1,2,2): packets 1000 + 4 L, plain 2000 + 2 L; (2,3,3): packets 1500 + 3 L, plain 3000 + 1.5 L.
has 'small calls have the fewest steps' '^ring_4_allgather_c1_s2_r2 (499|500|501) packets one - no$' out
has 'then plain ones' '^ring_4_allgather_c1_s2_r2 (1999|2000|2001) plain one - no$' out
has 'and large calls the best bandwidth' '^ring_4_allgather_c2_s3_r3 - plain one - no$' out
run 0 tune low.json high.json --alpha 1000 --beta 0 -o table
[ ! -s out ] && [ -s table ]
ok $? 'into a file'
has 'where bytes cost nothing the fewest steps are best for all' '^ring_4_allgather_c1_s2_r2 - packets one - no$' table
run 0 tune "$source/algorithms/dgx1/allgather/c2-s2-r3.json" "$source/algorithms/dgx1/allreduce/c16-s4-r6.json"
has 'a question a heading' '^# allreduce on dgx1$' out
has 'with costs of the machine' '^dgx1_allgather_c2_s2_r3 [0-9]+ packets one - no$' out
# Two collectives of several roots are two questions.
run 0 solve -t ring:4 -c broadcast --root 0,2 -C 1 -S 2 -R 2 -o opposite.json
run 0 solve -t ring:4 -c broadcast --root 0,1 -C 1 -S 2 -R 3 -o beside.json
run 0 tune opposite.json beside.json --alpha 1 --beta 1
has 'other roots are another question' '^# broadcast on ring_4, roots 0,2$' out
has 'with rows of its own' '^# broadcast on ring_4, roots 0,1$' out
run 0 tune low.json high.json --measure --sizes 64:1K --calls 2
silent
has 'measured: one ends the table' '^ring_4_allgather_c[0-9_sr]+ - (plain|packets) (one|step|none) - (yes|no)$' out
has 'and says so' '^# Choices of sccl-synth tune, measured' out

# Steps have the latency of the links that they use: over the network 1.3 us, within a box 0.7; --step-cost is added to each.
run 0 build -t 'dgx-h100*2:ib400' -c allgather --method direct -o direct.json
run 0 build -t 'dgx-h100*2:ib400' -c allgather --method ring -o around.json
run 0 tune direct.json around.json
cp out kinds
run 0 tune direct.json around.json --step-cost 100
# (1,1,8): 1.3 + 8 L/50000; eight rings, 15 steps: 19.5 + 15/8 L/50000, in packets 9.75 + 15/4 L/50000. They meet at 99411 bytes; with
# 100 us more a step at 7.75 MB.
has 'a step over the network costs its latency' '^dgx_h100_2_ib400_allgather_c1_s1_r8_direct [0-9]+ plain one - no$' kinds
crossing=$(sed -n 's/^dgx_h100_2_ib400_allgather_c1_s1_r8_direct \([0-9]*\) plain .*/\1/p' kinds)
[ "${crossing:-0}" -gt 98500 ] && [ "${crossing:-0}" -lt 100400 ]
ok $? "the rings are better from 99411 bytes on, not $crossing"
crossing=$(sed -n 's/^dgx_h100_2_ib400_allgather_c1_s1_r8_direct \([0-9]*\) plain .*/\1/p' out)
[ "${crossing:-0}" -gt 7670000 ] && [ "${crossing:-0}" -lt 7820000 ]
ok $? "with --step-cost 100 from 7.75 MB on, not $crossing"
run 0 tune direct.json around.json --step-cost cuda
run 0 build -t 'dgx-h100*2' -c allgather --method ring -o plain.json
run 2 tune plain.json
has 'a network without a kind is not taken for NVLink' 'has no latency and speed for a link that the algorithm uses; give --alpha and --beta$' err
run 2 tune plain.json --alpha 1
run 0 tune plain.json --alpha 1 --beta 1e-5
run 0 show plain.json
has_no 'nor are there times' 'at the speed of its links' out
run 0 show around.json
has 'with a network there are: 15 steps of 1.3 us' 'at the speed of its links: 19\.5 us for an input of 1 KiB' out
run 2 tune direct.json --alpha 1 --step-cost cuda
run 2 tune direct.json --step-cost host
run 2 tune direct.json --measure --step-cost 1

run 2 tune
run 2 tune low.json low.json
has 'the same program twice' '^sccl-synth: low.json: its program has the same name as that of low.json$' err
run 2 tune low.json --alpha x --beta 1
has 'a cost that is none' '^sccl-synth: --alpha: .*"x"$' err
run 2 tune low.json --alpha 1 --beta -1
run 2 tune low.json --alpha nan --beta 1
run 2 tune low.json --measure --beta 1
run 2 tune low.json --types f32
run 2 tune low.json --sizes 5:7 --alpha 1 --beta 1
has 'no size in a range' '--sizes: .*"5:7".* power of two' err
run 2 tune low.json --sizes 1K --alpha 1 --beta 1
run 2 tune low.json --sizes 1:99999999999999999999 --alpha 1 --beta 1
run 2 tune missing.json
run 2 tune "$source/algorithms/dgx1/allgather/frontier.json"
has 'a frontier is no algorithm' 'format: must be "sccl-algorithm", not "sccl-frontier"' err
run 1 tune "$bad/algorithm/verify-not-delivered.json" --alpha 1 --beta 1 -o none
[ ! -e none ]
ok $? 'what does not verify is not chosen'
CC=nosuchcompiler
export CC
run 4 tune low.json --measure -o none
has 'a compiler that is not there is named' 'nosuchcompiler' err
[ ! -e none ]
ok $? 'and nothing is written'
finish
