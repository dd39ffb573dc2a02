#!/bin/sh
# The protocol's models: none has a wrong state or one without an exit, and each planted fault is found. TAP on standard output.
# usage: model.sh [--most RANKS] [--write]
# --most: also that many ranks (3). --write: the table of faults, as Markdown, instead.
set -u
cd "$(dirname "$0")" || exit 99
command -v spin >/dev/null || { echo '1..0 # SKIP spin is not installed'; exit 0; }
most=3 write=
while [ $# -gt 0 ]; do
	case $1 in
	--most) most=$2; shift ;;
	--write) write=1 ;;
	*) echo 'usage: model.sh [--most RANKS] [--write]' >&2; exit 2 ;;
	esac
	shift
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
n=0 failed=0

# The fault, by the first configuration of its model that shows it: model, -DFAULT_, options, what it is.
faults='flags COUNTED : a signal adds to the flag instead of storing the epoch and its number
flags EARLY_FLAG : the flag is posted before the data
flags EPOCH : the epoch advances by fewer than the signals of a call
flags EQUAL : a wait compares for equality, and the peer is ahead
flags LATE_CREDIT -DCHAIN : data are stored before the credit is awaited
flags LOST_SIGNAL : a signal is left out
flags NO_CREDIT -DCHAIN : a writer does not wait for the credit
flags NO_OFFER : a rank never offers its memory
flags NO_WAIT_1 : a reader does not wait for the first signal
flags NO_WAIT_2 : a reader does not wait for the second signal
flags OLD_CREDIT -DCHAIN : the credit of the call before counts
flags RELAXED : the flag is stored without release order
flags RESET : flags are cleared between calls
flags WAIT_FOR_FIRST : a wait names the signal before
packets ABSENT_COUNTS -DIMPLIED : a block that has no part of a call counts it
packets EARLY_OFFER -DCHAIN : slots are offered before they are read
packets EMPTY_CREDIT -DIMPLIED : data that were empty imply a credit
packets EMPTY_OFFER -DIMPLIED : no offer follows a call with empty data
packets MARKS_REPEAT : marks repeat after two calls
packets NO_CREDIT -DCHAIN : a writer does not wait for the credit
packets NO_OFFER : slots are never offered
packets OLD_CREDIT -DCHAIN : a credit of one call further back counts
packets ONE_SET -DCHAIN : calls do not alternate between two sets
packets SAME_MARK : all calls use one mark
packets TORN : data and mark are two stores
packets UNHEARD -DIMPLIED -DCHAIN : a writer that hears nothing of its reader does without credits
packets UNCHECKED : a reader does not compare the mark
packets WHOLE_BEFORE -DIMPLIED -DRANKS=3 : data of the call before the previous one imply a credit
lines ALONE : lanes without the mark do not load again when it is missing
lines DATA_FIRST -DORDERED : parts of a line are loaded before its mark is seen
lines EARLY_OFFER -DCHAIN : slots are offered before they are read
lines MARK_FIRST -DORDERED : the mark is stored before the other parts
lines NO_CREDIT -DCHAIN : a writer does not wait for the credit
lines NO_CREDIT -DORDERED -DCHAIN : the same, where the mark follows
lines NO_OFFER : slots are never offered
lines OLD_CREDIT -DCHAIN : a credit of one call further back counts
lines ONE_SET -DCHAIN : calls do not alternate between two sets
lines SAME_MARK : all calls use one mark
lines SPLIT : the hardware does not keep a line together
lines UNCHECKED : a reader does not compare the mark
ends ABORT_IS_DATA : a wait that was aborted goes on as if data had come
ends DEAF : a wait does not see the abort word
ends ENDED_IS_GONE : a rank that ended in order counts as dead
ends NO_SECOND_LOOK : whether a rank is behind is not read again once it is gone
ends NO_WATCH : nobody looks for the dead
ends OWN_WORD -DGUARD -DRANKS=3 : a fault is raised for the rank alone that finds it'

# Most searches meet a few thousand states, and take less time than room for a million, or than compiling with optimization.
few() { optimize=-O0 room='-m100000 -w18'; }
many() { optimize=-O1 room=-m1000000; }

# search MODEL OPTION...: prints pan's count of errors, or nothing where not all was searched. Lines are the model of packets with an option.
search() {
	file=$1
	shift
	case $file in lines) file=packets && set -- -DLINES "$@" ;; esac
	rm -rf "$work/run" && mkdir "$work/run" && cp "$file.pml" "$work/run/m.pml" || return 1
	# shellcheck disable=SC2086 # room is words
	(cd "$work/run" && spin -a "$@" m.pml >spin.log 2>&1 && gcc "$optimize" -DSAFETY -DVECTORSZ=4096 -o pan pan.c >gcc.log 2>&1 &&
		./pan $room >pan.log 2>&1; cat pan.log spin.log 2>/dev/null) >"$work/log"
	grep -q 'search depth too small' "$work/log" || sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$work/log" | head -1
}

result() {
	n=$((n + 1))
	if [ "$1" = "$2" ]; then echo "ok $n - $3"; else echo "not ok $n - $3: errors: ${1:-no search}"; failed=1; sed 's/^/# /' "$work/log" | head -20; fi
}

if [ -n "$write" ]; then
	echo '| model | fault | ranks | found as |'
	echo '| --- | --- | --- | --- |'
fi
ranks=2
while [ "$ranks" -le "$most" ] && [ -z "$write" ]; do
	while read -r model options; do
		case $model$ranks$options in
		ends[4-9]*) calls=-DCALLS=1 ;; # more do not fit memory
		*[4-9]-DIMPLIED) continue ;; # nothing comes back to its sender over two links
		*) calls= ;;
		esac
		case $model$ranks$options in ends[3-9]* | *[3-9]-DIMPLIED | *[4-9]*) many ;; *) few ;; esac
		# shellcheck disable=SC2086 # options are words
		result "$(search $model -DRANKS=$ranks $calls $options)" 0 "$model with $ranks ranks${options:+ and $options} holds ($(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' "$work/log") states)"
	done <<-END
		flags
		flags -DCHAIN
		packets
		packets -DCHAIN
		packets -DIMPLIED
		lines
		lines -DCHAIN
		lines -DIMPLIED
		lines -DORDERED
		lines -DORDERED -DCHAIN
		ends
		ends -DGUARD
	END
	ranks=$((ranks + 1))
done
few
echo "$faults" >"$work/faults"
while read -r model fault rest; do
	what=${rest#*: } options=${rest%%:*}
	case $options in *RANKS*) ranks=${options##*RANKS=} ranks=${ranks%% *} ;; *) ranks=2 options="$options -DRANKS=2" ;; esac
	# shellcheck disable=SC2086 # options are words
	errors=$(search "$model" "-DFAULT_$fault" $options)
	[ -n "$write" ] || { result "$errors" 1 "$model: found: $what"; continue; }
	found=$(sed -n 's/^pan:1: \([a-z ]*\).*/\1/p' "$work/log" | sed 's/ *$//')
	echo "| $model | $what | $ranks | ${found:-NOT FOUND} |"
done <"$work/faults"
# A fault that a model has and the list above has not would never be looked for.
for model in flags packets ends; do
	for fault in $(grep -o 'FAULT_[A-Z][A-Z0-9_]*' $model.pml | sed 's/FAULT_//' | sort -u); do
		case $model in packets) of='\(packets\|lines\)' ;; *) of=$model ;; esac
		grep -q "^$of $fault " "$work/faults" || { n=$((n + 1)); echo "not ok $n - $model: $fault is not in the list"; failed=1; }
	done
done
[ -n "$write" ] || echo "1..$n"
exit $failed
