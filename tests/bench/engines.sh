#!/bin/sh
# The engines beside each other on the SCCL paper's rows: CPU seconds of each question, and how many times the first engine's
# each other one takes. What an engine does not answer within SECONDS of wall time is given up.
#
#   engines.sh SCCL-SYNTH ROWS [SECONDS [ENGINE...]]
synth=$1 rows=$2 seconds=${3:-10}
shift 2
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- bits bits-z3 lia lia-paper
work=$(mktemp) || exit 4
trap 'rm -f "$work"' EXIT
trap 'exit 130' INT TERM

# MACHINE KIND ROOT C S R ENGINE: seconds, or - where there is no answer; fails where the answer is another than ROWS has.
ask() {
	case $2 in broadcast | reduce | gather | scatter) root="--root $3" ;; *) root= ;; esac
	# shellcheck disable=SC2086
	"$synth" solve -t "$1" -c "$2" $root -C "$4" -S "$5" -R "$6" --engine "$7" --timeout "$seconds" --json >"$work" 2>/dev/null </dev/null
	answer=$(sed -n 's/.*"answer": "\([a-z-]*\)".*/\1/p' "$work")
	case $answer in
	gave-up | '') echo - ;;
	"$8") sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p' "$work" ;;
	*) echo "$1 $2 ($4,$5,$6): $7 says $answer, not $8" >&2; echo wrong ;;
	esac
}

printf '| machine | collective | root | (C,S,R) | answer |'
for engine; do printf ' %s s |' "$engine"; done
for engine; do [ "$engine" = "$1" ] || printf ' %s / %s |' "$engine" "$1"; done
printf '\n| --- | --- | --- | --- | --- |'
for engine; do printf ' --- |'; [ "$engine" = "$1" ] || printf ' --- |'; done
echo
bad=0
while read -r machine kind root chunks steps rounds answer rest; do
	case $machine in '' | \#*) continue ;; esac
	times=
	for engine; do times="$times $(ask "$machine" "$kind" "$root" "$chunks" "$steps" "$rounds" "$engine" "$answer")"; done
	case $times in *wrong*) bad=1 ;; esac
	echo "$times" | awk -v head="| $machine | $kind | $root | ($chunks,$steps,$rounds) | $answer |" '{
		line = head
		for (i = 1; i <= NF; i++) line = line " " $i " |"
		for (i = 2; i <= NF; i++) line = line ($i ~ /^[0-9]/ && $1 ~ /^[0-9]/ ? sprintf(" %.1f |", $i / ($1 > 0.001 ? $1 : 0.001)) : " - |")
		print line
	}'
done <"$rows"
exit $bad
