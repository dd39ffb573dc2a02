#!/bin/sh
# Everything that a machine with GPUs can show, as tables: are results right in every way that programs can be run, what do
# they reach of the GPU's own speed, is the memory checker content, does the drop-in serve a program of NCCL's.
#
#   gpu.sh [-o FILE] [--quick] [--all] [--ways all] [--only PART,...] [--jobs N] [--emulated] [--list] [ALGORITHM.json...]
#
# -o FILE      the table also goes there
# --quick      fewer algorithms, ways and sizes
# --all        every algorithm of algorithms/, not a dozen
# --ways all   every combination of the options, not a choice that has each pair that matters
# --only       some of: memory, right, deep, death, occupancy, speed, step, sanitizer, nccl, example
# --jobs N     compilers at a time (default: as many as there are processors)
# --emulated   on the driver that stands in for a GPU: memory, right, deep, death and occupancy, with small amounts
# --list       print the algorithm files that would be compiled, and nothing else
#
# $SCCL_GPU_TARGET is cuda (default) or hip. $SOURCE_ROOT is the source tree and $SCCL_BUILD its build folder (default: the
# tree that this lies in, and build/ there); $SCCL_SYNTH and $SCCL_RUN are the programs in it.
#
# Exit status: 0 all is right; 1 something differs or failed (a figure below its target is told, and no failure); 2 bad
# usage; 77 there is no GPU, or no compiler for it.
# shellcheck source-path=SCRIPTDIR
SOURCE_ROOT=${SOURCE_ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
SCCL_BUILD=${SCCL_BUILD:-$SOURCE_ROOT/build}
SCCL_SYNTH=${SCCL_SYNTH:-$SCCL_BUILD/sccl-synth} SCCL_RUN=${SCCL_RUN:-$SCCL_BUILD/runtime/sccl-run}
STAND_IN=${STAND_IN:-$SCCL_BUILD/tests/runtime/libcudart.so.13}
target=${SCCL_GPU_TARGET:-cuda} here=$SOURCE_ROOT/tests/gpu
output='' quick='' all='' every_way='' emulated='' jobs=$(nproc) list='' parts=memory,right,deep,death,occupancy,speed,step,sanitizer,nccl,example
export SOURCE_ROOT SCCL_PATH="$SOURCE_ROOT" LC_ALL=C
# Ranks of one process wait for each other, each in a stream of its own. Streams that are put into one hardware queue run
# one after the other: a rank behind the one that waits for it would never come. There are 8 queues unless more are asked
# for, 32 at most, before the GPU is first used.
export CUDA_DEVICE_MAX_CONNECTIONS=32

usage() {
	echo "usage: gpu.sh [-o FILE] [--quick] [--all] [--ways all] [--only PART,...] [--jobs N] [--emulated] [--list] [ALGORITHM.json...]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	-o | --only | --jobs | --ways) [ $# -gt 1 ] || usage ;;
	esac
	case $1 in
	-o) output=$2; shift 2 ;;
	--only) parts=$2; shift 2 ;;
	--jobs) jobs=$2; shift 2 ;;
	--ways) [ "$2" = all ] || usage; every_way=1; shift 2 ;;
	--quick) quick=1; shift ;;
	--all) all=1; shift ;;
	--emulated) emulated=1; shift ;;
	--list) list=1; shift ;;
	-*) usage ;;
	*) break ;;
	esac
done
for part in $(echo "$parts" | tr , ' '); do
	case $part in
	memory | right | deep | death | occupancy | speed | step | sanitizer | nccl | example) ;;
	*) usage ;;
	esac
done
case $jobs in '' | 0 | *[!0-9]*) usage ;; esac
case $target in cuda | hip) ;; *) echo "gpu.sh: SCCL_GPU_TARGET is cuda or hip, not $target" >&2; exit 2 ;; esac
for file; do
	[ -r "$file" ] || { echo "gpu.sh: $file: cannot be read" >&2; exit 2; }
	shift
	set -- "$@" "$(readlink -f "$file")"
done

# shellcheck disable=SC2317 # machine.sh calls it
skip() {
	echo "gpu.sh: skipped: $1"
	exit 77
}
[ "$list" ] || . "$here/machine.sh"
for file in "$SCCL_SYNTH" "$SCCL_RUN"; do
	[ -x "$file" ] || { echo "gpu.sh: $file: is not there; build it first" >&2; exit 2; }
done
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
status=0
if [ "$output" ]; then
	: >"$output" || exit 4
fi

# A line of the table.
emit() {
	printf '%s\n' "$1"
	[ -z "$output" ] || printf '%s\n' "$1" >>"$output"
}
tell() {
	echo "gpu.sh: $*" >&2
}
# The first line of FILE, fit for a cell.
first_line() {
	head -n 1 "$1" | tr '|' '/' | cut -c 1-300
}
wants() {
	case ,$parts, in *",$1,"*) return 0 ;; *) return 1 ;; esac
}
short() {
	case $1 in "$SOURCE_ROOT"/*) echo "${1#"$SOURCE_ROOT"/}" ;; *) basename "$1" ;; esac
}

. "$here/programs.sh"
. "$here/right.sh"
. "$here/memory.sh"
. "$here/speed.sh"
. "$here/others.sh"

began=$(date +%s)
catalog=$SOURCE_ROOT/algorithms
if [ $# -eq 0 ]; then
	if [ "$all" ]; then
		# shellcheck disable=SC2046
		set -- $(find "$catalog" -name 'c*-s*-r*.json' | sort)
	elif [ "$quick" ]; then
		set -- dgx1/allgather/c6-s3-r7 dgx1/allreduce/c16-s4-r6 dgx1/broadcast/c2-s2-r2-root1 amd-z52/alltoall/c8-s4-r8
	else
		set -- dgx1/allgather/c6-s3-r7 dgx1/allgather/c2-s2-r3 dgx1/reducescatter/c16-s2-r3 dgx1/allreduce/c16-s4-r6 \
			dgx1/allreduce/c48-s6-r14 dgx1/alltoall/c24-s2-r8 dgx1/broadcast/c6-s3-r3-root0 dgx1/gather/c2-s2-r3-root0 \
			dgx1/scatter/c16-s2-r3-root0 dgx1/reduce/c12-s4-r4-root0 amd-z52/allgather/c2-s7-r7 amd-z52/allreduce/c8-s8-r8
	fi
	[ "$all" ] || for name; do
		shift
		set -- "$@" "$catalog/$name.json"
	done
fi

if [ "$list" ]; then
	# shellcheck disable=SC2046
	printf '%s\n' "$@" $(needed_by_parts) | sort -u
	exit 0
fi
head_of_table
# Compiled all at once, before anything is measured.
# shellcheck disable=SC2046
make_programs "$@" $(needed_by_parts)
if wants memory; then memory_part "$@"; fi
if wants right; then right_part "$@"; fi
if wants deep; then deep_part "$@"; fi
if wants death; then death_part "$@"; fi
if wants occupancy; then occupancy_part "$@"; fi
if [ -z "$emulated" ]; then
	if wants speed || wants step; then floor_part; fi
	if wants speed; then speed_part; fi
	if wants step; then step_part; fi
	if wants sanitizer || wants nccl || wants example; then others_part; fi
fi
emit ''
emit "$([ $status -eq 0 ] && echo 'Everything is right.' || echo 'SOMETHING IS WRONG: see the rows above.') $(($(date +%s) - began)) s in all."
exit $status
