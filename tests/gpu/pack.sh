#!/bin/sh
# Packs what gpu.sh needs on a machine with GPUs into one tarball: the runtime's programs and libraries, generated programs
# as source, and scripts. It needs a C library, a driver and nvcc there (and nothing of nvcc for --emulated).
#
#   pack.sh [-o FILE.tar.gz] [--quick] [BUILD]
#
# -o FILE    the tarball (default: sccl-gpu.tar.gz); it unpacks to sccl-gpu/, where tests/gpu/gpu.sh is called as usual
# --quick    only what gpu.sh --quick and --emulated --quick ask for
#
# BUILD is a build folder with -Dtests=enabled (default: build/ of this tree). $CC is the compiler. Exit status 1: something
# could not be made, or the tarball has 20 MB or more; 2: bad usage.
SOURCE_ROOT=$(cd "$(dirname "$0")/../.." && pwd) output=sccl-gpu.tar.gz quick='' most=20000000
usage() {
	echo "usage: pack.sh [-o FILE.tar.gz] [--quick] [BUILD]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	-o) [ $# -gt 1 ] || usage; output=$2; shift 2 ;;
	--quick) quick=--quick; shift ;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# -le 1 ] || usage
build=${1:-$SOURCE_ROOT/build}
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
die() {
	echo "pack.sh: $*" >&2
	exit 1
}
export SCCL_PATH="$SOURCE_ROOT" LC_ALL=C
top=$work/sccl-gpu made=$work/sccl-gpu/made

# put FOLDER FILE...: copies them there, as files.
put() {
	folder=$top/$1
	shift
	mkdir -p "$folder" && cp -L "$@" "$folder" || die "$* cannot be copied; build with -Dtests=enabled"
}
put build/runtime "$build/runtime/sccl-run" "$build/runtime/libsccl-nccl.so" "$build/runtime/libsccl.a"
put build/tests/runtime "$build/tests/runtime/libcudart.so.13"
put build/tests/runtime/nccl "$build/tests/runtime/nccl/libnccl.so.2"
put build/tests/gpu "$build/tests/gpu/occupancy"
put runtime/include/sccl "$SOURCE_ROOT"/runtime/include/sccl/*.h
put runtime/nccl "$SOURCE_ROOT"/runtime/nccl/abi.h
put examples/cuda "$SOURCE_ROOT"/examples/cuda/threads.cu
put tests/gpu "$SOURCE_ROOT"/tests/gpu/*.cu "$SOURCE_ROOT"/tests/gpu/*.sh
strip "$top/build/runtime/sccl-run" "$top/build/runtime/libsccl-nccl.so" "$top/build/tests/gpu/occupancy" || die "strip failed"
rm -f "$top"/tests/gpu/pack*.sh "$top/tests/gpu/logic.sh" "$top/tests/gpu/stand_in_nvcc.sh"
cp "$SOURCE_ROOT/tests/gpu/packed_synth.sh" "$top/build/sccl-synth"
mkdir -p "$top/tests/runtime/gpu" "$made"
cp "$SOURCE_ROOT/tests/gpu/packed_emulated.sh" "$top/tests/runtime/gpu/emulated.sh"
chmod +x "$top/build/sccl-synth" "$top"/tests/gpu/*.sh "$top/tests/runtime/gpu/emulated.sh"

# ask ARGUMENT...: records sccl-synth's answer.
ask() {
	MADE=$made RECORD=$build/sccl-synth "$top/build/sccl-synth" "$@" >"$work/log" 2>&1 || die "sccl-synth $*: $(tail -n 1 "$work/log")"
}

# The requests of programs.sh: each algorithm, and what must be moved, which takes python3 to count.
"$SOURCE_ROOT/tests/gpu/gpu.sh" $quick --list >"$work/list" || die "gpu.sh --list failed"
while read -r file; do
	short=${file#"$SOURCE_ROOT"/}
	put "$(dirname "$short")" "$file"
	ask lower "$file" --target cuda --types f32,i32,bf16 --ops sum -o "$work/c"
	rm -rf "$work/c"
	case $short in */allgather/* | */allreduce/*)
		moved=$(python3 "$SOURCE_ROOT/tests/gpu/traffic.py" "$file") || die "traffic.py failed"
		echo "$short $moved" >>"$top/tests/gpu/traffic.txt"
		;;
	esac
done <"$work/list"

# Those of others.sh.
while read -r types topology collective c s r root; do
	# shellcheck disable=SC2086
	ask solve -t "$topology" -c "$collective" -C "$c" -S "$s" -R "$r" ${root:+--root $root} -o "$work/found.json"
	ask lower "$work/found.json" --target cuda --types "$types" --ops sum -o "$work/c"
	rm -rf "$work/c"
done <<END
i32 ring:4 allreduce 4 4 6
i32 ring:4 allgather 1 3 3
i32 ring:4 reducescatter 4 2 3
i32 ring:4 broadcast 2 3 3 0
i32 ring:4 reduce 1 2 2 0
f32 complete:4 allreduce 4 2 2
END

# Those of memory.sh.
for n in 2 4 8; do
	ask build -t "switch:$n+nvls" -c allreduce --method nvls -C $((n + 1)) -S 2 -o "$work/switched-$n.json"
	ask lower "$work/switched-$n.json" --target cuda --types f32,i32,bf16 --ops sum -o "$work/c"
	rm -rf "$work/c"
done

# Programs for the emulated driver.
"$SOURCE_ROOT/tests/gpu/gpu.sh" --quick --emulated --list >"$work/list" || die "gpu.sh --list failed"
while read -r file; do
	put "$(dirname "${file#"$SOURCE_ROOT"/}")" "$file"
	"$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$build/sccl-synth" "$build/tests/runtime/libcudart.so.13" "$SOURCE_ROOT" \
		"$made/emulated-$(cksum <"$file" | tr ' ' -).so" "$file" >"$work/log" 2>&1 || die "$file: $(tail -n 1 "$work/log")"
done <"$work/list"

"$SOURCE_ROOT/tests/runtime/gpu/emulated.sh" "$build/sccl-synth" "$build/tests/runtime/libcudart.so.13" "$SOURCE_ROOT" \
	"$made/emulated-$(cksum <"$work/switched-4.json" | tr ' ' -).so" "$work/switched-4.json" >"$work/log" 2>&1 || die "$(tail -n 1 "$work/log")"

tar -C "$work" --owner=0 --group=0 --sort=name -czf "$work/tarball" sccl-gpu || die "tar failed"
size=$(wc -c <"$work/tarball")
[ "$size" -lt $most ] || die "the tarball has $size bytes, $most or more"
mv "$work/tarball" "$output" || exit 4
echo "$output: $size bytes"
