#!/bin/sh
# A program linked against NCCL runs unmodified with libsccl-nccl.so before it: what the catalog has a program for is
# computed, and right; everything else, and nothing more, reaches the library behind. TAP.
#
#   nccl.sh APP DROP_IN FOLDER_OF_STAND_INS STAND_IN_GPU
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler. STAND_IN_GPU may be none.
app=$1 drop_in=$2 folder=$3 gpu=$4
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
number=0
CC=${CC:-cc}
export LD_LIBRARY_PATH="$folder:$LD_LIBRARY_PATH" STAND_IN_GPUS=4 STAND_IN_NCCL_LOG="$work/calls"
export SCCL_NCCL_TIMEOUT=60 # seconds, for computers that are busy

check() {
	number=$((number + 1))
	if eval "$2"; then
		echo "ok $number $1"
	else
		echo "not ok $number $1"
		sed 's/^/# /' "$work/out" "$work/err" | head -40
	fi
}

# Programs of a ring of four, and one of a ring of three, for TARGET.
make_programs() {
	mkdir -p "$work/$1"
	for one in allreduce_4_4_6 allgather_1_3_3 reducescatter_4_2_3 broadcast_2_3_3 reduce_1_2_2 allreduce_1_1_1_3; do
		# shellcheck disable=SC2046
		set -- "$1" $(echo $one | tr _ ' ')
		"$SCCL_SYNTH" solve -t "ring:${6-4}" -c "$2" -C "$3" -S "$4" -R "$5" -o "$work/found.json" >"$work/log" 2>&1 ||
			{ cat "$work/log"; exit 1; }
		if [ "$1" = host ]; then
			"$SCCL_SYNTH" lower "$work/found.json" --target host --types all --ops all -o "$work/c" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
			source=$(echo "$work"/c/*.c)
			$CC -O1 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" "$source" \
				-o "$work/$1/$(basename "$source" .c).so" || exit 1
		else
			"$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$SCCL_SYNTH" "$gpu" "$SOURCE_ROOT" "$work/one.so" "$work/found.json" || exit 1
			mv "$work/one.so" "$work/$1/$(cat "$work/one.so.name").so"
		fi
		rm -rf "$work/c"
	done
}

run() {
	rm -f "$work/calls"
	timeout 100 env "$@" >"$work/out" 2>"$work/err"
	status=$?
}

right='allreduce|large allreduce|allgather|allgather in place|reducescatter|broadcast|reduce|allreduce in place|average|unsigned maximum|premultiplied sum|two in a group|allreduce of a part|allgather of a part|allreduce of the rest|allreduce of all again'
cases() {
	target=$1 more=${2-}
	for how in processes threads; do
		run LD_PRELOAD="$drop_in${more:+ $more}" SCCL_NCCL_PROGRAMS="$work/$target" SCCL_NCCL_TARGET="$target" "$app" $how 4
		check "$target, $how: the program ends well" '[ $status -eq 0 ]'
		# A rank that is no root has nothing to compute in a reduce.
		check "$target, $how: what the catalog has is right on every rank" \
			'[ "$(grep -Ec "^rank [0-3]: ($right): right$" "$work/out")" -eq 60 ] && ! grep -q wrong "$work/out"'
		check "$target, $how: everything else reaches the library behind" \
			'[ "$(grep -c "Broadcast .: 8, type 2, root 1" "$work/calls")" -eq 4 ] &&
			 [ "$(grep -Ec "AllReduce .: 9, type 2, op 6, of 4, in a group" "$work/calls")" -eq 4 ] &&
			 [ "$(grep -Ec "AllReduce .: 9, type 12, op 6, of 4, in a group" "$work/calls")" -eq 4 ] &&
			 [ "$(grep -Ec "AllReduce .: 549755813888, type 2, op 0, of 4, in a group" "$work/calls")" -eq 4 ] &&
			 [ "$(grep -c "^Send" "$work/calls")" -eq 4 ]'
		check "$target, $how: and nothing more" '[ "$(grep -Evc "^Comm" "$work/calls")" -eq 20 ]'
	done
}

# Programs that read the inputs of other ranks do so where these lie in windows, apart from the outputs.
windows() {
	target=$1 more=$2
	shift 2
	for program in "$work/$target"/ring_*.so; do
		case $program in */ring_4_*reduce*) protocol=shared ;; *) protocol=plain ;; esac # what does not add reads no inputs of others
		echo "$(basename "$program" .so) - $protocol one - no"
	done >"$work/choices"
	for how; do
		run LD_PRELOAD="$drop_in${more:+ $more}" SCCL_NCCL_PROGRAMS="$work/$target" SCCL_NCCL_TARGET="$target" SCCL_NCCL_CHOICES="$work/choices" \
			SCCL_LOG=1 "$app" $how 4 windows
		check "$target, $how: inputs in windows are read by other ranks" \
			'[ $status -eq 0 ] && [ "$(grep -Ec ": right$" "$work/out")" -eq 29 ] && ! grep -Evq "^Comm|^All[a-zA-Z]+ .: 0, " "$work/calls" &&
			 [ "$(grep -Ec "^All[a-zA-Z]+ .: 0, " "$work/calls")" -eq 12 ] &&
			 [ "$(grep -c "^CommWindowRegister" "$work/calls")" -eq 12 ] && [ "$(grep -c "^CommWindowDeregister" "$work/calls")" -eq 8 ]'
		check "$target, $how: but not those of calls in place" \
			'[ "$(grep "with the plain protocol" "$work/err" | cut -d " " -f 2)" = allreduce ]'
	done
	run LD_PRELOAD="$drop_in${more:+ $more}" SCCL_NCCL_PROGRAMS="$work/$target" SCCL_NCCL_TARGET="$target" SCCL_NCCL_CHOICES="$work/choices" \
		"$app" threads 4
	check "$target: other inputs are not" \
		'[ $status -eq 0 ] && [ "$(grep -Ec "^rank [0-3]: ($right): right$" "$work/out")" -eq 56 ] && ! grep -q wrong "$work/out" &&
		 [ "$(grep -c "^rank [0-3]: premultiplied sum: not computed$" "$work/out")" -eq 4 ]'
}

# Groups of several calls of several communicators.
orders() {
	target=$1 more=$2
	shift 2
	for how; do
		run LD_PRELOAD="$drop_in${more:+ $more}" SCCL_NCCL_PROGRAMS="$work/$target" SCCL_NCCL_TARGET="$target" "$app" "$how" 4 orders
		check "$target, $how: communicators may have any order in a group" \
			'[ $status -eq 0 ] && [ "$(grep -c ": right$" "$work/out")" -eq 12 ] && ! grep -Evq "^Comm" "$work/calls"'
	done
}

# A call that one rank leaves out, and the others end.
aborts() {
	target=$1 more=$2
	shift 2
	for how; do
		run LD_PRELOAD="$drop_in${more:+ $more}" SCCL_NCCL_PROGRAMS="$work/$target" SCCL_NCCL_TARGET="$target" "$app" "$how" 4 abort
		check "$target, $how: a shrink ends the call under way" \
			'[ $status -eq 0 ] && [ "$(grep -c "^CommShrink .: without 1, flags 1" "$work/calls")" -eq 3 ] &&
			 ! grep -q "goes on" "$work/out" && grep -q "the call was ended" "$work/out" && grep -q "rank . aborted" "$work/err"'
		check "$target, $how: and the rest goes on" \
			'[ "$(grep -Ec "^rank [0-2]: allreduce of the rest: right$" "$work/out")" -eq 3 ] && ! grep -q "^AllReduce" "$work/calls"'
	done
}

[ "$gpu" = none ] && total=35 || total=51
echo "1..$total"
: >"$work/out" >"$work/err"
check "nothing but NCCL's own names shows" '! nm -D --defined-only "$drop_in" | grep -v " T nccl"'
make_programs host
cases host
windows host "" threads
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_NCCL_CHOICES="$work/choices" SCCL_LOG=1 "$app" processes 4 windows
check "windows that no other process can open are told and not used" \
	'[ $status -eq 0 ] && [ "$(grep -Ec ": right$" "$work/out")" -eq 29 ] && [ "$(grep -c "a window of 160000 bytes is not used: " "$work/err")" -eq 8 ]'
orders host "" processes threads
aborts host "" processes threads

run LD_PRELOAD="$drop_in" "$app" processes 4
check "without a catalog every call reaches the library behind" '[ $status -eq 0 ] && [ "$(grep -c "^AllReduce" "$work/calls")" -gt 100 ]'
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" "$app" processes 4
check "programs for another target are skipped" '[ $status -eq 0 ] && [ "$(grep -c "^AllReduce" "$work/calls")" -gt 100 ]'
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host "$app" threads 7
check "no program for seven ranks: every call reaches the library behind" '[ $status -eq 0 ] && ! grep -q right "$work/out"'
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS=/nonexistent SCCL_LOG=1 "$app" threads 4
check "a folder that is not there is told" '[ $status -eq 0 ] && grep -q "sccl-nccl: SCCL_NCCL_PROGRAMS: /nonexistent cannot be read" "$work/err"'
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 SCCL_TOKEN=@/nonexistent SCCL_NCCL_TIMEOUT=0.5 "$app" processes 4
check "ranks that cannot meet are told, and NCCL serves" \
	'[ $status -eq 0 ] && [ "$(grep -c "^sccl-nccl: rank . of 4: NCCL serves: cannot re" "$work/err")" -eq 4 ] && grep -q "cannot read the token" "$work/err" && ! grep -q right "$work/out"'
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 "$app" threads 4
check "choices are told" 'grep -q "^sccl: allreduce of 1000 elements (4000 bytes): ring_4_allreduce" "$work/err"'
check "and why NCCL serves" 'grep -q "NCCL serves: the operation is not supported here" "$work/err"'
echo "$(basename "$work"/host/ring_4_allreduce*.so .so) - packets one - no" >"$work/choices"
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 SCCL_NCCL_CHOICES="$work/choices" "$app" threads 4
check "a table of choices is followed" 'grep -Eq "allreduce of .*, packets, kernels: one" "$work/err" && ! grep -q "allgather of"  "$work/err" && grep -q "^AllGather" "$work/calls"'
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 SCCL_NCCL_ADAPT=1 "$app" processes 4
check "numbers of blocks are measured" '[ $status -eq 0 ] && ! grep -q wrong "$work/out" && [ "$(grep -c "allreduce of 1000 elements" "$work/err")" -gt 3 ]'
# Each number of blocks has memory of its own, as premultiplied sums have their factor.
for one in packets:one plain:none; do
	adapted="allreduce of 1000 elements .*, packets, .* (being )?measured"
	[ $one = plain:none ] && adapted="kernels: none, 1 blocks"
	for program in "$work"/host/*.so; do
		echo "$(basename "$program" .so) - $(echo $one | tr : ' ') - no"
	done >"$work/choices"
	run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 SCCL_NCCL_ADAPT=1 SCCL_NCCL_CHOICES="$work/choices" \
		"$app" processes 4
	check "so they are for $one" '[ $status -eq 0 ] && ! grep -q wrong "$work/out" && grep -Eq "$adapted" "$work/err"'
done
echo "garbage" >"$work/choices"
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 SCCL_NCCL_CHOICES="$work/choices" "$app" threads 4
check "a table that is none is told, and NCCL serves" '[ $status -eq 0 ] && grep -q "choices:1: must be six fields" "$work/err" && ! grep -q right "$work/out"'

mkfifo "$work/host/pipe.so" "$work/pipe"
run LD_PRELOAD="$drop_in" SCCL_NCCL_PROGRAMS="$work/host" SCCL_NCCL_TARGET=host SCCL_LOG=1 SCCL_NCCL_CHOICES="$work/pipe" "$app" threads 4
check "pipes in place of a program and a table are told and not waited for" \
	'[ $status -eq 0 ] && grep -q "pipe.so is skipped: it is not a regular file" "$work/err" && grep -q "pipe: is no" "$work/err"'
rm "$work/host/pipe.so"

# From a machine to the program in one command.
sccl_run="$(dirname "$drop_in")/sccl-run"
mkdir "$work/tmp"
run TMPDIR="$work/tmp" "$sccl_run" --nccl --target host -t dgx1v --gpus 1,4,5,6 --method blink -- "$app" processes 4
check "one command builds, compiles and preloads" \
	'[ $status -eq 0 ] && [ "$(grep -Ec "^rank [0-3]: ($right): right$" "$work/out")" -eq 57 ] && ! grep -q wrong "$work/out"'
check "and leaves nothing behind" '[ -z "$(ls "$work/tmp")" ]'
run "$sccl_run" --nccl --target host -t ring:4 --method nonsense -- "$app" processes 4
check "what cannot be built is told" '[ $status -eq 2 ] && grep -q "^sccl-run: reduce: NCCL serves it: .*nonsense" "$work/err"'

if [ "$gpu" != none ]; then
	make_programs cuda
	cases cuda "$gpu"
	orders cuda "$gpu" threads
	aborts cuda "$gpu" processes
	windows cuda "$gpu" threads processes
fi
