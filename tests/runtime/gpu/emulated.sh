#!/bin/sh
# A program for GPUs, compiled for the driver that stands in for one (stand_in_gpu.c):
#
#   emulated.sh SCCL_SYNTH STAND_IN SOURCE_ROOT OUT.so TOPOLOGY COLLECTIVE C S R [ROOT]
#   emulated.sh SCCL_SYNTH STAND_IN SOURCE_ROOT OUT.so TOPOLOGY COLLECTIVE C S nvls
#   emulated.sh SCCL_SYNTH STAND_IN SOURCE_ROOT OUT.so ALGORITHM.json
#
# The program's name is that of the algorithm; OUT.so.name keeps it.
set -eu
synth=$1 stand_in=$2 source=$3 out=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=$1
export SCCL_PATH="$source"
if [ "${5:-}" = nvls ]; then
	found=$work/found.json
	"$synth" build --method nvls -t "$1" -c "$2" -C "$3" -S "$4" -o "$found" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
elif [ $# -gt 1 ]; then
	found=$work/found.json
	"$synth" solve -t "$1" -c "$2" -C "$3" -S "$4" -R "$5" ${6:+--root "$6"} -o "$found" >"$work/log" 2>&1 ||
		{ cat "$work/log" >&2; exit 1; }
fi
"$synth" lower "$found" --target cuda --types all --ops all -o "$work" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
program=$(echo "$work"/*.cu)
"${CC:-cc}" -w -O1 -std=gnu11 -DSCCL_EMULATE='"tests/runtime/gpu/emulate_threads.h"' -I"$source" -I"$source/runtime/include" \
	-shared -fPIC -x c "$program" -x none "$stand_in" -o "$out"
basename "$program" .cu >"$out.name"
