#!/bin/sh
# sccl-synth run and tune that are killed, alone and with their whole process group, while they compile and while ranks run: no
# process of theirs runs on, and no folder is left.
. "$(dirname "$0")/tap.sh"

for tool in ps setsid; do
	if ! command -v $tool >/dev/null; then
		echo "1..0 # SKIP no $tool"
		exit 0
	fi
done

TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

# A compiler that never ends, with a process of its own that holds a file of the folder.
cat >slow <<'END'
#!/bin/sh
mktemp >/dev/null
sleep 9753 &
echo $! >>"$SLOW"
wait
END
chmod +x slow
SLOW=$work/slow.pid
export SLOW

# Those that name a file of our folder: compilers, sccl-run and its ranks.
ours() { ps -eo args= | grep -F -- "$TMPDIR/" | grep -v -F grep | grep -c .; }
ranks() { ps -eo args= | grep -F -- "sccl-run $TMPDIR/" | grep -v -F grep | grep -c .; }
sleepers() { [ ! -e "$SLOW" ] || while read -r it; do ! grep -q sleep "/proc/$it/comm" 2>/dev/null || echo "$it"; done <"$SLOW"; }
sleeps() { [ -n "$(sleepers)" ]; }
several_sleep() { [ "$(sleepers | wc -l)" -gt 1 ]; }

# until TEST...: at most ten seconds.
until_is() {
	tries=0
	until "$@" || [ $tries -ge 200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	"$@"
}
runs() { [ "$(ranks)" -ge 4 ]; }
folder() { [ -n "$(ls "$TMPDIR")" ]; }
nobody() { [ "$(ours)" = 0 ] && ! sleeps; }
nothing() { [ -z "$(ls -A "$TMPDIR")" ]; }

# killed SIGNAL WHOM WHEN WHAT ARGUMENT...
killed() {
	signal=$1 whom=$2 when=$3 what=$4
	shift 4
	rm -f "$SLOW"
	setsid "$program" "$@" >killed.out 2>killed.err </dev/null &
	pid=$!
	until_is "$when"
	ok $? "$what has begun"
	[ "$whom" = group ] && target=-$pid || target=$pid
	kill -s "$signal" -- "$target"
	wait $pid 2>/dev/null
	until_is nobody
	ok $? "$what: nobody runs on after SIG$signal to the $whom"
	until_is nothing
	ok $? "$what: no folder is left"
	if ! nobody || ! nothing; then
		ps -eo pid=,args= | grep -F -- "$TMPDIR/" | grep -v -F grep | while read -r stray _; do kill -s KILL "$stray"; done
		sleepers | while read -r stray; do kill -s KILL "$stray"; done
		rm -rf "$TMPDIR"
		mkdir "$TMPDIR"
	fi
}

"$program" solve -t ring:4 -c allgather -C 1 -S 3 -R 3 -o ring.json >solve.out 2>&1
ok $? 'an algorithm'
"$program" solve -t ring:4 -c allreduce -C 4 -S 4 -R 6 -o sum.json >>solve.out 2>&1
ok $? 'and one that reduces'
long='run ring.json --sizes 64K:1M --calls 100000000'
for signal in KILL TERM; do
	for whom in program group; do
		# shellcheck disable=SC2086
		killed $signal $whom runs 'a run of processes' $long
		CC=$work/slow
		export CC
		killed $signal $whom sleeps 'a compiler' run ring.json --sizes 1K
		unset CC
	done
done
CC=$work/slow
export CC
NVCC=$work/slow
export NVCC
for signal in KILL TERM; do
	killed $signal program several_sleep 'several compilers' run sum.json --target cuda --types f32,i32 -j 2
done
unset NVCC
killed KILL program sleeps 'a measurement' tune --measure ring.json
unset CC
# Wherever it may be.
for delay in 0.01 0.03 0.05 0.1 0.2 0.3 0.5; do
	# shellcheck disable=SC2086
	setsid "$program" $long >killed.out 2>killed.err </dev/null &
	pid=$!
	sleep $delay
	kill -s KILL -- -$pid 2>/dev/null
	wait $pid 2>/dev/null
done
until_is nobody
ok $? 'nobody runs on, whenever it was killed'
until_is nothing
ok $? 'and no folder is left'
run 0 run ring.json --counts 7
nothing
ok $? 'nor after a run to its end'
"$program" run ring.json --counts 7 >closed.out <&- 2>&-
ok $? 'nor does it matter that standard input and error are closed'
nothing
ok $? 'nor is a folder left then'
CC=nosuchcompiler
export CC
run 4 run ring.json --counts 7
nothing
ok $? 'nor after a failure'
TMPDIR=/no/such/folder
run 4 run ring.json --counts 7
has 'one line where there is no place for a folder' '^sccl-synth: /no/such/folder: No such file or directory$' err
finish
