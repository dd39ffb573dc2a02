#!/bin/sh
# sccl-synth export: a question that another solver answers alike, and plans for RCCL.
. "$(dirname "$0")/tap.sh"

help export

run 0 export -t ring:4 -c allgather -C 2 -S 2 -R 3 --format smt2
cp out found.smt2
silent
has 'the logic of the paper' '^\(set-logic QF_LIA\)$' found.smt2
has 'it asks' '^\(check-sat\)$' found.smt2
run 0 export -t ring:4 -c allgather -C 2 -S 2 -R 3 --format smt2 -o same.smt2
cmp -s found.smt2 same.smt2
ok $? 'a file gets the same'
[ ! -s out ]
ok $? 'and standard output nothing'
run 0 export -t ring:4 -c broadcast --root 0 -C 3 -S 2 -R 2 --format smt2
cp out none.smt2
run 0 export -t ring:4 -c reduce --root 0 -C 3 -S 2 -R 2 --format smt2
cp out none-inverse.smt2
run 0 export "$golden/ring3-allgather.json" --format smt2
cp out file.smt2
run 0 export -t ring:3 -c allgather -C 1 -S 1 -R 1 --format smt2
cmp -s out file.smt2
ok $? "a file's question is that of its machine, collective, C, S and R"
run 0 export "$golden/ring3-custom.json" --format smt2

asked() {
	if command -v z3 >/dev/null; then
		[ "$(z3 -smt2 -T:60 "$1" | head -1)" = "$2" ]
		ok $? "z3 says $2 to $1"
	else
		skip "z3 says $2 to $1" 'no z3'
	fi
}
asked found.smt2 sat
asked file.smt2 sat
asked none.smt2 unsat
asked none-inverse.smt2 unsat
run 0 export "$golden/ring3-allgather.json" --format msccl-xml
silent
cmp -s out "$golden/ring3-allgather.xml"
ok $? 'the plan is as in the golden file'
run 0 export "$golden/ring3-allgather.json" --format msccl-xml -o plan.xml
cmp -s plan.xml "$golden/ring3-allgather.xml"
ok $? 'a file gets the same plan'
has_no 'no tab, prolog or single quote' "$(printf '\t')|<\?|'" plan.xml
run 0 export "$source/algorithms/dgx1/broadcast/c2-s2-r2-root1.json" --format msccl-xml
has 'a root is told of' 'RCCL does not look at the root of a call: .* rank 1$' err
run 2 export "$golden/ring3-custom.json" --format msccl-xml -o plan.xml
same 'a custom collective is refused in a line' \
	'sccl-synth: ring:3-custom-c2-s2-r3: RCCL has no custom collective' err
cmp -s plan.xml "$golden/ring3-allgather.xml"
ok $? 'and what was in the file stays'
run 2 export -t ring:3 -c allgather -C 1 -S 1 -R 1 --format msccl-xml
has 'a plan needs a file' '^sccl-synth: FILE: ' err
run 2 export "$golden/ring3-allgather.json" --format msccl
has 'an unknown format is told the known ones' 'must be smt2 or msccl-xml, not "msccl"' err
run 2 export "$bad/algorithm/verify-not-held.json" --format msccl-xml
has 'what does not verify is refused' 'does not verify' err
finish
