#!/bin/sh
# sccl-synth explore: machines side by side, changed links by rank, every form of the answer, and what an interrupt leaves.
. "$(dirname "$0")/tap.sh"

help explore
run 0 explore --help
has '--help lists the methods' 'Methods: smt, trees, direct, one-shot, ring' out

run 0 explore -t dgx1p dgx1v -c allgather --method smt,ring,2d-ring -o study
has 'DGX-1P: 7/4, and its frontier' '^  dgx1p +8 +2 +7/4 +7/4 smt ' out
has 'DGX-1V: 7/6' '^  dgx1v +8 +2 +7/6 +7/6 smt ' out
has 'what binds' '7 into \{0\}, 6 a round$' out
has 'the frontier and how it is proved' '^    frontier: \(2,2,3\) latency, \(6,3,7\) bandwidth; searched, ended at the bound$' out
has 'a bound of few steps' '^    in 2 steps R/C >= 3/2$' out
has 'a method that cannot says why' '^    no 2d-ring: needs a torus or mesh, and dgx1p is neither$' out
silent
cmp -s out study/explore.txt
ok $? 'the table is in the folder too'
[ "$(wc -l <study/explore.jsonl)" = 2 ]
ok $? 'a line a row'
keys 'keys of a row' 'topology name nodes switches digest collective root cannot bounds trees frontier algorithms refused alpha beta best change' study/explore.jsonl
if command -v python3 >/dev/null; then
	python3 - <<'EOF'
import csv, json, sys, xml.dom.minidom
xml.dom.minidom.parse("study/explore.svg")
rows = [json.loads(l) for l in open("study/explore.jsonl")]
lines = list(csv.reader(open("study/explore.csv", newline="")))
assert len({len(l) for l in lines}) == 1 and len(lines) == 3
one = dict(zip(lines[0], lines[2]))
assert one["topology"] == rows[1]["name"] == "dgx1v" and one["bound_bandwidth"] == "1.16666667" and rows[1]["bounds"]["bandwidth"] == "7/6"
from fractions import Fraction as F
for row in rows:
    for best in row["best"]:
        times = [a["steps"] * F(row["alpha"]) + F(a["bandwidth"]) * best["bytes"] * F(row["beta"]) for a in row["algorithms"]]
        assert F(best["microseconds"]) == min(times) == times[best["algorithm"]]
EOF
	ok $? 'the picture is XML, the CSV is square, and times are counted anew'
else
	skip 'the forms are well made' 'no python3'
fi
if python3 -c 'import jsonschema' 2>/dev/null; then
	"$program" explore -t ring:4 line:3@drop=1-2 -c allgather,broadcast --root 1 --links all --method ring,direct --json >rows 2>err
	python3 - "$source/docs/reference/schemas/sccl-exploration.schema.json" rows study/explore.jsonl <<'EOF'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    for line in open(name):
        jsonschema.validate(json.loads(line), schema)
row = json.loads(open("study/explore.jsonl").readline())
row["colour"] = "red"
try:
    jsonschema.validate(row, schema)
    sys.exit("a key that there is not was taken")
except jsonschema.ValidationError:
    pass
EOF
	ok $? 'rows are of the shape that docs/reference/schemas says'
else
	skip 'rows are of the shape that docs/reference/schemas says' 'no python3 with jsonschema'
fi

run 0 explore -t ring:{3..5} 'mesh:{2,3}x2' -c allgather allreduce --method ring --alpha 0.7 --beta 4e-5 --sizes 1M --format csv
[ "$(grep -c '^ring:[345],' out)" = 6 ] && [ "$(grep -c '^mesh:[23]x2,' out)" = 4 ]
ok $? 'braces stand for many machines, words after -c for more collectives'
has 'a time as a spreadsheet reads it: 2 steps of 7/10 and 1 MiB of 1/25000' '^ring:3,3,allgather,.*,43.34304,"ring \(2,2,2\)"' out
has_no 'and no ratio' ',[0-9]+/[0-9]+,' out
run 0 explore -t ring:4 -c allgather --method ring
has 'who does not know the speed of links is told' 'no times: its links have no alpha and beta; give --alpha and --beta$' out

run 0 explore -t dgx1p -c alltoall --links add,widen --method smt --json
cp out changes
head -1 changes | grep -q '"change": null'
ok $? 'the machine itself comes first'
has 'the best link to add, and all like it' '"topology": "dgx1p@add=0-5".*"change": \{"of": "dgx1p", "links": "add", "alike": \[\[0, 5\], \[0, 6\], .*"rank": 1, "gain": \{"steps": 0, "bandwidth": "5/4"' changes
has 'what gains nothing is last' '"topology": "dgx1p@widen=0-1".*"rank": 3, "gain": \{"steps": 0, "bandwidth": "1"' changes
[ "$(grep -c '"links": "add"' changes)" = 1 ]
ok $? 'one of those that are alike'
run 0 bounds -t dgx1p@add=0-5 -c alltoall --json
has 'its bound is that of the command bounds' '"bandwidth": "2/5"' out
run 0 explore -t line:3 -c allgather --links remove --method ring
has 'a machine that falls apart is told' 'cannot be reached' out
run 0 explore -t dgx1v -c broadcast --links degrade --method binomial --by time
has 'none was given' '^sccl-synth: --root: not given' err
has 'what is one unit wide' '^sccl-synth: dgx1v: [0-9]+ links are one unit wide ' err
has 'ranked by time' '^broadcast, root 0 on dgx1v, one link changed, by time$' out
run 0 topology show dgx1@widen=0-1x2@narrow=0-1
run 0 topology isomorphic dgx1@widen=0-1x2@narrow=0-1 dgx1@add=0-1
run 2 explore -t ring:4 -c allgather --method ring -o /dev/null/x

run 0 explore -t line:4 star:4 -c broadcast,allgather --root all --method direct,binomial --sizes 1K --alpha 1 --beta 1e-3 --json
[ "$(jq -r '[.topology, .collective, .root] | join(" ")' out | tr '\n' ,)" = \
	"line:4 broadcast 0,star:4 broadcast 0,line:4 broadcast 1,star:4 broadcast 1,line:4 allgather ,star:4 allgather ," ]
ok $? 'one root of each class of nodes, machines of a root together'
run 0 explore -t line:4 -c broadcast --root all --links add --method direct --by steps
has 'a root has a table of its own' '^broadcast, root 1$' out
has 'and changes of its own' '^broadcast, root 1 on line:4, one link changed, by steps$' out
has_no 'no root was left out' '--root: not given' err

# The study of docs/evidence/explore.md: its bounds and gains, which are exact, come out again. What is built there takes minutes.
run 0 explore -t dgx1p dgx1v -c allgather,allreduce,broadcast,alltoall --root 0 --links add,widen,degrade --method direct --format csv
if command -v python3 >/dev/null; then
	python3 - "$source/docs/evidence/explore/explore.csv" out <<'EOF'
import csv, sys
keys = ["topology", "collective", "base", "change", "links", "alike", "bound_steps", "bound_bandwidth", "gain", "trees", "binds"]
shown, made = ([tuple(row[k] for k in keys) for row in csv.DictReader(open(name, newline=""))] for name in sys.argv[1:])
sys.exit(not shown or sorted(shown) != sorted(made))
EOF
	ok $? 'the bounds of the study in docs'
else
	skip 'the bounds of the study in docs' 'no python3'
fi

# An interrupt: what was done is there, whole.
env --default-signal=INT "$program" explore -t ring:4 torus:6x6@drop=0-1 -c allreduce --method smt --timeout 100 -o cut >out 2>err </dev/null &
pid=$!
tries=0
until [ -s cut/explore.svg ] || [ $tries = 600 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
kill -s INT $pid
wait $pid
ok $(($? != 130)) 'an interrupt ends with 130'
[ "$(grep -c '"topology": "ring:4"' cut/explore.jsonl)" = 1 ] && [ "$(wc -l <cut/explore.jsonl)" = 1 ] && tail -1 cut/explore.svg | grep -q '^</svg>$'
ok $? 'and leaves the rows that were done'
finish
