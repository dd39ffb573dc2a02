#!/bin/sh
# Algorithms over several servers: each program runs with its ranks on one, two and more of them, and is right. TAP.
#
#   servers.sh MPI_SERVERS
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler.
mpi_servers=$1
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
number=0

run() {
	OMPI_MCA_rmaps_base_oversubscribe=1 timeout 120 mpirun --allow-run-as-root --oversubscribe "$@" >"$work/out" 2>"$work/err" </dev/null
}

check() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		sed 's/^/# /' "$work/out" "$work/err" | head -20
	fi
}

# build FILE: $so and $symbol are the program's.
build() {
	rm -rf "$work/c"
	"$SCCL_SYNTH" lower "$1" --target host --types i32 --ops sum -o "$work/c" >"$work/out" 2>"$work/err" || return 1
	source=$(echo "$work"/c/*.c)
	symbol=$(basename "$source" .c) so=$work/$(basename "$source" .c).so
	${CC:-cc} -O1 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" "$source" -o "$so" >"$work/out" 2>"$work/err" </dev/null
}

make() { # MACHINE KIND C S R
	"$SCCL_SYNTH" solve -t "$1" -c "$2" -C "$3" -S "$4" -R "$5" -o "$work/found.json" >"$work/out" 2>"$work/err" &&
		build "$work/found.json"
}

echo 1..24
while read -r one; do
	# shellcheck disable=SC2086
	make $one
	check $? "$one can be had"
	for each in 2 1; do
		run -n 4 "$mpi_servers" $each "$so" "$symbol"
		check $? "$one: $((4 / each)) servers of $each"
	done
done <<END
ring:4 allgather 2 3 3
ring:4 allreduce 4 4 6
ring:4 alltoall 4 2 4
ring:4 broadcast 2 3 3
ring:4 reducescatter 4 2 3
complete:4 allreduce 4 2 2
END
# Reduce in each server, exchange between the roots, broadcast in each.
build "$SOURCE_ROOT/tests/runtime/net/three-phases.json"
check $? "the plan of three phases can be had"
run -n 6 "$mpi_servers" 3 "$so" "$symbol"
check $? "Blink's three phases over two servers of three"
make complete:4 allreduce 4 2 2
run -n 4 "$mpi_servers" 4 "$so" "$symbol"
check $? "one server needs no messages"
run -n 4 "$mpi_servers" --liar 2 "$so" "$symbol"
check $? "another count on one rank: all learn of it"
grep -q "has another count on rank" "$work/out"
check $? "and what it is"
run -n 4 "$mpi_servers" --aborts 2 "$so" "$symbol"
check $? "one rank aborts: all learn of it"
