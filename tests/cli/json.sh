#!/bin/sh
# What --json prints is an object per line, of the shape that docs/reference/schemas/sccl-output.schema.json says.
. "$(dirname "$0")/tap.sh"

if ! python3 -c 'import jsonschema' 2>/dev/null; then
	echo '1..0 # SKIP no python3 with jsonschema'
	exit 0
fi
a=$source/algorithms/dgx1/allgather

# shaped DEFINITION FILE: the lines of FILE are such objects, and there is one.
shaped() {
	python3 -W ignore - "$source/docs/reference/schemas/sccl-output.schema.json" "$1" "$2" <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
rows = [json.loads(line) for line in open(sys.argv[3])]
check = jsonschema.Draft202012Validator({"$ref": "#/$defs/" + sys.argv[2], "$defs": schema["$defs"]})
faults = [e.message[:200] for row in rows for e in check.iter_errors(row)]
for fault in faults:
    print("# " + fault)
sys.exit(bool(faults) or not rows)
END
}

# prints DEFINITION STATUS ARGUMENT...
prints() {
	definition=$1 wanted=$2
	shift 2
	run "$wanted" "$@" --json
	shaped "$definition" out
	ok $? "$definition: $1 prints objects of its shape"
}

prints topology_list 0 topology list
prints topology_parts 0 topology parts dgx1@gpus=0,1,2,3
prints topology_isomorphic 0 topology isomorphic dgx1 dgx1v
prints topology_isomorphic 1 topology isomorphic ring:4 line:4
prints bounds 0 bounds -t dgx1 -c allgather
prints best 0 best -t ring:3 -c allgather --within 1 --alpha 1 --beta 1e-4
prints solve 0 solve -t ring:4 -c allgather -C 1 -S 2 -R 3
prints pareto 0 pareto -t ring:4 -c allgather -o found
prints pareto 0 pareto -t ring:4 -c allreduce -k 0
prints build 0 build -t ring:4 -c allreduce --method ring -o r.json
prints made 0 repeat r.json --runs 2 -o r2.json
prints made 0 distribute "$golden/ring3-allgather.json" -t ring:3*2
prints trees 0 trees -t ring:4 -c allreduce
prints check_proof 0 check-proof found/ring:4/allgather/proofs.json
prints verify 0 verify found
prints verify 1 verify "$bad/algorithm/verify-not-delivered.json"
prints diff 1 diff "$a/c2-s2-r3.json" "$a/c6-s3-r7.json"
prints lower 0 lower r.json --target host -o programs --split
prints tune 0 tune "$a"
prints run 0 run "$golden/ring3-allgather.json" --counts 7 --in-place --out-of-place
prints run 0 run "$golden/ring3-allgather.json" --counts 7 --no-check
prints simulate 0 simulate "$a/c2-s2-r3.json" --sizes 1K --busiest 2
prints train 0 train r.json --workload vgg16 --alpha 1 --beta 1e-4
prints import_machine 0 import "$source/tests/interop/machines/astra.yml" -o read.json
prints import_machine 0 import "$source/tests/interop/machines/rates.csv"
prints import_plan 0 import "$source/tests/interop/schedules/rows.csv" -t ring:3
prints lint 0 lint "$source/tests/interop/plans/gather-two.json" --for mscclpp
sed 's/"wait"/"nop"/' "$source/tests/interop/plans/gather-two.json" >wrong.json
prints lint 1 lint wrong.json
echo '{"file": "x", "ok": true}' >short
shaped verify short >/dev/null
[ $? = 1 ]
ok $? 'an object that lacks keys is not of the shape'
finish
