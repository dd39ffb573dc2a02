#!/bin/sh
# Searches that are killed with SIGKILL and carry on with --resume end in the same files as searches that nobody disturbs: KILLS times
# at random, the parent alone and the whole group by turns; and, where strace is there, at each call that syncs,
# renames or removes a file, and one in EVERY of those that open one. $SEED repeats a run.
#
#   kill.sh SCCL-SYNTH SOURCE KILLS EVERY
. "$(dirname "$0")/tap.sh"

KILLS=$3 EVERY=$4
SEED=${SEED:-$(awk 'BEGIN { srand(); print srand() % 100000 }')}
echo "# SEED=$SEED"

# Walks FOLDER [OPTION...]; a second or two each.
walk() {
	folder=$1
	shift
	"$program" pareto -t dgx1 -c broadcast --root 0 -k 0 --max-steps 7 -j 2 -o "$folder" "$@" </dev/null
}

# Processes that name our folder: the walk and its workers, which are its forks.
ours() { ps -eo pid=,args= | grep -F -- "-o $1" | grep -v -F grep | grep -c .; }

gone() {
	tries=0
	while [ "$(ours "$1")" != 0 ] && [ $tries -lt 100 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	[ "$(ours "$1")" = 0 ]
}

milliseconds() { date +%s%N | sed 's/......$//'; }

# What a walk may leave where it is killed: points, journal, frontier, and what is not whole yet.
is_known() { [ -z "$(find "$1" -type f ! -name 'c*-s*-r*.json' ! -name "frontier*.json" ! -name 'frontier*.journal' ! -name '.sccl-??????')" ]; }

for tool in ps setsid; do
	if ! command -v $tool >/dev/null; then
		echo "1..0 # SKIP no $tool"
		exit 0
	fi
done

begin=$(milliseconds)
walk whole >whole.txt
ok $? 'a walk that nobody disturbs'
span=$(($(milliseconds) - begin))
[ -z "$(find whole -name '*.journal')" ]
ok $? 'no journal is left'

# One of each folder is walked to its end and compared; then the next is begun.
kills=0 ended=0 folders=1 strays=0 odd=0 differ=0
awk -v seed="$SEED" -v span="$span" -v n=$((KILLS * 20)) \
	'BEGIN { srand(seed); while (n--) printf "%.3f\n", rand() * span / 1000 }' >delays
exec 3<delays
while [ $kills -lt "$KILLS" ] && read -r delay <&3; do
	setsid "$program" pareto -t dgx1 -c broadcast --root 0 -k 0 --max-steps 7 -j 2 -o "cut$folders" --resume >cut.txt 2>cut.err </dev/null &
	pid=$!
	sleep "$delay"
	[ $((kills % 2)) = 0 ] && whom=-$pid || whom=$pid
	kill -s KILL -- "$whom" 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	gone "cut$folders" || strays=$((strays + 1))
	! grep -qv ' of an interrupted search$' cut.err || odd=$((odd + 1))
	[ ! -d "cut$folders" ] || is_known "cut$folders" || odd=$((odd + 1))
	if [ $status = 137 ]; then
		kills=$((kills + 1))
		continue
	fi
	[ $status = 0 ] || odd=$((odd + 1))
	ended=$((ended + 1))
	diff -r whole "cut$folders" >>differences || differ=$((differ + 1))
	folders=$((folders + 1))
done
exec 3<&-
walk "cut$folders" --resume >last.txt
ok $? "$kills walks were killed, $ended came to their end between; the last one does too"
[ $kills = "$KILLS" ]
ok $? "as many as wanted"
[ $strays = 0 ]
ok $? 'no process of a killed walk stays'
[ $odd = 0 ]
ok $? 'nothing on standard error but what is used of the journal, and no file of another name'
diff -r whole "cut$folders" >>differences || differ=$((differ + 1))
[ $differ = 0 ]
ok $? 'the files are the same, byte for byte, and there are no others'
[ ! -s differences ] || sed 's/^/# /' differences
[ "$(sed 's/whole/cut/' whole.txt)" = "$(sed "s/cut$folders/cut/" last.txt)" ]
ok $? 'it says the same'

# at_each_call EVERY CALL SUBJECT...: a search that is killed at its first such call and then resumed; one at its second; ... to the
# last; or at one in EVERY of them, which ones depends on the seed.
at_each_call() {
	every=$1 call=$2
	shift 2
	rm -rf quick cut
	"$program" pareto "$@" -k 4 --fresh -o quick >quick.txt 2>err </dev/null
	status=0 tried=0 i=$((SEED % every))
	while [ $i -lt 200 ]; do
		i=$((i + 1))
		rm -rf cut
		strace -qq -o /dev/null -e trace="$call" -e inject="$call:signal=SIGKILL:when=$i" \
			"$program" pareto "$@" -k 4 --fresh -o cut >cut.txt 2>err </dev/null && break
		"$program" pareto "$@" -k 4 -o cut --resume >cut.txt 2>err </dev/null && diff -r quick cut >>differences || status=1
		tried=$((tried + 1)) i=$((i + every - 1))
	done
	[ $tried -gt 0 ] && [ $i -lt 200 ] && [ $status = 0 ]
	ok $? "killed at $tried of the calls of $call, resumed: the same files ($*)"
}

if strace -qq -o /dev/null -e trace=write -e inject=write:signal=SIGKILL:when=1000 "$program" --version >/dev/null 2>&1; then
	at_each_call "$EVERY" openat -t ring:4 -c allreduce
	for call in fdatasync rename unlink fsync; do
		at_each_call 1 $call -t ring:4 -c allreduce
	done
	at_each_call 1 rename -t ring:4 -c broadcast --root 1 --max-steps 3
	[ ! -s differences ] || sed 's/^/# /' differences
else
	skip 'killed at any call that changes a file' 'no strace that can send signals'
fi
finish
