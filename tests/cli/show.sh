#!/bin/sh
# sccl-synth show: as text and as a picture.
. "$(dirname "$0")/tap.sh"

help show

run 0 show "$golden/ring3-allgather.json"
same 'an algorithm for people' 'ring:3-allgather-c1-s1-r1: every node ends with the inputs of all
  on ring:3, 3 nodes; 3 chunks in all
  cost: S=1 step, R=1 round, C=1 chunk: 1 α + 1 L β   (bounds: S >= 1, R/C >= 1)
  proved: no algorithm has fewer steps or a smaller R/C: its cost meets a lower bound
  step 1: 1 round, 6 sends
     0 -> 1   copies 0
     0 -> 2   copies 0
     1 -> 0   copies 1
     1 -> 2   copies 1
     2 -> 0   copies 2
     2 -> 1   copies 2' out
silent
run 0 show "$golden/ring3-custom.json" --format dot
has 'a frame a step' '^  subgraph cluster_2 \{$' out
has 'an arrow a send' '^    s0n0 -> s0n1 \[label="3"\];$' out
if command -v dot >/dev/null; then
	dot -Tsvg out >picture.svg 2>dot.err && [ -s picture.svg ] && [ ! -s dot.err ]
	ok $? 'graphviz takes the picture'
else
	skip 'graphviz takes the picture' 'no dot'
fi

run 0 solve -t ring:3 -c allreduce -C 3 -S 2 -R 2 -o sum.json
run 0 show sum.json
has 'what is added is told from what is copied' '^ +[0-9]+ -> [0-9]+ +adds +[0-9]' out
run 0 show sum.json --format dot
has 'and is dashed' 'style=dashed' out
run 1 show "$bad/algorithm/verify-overload.json"
[ ! -s out ]
ok $? 'what does not verify is not shown'
# Pictures and pages.
for what in "$source/algorithms/dgx1/allreduce/c6-s3-r3.json" "$source/algorithms/dgx1/allreduce/frontier.json" torus:3x3 dgx-h100; do
	run 0 show "$what" --format svg -o picture.svg
	if command -v python3 >/dev/null; then
		python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("picture.svg")'
		ok $? "$(basename "$what"): a picture is XML"
	fi
	run 0 show "$what" --format html -o page.html
	has 'a page' '^</script></body></html>$|^document.title' page.html
done
has_no 'a page asks for nothing' 'https?://[^w]|src=' page.html
run 2 show sum.json -o page.html
run 1 show "$bad/algorithm/verify-not-delivered.json" --format html -o none.html
[ ! -e none.html ]
ok $? 'no page of what does not verify'
echo '{"x": 1}' >rows.jsonl
run 2 show rows.jsonl --format html
run 0 report -t line:3 --within 1 -o report.html
has 'a report says what it lacks' 'has no latency|alpha' report.html
run 2 report
finish
