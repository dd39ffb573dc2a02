#!/bin/sh
# Allreduce in its two classes: composed, and directly, with fewer steps; found, judged, run, and the frontier of both.
. "$(dirname "$0")/tap.sh"

# found NAME MACHINE C S R: it is found, verifies, and computes sums on this computer.
found() {
	run 0 solve -t "$2" -c allreduce -C "$3" -S "$4" -R "$5" -o "$1.json"
	run 0 verify "$1.json"
	run 0 run "$1.json" --counts 0,1,7,1000 --types i32,f32
	[ "$(grep -cE "$exact" out)" = 8 ]
	ok $? "$1: eight sums, all exact"
}
found one-step complete:8 1 1 1
found doubling hypercube:3 3 3 3
found pairs dgx1 2 2 2
found ring4 ring:4 2 2 3
found ring5 ring:5 1 3 3
found composed ring:4 8 4 6

run 1 solve -t ring:5 -c allreduce -C 1 -S 2 -R 9
has 'a ring of five has no allreduce in two steps' 'engine bits refuted allreduce on ring:5 with C=1, S=2, R=9' err
run 1 solve -t dgx1 -c allreduce -C 8 -S 3 -R 8 --within composition
has 'no composition has three steps' 'S=3 is below the step bound 4 of compositions' err
run 0 solve -t dgx1 -c allreduce -C 8 -S 3 -R 8 --within direct --engine bits-z3 --json
has 'the other solver finds it directly' '"engine": "bits-z3"' out
run 0 solve -t dgx1 -c allreduce -C 8 -S 3 -R 8 --within direct --engine lia --json
has 'so does the third engine' '"engine": "lia"' out
run 3 solve -t dgx1 -c allreduce -C 20 -S 4 -R 6 --timeout 0.3
has 'one limit for both classes' 'gave up: time limit of 0.3 s$' err

run 0 pareto -t line:3 -c allreduce -k 2 -o one
same 'each point says its class' 'allreduce on line:3: S >= 2, R/C >= 1; searched R - S <= 2 directly, and in each half of compositions
       C     S      R      R/C  optimal in proved by  within      file
       1     2      2        2  latency    exhausted  one-value   one/line:3/allreduce/c1-s2-r2.json
       2     3      3      3/2  pareto     exhausted  one-value   one/line:3/allreduce/c2-s3-r3.json
       3     4      4      4/3  both       bound      composition one/line:3/allreduce/c3-s4-r4.json
  ended: S = 3 is the largest number of steps to search directly; compositions have more steps' out
run 0 verify one/line:3/allreduce/*.json
run 0 pareto -t line:3 -c allreduce -k 2 -o three -j 3 --json
diff -r one three >differences
ok $? 'three jobs write the same bytes as one'
keys 'keys of pareto --json' 'topology collective root within k bounds ended points refuted open composition' out
run 0 pareto -t line:3 -c allreduce --within composition -o composed
run 0 verify composed/line:3/allreduce/frontier.json
has_no 'compositions alone are not compared with what is direct' 'one-value' composed/line:3/allreduce/frontier.json
run 0 pareto -t ring:4 -c allreduce -k 4
has 'both bounds but one step: as fast as any, directly' '^ +4 +3 +3 +3/4 +bandwidth +bound +all' out
has 'and then no composition is wanted' 'ended: R/C = 3/4 is the bandwidth bound' out
run 0 pareto -t complete:4 -c allreduce --within direct --max-steps 1 -o direct --json
run 0 verify direct/complete:4/allreduce/frontier.json
run 0 pareto -t dgx1 -c allreduce -k 4 --least-steps
has '--least-steps: two on dgx1' '^ +2 +2 +2 +1 +latency +exhausted +one-value' out

# A limit leaves candidates open: nothing is claimed of what they could beat, and a higher limit goes on from there.
run 3 pareto -t dgx1 -c allreduce -k 1 --timeout 0.001 -o late --json
has 'candidates stayed open' '"ended": "limit", .*"open": \[\[' out
run 0 verify $(find late -name '*.json')
[ -e late/dgx1/allreduce/frontier-allreduce.journal ]
ok $? 'its journal is kept'
run 0 pareto -t dgx1 -c allreduce -k 1 -o late --resume
run 0 pareto -t dgx1 -c allreduce -k 1 -o straight
cmp -s late/dgx1/allreduce/frontier.json straight/dgx1/allreduce/frontier.json
ok $? 'what was resumed is what was not interrupted'

# forged WHAT SED: the frontier with that edit does not pass its judge.
forged() {
	sed "$2" one/line:3/allreduce/frontier.json >one/line:3/allreduce/forged.json
	! cmp -s one/line:3/allreduce/frontier.json one/line:3/allreduce/forged.json && ! "$program" verify one/line:3/allreduce/forged.json >out 2>&1
	ok $? "refused: $1"
}
forged 'a class that the file does not claim' 's/"within": "composition", "file"/"within": "one-value", "file"/'
forged 'another bound' 's/"bounds": {"steps": 2,/"bounds": {"steps": 3,/'
forged 'a refusal that is not listed' '0,/\[[0-9]*, 3, [0-9]*\], /s///'
forged 'no compositions, though a point is one' '/"composition": {/,/^  }/d; s/^  "open": \[\],$/  "open": []/'
forged 'a walk that ended elsewhere' 's/^  "ended": "steps"/  "ended": "bound"/'
forged 'within compositions, with what is direct' 's/^  "within": "one-value"/  "within": "composition"/'
forged 'a point of the compositions left out' '/"within": "composition", "file"/d; s/"within": "one-value", "file": "c2-s3-r3.json"},/"within": "one-value", "file": "c2-s3-r3.json"}/'
finish
