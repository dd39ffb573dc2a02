#!/bin/sh
# Programs for GPUs on the driver that stands in for one, in every mode: results are right, and the driver is not misused.
# TAP.
#
#   stand_in_gpu.sh STAND_IN CALLS [all]
#
# Every program runs without options, and each mode with one of the programs, by turns; with "all" with each.
# $SCCL_SYNTH and $SCCL_RUN are the programs, $SOURCE_ROOT the source tree; LD_LIBRARY_PATH finds the stand-in.
stand_in=$1 calls=$2 all=${3:-}
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
number=0

# expect NAME STATUS TEXT ARGUMENT...
expect() {
	name=$1 status=$2 text=$3
	shift 3
	number=$((number + 1))
	"$SCCL_RUN" "$@" >"$work/out" 2>&1
	got=$?
	if [ $got -eq "$status" ] && grep -q -e "$text" "$work/out"; then
		echo "ok $number $name"
	else
		echo "not ok $number $name (status $got)"
		sed 's/^/# /' "$work/out"
	fi
}

programs='ring:4_reducescatter_4_2_3 ring:4_broadcast_2_3_3 ring:4_allreduce_4_4_6'
modes='--mode_threads --staged --registered --registered_--mode_threads --graph --graph_--protocol_packets --protocol_packets --protocol_lines --protocol_lines_--overlap_--blocks_7_--kernels_step
--overlap_--blocks_7 --kernels_step --in-place --kernels_step_--graph_--blocks_3 --blocks_30_--overlap --transfer_pull_--graph --transfer_pull_--in-place'
turn=0
for program in $programs; do
	# shellcheck disable=SC2046
	"$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$SCCL_SYNTH" "$stand_in" "$SOURCE_ROOT" "$work/program.so" \
		$(echo "$program" | tr _ ' ') || exit 1
	symbol=$(cat "$work/program.so.name")
	shared=--protocol_shared shared_too=--protocol_shared_--staged_--kernels_step
	case $program$all in
	*broadcast*) chosen= ;;
	*all) chosen="$shared $shared_too" ;;
	*_reducescatter*) chosen=$shared ;;
	*) chosen=$shared_too ;;
	esac
	turn=$((turn + 1)) at=$turn
	for mode in $modes; do
		at=$((at + 1))
		if [ "$all" ] || [ $((at % 3)) = 0 ]; then chosen="$chosen $mode"; fi
	done
	for mode in '' $chosen; do
		options=$(echo "$mode" | tr _ ' ')
		# shellcheck disable=SC2086
		expect "$program $options" 0 '^# Out of bounds values : 0 OK$' "$work/program.so" --symbol "$symbol" --counts 0,5,1001,30001 --calls $calls $options
	done
done
# Switches that copy and add: a GPU for each rank.
export STAND_IN_GPUS=4
for kind in allreduce_5_2 broadcast_3_1; do
	# shellcheck disable=SC2046
	"$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$SCCL_SYNTH" "$stand_in" "$SOURCE_ROOT" "$work/switched.so" switch:4+nvls \
		$(echo "$kind" | tr _ ' ') nvls || exit 1
	symbol=$(cat "$work/switched.so.name")
	for mode in '' --mode_threads --staged_--overlap_--blocks_7 --graph_--kernels_step; do
		# shellcheck disable=SC2046
		expect "$kind by switches $mode" 0 '^# Out of bounds values : 0 OK$' "$work/switched.so" --symbol "$symbol" --protocol multimem \
			--counts 0,5,30001 --types f32,bf16,u8 --ops sum,max --calls 3 $(echo "$mode" | tr _ ' ')
	done
done
STAND_IN_GPUS=2 expect "switches with two ranks on a GPU" 2 'multimem needs a GPU for each rank; 2 ranks share this one' "$work/switched.so" \
	--symbol "$symbol" --protocol multimem --counts 7
STAND_IN_NO_MULTICAST=1 expect "no such switch" 2 'GPU 0 is at no switch that copies and adds' "$work/switched.so" --symbol "$symbol" --protocol multimem --counts 7
SCCL_GPU_EXPORT=ipc expect "an object that cannot leave its process" 4 'cannot export a multicast object' "$work/switched.so" --symbol "$symbol" \
	--protocol multimem --counts 7
expect "no such protocol in a program" 2 'does not have this protocol\|no such protocol\|protocol multimem' "$work/program.so" --symbol "$(cat "$work/program.so.name")" \
	--protocol multimem --counts 7
unset STAND_IN_GPUS
symbol=$(cat "$work/program.so.name")
STAND_IN_PCIE=1 expect "lines over PCIe" 2 'do not arrive whole from GPU 0 at GPU 1' "$work/program.so" --symbol "$symbol" --protocol lines --counts 7
# In a single step, what is sent must be read before the sum is written over it.
for program in ring:4_broadcast_2_3_3 ring:4_alltoall_4_2_2 ring:4_allreduce_4_4_6 ring:3_allreduce_1_1_1; do
	# shellcheck disable=SC2046
	"$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$SCCL_SYNTH" "$stand_in" "$SOURCE_ROOT" "$work/copies.so" \
		$(echo "$program" | tr _ ' ') || exit 1
	expect "$program by copy engines" 0 '^# Out of bounds values : 0 OK$' "$work/copies.so" --symbol "$(cat "$work/copies.so.name")" --kernels none \
		--counts 0,5,1001,30001,300001 --calls $calls
	expect "$program by copy engines, in pieces" 0 '^# Out of bounds values : 0 OK$' "$work/copies.so" --symbol "$(cat "$work/copies.so.name")" --kernels none \
		--blocks 7 --counts 0,5,1001,30001 --calls $calls
	expect "$program by copy engines that load" 0 '^# Out of bounds values : 0 OK$' "$work/copies.so" --symbol "$(cat "$work/copies.so.name")" --kernels none \
		--transfer pull --blocks 3 --counts 0,5,1001,30001 --calls $calls
done
# The command compiles each kernel in a file of its own.
export STAND_IN="$stand_in" NVCC="$SOURCE_ROOT/tests/gpu/stand_in_nvcc.sh"
"$SCCL_SYNTH" solve -t ring:3 -c allreduce -C 3 -S 2 -R 2 -o "$work/sum.json" >"$work/out" 2>&1
"$SCCL_SYNTH" solve -t ring:3 -c allgather -C 1 -S 1 -R 1 -o "$work/gather.json" >>"$work/out" 2>&1
for kind in sum gather; do
	number=$((number + 1))
	"$SCCL_SYNTH" run "$work/$kind.json" --target cuda --types f32,f64,f16,u8 --ops all --counts 0,1,7,1001 --calls 5 >"$work/out" 2>&1 &&
		[ "$(grep -cE '[0-9] +0( +[0-9.]+){3} +0$' "$work/out")" -eq $([ $kind = sum ] && echo 96 || echo 16) ] || printf 'not '
	echo "ok $number run, $kind: every kernel, each compiled from its own file"
done
export STAND_IN_GPUS=1
expect "many ranks on one GPU" 0 '^# Out of bounds values : 0 OK$' "$work/program.so" --symbol "$symbol" --counts 1001 --mode threads
export STAND_IN_GPUS=0
expect "no GPU" 4 'no device is detected' "$work/program.so" --symbol "$symbol" --counts 1001
unset STAND_IN_GPUS
expect "graphs are no option of processors" 2 'no graphs\|cannot be loaded' "$work/none.so" --graph --counts 1
echo "1..$number"
