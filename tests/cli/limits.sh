#!/bin/sh
# Limits of time: a command keeps to --timeout as a whole, and says honestly what it left undecided.
. "$(dirname "$0")/tap.sh"

# within SECONDS STATUS ARGUMENT...: the command ends with that status, and in time by the clock: its own deadline is by the clock too.
within() {
	seconds=$1 wanted=$2
	shift 2
	timeout "$seconds" "$program" "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$wanted" ]
	ok $? "exit $wanted within $seconds s: sccl-synth $*"
	[ $status = "$wanted" ] || { echo "# exit $status"; head -5 err | sed 's/^/# /'; }
}

# A dozen questions stay open here: with a limit for each of them the walk takes half a minute.
within 15 3 pareto -t 'dgx1*2' -c alltoall -k 4 --max-steps 8 --timeout 2 --json
has 'its frontier is whole' '"ended": "limit", .*"open": \[\[' out
for steps in 4 5 6 7 8; do
	has "S=$steps stays open" "\"open\": .*\[[0-9]+, $steps, [0-9]+\]" out
done
same 'and why' "sccl-synth: dgx1*2: candidates stay open: their shares of the time limit of 2 s ran out" err

timeout 30 "$program" pareto -t 'dgx1*2' -c alltoall -k 4 --max-steps 8 --within 2 --json >out 2>err </dev/null
same 'with --within it names the time that was given' "sccl-synth: dgx1*2: candidates stay open: their shares of the time limit of 2 s ran out" err

# Both classes of an allreduce, and the roots of --root all, share the limit.
within 15 3 pareto -t torus:6x10 -c allreduce -k 4 --timeout 1 --json
has 'both classes are there' '"within": "one-value", .*"composition": ' out
within 20 3 pareto -t 'dgx1v*2' -c broadcast -k 4 --root all --timeout 2
[ "$(grep -c '^broadcast on dgx1v.2, root' out)" -gt 1 ]
ok $? 'each root has its frontier'

# What cannot stop halfway is ended.
within 15 3 pareto -t fat-tree:32x32 -c allgather -k 4 --timeout 0.1
cat out err >said
has 'and says so' 'gave up' said

# What cannot stop halfway is a search that is itself stopped until its time is over: what it has found by then stands.
# stopped FOLDER READY ARGUMENT...: pareto on dgx1's broadcast, stopped once the command READY succeeds.
stopped() {
	folder=$1 ready=$2
	shift 2
	"$program" pareto -t dgx1 -c broadcast --root 1 --within 10 -o "$folder" "$@" >out 2>err </dev/null &
	pid=$!
	until $ready "$folder/dgx1/broadcast" || ! kill -s 0 $pid 2>/dev/null; do :; done
	kill -s STOP $pid 2>/dev/null
	[ ! -e "$folder/dgx1/broadcast/proofs-root1.json" ]
	proved=$?
	sleep 10.5
	kill -s CONT $pid 2>/dev/null
	wait $pid
	status=$?
	[ $status = 0 ]
	ok $? "$folder: points stand, so the status is 0"
}
three_points() {
	set -- "$1"/c*-s4-*.json
	[ -e "$1" ]
}
frontier() { [ -e "$1/frontier-root1.json" ]; }
stopped early three_points --max-steps 5
has 'the points so far are printed' '^ +22 +3 +9 +9/22 ' out
has 'and it is said what they are' '^sccl-synth: dgx1: time limit of 10 s: .*these are the points found by then, which are stored; ' err
run 0 verify early
stopped unproved frontier --max-steps 3 --json
has 'as JSON' '^\{.*"points": \[\{"chunks": 2, .*"chunks": 22, .*\}$' out
if [ $proved = 0 ]; then
	has 'the frontier may be there, its certificates are not' '^sccl-synth: dgx1: time limit of 10 s: .*(frontier file|certificates) may (not )?be' err
else
	skip 'the frontier may be there, its certificates are not' 'they were made before it could be stopped'
fi

# Large machines: a second or two of CPU time, where it was half a minute to many minutes.
quick() { # SECONDS ARGUMENT...
	seconds=$1
	shift
	(
		ulimit -t "$seconds"
		exec timeout 380 "$program" "$@" >out 2>err </dev/null
	)
	ok $? "within $seconds s of CPU time: sccl-synth $*"
}
quick 60 topology isomorphic complete:1000 complete:1000
quick 30 topology isomorphic switch:500 switch:500
quick 12 bounds -t switch:1000 -c alltoall
quick 12 bounds -t switch:1000 -c broadcast

# One ^C during a computation that does not poll: it is not waited for.
if env --default-signal=INT true 2>/dev/null; then
	env --default-signal=INT "$program" solve -t fat-tree:32x32 -c allgather -C 1 -S 4 -R 2000 >out 2>err </dev/null &
	pid=$!
	sleep 1
	kill -s INT $pid
	tries=0
	while kill -s 0 $pid 2>/dev/null && [ $tries -lt 30 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	[ $tries -lt 30 ]
	ok $? '^C once: it has ended within three seconds'
	wait $pid
	[ $? = 130 ]
	ok $? 'with status 130'
else
	skip '^C once' 'env cannot give a signal back'
fi
finish
