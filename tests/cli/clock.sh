#!/bin/sh
# The system time is set forward and back by a year at every look at it (shift_clock.c): limits of time neither end at once nor never,
# and what is written is the same. Nor does it depend on how fast the computer is.
#   clock.sh SCCL-SYNTH SOURCE SHIM
here=$PWD
. "$(dirname "$0")/tap.sh"
case $3 in /*) shim=$3 ;; *) shim=$here/$3 ;; esac

year=$(date +%Y)
[ "$(LD_PRELOAD=$shim date +%Y)" != "$year" ]
ok $? 'the clock is another'

"$program" pareto -t ring:4 -c allgather --fresh --timeout 300 -o whole >whole.txt
LD_PRELOAD=$shim "$program" pareto -t ring:4 -c allgather --fresh --timeout 300 -o shifted >shifted.txt 2>err </dev/null
ok $? 'a search with a limit of 300 s comes to its end'
diff -r whole shifted >differences
ok $? 'with the same files'

# The limit is 2 s; a computer that is shared takes its time with what comes after.
LD_PRELOAD=$shim timeout 120 "$program" pareto -t 'dgx1*2' -c alltoall -k 4 --max-steps 8 --timeout 2 >out 2>err </dev/null
[ $? = 3 ]
ok $? 'a search that takes hours ends with its limit of 2 s'
has 'and says so' 'the time limit of 2 s' err

# What is asked of a solver is limited by counted work: on a computer that is 15 times slower the points are the same.
"$program" pareto -t dgx1 -c allgather --fresh >whole.txt
SLOWER=15 LD_PRELOAD=$shim "$program" pareto -t dgx1 -c allgather --fresh >slow.txt 2>err </dev/null
ok $? 'a search on a slower computer'
same 'has the same points' "$(cat whole.txt)" slow.txt

# Ranks that wait for each other, in processes and threads.
run 0 build -t ring:4 -c allreduce --method ring -o ring.json
LD_PRELOAD=$shim "$program" run ring.json --counts 1000 >out 2>err </dev/null
ok $? 'ranks meet, run and part'
has 'with exact sums' "$exact" out
finish
