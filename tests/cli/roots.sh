#!/bin/sh
# Several roots at once: from the option to files, frontiers and programs, and back.
. "$(dirname "$0")/tap.sh"

# A ring both ways round: each root's buffer in two halves, each a node further a step.
run 0 bounds -t ring:4 -c broadcast --root 0,2
has 'the roots are told' '^broadcast on ring:4, roots 0,2$' out
run 0 solve -t ring:4 -c broadcast --root 0,2 -C 1 -S 2 -R 2 -o broadcast.json
has 'the file says which, and lists nothing' '"collective": \{"kind": "broadcast", "roots": \[0, 2\]\},$' broadcast.json
has 'its name too' '"name": "ring:4-broadcast-c1-s2-r2-root0,2"' broadcast.json
run 0 verify broadcast.json
sed 's/"roots": \[0, 2\]/"roots": [0, 1]/' broadcast.json >other.json
run 1 verify other.json
has 'a file for other roots does not serve them' 'not-held|not-delivered' out
run 2 verify "$bad/algorithm/roots-twice.json"
run 1 solve -t ring:4 -c broadcast --root 0,2 -C 1 -S 1 -R 1
run 0 solve -t ring:4 -c broadcast --root 0,2 -C 2 -S 2 -R 2
run 1 solve -t ring:4 -c broadcast --root 0,1 -C 2 -S 2 -R 2
has 'neighbours are worse roots' 'below 4/3, the bandwidth bound for 2 steps' err

for kind in gather scatter reduce; do
	run 0 solve -t ring:4 -c $kind --root 1,2 -C 1 -S 2 -R 3 -o $kind.json
	run 0 verify $kind.json
	has "$kind says which" "\"collective\": \{\"kind\": \"$kind\", \"roots\": \[1, 2\]\},$" $kind.json
	run 0 run $kind.json --counts 0,1,7 --calls 2
	[ "$(grep -cE "$exact" out)" = 3 ]
	ok $? "$kind of two roots runs, with exact results"
done

run 0 solve -t ring:4 -c reduce --root 0,1,2,3 -C 1 -S 2 -R 2 --json
has 'the roots in JSON' '"collective": "reduce", "root": \[0, 1, 2, 3\]' out
run 0 pareto -t ring:4 -c scatter --root 0,2 -o frontier
has 'a frontier of several roots' '^scatter on ring:4, roots 0,2: S >= 2, R/C >= 3/2' out
[ -f frontier/ring:4/scatter/frontier-root0,2.json ]
ok $? 'it lies beside those of one root'
run 0 verify frontier
run 0 prove frontier/ring:4/scatter/frontier-root0,2.json
run 0 verify --proofs frontier
finish
