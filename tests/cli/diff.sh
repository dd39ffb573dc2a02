#!/bin/sh
# sccl-synth diff: what distinguishes two algorithms or frontiers. Folders where algorithms are taken; colours; a send a line.
. "$(dirname "$0")/tap.sh"
a=$source/algorithms/dgx1/allgather

help diff
run 0 diff "$a/c6-s3-r7.json" "$a/c6-s3-r7.json"
[ ! -s out ]
ok $? 'a file does not differ from itself'
run 1 diff "$a/c2-s2-r3.json" "$a/c6-s3-r7.json"
has 'its cost' '^- cost: \(2,2,3\), R/C = 3/2$' out
has 'the other cost' '^\+ cost: \(6,3,7\), R/C = 7/6$' out
has 'the other has one step more' '^\+ rounds of step 3: ' out

# One send of a step moved to another node: one line on either side. Names and the order of sends do not count.
run 0 build -t complete:4 -c allgather --method direct -o one.json
jq '.name = "other" | .made_by.version = "9" | .steps[0].sends |= reverse' one.json >same.json
run 0 diff one.json same.json
jq '.steps[0].sends[0] = [0, 1, 2]' one.json >moved.json
run 1 diff one.json moved.json
same 'one send that differs' '- step 1: copies chunk 0 from 0 to 1
+ step 1: copies chunk 0 from 1 to 2' out
run 1 diff one.json moved.json --json
has 'as JSON' '^\{"what": "step 1", "a": "copies chunk 0 from 0 to 1", "b": null\}$' out

run 0 pareto -t dgx1 -c allgather -k 0 -o short
run 1 diff "$a/frontier.json" short/dgx1/allgather/frontier.json
has 'a point that only the first frontier has' '^- point: \(6,3,7\), R/C = 7/6$' out
run 2 diff "$a/frontier.json" "$a/c2-s2-r3.json"
run 2 diff "$a/frontier.json"
run 2 diff "$a/frontier.json" none.json

# Folders.
mkdir -p in/deeper && cp one.json in/ && cp same.json in/deeper/ && cp "$a/proofs.json" in/ && echo text >in/notes.txt
ln -s /nonexistent in/link.json
run 0 simulate in --alpha 1 --beta 1e-4 --sizes 1K --json
[ "$(jq -r .file out | tr '\n' ' ')" = 'in/deeper/same.json in/one.json ' ]
ok $? 'simulate takes the algorithms of a folder, and nothing else'
run 0 tune "$a" -o choices
mkdir empty
run 2 simulate empty --sizes 1K
has 'a folder without algorithms' 'is a folder without algorithms$' err
echo '{' >in/broken.json
run 2 simulate in --sizes 1K

# A send a line, where people can read them.
grep -q '^      \[0, 0, 1\],*$' one.json
ok $? 'a small algorithm has one send per line'
run 0 build -t complete:64 -c allgather --method direct -o large.json
[ "$(grep -c '^      \[' large.json)" = 0 ]
ok $? 'a large one has one step per line'

# Colours.
if command -v script >/dev/null; then
	TERM=xterm script -qec "$program verify one.json" /dev/null >out 2>err </dev/null
	grep -q "$(printf '\033\\[32mok')" out
	ok $? 'a terminal gets colours'
	NO_COLOR=1 TERM=xterm script -qec "$program verify one.json" /dev/null >out 2>err </dev/null
	! grep -q "$(printf '\033')" out
	ok $? 'but not with NO_COLOR'
else
	skip 'colours' 'no script'
fi
run 0 verify one.json
! grep -q "$(printf '\033')" out
ok $? 'a file gets none'
"$program" diff - "$golden/ring3-allgather.json" <"$golden/ring3-allgather.json" >out 2>err
ok $? 'a file from standard input'
finish
