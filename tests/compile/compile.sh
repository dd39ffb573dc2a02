#!/bin/sh
# Compiles the programs of algorithm FILEs for GPUs and reads what the compiler says of each kernel: it must not spill
# registers nor keep anything in a thread's own memory. Prints a table; fails where something does not compile or spills.
#
#   compile.sh COMPILER [--types LIST] [--ops LIST] [--accumulate f32] [--archs LIST] FILE|+nvls...
#
# COMPILER is nvcc or hipcc, or a path to one; LIST of architectures: of sm_70, sm_80, sm_90, sm_100, gfx906, gfx90a, gfx942,
# those that the compiler knows. +nvls stands for an allreduce of which the kernels use switches that add (only sm_90 and later).
# A kernel has the code of all protocols: plain, shared, pull, packets, lines. $SCCL_SYNTH is the program, $SOURCE_ROOT the
# source tree. Exit 77, skipped: there is no such compiler.
compiler=$1 types=all ops=all archs='sm_70 sm_80 sm_90 sm_100 gfx906 gfx90a gfx942' accumulate=
shift
while [ $# -gt 0 ]; do
	case $1 in
	--types) types=$2; shift 2 ;;
	--ops) ops=$2; shift 2 ;;
	--accumulate) accumulate="--accumulate $2"; shift 2 ;;
	--archs) archs=$(echo "$2" | tr , ' '); shift 2 ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || { echo "usage: compile.sh COMPILER [--types LIST] [--ops LIST] [--accumulate f32] [--archs LIST] FILE|+nvls..." >&2; exit 2; }
command -v "$compiler" >/dev/null 2>&1 || { echo "there is no $compiler"; exit 77; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Each prints one line a kernel: architecture, registers, bytes of spills, bytes of the thread's own memory.
cuda() {
	for arch in $2; do
		"$compiler" -O3 -std=c++17 -arch=$arch -Xptxas -v -Xcompiler -Wall,-Wextra -I"$SOURCE_ROOT/runtime/include" -c "$1" \
			-o "$work/$arch.o" >"$work/log" 2>&1 || return 1
		awk -v arch=$arch '/bytes stack frame/ { own = $1; spills = $5 + $9 }
			/ptxas info *: Used/ { for (i = 1; i <= NF; i++) if ($i ~ /^registers/) print arch, $(i - 1), spills, own }' "$work/log"
	done
}
hip() {
	# shellcheck disable=SC2086,SC2046 # words
	"$compiler" -O3 -std=c++17 $(printf -- '--offload-arch=%s ' $2) -Wall -Rpass-analysis=kernel-resource-usage \
		-I"$SOURCE_ROOT/runtime/include" -c "$1" -o "$work/hip.o" >"$work/log" 2>&1 || return 1
	awk '/ VGPRs: / { registers = $(NF - 1) } / ScratchSize / { own = $(NF - 1) } / VGPRs Spill: / { spills = $(NF - 1) }
		/ LDS Size / { print "gfx", registers, spills, own }' "$work/log" >"$work/hip"
	if awk '$4 > 0 { found = 1 } END { exit !found }' "$work/hip"; then
		# Some kernels reserve a few bytes and never use them. They count if anything in the file could access them: by
		# instructions for them, through a pointer to any memory, or in a function that is called.
		rm -f "$work"/hip-*.s
		for arch in $2; do
			"$compiler" -O3 -std=c++17 --offload-arch=$arch --cuda-device-only -I"$SOURCE_ROOT/runtime/include" -S "$1" \
				-o "$work/hip-$arch.s" >"$work/log" 2>&1 || return 1
		done
		grep -Eq '^	(buffer_(load|store|atomic)|scratch_|s_swappc)|HW_REG_SH_MEM_BASES, 0,|src_private_base' "$work"/hip-*.s || {
			awk '{ print $1, $2, $3, 0 }' "$work/hip" >"$work/hip-unused" && mv "$work/hip-unused" "$work/hip"
		}
	fi
	cat "$work/hip"
}
case $(basename "$compiler") in
nvcc) target=cuda ;;
hipcc) target=hip ;;
*) echo "compile.sh: the compiler is nvcc or hipcc, not $compiler" >&2; exit 2 ;;
esac

# Those of $archs that the compiler knows.
known() {
	for arch in $archs; do
		case $target-$arch in
		cuda-sm_*) "$compiler" --list-gpu-code 2>/dev/null | grep -qx "$arch" && echo "$arch" ;;
		hip-gfx*) "$compiler" --offload-arch="$arch" -fsyntax-only "$work/empty.hip" >/dev/null 2>&1 && echo "$arch" ;;
		esac
	done
}
: >"$work/empty.hip"
archs=$(known | tr '\n' ' ')
[ "$archs" ] || { echo "$compiler knows none of these architectures"; exit 77; }

status=0
printf '| algorithm | architectures | kernels | most registers | spilled bytes | own bytes | result |\n| --- | --- | --- | --- | --- | --- | --- |\n'
for file; do
	rm -rf "$work/c"
	: >"$work/kernels"
	result=clean some=$archs from=$file
	if [ "$file" = +nvls ]; then
		from=$work/nvls.json some=$(echo "$archs" | tr ' ' '\n' | grep -v 'sm_[78]\|gfx' | tr '\n' ' ')
		"$SCCL_SYNTH" build --method nvls -t switch:4+nvls -c allreduce -C 4 -S 2 -o "$from" >"$work/log" 2>&1 || result=failed
	fi
	# shellcheck disable=SC2086 # no word, or two
	[ $result = clean ] && "$SCCL_SYNTH" lower "$from" --target $target --types "$types" --ops "$ops" $accumulate -o "$work/c" >"$work/log" 2>&1 &&
		$target "$work"/c/*."$([ $target = cuda ] && echo cu || echo hip)" "$some" >"$work/kernels" || result=failed
	set -- "$(awk '{ n++; if ($2 > most) most = $2; spills += $3; own += $4 } END { printf "%d | %d | %d | %d", n, most, spills, own }' "$work/kernels")"
	case $1 in
	'0 |'*) result=failed ;;
	*'| 0 | 0') ;;
	*) result=spills ;;
	esac
	[ $result = clean ] || status=1
	printf '| %s | %s | %s | %s |\n' "${file#"$SOURCE_ROOT"/}" "$(echo "$some" | sed 's/ *$//')" "$1" $result
	[ $result = failed ] && sed 's/^/    /' "$work/log" | head -20
done
exit $status
