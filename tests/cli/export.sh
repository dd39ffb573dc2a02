#!/bin/sh
# sccl-synth export --format smt2: a question that another solver answers alike.
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
finish
