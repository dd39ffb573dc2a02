#!/bin/sh
# Every row of rows.txt, asked of the program: the answer, the verifier's word on what was found, and under 500 MiB.
# usage: paper.sh SCCL-SYNTH MEASURE [ENGINE [TIMEOUT]]. TAP on standard output, with CPU seconds and peak memory a row.
set -u
program=$1 measure=$2 engine=${3:-auto} timeout=${4:-120}
here=$(dirname "$0")
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
n=0 failed=0

while read -r topology kind root c s r wanted; do
	case $topology in ''|'#'*) continue ;; esac
	n=$((n + 1))
	rm -f "$work/a.json"
	case $kind in broadcast | reduce | gather | scatter) from="--root $root" ;; *) from= ;; esac
	# shellcheck disable=SC2086
	"$measure" "$work/use" "$program" solve -t "$topology" -c "$kind" $from -C "$c" -S "$s" -R "$r" \
		--engine "$engine" --timeout "$timeout" -o "$work/a.json" >"$work/out" 2>"$work/err"
	status=$?
	read -r cpu peak <"$work/use"
	case $status in 0) answer=found ;; 1) answer=none ;; 3) answer=gave-up ;; *) answer="exit $status" ;; esac
	if [ "$answer" = found ] && ! "$program" verify "$work/a.json" >"$work/out" 2>&1; then
		answer='found, but it does not verify'
	fi
	row="$topology $kind root $root ($c,$s,$r) $answer, $engine: $cpu s CPU, $((peak / 1024)) MiB"
	if [ "$answer" = "$wanted" ] && [ "$peak" -lt 512000 ]; then
		echo "ok $n - $row"
	else
		echo "not ok $n - $row; wanted $wanted"
		sed 's/^/# /' "$work/err" "$work/out" | head -5
		failed=1
	fi
done <"$here/rows.txt"
echo "1..$n"
exit $failed
