#!/bin/sh
# Host programs beside Open MPI's collectives, in the same processes, by turns: 2 and 8 ranks, 1 KiB to 64 MiB. The whole
# is run three times; a row's ratio is the median of the three. Fails where ours is slower.
#
#   open_mpi.sh COMPARE
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler, $RUNS the number of runs (3). Exit status
# 77: Open MPI is not here.
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

two="$(program complete:2 allgather 1 1 1) $(program complete:2 allreduce 2 2 2)"
eight="$(program complete:8 allgather 1 1 1) $(program complete:8 allreduce 8 2 2)"
[ "$(echo "$two $eight" | wc -w)" -eq 4 ] || exit 1

for run in $(seq "${RUNS:-3}"); do
	echo "run $run"
	# shellcheck disable=SC2086
	{ mpirun --oversubscribe -np 2 "$compare" $two && mpirun --oversubscribe -np 8 "$compare" $eight; } || exit 1
done | tee "$work/runs"
grep -q allreduce_c8.*67108864 "$work/runs" || exit 1

printf '\n%-32s %5s %10s %12s %12s %8s\n' program ranks bytes 'MPI us' 'sccl us' ratio
grep -v '^run' "$work/runs" | sort -k1,1 -k3,3n -k6,6n | awk '
	function median() {
		if (n == 0) return
		split(row[int((n + 1) / 2)], f, " ")
		slow = f[6] > 1
		printf "%-32s %5d %10d %12.2f %12.2f %8.3f%s\n", f[1], f[2], f[3], f[4], f[5], f[6], slow ? "  slower" : ""
		bad += slow
		n = 0
	}
	{ if ($1 " " $3 != key) median(); key = $1 " " $3; row[++n] = $0 }
	END { median(); exit bad > 0 }'
