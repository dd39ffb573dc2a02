#!/bin/sh
# Whole frontiers of machines of 16 GPUs: points, what is proved, what stayed open, CPU seconds of the walk and of making and checking the
# certificates.
#
#   frontiers.sh SCCL-SYNTH [SECONDS]      a walk is given up after SECONDS (120)
synth=$1 seconds=${2:-120}
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bad=0

timed() { /usr/bin/time -a -o "$work/cost" -f '%U %S' "$@"; }
spent() { grep -v '^Command' "$work/cost" | awk '{ t += $1 + $2 } END { printf "%.2f", t }'; }

echo '| machine | collective | R - S <= | points (C,S,R) | refuted | open | searched, CPU s | certificates, CPU s |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
while read -r machine kind k; do
	rm -rf "$work/f" "$work/cost"
	timed "$synth" pareto -t "$machine" -c "$kind" -k "$k" --fresh --timeout "$seconds" -o "$work/f" >/dev/null 2>&1 </dev/null
	frontier=$(find "$work/f" -name 'frontier*.json')
	[ -e "$frontier" ] || { echo "$machine $kind: nothing was walked"; bad=1; continue; }
	walked=$(spent)
	rm "$work/cost"
	timed "$synth" prove --timeout 60 "$frontier" >/dev/null 2>&1 </dev/null
	timed "$synth" verify --proofs "$work/f" >/dev/null 2>&1 </dev/null || bad=1
	echo "| $machine | $kind | $k | $(jq -r '[.points[] | "(\(.chunks),\(.steps),\(.rounds))"] | join(" ")' "$frontier") | $(
		jq -r '"\(.refuted | length) | \(.open | length)"' "$frontier") | $walked | $(spent) |"
done <<END
dgx2 allgather 4
dgx2 broadcast 4
dgx1v*2 allgather 4
dgx1v*2 broadcast 4
END
exit $bad
