#!/bin/sh
# A walk that mpirun spreads over processes ends in the same files as one of a single process, also where workers fail or are killed.
. "$(dirname "$0")/tap.sh"
has_mpi=$3

if [ "$has_mpi" != mpi ]; then
	OMPI_COMM_WORLD_SIZE=2
	export OMPI_COMM_WORLD_SIZE
	run 2 pareto -t ring:4 -c allgather
	has 'a build without MPI says so' '^sccl-synth: pareto: mpirun started 2 processes, but this build has no MPI' err
	finish
fi
# In containers the only user is often root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ! command -v mpirun >/dev/null || ! timeout 60 mpirun --oversubscribe -n 2 true >/dev/null 2>&1; then
	echo "1..0 # SKIP no mpirun that starts two processes here"
	exit 0
fi

# spread STATUS PROCESSES BEFORE ARGUMENT...: as run, by so many processes, each started by BEFORE.
spread() {
	wanted=$1 processes=$2 before=$3
	shift 3
	# shellcheck disable=SC2086
	timeout 120 mpirun --oversubscribe $options -n "$processes" $before "$program" "$@" >out 2>err </dev/null
	status=$?
	ok "$((status != wanted))" "exit $wanted: mpirun $options -n $processes $before sccl-synth $*"
	[ $status = "$wanted" ] || { echo "# exit $status"; head -20 err | sed 's/^/# /'; }
}
options=

# alike PROCESSES ARGUMENT...: as by one.
alike() {
	processes=$1
	shift
	rm -rf all
	run 0 pareto "$@" -o all
	mv all one.files
	cp out one.text
	spread 0 "$processes" '' pareto "$@" -o all
	diff -r one.files all >differences
	ok $? 'the same files as by one process'
	cmp -s one.text out
	ok $? 'and the same text, once'
	rm -rf one.files
}
alike 3 -t dgx1 -c broadcast --root 0 -k 0 --max-steps 7
alike 3 -t ring:4 -c allreduce -k 1
alike 4 -t line:3 -c reduce --root all --max-steps 3 -k 2
alike 2 -t switch:4 -c allgather -k 2
cat >mine.json <<'END'
{
  "format": "sccl-collective",
  "version": 1,
  "name": "mine",
  "nodes": 3,
  "pre": [[0, 0], [1, 0], [2, 1], [3, 2]],
  "post": [[0, 1], [1, 2], [2, 2], [3, 1]]
}
END
alike 2 -t line:3 -c mine.json -k 1
alike 1 -t ring:4 -c broadcast --root 1 -k 1

spread 3 2 '' pareto -t dgx1 -c allgather -k 1 --timeout 0.00001 --json
has 'a limit leaves candidates open' '"ended": "limit"' out
spread 2 3 '' pareto -t ring:4 -c allgather -k 4 -j 2
has 'its count of processes is the count of questions' '^sccl-synth: -j: .*mpirun' err
spread 2 3 '' pareto --bogus
[ "$(grep -c 'is not an option' err)" = 1 ]
ok $? 'bad usage is told once'

# Workers that fail.
walk='-t dgx1 -c broadcast --root 0 -k 0 --max-steps 7'
# shellcheck disable=SC2086
run 0 pareto $walk -o whole
cat >no_fork <<'END'
#!/bin/sh
case " $FAILING " in
*" $OMPI_COMM_WORLD_RANK "*) exec strace -qq -o /dev/null -e trace=clone -e inject=clone:error=EAGAIN "$@" ;;
esac
exec "$@"
END
chmod +x no_fork
if strace -qq -o /dev/null -e trace=clone -e inject=clone:error=EAGAIN true 2>/dev/null; then
	export FAILING=1
	# shellcheck disable=SC2086
	spread 0 3 ./no_fork pareto $walk -o failing
	has 'a worker that cannot ask is told of' '^sccl-synth: worker 1: fork: ' err
	diff -r whole failing >differences
	ok $? 'and another answers in its place'
	export FAILING='1 2'
	# shellcheck disable=SC2086
	spread 4 3 ./no_fork pareto $walk -o none
	has 'where all fail it ends' '^sccl-synth: workers: none is left' err
else
	skip 'workers that fail' 'no strace that can make calls fail'
fi

# Workers that are killed: Open MPI ends all, unless it is told to go on.
cat >killed <<'END'
#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
	(while [ ! -e "$WAIT_FOR" ]; do sleep 0.05; done; kill -s KILL $$) &
fi
exec "$@"
END
chmod +x killed
export WAIT_FOR=killed1/dgx1/broadcast/c12-s4-r4-root0.json
# shellcheck disable=SC2086
timeout 120 mpirun --oversubscribe -n 3 ./killed "$program" pareto $walk -o killed1 >out 2>err </dev/null
[ $? != 0 ]
ok $? 'a worker is killed, and all end'
[ -e killed1/dgx1/broadcast/frontier-root0.journal ]
ok $? 'there is a journal'
# shellcheck disable=SC2086
spread 0 2 '' pareto $walk -o killed1 --resume
diff -r whole killed1 >differences
ok $? 'to the same files'
# The first alone is ended: it says how to go on, and takes the others along.
cat >ended <<'END'
#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then
	(while [ ! -e "$WAIT_FOR" ]; do sleep 0.05; done; kill -s INT $$) &
	exec env --default-signal=INT "$@"
fi
exec "$@"
END
chmod +x ended
export WAIT_FOR=ended1/dgx1/broadcast/c12-s4-r4-root0.json
# shellcheck disable=SC2086
spread 130 3 ./ended pareto $walk -o ended1
has 'it is said how to go on' '^sccl-synth: the search was ended by a signal.* --resume continues' err
sleep 1
[ -z "$(ps -eo args= | grep -F -- '-o ended1' | grep -v -F grep)" ]
ok $? 'no process stays'
options=--enable-recovery
export WAIT_FOR=killed2/dgx1/broadcast/c12-s4-r4-root0.json
# shellcheck disable=SC2086
spread 0 3 ./killed pareto $walk -o killed2
diff -r whole killed2 >differences
ok $? 'a worker is killed, and the others go on to the same files'
finish
