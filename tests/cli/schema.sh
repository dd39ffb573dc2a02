#!/bin/sh
# Every machine that is shipped and every file that is written is of the shape that docs/reference/schemas says, and bad files are not.
. "$(dirname "$0")/tap.sh"

if ! python3 -c 'import jsonschema' 2>/dev/null; then
	echo '1..0 # SKIP no python3 with jsonschema'
	exit 0
fi

# valid WHAT SCHEMA FILE..., invalid WHAT SCHEMA FILE: noted, and answered at the end by one process: Python takes longer to import
# the validator than to use it. So no FILE may change after.
valid() { printf '%s\n' 0 "$@" '' >>asked; }
invalid() { printf '%s\n' 10 "$@" '' >>asked; }

# answer: a line "0 WHAT" or "1 WHAT" for each question in the file asked, after a line for each fault that should not be. A file has
# status 10 if it is not of that shape, and 1 if it cannot be read.
answer() {
	python3 -W ignore - "$source/docs/reference/schemas" <<'END'
import functools, json, pathlib, sys
import jsonschema
folder = sys.argv[1]
base = pathlib.Path(folder).resolve().as_uri() + "/"
# They name each other by file; so each is known by where it lies, and not by its "$id".
schemas = {base + p.name: json.loads(p.read_text()) for p in pathlib.Path(folder).glob("*.schema.json")}
for schema in schemas.values():
    schema.pop("$id", None)


@functools.cache
def check_of(name):
    own = f"{base}sccl-{name}.schema.json"
    kind = jsonschema.validators.validator_for(schemas[own])
    kind.check_schema(schemas[own])
    return kind(schemas[own], resolver=jsonschema.RefResolver(own, schemas[own], schemas))


def judge(name, files):
    try:
        faults = [f"{file}: {error.message[:200]}" for file in files
                  for error in check_of(name).iter_errors(json.loads(pathlib.Path(file).read_text()))] if check_of(name) else []
        return (10 if faults else 0), faults
    except Exception as e:
        return 1, [f"{name}: {e}"]


for question in pathlib.Path("asked").read_text().split("\n\n")[:-1]:
    wanted, what, name, *files = question.split("\n")
    status, faults = judge(name, files)
    if status != int(wanted):
        print("\n".join("# " + fault.replace("\n", " ") for fault in faults))
    print(int(status != int(wanted)), what)
END
}

for schema in "$source"/docs/reference/schemas/*.schema.json; do
	name=$(basename "$schema" .schema.json)
	valid "$name is a schema" "${name#sccl-}"
done
valid 'shipped machines' topology "$source"/topologies/*.json
for machine in ring:3 switch:4 torus:4x4 'dgx1@gpus=0,1,2,3' 'dgx1@drop=0-1'; do
	run 0 topology show "$machine" --format json
	cp out "machine-$machine.json"
	valid "$machine" topology "machine-$machine.json"
done
invalid 'a misspelt key of a machine is against the schema' topology "$bad/topology/unknown-key.json"

for kind in allgather broadcast gather scatter alltoall reduce reducescatter allreduce scan; do
	case $kind in broadcast | reduce | gather | scatter) root='--root 1' ;; *) root= ;; esac
	run 0 pareto -t ring:4 -c $kind $root -k 1 --max-steps 4 -o made
done
run 0 pareto -t ring:4 -c gather --root 0,1 -k 1 -o made
run 0 pareto -t ring:4 -c gather --root 0 -k 1 --pipeline 2 --extra-memory 1 --max-steps 3 -o made
run 0 solve -t ring:4 -c scan -C 2 -S 3 -R 3 -o made/c-scan.json
run 0 solve -t ring:4 -c gather --root 1 -C 1 -S 2 -R 4 --pipeline 1 --extra-memory 1 -o made/c-terms.json
cat >mine.json <<'END'
{
  "format": "sccl-collective", "version": 1, "nodes": 3,
  "pre": [[0, 0], [1, 1]], "post": [[0, 1], [1, 2]]
}
END
run 0 solve -t ring:3 -c mine.json -C 2 -S 1 -R 2 -o made/mine.json
run 0 build -t dragonfly:2x2x2 -c alltoall --method direct -o made/c-priced.json
valid 'algorithms of every kind' algorithm $(find made -name 'c*.json') made/mine.json "$golden"/*.json
invalid 'a misspelt key of an algorithm is against the schema' algorithm "$bad/algorithm/unknown-key.json"
if [ -e "$source/docs/reference/schemas/sccl-frontier.schema.json" ]; then
	valid 'frontiers' frontier $(find made -name 'frontier*.json')
else
	skip 'frontiers' 'no schema of them'
fi
run 0 pareto -t dgx1 -c allgather -o proved
if "$program" prove --traces proved/dgx1/allgather/frontier.json >out 2>err; then
	"$program" prove made/ring:4/*/frontier*.json >out 2>err
	valid 'proofs' proof $(find made proved -name 'proofs*.json')
else
	skip 'proofs' 'no solver that writes traces in this build'
fi
for built in 'mesh:2x2 allreduce multitree' 'line:3 allgather multitree' 'star:4 alltoall direct' 'ring:4 scatter blink'; do
	set -- $built
	run 0 build -t "$1" -c "$2" --method "$3" --tables "tables-$2.json"
done
valid 'tables' tables tables-*.json
sed 's/"op": "nop"/&, "flow": 0/' tables-allgather.json >nop-with-flow.json
sed 's/"parent": 2,/"parent": "2",/' tables-allgather.json >parent-text.json
sed 's/"op": "reduce"/"op": "add"/' tables-allreduce.json >other-op.json
for fault in nop-with-flow parent-text other-op; do
	invalid "tables against the schema: $fault" tables $fault.json
done
for kind in allgather broadcast alltoall allreduce reducescatter; do
	run 0 bounds -t dgx2x2 -c $kind --sizes 1K --step-cost 2.5 --certificate "time-$kind.json"
done
run 0 bounds -t dgx-h100 -c allreduce --sizes 1K --step-cost cuda --certificate time-kinds.json
valid 'bounds on time' time-bound time-*.json
sed 's/"by": "into"/"by": "in"/' time-allgather.json >other-reason.json
invalid 'bounds on time against the schema' time-bound other-reason.json
valid 'a collective' collective mine.json
invalid 'a misspelt key of a collective is against the schema' collective "$bad/collective/unknown-key.json"
valid 'workloads' workload "$source"/workloads/*.json "$bad/workload/timed.json"
for fault in unknown-key other-format no-layers layers-object batch-zero gradient-wide huge-parameters negative-time one-time flops-and-times; do
	invalid "a workload against the schema: $fault" workload "$bad/workload/$fault.json"
done
answer >answers
while read -r status what; do
	case $status in '#') echo "# $what" ;; *) ok "$status" "$what" ;; esac
done <answers
[ "$(grep -c '^[01] ' answers)" = "$(grep -c '^$' asked)" ]
ok $? 'every question was answered'
finish
