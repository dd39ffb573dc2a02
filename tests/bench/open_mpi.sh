#!/bin/sh
# Host programs beside Open MPI's collectives, in the same processes, by turns: 2, 4 and 8 ranks, 1 KiB to 64 MiB. With
# several runs, a row is the run with the median ratio. Fails where ours is slower.
#
#   open_mpi.sh COMPARE
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler, $RUNS the number of runs (1), $RANKS the
# numbers of ranks, $LARGEST the largest size. Exit status 77: Open MPI is not here.
CC=${CC:-cc}
compare=$1
command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q 'Open MPI' && [ -x "$compare" ] || exit 77
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# In containers the only user is often root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# program TOPOLOGY COLLECTIVE C S R: its shared object.
program() {
	rm -rf "$work/c"
	mkdir "$work/c"
	"$SCCL_SYNTH" solve -t "$1" -c "$2" -C "$3" -S "$4" -R "$5" -o "$work/found.json" >"$work/log" 2>&1 &&
		"$SCCL_SYNTH" lower "$work/found.json" --target host -o "$work/c" >>"$work/log" 2>&1 ||
		{ cat "$work/log" >&2; return 1; }
	source=$(echo "$work"/c/*.c)
	object=$work/$(basename "$source" .c).so
	$CC -O3 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" "$source" -o "$object" && echo "$object"
}

for run in $(seq "${RUNS:-1}"); do
	for n in ${RANKS:-2 4 8}; do
		if [ ! -e "$work/$n" ]; then # an allgather, an allreduce for bandwidth and one for latency
			for candidate in "allgather 1 1 1" "allreduce $n 2 2" "allreduce 1 1 1"; do
				# shellcheck disable=SC2086
				program "complete:$n" $candidate || exit 1
			done >"$work/$n"
		fi
		# shellcheck disable=SC2046
		mpirun --oversubscribe -np "$n" "$compare" $(cat "$work/$n") || exit 1
	done
done >"$work/runs"

printf '%-9s %5s %10s %12s %12s %8s  %s\n' collective ranks bytes 'MPI us' 'sccl us' ratio program
sort -k2,2n -k1,1 -k3,3n -k6,6n "$work/runs" | awk '
	function median() {
		if (n == 0) return
		fields = split(row[int((n + 1) / 2)], f, " ")
		slow = f[6] > 1
		how = f[7]
		for (i = 8; i <= fields; i++) how = how " " f[i]
		printf "%-9s %5d %10d %12.2f %12.2f %8.3f  %s%s\n", f[1], f[2], f[3], f[4], f[5], f[6], how, slow ? "  slower" : ""
		bad += slow
		rows++
		n = 0
	}
	{ if ($1 " " $2 " " $3 != key) median(); key = $1 " " $2 " " $3; row[++n] = $0 }
	END { median(); printf "%d of %d rows are no slower\n", rows - bad, rows; exit bad > 0 || rows == 0 }'
