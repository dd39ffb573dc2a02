#!/bin/sh
# Names need not tell contents apart: what another machine, collective or schedule left is never replaced in silence, and the same
# content may be written again.
. "$(dirname "$0")/tap.sh"

# kept WHAT FOLDER COMMAND...: it is refused, says where, and leaves the folder as it is.
kept() {
	what=$1 folder=$2
	shift 2
	rm -rf before
	cp -r "$folder" before
	run 2 "$@"
	has "$what: refused" "^sccl-synth: $folder/.*(choose another folder|has the proofs of )" err
	diff -r before "$folder" >differences
	ok $? "$what: nothing is changed"
}

# Machines.
sed 's/"name": "[^"]*"/"name": "box"/' "$source/topologies/dgx1.json" >one.json
"$program" topology show ring:8 --format json | sed 's/"name": "[^"]*"/"name": "box"/' >two.json
run 0 pareto -t ./one.json -c allgather --fresh --max-steps 2 -o machines
kept 'two machines of one name' machines pareto -t ./two.json -c allgather --fresh --max-steps 5 -o machines
run 0 pareto -t ./one.json -c allgather --fresh --max-steps 1 -o pointless
kept 'nor one without points' pointless pareto -t ./two.json -c allgather --fresh --max-steps 1 -o pointless
kept 'also from the catalog' machines pareto -t ./two.json -c allgather -o machines
cp -r machines again
run 0 pareto -t ./one.json -c allgather --fresh --max-steps 2 -o machines
diff -r again machines >differences
ok $? 'the same machine once more: the same bytes'
sed 's/"description": "/&Seen from the left. /' one.json >described.json
run 0 pareto -t ./described.json -c allgather --fresh --max-steps 2 -o machines
run 0 pareto -t ./two.json -c allgather --fresh --max-steps 5 -o elsewhere
rm elsewhere/box/allgather/frontier.json
kept 'points that a walk left without a frontier' elsewhere pareto -t ./one.json -c allgather --fresh --max-steps 2 -o elsewhere

# Collectives.
cat >ahead.json <<'END'
{"format": "sccl-collective", "version": 1, "name": "halo", "nodes": 4,
 "pre": [[0, 0], [1, 1], [2, 2], [3, 3]], "post": [[0, 1], [1, 2], [2, 3], [3, 0]]}
END
sed 's/"post": .*/"post": [[0, 3], [1, 0], [2, 1], [3, 2]]}/' ahead.json >back.json
run 0 pareto -t ring:4 -c ./ahead.json --max-steps 2 -o halos
kept 'two collectives of one name' halos pareto -t ring:4 -c ./back.json --max-steps 2 -o halos
run 0 pareto -t ring:4 -c ./ahead.json --max-steps 2 -o halos

# Programs.
run 0 build -t ring:4 -c allgather --method ring -o first.json
run 0 solve -t ring:4 -c allgather -C 2 -S 3 -R 3 -o second.json
sed 's/"name": "[^"]*-c2-s3-r3[^"]*"/"name": "same-c2-s3-r3"/' first.json >a.json
sed 's/"name": "[^"]*-c2-s3-r3[^"]*"/"name": "same-c2-s3-r3"/' second.json >b.json
run 0 lower a.json --target host -o programs
cp -r programs again2
kept 'two schedules of one name' programs lower b.json --target host -o programs
kept 'also for another target' programs lower b.json --target cuda -o programs
run 0 lower a.json --target host -o programs
diff -r again2 programs >differences
ok $? 'the same schedule once more: the same bytes'
run 0 lower a.json --target host --types f32 -o programs
run 0 lower a.json --target cuda -o programs
run 2 lower a.json b.json --target host -o both
has 'both at once: the second is refused' '^sccl-synth: both/.*\.h: belongs to another schedule' err
run 0 run a.json b.json --counts 1

# Proofs.
run 0 pareto -t line:3 -c broadcast --root 0 -k 1 --max-steps 3 --fresh -o proved
at=proved/line:3/broadcast
cp $at/frontier-root0.json $at/root0.json
run 0 prove $at/frontier-root0.json
kept 'two frontiers whose proofs have one name' $at prove $at/root0.json
run 0 prove $at/frontier-root0.json
finish
