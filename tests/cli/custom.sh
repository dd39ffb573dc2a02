#!/bin/sh
# A collective of one's own, from its file to a program that runs.
. "$(dirname "$0")/tap.sh"

# Node 0's two chunks go on by one node; node 1 and 2 swap theirs.
cat >mine.json <<'END'
{
  "format": "sccl-collective",
  "version": 1,
  "name": "mine",
  "nodes": 3,
  "pre": [[0, 0], [1, 0], [2, 1], [3, 2]],
  "post": [[0, 1], [1, 2], [2, 2], [3, 1]]
}
END
run 0 bounds -t ring:3 -c mine.json
run 0 solve -t ring:3 -c mine.json -C 1 -S 1 -R 1 -o a.json
run 0 verify a.json
has 'the file carries what it is for' '"kind": "custom"' a.json
run 0 show a.json
has 'it can be looked at' '^  step 1: 1 round, 4 sends$' out
run 0 solve -t ring:3 -c mine.json -C 2 -S 2 -R 2 -o cut.json
run 0 verify cut.json
run 1 solve -t line:3 -c mine.json -C 1 -S 1 -R 1
run 2 bounds -t ring:3 -c mine.json --root 1
same 'it has no root' 'sccl-synth: --root: mine.json has no root' err
run 0 pareto -t line:3 -c mine.json -o frontier
run 0 verify $(find frontier -name '*.json')
run 0 run a.json --counts 0,1,7 --calls 3
[ "$(grep -cE "$exact" out)" = 3 ]
ok $? 'it runs, with exact results'
finish
