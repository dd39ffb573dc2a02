#!/bin/sh
# Trees of the machines whose optima are published, and of 128 GPUs: rate, trees, CPU seconds of the whole run, and an
# allgather made of them, judged by a second process. Boxes are joined by their NICs through one switch.
#
#   forest.sh SCCL-SYNTH [OUT]
synth=$1
[ -z "${2:-}" ] || exec >"$2"
command -v jq >/dev/null || { echo "forest.sh: needs jq" >&2; exit 77; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bad=0

# boxes MACHINE N SCALE NIC GB/S: bandwidths times SCALE, in units of GB/S.
boxes() {
	"$synth" topology show "$1" --format json | jq --argjson n "$2" --argjson s "$3" --argjson nic "$4" --arg gb "$5" '
		(.switches // 0) as $w | (.nodes * $n) as $p | .nodes as $m | (if $n > 1 then 1 else 0 end) as $top
		| def at($b): if . < $m then . + $b * $m else $p + $b * $w + . - $m end;
		{format: "sccl-topology", version: 1, name: (.name + "*" + ($n | tostring)), nodes: $p, switches: ($w * $n + $top),
		 duplex: .duplex,
		 links: ([range($n) as $b | .links[] | {src: (.src | at($b)), dst: (.dst | at($b)), bandwidth: (.bandwidth * $s), kind: "link"}]
			+ if $n > 1 then [range($p) | {src: ., dst: ($p + $w * $n), bandwidth: $nic, kind: "link"}] else [] end),
		 kinds: {link: {latency_us: "1", gigabytes_per_second: $gb}}}' >"$work/t.json"
}

row() { # MACHINE N SCALE NIC GB/S OPTIMUM
	boxes "$1" "$2" "$3" "$4" "$5"
	/usr/bin/time -f '%U %S %M' -o "$work/cost" timeout 600 "$synth" trees -t "$work/t.json" -c allgather --json >"$work/found" 2>&1 ||
		bad=1
	rate=$(jq -r '.halves[0].gigabytes_per_second' "$work/found" | awk -F/ '{ printf "%.2f", $1 / ($2 ? $2 : 1) }')
	[ "$6" = - ] || [ "$rate" = "$6" ] || bad=1
	shape=$(jq -r '.halves[0] | "\(.trees_a_root) | \(.trees | length) | \(.depth)"' "$work/found")
	bandwidth=$(jq -r '.halves[0].bandwidth' "$work/found")
	/usr/bin/time -f '%U %S' -o "$work/made" timeout 600 "$synth" trees -t "$work/t.json" -c allgather --json -o "$work/a.json" >"$work/found" \
		2>&1 || bad=1
	"$synth" verify "$work/a.json" >/dev/null || bad=1
	schedule=$(jq -r '.algorithm | "(\(.chunks),\(.steps),\(.rounds)) | \(.bandwidth)"' "$work/found")
	read -r user system kib <"$work/cost"
	awk -v m="$1 x $2" -v g="$(jq .nodes "$work/t.json")" -v r="$rate" -v w="$6" -v b="$bandwidth" -v s="$shape" -v a="$schedule" \
		-v t="$user" -v y="$system" -v k="$kib" -v d="$(awk '{ printf "%.2f", $1 + $2 }' "$work/made")" \
		'BEGIN { printf "| %s | %d | %s | %s | %s | %s | %.2f | %d | %s | %s |\n", m, g, r, w, b, s, t + y, k / 1024, a, d }'
}

{
	echo '| machine x boxes | GPUs | GB/s | published | R/C | k | trees | depth | CPU s | peak MiB | (C,S,R) made | R/C | CPU s |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |'
	while read -r machine n scale nic unit optimum; do
		row "$machine" "$n" "$scale" "$nic" "$unit" "$optimum" </dev/null
	done <<END
dgx1v 1 1 0 25 171.43
dgx1p 1 1 0 20 91.43
p3.8xlarge 1 1 0 25 133.33
dgx-a100 1 1 0 25 342.86
dgx-a100 2 1 1 25 346.67
dgx-a100 4 1 1 25 266.67
mi250x16 1 1 0 50 342.86
mi250x16 2 25 8 2 354.13
mi250x-frontier 1 1 0 50 333.33
dgx-h100 1 1 0 25 514.29
dgx-h100 2 1 2 25 533.33
dgx-h100 4 1 2 25 516.13
mi300x8 1 1 0 64 512.00
dgx-a100 16 1 1 25 -
dgx-h100 16 1 2 25 -
mi250x16 8 25 8 2 -
END
}
exit $bad
