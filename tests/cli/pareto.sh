#!/bin/sh
# sccl-synth pareto: text, JSON and files; the same bytes by any number of jobs; interrupted, and taken up again.
. "$(dirname "$0")/tap.sh"

help pareto

run 0 pareto -t ring:4 -c allgather --fresh
same 'a frontier of one point' 'allgather on ring:4: S >= 2, R/C >= 3/2; searched R - S <= 4
       C     S      R      R/C  optimal in proved by  file
       2     2      3      3/2  both       bound      -
  ended: R/C = 3/2 is the bandwidth bound' out
silent
run 0 pareto -t ring:4 -c allgather --fresh --json
same 'the same as JSON' '{"topology": "ring:4", "collective": "allgather", "root": null, "k": 4, "bounds": {"steps": 2, "bandwidth": "3/2"}, "ended": "bound", "points": [{"chunks": 2, "steps": 2, "rounds": 3, "bandwidth": "3/2", "class": "both", "proof": "bound", "file": null}], "refuted": [], "open": []}' out

run 0 pareto -t dgx1 -c allgather --fresh -o one --json
keys 'keys of pareto --json' 'topology collective root k bounds ended points refuted open' out
has 'the paper: (2,2,3) and (6,3,7)' '"chunks": 2, "steps": 2, "rounds": 3, .*"chunks": 6, "steps": 3, "rounds": 7, ' out
has 'the file of each point is named' '"file": "one/dgx1/allgather/c6-s3-r7.json"' out
find one -type f | sort >files
same 'points and frontier are on disk, and nothing else' 'one/dgx1/allgather/c2-s2-r3.json
one/dgx1/allgather/c6-s3-r7.json
one/dgx1/allgather/frontier.json' files
run 0 pareto -t dgx1 -c allgather --fresh -o three -j 3
diff -r one three >differences
ok $? 'three jobs write the same bytes as one'
run 0 verify one/dgx1/allgather/*.json
run 0 pareto -t dgx1 -c allgather --fresh --least-steps
has '--least-steps stops at the first point' '^ +2 +2 +3 +3/2 ' out
has_no 'and has no second' '^ +6 +3 +7 ' out
run 0 pareto -t ring:4 -c broadcast --root all --max-steps 3 -k 1 --json
[ "$(wc -l <out)" = 1 ]
ok $? 'all roots of a ring are alike: one line'
run 0 pareto -t line:3 -c broadcast --root all --max-steps 3 --json
[ "$(wc -l <out)" = 2 ]
ok $? 'a line has two kinds of root: two lines'
has_no 'and no word of a solver between them' '^[^{]' out
run 0 pareto -t line:3 -c broadcast --root all --max-steps 3 -o roots
[ -e roots/line:3/broadcast/frontier-root0.json ] && [ -e roots/line:3/broadcast/frontier-root1.json ]
ok $? 'a frontier file for each'

# A limit: what stays undecided is named, and files are whole.
run 3 pareto -t dgx1 -c allgather --fresh --timeout 0.001 -o late --json
has 'candidates stayed open' '"ended": "limit", .*"open": \[\[' out
run 0 verify $(find late -name '*.json')

# No control characters where nobody watches.
timeout 120 "$program" pareto -t dgx1 -c allgather --fresh -k 4 2>&1 </dev/null | cat >both
has 'it spoke' '^allgather on dgx1' both
[ "$(tr -d '\n\40-\176' <both | wc -c)" = 0 ]
ok $? 'no control characters in a pipe'
finish
