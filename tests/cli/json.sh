#!/bin/sh
# What --json prints is an object per line, of the shape that docs/reference/schemas/sccl-output.schema.json says.
. "$(dirname "$0")/tap.sh"

if ! python3 -c 'import jsonschema' 2>/dev/null; then
	echo '1..0 # SKIP no python3 with jsonschema'
	exit 0
fi
a=$source/algorithms/dgx1/allgather

# shaped: each line of the file asked is WANTED DEFINITION FILE: with 0 the lines of FILE are such objects, and there is one, with 1 they
# are not. Prints "0 DEFINITION" for each of which that is so and "1 DEFINITION" for others, after what is wrong. One process for all:
# Python takes longer to import the validator than to use it.
shaped() {
	python3 -W ignore - "$source/docs/reference/schemas/sccl-output.schema.json" <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
for line in open("asked"):
    wanted, definition, file = line.split()
    rows = [json.loads(row) for row in open(file)]
    check = jsonschema.Draft202012Validator({"$ref": "#/$defs/" + definition, "$defs": schema["$defs"]})
    faults = [e.message[:200].replace("\n", " ") for row in rows for e in check.iter_errors(row)] or ([] if rows else ["there is no line"])
    if bool(faults) != (wanted == "1"):
        print("# " + ("\n# ".join(faults) or "nothing is wrong"))
    print(int(bool(faults) != (wanted == "1")), definition)
END
}

# prints DEFINITION STATUS ARGUMENT...: what it prints is asked of shaped at the end.
prints() {
	definition=$1 wanted=$2
	shift 2
	run "$wanted" "$@" --json
	cp out "rows$n"
	echo "0 $definition rows$n" >>asked
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
# An object that lacks keys, and no object.
echo '{"file": "x", "ok": true}' >short
: >empty
printf '1 verify %s\n' short empty >>asked
shaped >answers
while read -r status what; do
	case $status in '#') echo "# $what" ;; *) ok "$status" "$what: objects of its shape, or others that are refused" ;; esac
done <answers
[ "$(grep -c '^[01] ' answers)" = "$(wc -l <asked)" ]
ok $? 'every command was asked about'
finish
