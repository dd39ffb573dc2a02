#!/bin/sh
# What checking a proof may cost: steps, whose count is the same on every computer, and which end it whatever a small file asks for.
. "$(dirname "$0")/tap.sh"

# proof MACHINE COLLECTIVE BANDWIDTH: a proof that refutes nothing, with this bound.
proof() {
	"$program" topology show "$1" --json >machine.json
	printf '{"format": "sccl-proof", "version": 1, "formulas": 1, "collective": {"kind": "%s"}, "points": [], "refuted": [], "topology": ' "$2"
	cat machine.json
	printf ', "bounds": {"steps": 0, "bandwidth": %s, "in_steps": []}}\n' "$3"
}

# A bound that looks at all nodes for each of 16 million chunks: minutes of CPU time without a budget.
proof ring:4000 alltoall '{"at_least": "1", "hops": true}' >hops.json
(
	ulimit -t 100
	exec timeout 400 "$program" check-proof hops.json >out 2>err </dev/null
)
[ $? = 3 ]
ok $? 'a small file that takes long to count: exit 3'
same 'and why' 'hops.json: not completely checked: gave up: more than 4000000000 steps (see --budget)' out

# The budget is an option, of verify too.
proof ring:50 alltoall '{"at_least": "1", "hops": true}' >few.json
run 0 check-proof few.json
run 3 check-proof --budget 10000 few.json
same 'fewer steps' 'few.json: not completely checked: gave up: more than 10000 steps (see --budget)' out
run 3 verify --budget 10000 few.json
run 3 check-proof --budget 10000 --json few.json
has 'as JSON' '"ok": false, "fault": null' out

# A twentieth of the default is enough for the largest proof of the catalog whose traces are there.
run 0 check-proof --budget 2e8 "$source/algorithms/atlas/dgx1v-6-29f3cb23f06e6bae/dgx1v@gpus=0,1,2,5,6,7/allreduce/proofs.json"
# What a solver makes again has a limit that follows from the budget.
long="$source/algorithms/atlas/dgx1v-6-c2d8fd7d05a95e42/dgx1v@gpus=0,2,3,4,6,7/broadcast/proofs-root2.json"
run 3 check-proof --budget 1e7 "$long"
run 0 check-proof "$long"
finish
