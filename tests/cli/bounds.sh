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

# Bounds on time, and their certificates.
run 0 bounds -t dgx1 -c allgather --sizes 1K,1M --certificate time.json
has 'the time at a small size, and what shows it' '^  1K +time >= 1\.427[0-9]* +prices in expanded time$' out
has 'and at a larger one' '^  1M +time >= 49\.6335 +R/C$' out
silent
run 0 check-proof time.json
same 'the certificate holds' 'time.json: ok: 3 bounds on time' out
run 0 verify time.json
same 'so says verify' 'time.json: ok: 3 bounds on time' out
run 0 bounds -t dgx1 -c allgather --sizes 1K,1M --json
has 'as JSON' '"times": \[\{"bytes": 1024, "microseconds": 1\.427[0-9]*, "by": "expanded_time"\}, \{"bytes": 1048576, "microseconds": 49\.6335, "by": "rounds"\}\]\}$' out
run 0 bounds -t line:3 -c broadcast --root 0 --sizes 1M --alpha 2 --beta 1e-5 --step-cost 3 --certificate slow.json
has 'with speeds and step costs of ones own' '^  1M +time >= 20\.4857 +what must enter node 2$' out
run 0 check-proof slow.json
sed 's/"step_us": "3"/"step_us": "2"/' slow.json >forged.json
run 1 check-proof forged.json
has 'cheaper steps show less' '^forged.json: proof: line 1, by into: nothing has to cross these links and limits$' out
sed 's/"us_per_megabyte": [0-9.]*/"us_per_megabyte": 60/' time.json >forged.json
run 1 check-proof forged.json
has 'too steep a line' '^forged.json: proof: line 1, by into: its time per byte is more than is shown$' out
run 1 verify forged.json
run 3 check-proof --budget 10 time.json
has 'within its budget' 'gave up: more than 10 steps' out
sed 's/"bytes": 1024/"bytes": 512/' time.json >forged.json
run 1 check-proof forged.json
has 'too few bytes' '^forged.json: proof: line 3, by expanded_time: so many bytes can be paid for$' out
sed 's/"by": "into"/"by": "nothing"/' time.json >forged.json
run 2 check-proof forged.json
has 'a reason that is none' '^sccl-synth: forged.json: lines\[0\]\.by: must be into, out_of, cut, rounds, relays_out_of, relays_into, direct_out_of, direct_into or expanded_time$' err
run 0 bounds -t dgx-h100*4:ib400 -c broadcast --root 0 --sizes 1K,64K --certificate far.json
has 'at a small size each other box gets its copies from the root' '^  1K +time >= 1\.79152 +what node 0 must send far away, or others pass on$' out
has 'and at a larger one these take as long as to pass them on' '^  64K +time >= 2 +what node 0 must send far away, or others pass on$' out
run 0 check-proof far.json
sed 's/"away_us": 1\.[0-9]*/"away_us": 0.5/' far.json >forged.json
run 1 check-proof forged.json
has 'nearer nodes are reached over more links' 'by direct_out_of: a route that is counted crosses none of the links and limits' out
sed 's/"version": 1/"version": 2/' time.json >forged.json
run 2 check-proof forged.json
run 2 bounds -t dgx1 -c allgather --certificate time.json
has 'a certificate is of sizes' '^sccl-synth: --certificate: requires --sizes$' err
run 2 bounds -t dgx1 -c allgather --step-cost 2
has 'as are speeds' '^sccl-synth: --step-cost: requires --sizes$' err
run 2 bounds -t torus:4x4 -c allgather --sizes 1K
has 'links without speeds' 'has no alpha and beta for link 0-1' err
run 2 bounds -t dgx1 -c allgather --sizes 1K --certificate time.json/below.json
finish
