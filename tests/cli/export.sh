#!/bin/sh
# sccl-synth export: questions that other solvers answer alike, and plans for RCCL.
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
has 'a root is told of' 'RCCL ignores the root of a call: .* rank 1 ' err
run 2 export "$golden/ring3-custom.json" --format msccl-xml -o plan.xml
same 'a custom collective is refused in a line' \
	'sccl-synth: ring:3-custom-c2-s2-r3: RCCL has no custom collective' err
cmp -s plan.xml "$golden/ring3-allgather.xml"
ok $? 'and what was in the file stays'
run 2 export -t ring:3 -c allgather -C 1 -S 1 -R 1 --format msccl-xml
has 'a plan needs a file' '^sccl-synth: FILE: ' err
run 2 export "$golden/ring3-allgather.json" --format msccl
has 'an unknown format is told the known ones' 'must be smt2, dimacs, msccl-xml, mscclpp, nccl-graph, csv, te-ccl or chakra, not "msccl"' err
run 2 export "$bad/algorithm/verify-not-held.json" --format msccl-xml
has 'what does not verify is refused' 'does not verify' err

# Plans of MSCCL++, and what a plan states.
run 0 export "$golden/ring3-allgather.json" --format mscclpp
silent
cp out plan.json
run 0 lint plan.json --for mscclpp
has 'the plan is right' 'MSCCL\+\+ JSON, allgather on 3 ranks: right' out
run 0 export "$golden/ring3-allgather.json" --format mscclpp -o named.json --register register.py
cmp -s plan.json named.json
ok $? 'a file gets the same plan'
has 'the sizes it serves are printed' 'multiples of 48 bytes' out
if command -v python3 >/dev/null; then
	python3 -m py_compile register.py
	ok $? 'the file that registers it is Python'
else
	skip 'the file that registers it is Python' 'no python3'
fi
has 'and names the plan' '^PLAN = "named.json"$' register.py
for options in '--in-place' '--proto LL' '--proto LL --in-place' '--min-bytes 1K --max-bytes 64M'; do
	# shellcheck disable=SC2086
	run 0 export "$source/algorithms/dgx1/allreduce/c16-s4-r6.json" --format mscclpp $options -o sum.json
	run 0 lint sum.json --for mscclpp
done
has 'the range of sizes is in it' 'from 1024 to 67108864' out
# Long thread blocks are cut, sums are added to packets, and more parts are added up than one op takes.
run 0 build -t ring:4 -c allreduce --method ring -C 48 -o long.json
for options in '' '--in-place' '--proto LL' '--proto LL --in-place'; do
	# shellcheck disable=SC2086
	run 0 export long.json --format mscclpp $options -o long.plan
	run 0 lint long.plan --for mscclpp
done
run 0 build -t line:40 -c allgather --method ring -o line.json
run 0 export line.json --format mscclpp -o long.plan
has 'a long block goes on in another' '"sem_acquire", "semaphore_ids": \[0\]' long.plan
run 0 lint long.plan --for mscclpp
sed 's/{"name": "sem_release"[^}]*}/{"name": "nop"}/' long.plan >changed.plan
run 1 lint changed.plan
has 'which waits for it' 'sem_acquire\): waits forever' out
run 0 build -t complete:12 -c reducescatter --method direct -o many.json
for options in '' '--proto LL'; do
	# shellcheck disable=SC2086
	run 0 export many.json --format mscclpp $options -o many.plan
	run 0 lint many.plan --for mscclpp
done
# Switches that copy and add are used by their own ops.
for machine in switch:4+nvls dgx-h100+nvls; do
	for steps in 1 2; do
		run 0 build -t $machine -c allreduce --method nvls -S $steps -o sums.json
		for options in '' '--in-place'; do
			# shellcheck disable=SC2086
			run 0 export sums.json --format mscclpp $options -o sums.plan
			run 0 lint sums.plan --for mscclpp
		done
	done
done
has 'sums are loaded and stored through the switch' '"name": "glres".*"switch_channel_id".*"reduce_op": "sum"' sums.plan
has_no 'and nothing is put' '"put"' sums.plan
run 0 export sums.json --format mscclpp -o sums.plan
has 'the switch channels are of input and output' '"channel_type": "switch", "buffer_type": "i", .*"channel_type": "switch", "buffer_type": "o"' sums.plan
sed 's/"name": "barrier"[^}]*}/"name": "nop"}/' sums.plan >changed.plan
run 1 lint changed.plan
has 'blocks that do not meet' 'before the rank is known to have begun|may still be read' out
sed '0,/"glres", "src_buff": \[{"switch_channel_id": 0, "index": 0/s//"glres", "src_buff": [{"switch_channel_id": 0, "index": 1/' sums.plan >changed.plan
run 1 lint changed.plan
has 'another place is summed' 'chunk [0-9]+ of the output|contribution|overwrites|other data' out
run 0 build -t switch:4+nvls -c allreduce --method ring -o ring.json
run 0 export ring.json --format mscclpp -o ring.plan
has 'what goes around a ring is put' '"name": "put"' ring.plan
has_no 'and no switch sums it' '"glres"' ring.plan
run 0 lint ring.plan --for mscclpp
for c in allgather 'broadcast --root 2'; do
	# shellcheck disable=SC2086
	run 0 build -t switch:4+nvls -c $c --method nvls -o stores.json
	run 0 export stores.json --format mscclpp -o stores.plan
	has "$c: one store for all" '"name": "gstore"' stores.plan
	run 0 lint stores.plan --for mscclpp
	run 0 import stores.plan -t switch:4+nvls -o back.json
done
run 2 export "$golden/ring3-custom.json" --format mscclpp
has 'a collective that MSCCL++ lacks' 'MSCCL\+\+ has no custom collective' err
run 0 build -t complete:66 -c reducescatter --method direct -o many.json
run 2 export many.json --format mscclpp
has 'more parts of a sum than a plan adds up' 'more than 64 parts of a chunk arrive in one step; plans for MSCCL\+\+ add up fewer' err
run 0 solve -t ring:4 -c alltoall -C 4 -S 2 -R 4 -o pairs.json
run 0 export pairs.json --format mscclpp -o pairs.plan
has 'what is passed on waits in scratch, beside what has arrived' '"scratch_chunks": [1-9]' pairs.plan
run 0 lint pairs.plan --for mscclpp
run 0 solve -t line:1 -c allreduce -C 1 -S 1 -R 1 -o one.json
run 0 export one.json --format mscclpp -o one.plan
has 'a machine of one node only copies' '"name": "copy"' one.plan
run 0 lint one.plan --for mscclpp
# A file whose sends do not do what it says.
grep -v '^ *\[1, 1, 2\],$' "$golden/ring3-allgather.json" >less.json
for format in mscclpp msccl-xml csv te-ccl nccl-graph; do
	run 2 export less.json --format $format
	has "$format: a file that does not verify" 'does not verify: chunk 1 is missing at node 2 at the end' err
done
run 2 export "$golden/ring3-allgather.json" --format mscclpp --proto LL128
run 2 export "$golden/ring3-allgather.json" --format mscclpp --max-bytes many
run 0 export "$golden/ring3-allgather.json" --format msccl-xml --proto LL --in-place --min-bytes 64 --max-bytes 4K -o stated.xml
has 'a plan for RCCL states them' 'proto="LL" .*inplace="1" outofplace="0" minBytes="64" maxBytes="4096"' stated.xml
run 0 lint stated.xml --for rccl

# As clauses.
ask=$3
# dimacs ANSWER TOPOLOGY COLLECTIVE ROOT C S R: another solver agrees, and what it finds is an algorithm.
dimacs() {
	wanted_answer=$1
	shift
	root=
	case $2 in broadcast | gather | scatter | reduce) root="--root $3" ;; esac
	run 0 export -t "$1" -c "$2" $root -C "$4" -S "$5" -R "$6" --format dimacs -o formula.cnf
	silent
	SCCL_PATH=$source "$ask" formula.cnf "$@" >answer
	ok $? "what CaDiCaL finds for ($4,$5,$6) of $2 on $1 verifies"
	[ "$(tail -n 1 answer)" = "$wanted_answer" ]
	ok $? "it says $wanted_answer"
}
dimacs sat ring:4 allgather 0 2 2 3
dimacs unsat ring:4 broadcast 0 3 2 2
dimacs sat dgx1 allgather 0 6 3 7
dimacs unsat dgx1 allgather 0 3 2 4
dimacs sat dgx1 broadcast 3 2 2 2
dimacs sat switch:4 alltoall 0 4 2 5
dimacs sat dgx1 allreduce 0 2 2 2
dimacs unsat ring:5 allreduce 0 1 2 2
dimacs unsat line:4 allgather 0 1 2 2
run 0 export -t dgx1 -c reduce --root 1 -C 2 -S 2 -R 2 --format dimacs
has 'a combining collective says whose answer it wants' '^c For reduce with C=2, on reversed links' out
[ "$("$ask" out)" = sat ]
ok $? 'and is answered alike'
# It is what certificates are of.
run 0 export -t dgx1 -c allgather -C 5 -S 2 -R 6 --format dimacs
if command -v sha256sum >/dev/null && "$program" prove --traces -t dgx1 -c allgather -C 5 -S 2 -R 6 -o proof.json >said 2>&1; then
	digest=$(grep -v '^c' out | sha256sum | cut -d' ' -f1)
	has 'without comments it has the digest that its certificate names' "\"formula\": .*\"sha256\": \"$digest\"" proof.json
else
	skip 'the digest of a certificate' 'no sha256sum, or no solver that writes traces'
fi
cp out twice.cnf
run 0 export -t dgx1 -c allgather -C 5 -S 2 -R 6 --format dimacs
cmp -s out twice.cnf
ok $? 'the same bytes every time'
run 0 export "$golden/ring3-custom.json" --format dimacs
[ "$("$ask" out)" = sat ]
ok $? "a custom collective's formula has a model"
run 3 export -t dgx1 -c allgather -C 100000 -S 1000 -R 1000 --format dimacs
same 'what is too large is refused in a line' 'sccl-synth: formula: C=100000, S=1000, R=1000 is too large to write out' err
finish
