#!/bin/sh
# Compiles the programs of algorithm FILEs for GPUs and reads what the compiler says of each kernel: it must not spill
# registers nor keep anything in a thread's own memory. Prints a table; fails where something does not compile or spills.
#
#   compile.sh COMPILER [--types LIST] [--ops LIST] FILE...
#
# COMPILER is nvcc (sm_80 and sm_90) or hipcc (gfx906 and gfx90a), or a path to one. $SCCL_SYNTH is the program,
# $SOURCE_ROOT the source tree. Exit 77, skipped: there is no such compiler.
compiler=$1 types=all ops=all
shift
while [ $# -gt 0 ]; do
	case $1 in
	--types) types=$2; shift 2 ;;
	--ops) ops=$2; shift 2 ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || { echo "usage: compile.sh COMPILER [--types LIST] [--ops LIST] FILE..." >&2; exit 2; }
command -v "$compiler" >/dev/null 2>&1 || { echo "there is no $compiler"; exit 77; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Each prints one line a kernel: architecture, registers, bytes of spills, bytes of the thread's own memory.
cuda() {
	for arch in sm_80 sm_90; do
		"$compiler" -O3 -std=c++17 -arch=$arch -Xptxas -v -Xcompiler -Wall,-Wextra -I"$SOURCE_ROOT/runtime/include" -c "$1" \
			-o "$work/$arch.o" >"$work/log" 2>&1 || return 1
		awk -v arch=$arch '/bytes stack frame/ { own = $1; spills = $5 + $9 }
			/ptxas info *: Used/ { for (i = 1; i <= NF; i++) if ($i ~ /^registers/) print arch, $(i - 1), spills, own }' "$work/log"
	done
}
hip() {
	"$compiler" -O3 -std=c++17 --offload-arch=gfx906 --offload-arch=gfx90a -Wall -Rpass-analysis=kernel-resource-usage \
		-I"$SOURCE_ROOT/runtime/include" -c "$1" -o "$work/hip.o" >"$work/log" 2>&1 || return 1
	awk '/ VGPRs: / { registers = $(NF - 1) } / ScratchSize / { own = $(NF - 1) } / VGPRs Spill: / { spills = $(NF - 1) }
		/ LDS Size / { print "gfx", registers, spills, own }' "$work/log"
}
case $(basename "$compiler") in
nvcc) target=cuda ;;
hipcc) target=hip ;;
*) echo "compile.sh: the compiler is nvcc or hipcc, not $compiler" >&2; exit 2 ;;
esac

status=0
printf '| algorithm | compiler | kernels | most registers | spilled bytes | own bytes | result |\n| --- | --- | --- | --- | --- | --- | --- |\n'
for file; do
	rm -rf "$work/c"
	: >"$work/kernels"
	result=clean
	"$SCCL_SYNTH" lower "$file" --target $target --types "$types" --ops "$ops" -o "$work/c" >"$work/log" 2>&1 &&
		$target "$work"/c/*."$([ $target = cuda ] && echo cu || echo hip)" >"$work/kernels" || result=failed
	set -- "$(awk '{ n++; if ($2 > most) most = $2; spills += $3; own += $4 } END { printf "%d | %d | %d | %d", n, most, spills, own }' "$work/kernels")"
	case $1 in
	'0 |'*) result=failed ;;
	*'| 0 | 0') ;;
	*) result=spills ;;
	esac
	[ $result = clean ] || status=1
	printf '| %s | %s | %s | %s |\n' "${file#"$SOURCE_ROOT"/}" "$target" "$1" $result
	[ $result = failed ] && sed 's/^/    /' "$work/log" | head -20
done
exit $status
