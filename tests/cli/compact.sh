#!/bin/sh
# The compact form: every command takes a file for its sends, however few of them are listed, and says early what is too large.
. "$(dirname "$0")/tap.sh"

# algorithm NODES PARTS ROUNDS SENDS GENERATORS [BANDWIDTH]: an allgather on a complete machine, whose first link is so wide.
algorithm() {
	printf '%s\n' "$5" | awk -v P="$1" -v C="$2" -v R="$3" -v sends="$4" -v wide="${6:-1}" '
	function common(a, b) { return b ? common(b, a % b) : a }
	{
		printf "{\"format\": \"sccl-algorithm\", \"version\": 1, \"name\": \"x\", \"collective\": {\"kind\": \"allgather\"}, "
		printf "\"chunks\": %d, \"global_chunks\": %d, \"topology\": {\"format\": \"sccl-topology\", \"version\": 1, ", C, C * P
		printf "\"name\": \"t\", \"nodes\": %d, \"links\": [", P
		for (u = 0; u < P; u++)
			for (v = 0; v < P; v++)
				if (u != v) {
					printf "%s{\"src\": %d, \"dst\": %d, \"bandwidth\": %d}", between, u, v, between ? 1 : wide
					between = ", "
				}
		d = common(R, C)
		printf "]}, \"symmetry\": [%s], \"steps\": [{\"rounds\": %d, \"sends\": [%s]}], ", $0, R, sends
		printf "\"cost\": {\"steps\": 1, \"rounds\": %d, \"bandwidth\": \"%s\"}}\n", R, d == C ? R / d : R / d "/" C / d
	}'
}

# images N FORM: all one further, or the first two exchanged, or as they are.
images() {
	awk -v n="$1" -v form="$2" 'BEGIN { for (i = 0; i < n; i++)
		printf "%s%d", i ? ", " : "", form == "next" ? (i + 1) % n : form == "exchange" && i < 2 ? 1 - i : i }'
}

# generator NODES PARTS FORM FORM: of nodes, of parts.
generator() {
	printf '{"nodes": [%s], "parts": [%s]}' "$(images "$1" "$3")" "$(images "$2" "$4")"
}

everybody() {
	run "$1" verify "$2"
	run "$1" show "$2"
	run "$1" simulate "$2" --sizes 1K --alpha 1 --beta 1
	run "$1" tune "$2" --alpha 1 --beta 1 -o table
	run "$1" lower "$2" --target host -o "programs-$2" # they share a name
}

algorithm 3 1 1 '[0, 0, 1], [0, 0, 2], [1, 1, 2], [2, 2, 0]' "$(generator 3 1 next same)" >several.json
everybody 0 several.json
algorithm 3 1 1 '[0, 0, 1], [0, 0, 2]' "$(generator 3 1 next same)" 2 >uneven.json
everybody 0 uneven.json
algorithm 16 2 2 '[0, 0, 1]' "$(generator 16 2 next next), $(generator 16 2 exchange same)" >all.json
everybody 0 all.json
algorithm 3 2 1 '[0, 0, 1], [0, 0, 2]' "$(generator 3 2 next next)" >narrow.json
algorithm 3 1 1 '[0, 0, 1]' "$(generator 3 1 next same)" >less.json
for file in narrow less; do
	for command in verify show; do
		run 1 $command $file.json
	done
	run 1 simulate $file.json --sizes 1K --alpha 1 --beta 1
	run 1 lower $file.json --target host -o programs
done
algorithm 3 1 1 '[0, 0, 1], [0, 0, 1], [0, 0, 2]' "$(generator 3 1 next same)" >twice.json
run 1 verify twice.json --json
has 'a send that is listed twice is a fault as in the full form' '"fault": "twice"' out
run 1 show twice.json
run 1 lower twice.json --target host -o programs

# 24 million sends, by a group of 64! 6000! elements.
algorithm 64 6000 6000 '[0, 0, 1]' \
	"$(generator 64 6000 next same), $(generator 64 6000 exchange same), $(generator 64 6000 same next), $(generator 64 6000 same exchange)" \
	>huge.json
run 3 verify huge.json
has 'it says which limit' ': limit: it .* the 16777216 sends that can be listed here' out
run 3 verify huge.json --json
has 'also as JSON' '"ok": false, "fault": "limit"' out
run 3 show huge.json
run 3 simulate huge.json --sizes 1K --alpha 1 --beta 1
run 3 lower huge.json --target host -o programs

# 67 million sends, counted and not listed: in a GiB, where they would take four.
run 0 solve -t torus:64x64 -c allgather -C 4 -S 64 -R 4095 -o torus.json
run 0 pareto -t torus:64x64 -c allgather --fresh -o catalog
run 0 pareto -t torus:64x64 -c allreduce --within composition --max-steps 128 --fresh
has 'an allreduce of 4096 nodes is composed of two compact halves' '^ +16384 +128 +8190 +4095/8192 +4095/8192 .* both +bound' out
unlimited=$program
limited() {
	[ "${ASAN_OPTIONS:-}" ] && return # which takes terabytes of addresses
	printf '#!/bin/sh\nulimit -v 1048576\nexec "%s" "$@"\n' "$unlimited" >limited.sh
	chmod +x limited.sh
	program=$work/limited.sh
}
limited
run 0 verify torus.json
run 0 verify catalog
run 0 show torus.json
run 3 lower torus.json --target host -o programs
has 'it says how many there are and how many may be' \
	'64x64.*: has 67092480 sends in full; at most 1048576 can be listed here$' err
run 3 run torus.json
run 3 export torus.json --format msccl-xml -o torus.xml
run 3 simulate torus.json --sizes 1K --alpha 1 --beta 1
has 'where more may be, that is said' 'at most 16777216 can be listed here$' err
run 0 tune torus.json --alpha 1 --beta 1 -o table
[ ! -e torus.xml ] && [ ! -e programs/torus_64x64_allgather_c4_s64_r4095_orbits.c ]
ok $? 'nothing is written of what is refused'
program=$unlimited

finish
