#!/bin/sh
# What the catalog knows is carried to machines numbered otherwise, verified; a spoilt file is told, and searched for anew.
. "$(dirname "$0")/tap.sh"

# No ring of five is in the atlas: so what is known of it here is known from own/.
ring='ring:5@gpus=2,0,4,1,3'
asked="-c broadcast --root 3 -k 1 --max-steps 4 --json"
run 0 pareto -t $ring $asked --fresh
silent
cp out searched.json
run 0 pareto -t $ring $asked
silent
run 0 pareto -t ring:5 -c broadcast --root 0 -k 1 --max-steps 4 -o own/algorithms
run 0 pareto -t $ring $asked -d own
has 'without proofs nothing is taken' '^sccl-synth: own/algorithms/ring:5/broadcast/frontier-root0.json: not used: its refutations have no proofs' err
cmp -s out searched.json
ok $? 'but searched for'
run 0 prove own/algorithms/ring:5/broadcast/frontier-root0.json
run 0 pareto -t $ring $asked -d own
has 'it reports where it was taken from, and by what proofs' '^sccl-synth: own/algorithms/ring:5/broadcast/frontier-root0.json: taken from the catalog, .*, and verified with its proofs \(.*below the bounds' err
cmp -s out searched.json
ok $? 'it is what a search finds'

# Proofs that this user has checked are not checked again: those whose traces are not kept take as long as the search did.
run 0 pareto -t ring:5 -c broadcast --root 0 -k 1 --max-steps 4 --fresh -o slow/algorithms
slow=slow/algorithms/ring:5/broadcast/proofs-root0.json
run 0 prove --traces --keep 0 slow/algorithms/ring:5/broadcast/frontier-root0.json
run 0 pareto -t $ring $asked -d slow
has 'traces that are not kept are made again' 'verified with its proofs \(5 solved again and replayed, ' err
run 0 pareto -t $ring $asked -d slow
has 'once' 'verified with its proofs \(checked before by this user and version\)$' err
sed -i '0,/"from": \[[0-9]*/s//&0/' $slow
run 0 pareto -t $ring $asked -d slow
has 'and only these proofs' 'frontier-root0.json: not used: ' err
run 0 prove --traces --keep 0 slow/algorithms/ring:5/broadcast/frontier-root0.json
run 0 pareto -t $ring $asked -d slow
has 'which are the same again' 'checked before by this user and version\)$' err
chmod 644 "$XDG_STATE_HOME/sccl-synth/signing.key"
run 0 pareto -t $ring $asked -d slow
has 'a key that others can read vouches for nothing' '\(5 solved again and replayed, ' err
chmod 600 "$XDG_STATE_HOME/sccl-synth/signing.key"

run 0 pareto -t $ring $asked -d own -o mine
has 'its files are ours' '"file": "mine/ring:5@gpus=2,0,4,1,3/broadcast/c[0-9-]*-?s2-r[0-9]-root3.json"' out
run 0 verify mine
run 0 pareto -t $ring $asked -d own --fresh
silent
run 0 topology show $ring --format json
sed 's/"name": "[^"]*"/"name": "imported"/' out >imported.json
run 0 pareto -t ./imported.json $asked -d own
has 'a file of ones own profits' 'frontier-root0.json: taken from the catalog, relabelled for imported' err
run 0 pareto -t ring:5 -c broadcast --root all -k 1 --max-steps 4 --json -d own
has 'for each root that is asked' 'taken from the catalog' err

# Nothing else is answered from it.
for other in "-t ring:6 -c broadcast --root 3 -k 1 --max-steps 4" "-t $ring -c broadcast --root 3 -k 2 --max-steps 3" \
	"-t $ring -c reduce --root 3 -k 1 --max-steps 3" "-t $ring@add=0-1x7 -c broadcast --root 3 -k 1 --max-steps 3" \
	"-t $ring -c broadcast --root 3 -k 1 --max-steps 3 --engine lia" "-t $ring -c broadcast --root 3 -k 1 --max-steps 5"; do
	run 0 pareto $other -d own
	silent
done

# spoilt WHAT FILE SED: the file is not believed, and the answer is as a search finds it.
spoilt() {
	rm -rf bad
	cp -r own bad
	sed "$3" own/algorithms/ring:5/broadcast/$2 >bad/algorithms/ring:5/broadcast/$2
	! cmp -s own/algorithms/ring:5/broadcast/$2 bad/algorithms/ring:5/broadcast/$2
	ok $? "$1: there is a difference"
	run 0 pareto -t $ring $asked -d bad
	has "$1: it is told" '^sccl-synth: bad/algorithms/ring:5/broadcast/frontier-root0.json: not used: .' err
	has_no "$1: and not taken" 'taken from the catalog' err
	cmp -s out searched.json
	ok $? "$1: searched anew"
}
point=$(basename own/algorithms/ring:5/broadcast/c*-s2-*)
spoilt 'a send to another node' "$point" 's/\[0, 0, 1\]/[0, 0, 2]/'
spoilt 'a send too many' "$point" 's/\[0, 0, 1\]/[0, 0, 1], [0, 0, 4]/'
spoilt 'a refused candidate left out' frontier-root0.json '/"refuted"/,/\]\]*,*$/s/\[[0-9]*, 2, [0-9]*\],* *//'
spoilt 'other bounds' frontier-root0.json 's/"bounds": {"steps": 2/"bounds": {"steps": 1/'
spoilt 'a file cut short' frontier-root0.json '5,$d'
spoilt 'a point of another cost' frontier-root0.json 's/"steps": 3,/"steps": 4,/'
# What is said to be refuted, and is not: the lists are whole, as the point is gone, and the proofs do not show it.
forged=bad/algorithms/ring:5/broadcast
rm -rf bad
cp -r own bad
run 0 pareto -t ring:5 -c broadcast --root 0 -k 0 --max-steps 4 -o narrow/algorithms
cp narrow/algorithms/ring:5/broadcast/* $forged/
sed -i 's/"k": 0/"k": 1/' $forged/frontier-root0.json
run 0 pareto -t $ring $asked -d bad
has 'a frontier and proofs that do not belong together' 'frontier-root0.json: not used: ' err
cmp -s out searched.json
ok $? 'searched anew'
rm -rf bad
cp -r own bad
sed -i 's/"weight": [0-9]*/"weight": 1000/' $forged/proofs-root0.json
! cmp -s own/algorithms/ring:5/broadcast/proofs-root0.json $forged/proofs-root0.json
ok $? 'proofs that say something else'
run 0 pareto -t $ring $asked -d bad
has 'proofs that do not hold' 'frontier-root0.json: not used: ' err
rm -rf bad
cp -r own bad
rm "bad/algorithms/ring:5/broadcast/$point"
run 0 pareto -t $ring $asked -d bad
has 'a point that is not there is told' 'not used' err
cmp -s out searched.json
ok $? 'and searched for'
finish
