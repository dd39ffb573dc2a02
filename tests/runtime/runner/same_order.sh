#!/bin/sh
# Results of programs that `verify --same-order` accepts must have the same bits whatever the size, the protocol, the
# blocks, the target and the program; those of one that it refuses must not.
#
#   same_order.sh SCCL-SYNTH SOURCE SAME_ORDER STAND_IN MOST
#
# SAME_ORDER: the program of same_order.c; STAND_IN: the emulated driver; MOST: the largest count. $CC is the compiler.
. "$(dirname "$0")/../../cli/tap.sh"
CC=${CC:-cc}
compare=$3; case $compare in /*) ;; *) compare=$OLDPWD/$compare ;; esac
stand_in=$4 most=$5
export LD_LIBRARY_PATH="$(dirname "$stand_in")"

# compile FILE.json TARGET: NAME.so in a folder of its own.
compile() {
	mkdir -p "$work/$2"
	"$program" lower "$1" --target "$2" --types f32 --ops sum -o "$work/$2/text" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
	for text in "$work/$2"/text/*.c*; do
		name=$(basename "$text") name=${name%%.*}
		if [ "$2" = host ]; then
			$CC -O2 -std=c11 -shared -fPIC -I"$source/runtime/include" "$text" -o "$work/$2/$name.so"
		else
			$CC -w -O1 -std=gnu11 -DSCCL_EMULATE='"tests/runtime/gpu/emulate_threads.h"' -I"$source" -I"$source/runtime/include" \
				-shared -fPIC -x c "$text" -x none "$stand_in" -o "$work/$2/$name.so"
		fi || return 1
	done
	rm -rf "$work/$2/text"
}

files=
for of in "allreduce 8 2 2" "allreduce 1 1 1" "reducescatter 8 1 1" "reduce 1 1 1"; do
	# shellcheck disable=SC2086
	set -- $of # collective C S R
	file=$work/$1-$2.json
	"$program" solve -t complete:8 -c "$1" -C "$2" -S "$3" -R "$4" -o "$file" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	files="$files $file"
done
# shellcheck disable=SC2086
run 0 verify --same-order $files
for file in $files; do
	compile "$file" host && compile "$file" cuda || exit 1
done
"$compare" "$most" "$work"/host/*.so >out
ok $? "on the host, bits do not depend on size, protocol, blocks and program: $(cat out)"
"$compare" $((most / 16)) "$work"/host/*.so "$work"/cuda/*.so >out
ok $? "nor, on an emulated GPU, on these and the target: $(cat out)"

other=$source/algorithms/dgx1/allreduce/c8-s4-r4.json
run 1 verify --same-order "$other"
rm -rf "$work/host"
compile "$other" host || exit 1
"$compare" "$most" "$work"/host/*.so >out
ok $(($? != 1)) "the bits of another depend on the size: $(cat out)"
finish
