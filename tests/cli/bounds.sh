#!/bin/sh
# sccl-synth bounds: the text, the JSON, and the cut that shows the bound.
. "$(dirname "$0")/tap.sh"

help bounds

run 0 bounds -t ring:3 -c allgather
same 'bounds of a ring, with the cut' 'allgather on ring:3
  steps      S   >= 1   chunk 0 must get from node 0 to node 1
  bandwidth  R/C >= 1
                   per unit of C, 2 chunks must get from {1, 2} to {0}, and 2 fit into a round' out
silent

run 0 bounds -t dgx1 -c allgather --json
keys 'keys of bounds --json' 'steps bandwidth why in_steps' out
has 'dgx1 allgather is bounded by 2 and 7/6' '^\{"steps": 2, "bandwidth": "7/6", ' out
has 'the cut is there as lists of nodes' '"demand": "7", "capacity": 6, "from": \[1, 2, 3, 4, 5, 6, 7\], "to": \[0\]' out
run 0 bounds -t dgx1 -c alltoall --json
has 'dgx1 alltoall is bounded by 2 and 1/3' '^\{"steps": 2, "bandwidth": "1/3", ' out
run 0 bounds -t dgx1 -c allreduce --json
has 'a cut of many parts is a list of lists, or two of lists' '"(parts|from)": \[' out
run 0 bounds -t line:2 -c allreduce
has 'a partition in two counts both directions' '^ *between \{0\} \{1\} a chunk crosses 2 times, and 2 fit into a round$' out
run 0 bounds -t line:2 -c allreduce --json
has 'and its sides keep their keys' '"demand": "2", "capacity": 2, "from": \[1\], "to": \[0\]\}' out

run 0 bounds -t dgx1 -c broadcast
has 'the root taken is named' '^broadcast on dgx1, root 0$' out
same 'and that none was given is said' 'sccl-synth: --root: not given; node 0 is the root' err
run 0 bounds -t dgx1 -c broadcast --root 3
has 'the root given is taken' '^broadcast on dgx1, root 3$' out
silent
run 0 bounds -t line:3 -c broadcast --root 0
has 'a count of one is told in the singular' '^ *per unit of C, 1 chunk must get from \{0\} to \{1, 2\}, and 1 fits into a round$' out

# Where prices show more than cuts.
run 0 bounds -t dragonfly:2x2x2 -c alltoall
same 'prices of links' 'alltoall on dragonfly:2x2x2
  steps      S   >= 1   chunk 20 must get from node 0 to node 1
  bandwidth  R/C >= 6/5
                   per unit of C, chunks pay at least 24/5, and a round can pay 4; link prices: 1 on link 20-21, link 23-28, link 24-29, link 27-26' out
run 0 bounds -t dragonfly:2x2x2 -c alltoall --json
has 'as lists of numbers' '"bandwidth": \{"demand": "24/5", "capacity": 4, "prices": \[\], "limit_prices": \[\[22, 1\], \[39, 1\], \[44, 1\], \[59, 1\]\]\}' out
run 0 bounds -t torus:8x8@drop=0-1 -c alltoall --json
has 'of links' '^\{"steps": 8, "bandwidth": "16/15", .*"prices": \[\[4, 5, 1\], ' out

run 0 bounds -t line:1 -c allgather --json
has 'a machine of one node needs nothing' '^\{"steps": 0, "bandwidth": "0"' out
finish
