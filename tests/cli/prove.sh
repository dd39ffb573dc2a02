#!/bin/sh
# sccl-synth prove, check-proof and verify --proofs: certificates are made, hold, and forged ones are told from them.
. "$(dirname "$0")/tap.sh"

help prove
help check-proof

# One candidate: below a cut at once, or by a trace; and one that there is an algorithm for.
run 0 prove -t dgx1 -c alltoall -C 24 -S 2 -R 7 -o one/cut.json
has 'a cut shows it' '"by": "cut"' one/cut.json
run 0 check-proof one/cut.json
same 'and is checked' 'one/cut.json: ok: 1 below the bounds' out
run 2 prove -t dgx1 -c alltoall -C 24 -S 2 -R 7
has 'where it goes must be said' '^sccl-synth: -o: ' err
run 2 prove -t ring:3 -c allgather -C 1 -S 2 -R 1 -o one/x.json
run 2 prove -t ring:3 -c alltoall -C 2 -S 2 -R 2 -o one/x.json
run 2 check-proof nosuch.json
run 2 check-proof "$golden/ring3-allgather.json"
has 'another format' 'must be "sccl-proof"' err

run 0 pareto -t dgx1 -c allgather -k 6 -o f
run 0 pareto -t dgx1 -c reducescatter -k 6 -o f
run 1 verify --proofs f
has 'a frontier without proofs' '^f/dgx1/allgather/frontier.json: proof: there are no proofs: f/dgx1/allgather/proofs.json' out
run 0 prove --traces f/dgx1/*/frontier.json 2>/dev/null
if ! grep -q 'traces made' out; then
	skip 'certificates' 'no solver that writes traces in this build'
	finish
fi
run 0 verify --proofs f
has 'a frontier with proofs' '^f/dgx1/allgather/frontier.json: ok, the frontier is complete, and proved$' out
has 'and the proofs themselves' '^f/dgx1/allgather/proofs.json: ok: 3 replayed, 3 follow from these$' out
silent
cp out first
run 0 verify f/dgx1/allgather/proofs.json
[ "$(ls f/dgx1/proofs | wc -l)" = 3 ]
ok $? 'on links that are alike both ways, a reducescatter has the traces of an allgather'
cp f/dgx1/allgather/proofs.json before.json
run 0 prove --traces f/dgx1/allgather/frontier.json --json
has 'what is there is kept' '"traced": 0, "kept": 3' out
same 'and the file is the same' "$(cat before.json)" f/dgx1/allgather/proofs.json
rm -r f/dgx1/proofs f/dgx1/allgather/proofs.json
run 0 prove --traces f/dgx1/allgather/frontier.json
same 'made again, it is the same' "$(cat before.json)" f/dgx1/allgather/proofs.json

# forged WHAT PATTERN: the changed proof fails, with that said of it; then all is as before.
proofs=f/dgx1/allgather/proofs.json
cp -r f/dgx1/proofs traces
forged() {
	run 1 verify --proofs f/dgx1/allgather
	has "$1" "^$proofs: proof: .*$2" out
	has "$1: the frontier leans on it" '^f/dgx1/allgather/frontier.json: proof: its proofs do not hold' out
	run 1 check-proof $proofs
	cp before.json $proofs
	rm -r f/dgx1/proofs
	cp -r traces f/dgx1/proofs
}

# The trace of a refusal and what the proof says of it, in words that hold for the changed bytes too.
trace_of() { sed -n "s|.*\"candidate\": \[$1\], \"by\": \"trace\".*\"file\": \"../\(proofs/[0-9a-f]*.drat\)\".*|\1|p" $proofs; }
sign() { # CANDIDATE FILE: the digest and length of FILE for the candidate's trace
	sed "/\"candidate\": \[$1\], \"by\": \"trace\"/s|\"bytes\": [0-9]*, \"sha256\": \"[0-9a-f]*\"|\"bytes\": $(wc -c <"$2"), \"sha256\": \"$(sha256sum <"$2" | cut -c1-64)\"|" \
		$proofs >signed.json
	cp signed.json $proofs
}
trace=f/dgx1/$(trace_of '4, 2, 5')

sed 's/"from": \[1, 2, 3, 4, 5, 6, 7\], "to": \[0\]/"from": [2, 3, 4, 5, 6, 7], "to": [0, 1]/' before.json >$proofs
forged 'a changed cut' 'R/C >= 7/6 is claimed, but the cut'
head -c 200 "$trace" >torn && cp torn "$trace"
forged 'a torn trace' 'the digests differ'
head -c 200 "$trace" >torn && cp torn "$trace" && sign '4, 2, 5' "$trace"
forged 'a torn trace with its digest' 'does not refute it: at byte'
cp "f/dgx1/$(trace_of '5, 2, 7')" "$trace" && sign '4, 2, 5' "$trace"
forged "another instance's trace" 'does not refute it: at byte'
sed 's/"candidate": \[4, 2, 5\], "by": "trace"/"candidate": [2, 2, 3], "by": "trace"/' before.json >$proofs
forged 'a claim that can be fulfilled' '\(2,2,3\): '
sed 's/"by": "implied", "from": \[[^]]*\]/"by": "cut"/' before.json >$proofs
forged 'a reason that is none' 'is not below the cut'
sed '/"candidate": \[6, 2, 8\]/d' before.json >$proofs
forged 'a refusal that is gone, on which others lean' 'is not refuted here'

# Whole, but not for this frontier.
sed '/"candidate": \[3, 2, 4\]/d' before.json >$proofs
run 1 verify --proofs f/dgx1/allgather
has 'a proof that leaves a candidate out' 'frontier.json: proof: no certificate refutes \(3,2,4\)' out
has 'which the algorithm needs as well' 'c2-s2-r3.json: proof: no certificate refutes \(3,2,4\)' out
cp before.json $proofs
sed 's/"point": \[6, 3, 7\], "by": \["cut"\]/"point": [6, 3, 7], "by": ["refusals"]/' before.json >$proofs
run 1 verify --proofs f/dgx1/allgather/frontier.json
has 'a point that is shown otherwise' 'frontier.json: proof: its points' out
cp f/dgx1/reducescatter/proofs.json $proofs
run 1 verify --proofs f/dgx1/allgather/frontier.json
has 'the proofs of another collective' 'another machine or collective' out
cp before.json $proofs

rm $proofs
run 0 prove --traces --keep 0 f/dgx1/allgather/frontier.json
has 'no trace is kept with --keep 0' '3 traces made, 0 kept, 0 bytes \(3 too long to keep\)' out
cp before.json $proofs

# A trace that is not kept is made again; a claim without one that can be fulfilled is found out so.
sed 's|"file": "[^"]*"|"file": null|' before.json >$proofs
run 0 verify --proofs f/dgx1/allgather
has 'traces are made again' '^f/dgx1/allgather/proofs.json: ok: 3 solved again and replayed' out
cp before.json $proofs
sed 's/\[3, 2, 4\]/[2, 2, 3]/' f/dgx1/allgather/frontier.json >f/dgx1/allgather/frontier-x.json
run 1 prove f/dgx1/allgather/frontier-x.json
has 'nor is a frontier that does not hold' 'frontier-x.json: frontier: refuted and open candidates are not all' out
run 1 prove -t dgx1 -c allgather -C 2 -S 2 -R 3 -o one/false.json
has 'a claim that can be fulfilled is not proved' 'there is an algorithm for \(2,2,3\)' out

# Without --traces cuts of single steps show all of them.
rm -r f/dgx1/proofs f/dgx1/allgather/*-x.json
run 0 prove f/dgx1/allgather/frontier.json
has 'cuts of single steps show what they can' ': 0 traces made, .* 6 below the bounds' out
run 0 verify --proofs f/dgx1/allgather
has 'and hold' '^f/dgx1/allgather/proofs.json: ok: 6 below the bounds$' out
cp $proofs before.json
mkdir -p f/dgx1/proofs
rm -r traces && cp -r f/dgx1/proofs traces
sed 's/"steps": 2, "at_least": "3\/2"/"steps": 2, "at_least": "5\/3"/' before.json >$proofs
forged 'more than timed cuts show' 'R/C >= 5/3 in 2 steps is claimed, but the cuts of the allgather show 3/2'
sed 's/"until": \[[-0-9]*,/"until": [2,/' before.json >$proofs
forged 'a changed timed cut' 'in 2 steps is claimed, but the cuts'
sed 's/"steps": 2, "at_least": "3\/2"/"steps": 3, "at_least": "3\/2"/' before.json >$proofs
forged 'timed cuts of another step count' 'is claimed, but the cuts'
sed 's/"until": \[[-0-9]*,/"until": [3,/' before.json >$proofs
run 2 check-proof $proofs
has 'an end beyond the steps' 'must be an integer from -1 to 2' err
# As many steps as may be said, again and again: small to write, and long to count.
many=
for steps in $(seq 16300 16330); do
	many="$many{\"steps\": $steps, \"at_least\": \"0\", \"cuts\": [{\"weight\": 1, \"until\": [9, 0, 0, 0, 0, 0, 0, -1]}]}, "
done
sed "s|\"in_steps\": \[|&$many|" before.json >$proofs
run 3 check-proof --budget 1e7 $proofs
has 'more cuts than are counted' 'gave up: more than 10000000 steps' out

# Prices of links, where no cut shows as much.
run 0 prove -t dragonfly:2x2x2 -c alltoall -C 20 -S 2 -R 23 -o one/priced.json
has 'prices show it' '"at_least": "6/5", "prices": \[\], "limit_prices": \[\[22, 1\],' one/priced.json
run 0 check-proof one/priced.json
same 'and are counted' 'one/priced.json: ok: 1 below the bounds' out
priced() { # WHAT SED STATUS FAULT
	sed "$2" one/priced.json >one/other.json
	! cmp -s one/priced.json one/other.json
	ok $? "$1: another file"
	run "$3" check-proof one/other.json
	has "$1" "$4" $([ "$3" = 1 ] && echo out || echo err)
}
priced 'a price changed' 's/\[22, 1\]/[22, 3]/' 1 'R/C >= 6/5 is claimed, but the cut of the alltoall shows'
priced 'a price of no limit' 's/\[22, 1\]/[22222, 1]/' 1 'the cut of the alltoall shows 0$'
priced 'one limit twice' 's/\[22, 1\]/[22, 1], [22, 1]/' 1 'the cut of the alltoall shows 0$'
priced 'more than they show' 's/"at_least": "6\/5"/"at_least": "5\/4"/' 1 'R/C >= 5/4 is claimed, but the cut of the alltoall shows 6/5$'
priced 'a price below 0' 's/\[22, 1\]/[22, -1]/' 2 'bounds.bandwidth.limit_prices\[0\]\[1\]: must be an integer from 1 to 1048576, not -1$'
priced 'another machine' 's/{"src": 20, "dst": 21, "bandwidth": 1}/{"src": 20, "dst": 21, "bandwidth": 2}/' 1 'is claimed, but the cut of the alltoall shows'
priced 'prices beside a cut' 's/"prices": /"hops": true, "prices": /' 2 'has more than one cut as its witness$'
# The least R/C of a number of steps.
run 0 prove -t dgx1 -c broadcast --root 1 -S 3 -o one/least.json
has 'is certified' 'one/least.json: no algorithm of at most 3 steps has R/C below 9/22, which is attained$' out
has 'by prices' '"programs": \[' one/least.json
run 0 check-proof one/least.json
run 0 prove -t dgx1 -c reducescatter -S 2 -o one/least.json
has 'a combining collective by its inverse' 'R/C below 3/16, which is attained$' out
run 0 check-proof one/least.json
sed 's|"at_least": "3/16"|"at_least": "4/16"|; s|"4/16"|"1/4"|' one/least.json >one/other.json
run 1 check-proof one/other.json
run 2 prove -t dgx1 -c gather -S 1 -o one/none.json
has 'too few steps' '^sccl-synth: -S: 1 step cannot be enough$' err
run 2 prove -t dgx1 -c allreduce -S 4 -o one/none.json
has 'an allreduce has none' '^sccl-synth: -C, -R: missing; only the halves' err
run 2 prove -t dgx1 -c gather -S 2 -C 1 -o one/none.json
has 'C without R' '^sccl-synth: -C, -S, -R: missing' err
[ ! -e one/none.json ]
ok $? 'nothing is written'
finish
