#!/bin/sh
# ^C during a walk of some seconds: it ends at once, takes its workers along, leaves whole files, and --resume carries on to
# the same bytes as a walk that nobody interrupted.
. "$(dirname "$0")/tap.sh"

walk() { "$program" pareto -t dgx1 -c broadcast --root 0 -k 0 --max-steps 7 -j 2 "$@" </dev/null; }

# Processes that name our folder: the walk and its workers, which are its forks.
ours() { ps -eo pid=,args= | grep -F -- "-o $1" | grep -v -F grep | grep -c .; }

# interrupted SIGNAL STATUS FOLDER: a walk is cut short once its journal says that it has begun to decide.
interrupted() {
	# A shell lets its jobs in the background ignore SIGINT; env gives it back.
	env --default-signal=INT "$program" pareto -t dgx1 -c broadcast --root 0 -k 0 --max-steps 7 -j 2 -o "$3" >out 2>err </dev/null &
	pid=$!
	tries=0
	until [ -e "$3/dgx1/broadcast/c18-s5-r5-root0.json" ] || [ $tries = 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	kill -s "$1" $pid
	tries=0
	while [ "$(ours "$3")" != 0 ] && [ $tries -lt 40 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	[ "$(ours "$3")" = 0 ]
	ok $? "SIG$1: it and its workers have ended within two seconds"
	wait $pid
	status=$?
	[ $status = "$2" ]
	ok $? "SIG$1: its status is $2"
	[ $status = "$2" ] || echo "# $status"
	same "SIG$1: it says what is stored" "sccl-synth: $3/dgx1/broadcast: interrupted: the points found by then are stored, but no frontier; --resume continues" err
	[ ! -e "$3/dgx1/broadcast/frontier-root0.json" ] && [ -e "$3/dgx1/broadcast/frontier-root0.journal" ]
	ok $? "SIG$1: there is a journal and no frontier yet"
	run 0 verify "$3"/dgx1/broadcast/c*.json
	[ -z "$(find "$3" -type f ! -name '*.json' ! -name frontier-root0.journal)" ]
	ok $? "SIG$1: no other files"
}

if ! env --default-signal=INT true 2>/dev/null; then
	echo "1..0 # SKIP env cannot give a signal back"
	exit 0
fi
if ! command -v ps >/dev/null; then
	echo "1..0 # SKIP no ps to see what is left"
	exit 0
fi
walk -o whole >whole.txt
ok $? 'a walk that nobody interrupts'
interrupted INT 130 stopped
# A line torn by a kill is asked again.
printf '{"candidate": [12, 5' >>stopped/dgx1/broadcast/frontier-root0.journal
walk -o stopped --resume >stopped.txt
ok $? '--resume carries on'
diff -r whole stopped
ok $? 'to the same bytes'
[ "$(sed 's/whole/stopped/' whole.txt)" = "$(cat stopped.txt)" ]
ok $? 'and says the same'
interrupted TERM 130 term

# Without k there is no journal: only points, or nothing.
# without_k FOLDER READY MACHINE: a search that is interrupted once the command READY succeeds.
without_k() {
	env --default-signal=INT "$program" pareto -t "$3" -c broadcast --root 1 -o "$1" >out 2>err </dev/null &
	pid=$!
	tries=0
	until $2 "$1" || [ $tries = 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	kill -s INT $pid
	wait $pid
	[ $? = 130 ]
	ok $? "$1: status 130"
}
has_point() { [ -e "$1/dgx1/broadcast/c2-s2-r2-root1.json" ]; }
late() { [ $tries = 20 ]; }
without_k points has_point dgx1
same 'points: it says what is stored' 'sccl-synth: points/dgx1/broadcast: interrupted: the points found by then are stored, but no frontier' err
without_k pointless late torus:64x64
same 'pointless: it says that nothing is' 'sccl-synth: pointless/torus:64x64/broadcast: interrupted: no point is stored yet' err
[ ! -e pointless ]
ok $? 'pointless: and leaves no empty folder'

# A long computation that does not look up: it is not waited for when the signals come again and again.
env --default-signal=INT "$program" solve -t fat-tree:32x32 -c allgather -C 1 -S 4 -R 2000 -o long.json >out 2>err </dev/null &
pid=$!
tries=0
while kill -s INT $pid 2>/dev/null && [ $tries -lt 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
wait $pid
status=$?
[ $status = 130 ]
ok $? 'signals again and again end it at once, with the same status'
[ ! -e long.json ]
ok $? 'and no file'
finish
