#!/bin/sh
# The engine lia on every row of tables 4 and 5 of the SCCL paper and what lies next to their frontier, put to the engine itself without
# any bound: CPU seconds, beside lia-paper within SECONDS of wall time ("-": no answer in that) and beside the original tool (original.txt).
# Exit status 1 where lia has no answer or a wrong one, or takes 30 s, or is not 10 times faster than the original in the geometric mean.
#
#   lia.sh ASK_ENGINE ROWS [SECONDS]
ask=$1 rows=$2 seconds=${3:-10}
here=$(dirname "$0")
work=$(mktemp) || exit 4
trap 'rm -f "$work"' EXIT
trap 'exit 130' INT TERM
bad=0

# ENGINE LIMIT MACHINE KIND ROOT C S R: "answer seconds".
ask() { "$ask" "$@" </dev/null || echo 'failed 0'; }

while read -r machine kind root c s r wanted; do
	case $machine in '' | \#*) continue ;; esac
	set -- "$machine" "$kind" "$root" "$c" "$s" "$r"
	ours=$(ask lia 120 "$@") paper=$(ask lia-paper "$seconds" "$@")
	case $ours in "$wanted "*) ;; *) echo "$*: lia says $ours, and it is $wanted" >&2; bad=1 ;; esac
	case $paper in "$wanted "*) ;; gave-up*) paper='- -' ;; *) echo "$*: lia-paper says $paper, and it is $wanted" >&2; bad=1 ;; esac
	theirs=$(awk -v row="$*" '$0 !~ /^#/ && $1 " " $2 " " $3 " " $4 " " $5 " " $6 == row { print $7, $8 }' "$here/original.txt")
	echo "$* $wanted ${ours#* } ${paper#* } ${theirs:-- -}"
done <"$rows" >"$work"
[ -s "$work" ] || bad=1

# Fields: 7 answer, 8 lia, 9 lia-paper, 10 and 11 the original twice. The lesser of these two counts; what it did not answer counts as
# the time that it had. A time below a millisecond counts as one.
awk -v bad="$bad" '
	function seconds(s) { sub(/^>/, "", s); return s + 0 }
	function lesser(a, b) { return b == "-" || a != "-" && seconds(a) < seconds(b) ? a : b }
	function mean(sum, n) { return n ? exp(sum / n) : 0 }
	BEGIN {
		print "| machine | collective | root | (C,S,R) | answer | lia s | lia-paper s | original s, before | original s | original / lia |"
		print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
	}
	{
		ours = $8 > 0.001 ? $8 : 0.001; ratio = "-"
		sum += $8; if ($8 > worst) worst = $8
		original = lesser($10, $11)
		if (original != "-") {
			theirs = seconds(original)
			ratio = (original ~ />/ ? "> " : "") sprintf("%.0f", theirs / ours)
			logs += log(theirs / ours); n++
			if (theirs >= 5) { long_logs += log(theirs / ours); long++ }
		}
		printf "| %s | %s | %s | (%s,%s,%s) | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ratio
	}
	END {
		printf "\n| rows | all, CPU s | the slowest | original / lia, %d rows | the %d of 5 s or more |\n", n, long
		print "| --- | --- | --- | --- | --- |"
		printf "| %d | %.2f | %.2f | %.0f | %.0f |\n", NR, sum, worst, mean(logs, n), mean(long_logs, long)
		exit bad || worst >= 30 || mean(logs, n) < 10
	}' "$work"
