#!/bin/sh
# Generated programs whose ranks are killed (killed.c). TAP. usage: killed.sh KILLED TRIALS SEED
#
# $SCCL_SYNTH is the program, $SOURCE_ROOT the source tree, $CC the compiler.
CC=${CC:-cc}
killed=$(realpath "$1") trials=$2 seed=$3
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
n=0 failed=0
for machine in ring:3 ring:4 ring:8 line:2; do
	n=$((n + 1))
	mkdir $n
	"$SCCL_SYNTH" build -t $machine -c allreduce --method ring -o $n.json >log 2>&1 &&
		"$SCCL_SYNTH" lower $n.json --target host --types i32 --ops sum -o $n >>log 2>&1 &&
		$CC -w -O1 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" $n/*.c -o $n.so >>log 2>&1 &&
		"$killed" ./$n.so "$(basename $n/*.c .c)" "$trials" "$seed" >log 2>&1 &&
		echo "ok $n - $machine: $(tail -1 log)" || { echo "not ok $n - $machine"; failed=1; sed 's/^/# /' log | tail -20; }
done
# A rank that does not wait for what it adds: the harness must see a wrong sum.
n=$((n + 1))
mkdir hasty
sed '/^\tSCCL_WAIT(/d' 3/*.c >"hasty/$(basename 3/*.c)"
if $CC -w -O1 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" hasty/*.c -o hasty.so && "$killed" ./hasty.so "$(basename 3/*.c .c)" 24 "$seed" >log 2>&1; then
	echo "not ok $n - a program that does not wait passes"
	failed=1
else
	echo "ok $n - a program that does not wait is noticed: $(tail -1 log)"
fi
echo "1..$n"
exit $failed
