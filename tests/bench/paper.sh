#!/bin/sh
# Every row of tables 4 and 5 of the SCCL paper, found or refuted, as a whole run each: CPU seconds and peak memory; their sum and the
# slowest. Then the refutation of alltoall (24,2,7) with its certificate, made and checked. Exit status 1 where an answer is wrong.
#
#   paper.sh SCCL-SYNTH ROWS
synth=$1 rows=$2
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bad=0

# timed COMMAND...: adds "seconds KiB" to $work/cost.
timed() { /usr/bin/time -a -o "$work/cost" -f '%U %S %M' "$@"; }

: >"$work/cost"
while read -r machine kind root c s r wanted; do
	case $machine in ''|'#'*) continue ;; esac
	case $kind in broadcast | reduce | gather | scatter) from="--root $root" ;; *) from= ;; esac
	# shellcheck disable=SC2086
	timed timeout 100 "$synth" solve -t "$machine" -c "$kind" $from -C "$c" -S "$s" -R "$r" --json >"$work/out" 2>/dev/null </dev/null
	answer=$(sed 's/^{"answer": "\([a-z-]*\)".*/\1/' "$work/out")
	[ "$answer" = "$wanted" ] || { echo "$machine $kind ($c,$s,$r): $answer, and it is $wanted"; bad=1; }
	echo "$machine $kind ($c,$s,$r)" >>"$work/names"
done <"$rows"
grep -v '^Command' "$work/cost" | paste - "$work/names" | awk '
	{ t = $1 + $2; sum += t; if (t >= most) { most = t; who = $4 " " $5 " " $6 }; if ($3 > peak) peak = $3; n++ }
	END { printf "| rows | all, CPU s | the slowest, CPU s | which | peak MiB |\n| --- | --- | --- | --- | --- |\n"
	      printf "| %d | %.2f | %.2f | %s | %d |\n", n, sum, most, who, peak / 1024 }'

echo
: >"$work/cost"
timed "$synth" prove -t dgx1 -c alltoall -C 24 -S 2 -R 7 -o "$work/cut.json" >"$work/out" || bad=1
timed "$synth" check-proof "$work/cut.json" >"$work/out" || bad=1
awk '{ t += $1 + $2 } END { printf "dgx1 alltoall (24,2,7): refuted by a certificate, made and checked, in %.2f CPU s\n", t }' "$work/cost"
exit $bad
