#!/bin/sh
# Generated programs before a judge that shares nothing with the project (judge.py), then with faults planted in them.
# usage: judge.sh [--all] SCCL-SYNTH SOURCE. --all: every algorithm of the catalog. TAP on standard output.
set -u
all=
[ "$1" != --all ] || { all=1; shift; }
program=$1 source=$2
judge=$source/tests/lower/text/judge.py
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
n=0 failed=0

check() {
	n=$((n + 1))
	if eval "$2"; then echo "ok $n - $1"; else echo "not ok $n - $1"; failed=1; sed 's/^/# /' "$work/out" | tail -20; fi
}

# lower FOLDER TARGET FILE...: what is too large for a program is left out.
lower() {
	folder=$1 target=$2
	shift 2
	"$program" lower "$@" --target "$target" -o "$work/$folder" >"$work/out" 2>&1 && return
	for f; do "$program" lower "$f" --target "$target" -o "$work/$folder" >>"$work/out" 2>&1; done
}

if [ -n "$all" ]; then
	for target in host cuda; do
		find "$source/algorithms" -name 'c[0-9]*.json' | sort | while read -r f; do
			rm -rf "$work/one"
			lower one $target "$f"
			[ -d "$work/one" ] && python3 "$judge" "$work"/one/*.c*
		done >"$work/log" 2>&1
		count=$(grep -c '^1 programs judged, 0 refused' "$work/log")
		grep -v '^1 programs judged, 0 refused' "$work/log" >"$work/out"
		check "$target: $count programs of the catalog hold" '[ "$count" -gt 0 ] && [ ! -s "$work/out" ]'
	done
	echo "1..$n"
	exit $failed
fi

# Small ones of every kind, with faults.
mkdir "$work/made"
make() { "$program" "$@" >"$work/out" 2>&1 || { n=$((n + 1)); echo "not ok $n - $*"; failed=1; }; }
for kind in allgather gather scatter alltoall reducescatter allreduce broadcast reduce; do
	make build -t ring:3 -c $kind --method direct -C 3 -o "$work/made/direct-$kind.json"
done
for kind in allgather allreduce broadcast reducescatter; do
	make build -t dgx1@gpus=0,1,2,3 -c $kind --method ring -o "$work/made/ring-$kind.json"
	make build -t hypercube:2 -c $kind --method multitree -o "$work/made/multitree-$kind.json"
done
make solve -t ring:3 -c scan -C 3 -S 2 -R 8 -o "$work/made/scan.json"
make solve -t ring:4 -c allreduce -C 1 -S 2 -R 2 --within direct -o "$work/made/one-value.json"
lower small host "$work"/made/*.json
python3 "$judge" "$work"/small/*.c >"$work/out" 2>&1
check 'small programs of every kind hold' "grep -q '^$(ls "$work"/made | wc -l) programs judged, 0 refused' '$work/out'"
python3 "$judge" --plant 4 "$work"/small/*.c >"$work/out" 2>&1
check "$(tail -1 "$work/out")" 'grep -q "all refused" "$work/out" && ! grep -q "NOT" "$work/out"'

# Of the catalog, for a GPU.
# shellcheck disable=SC2046 # words
lower catalog cuda $(find "$source/algorithms/dgx1" "$source/algorithms/amd-z52" -name 'c[0-9]*.json' -size -40k | sort | awk 'NR % 4 == 1') \
	"$source/tests/golden/ring3-custom.json"
python3 "$judge" "$work"/catalog/*.cu >"$work/out" 2>&1
check "$(tail -1 "$work/out")" 'grep -q "programs judged, 0 refused" "$work/out"'
echo "1..$n"
exit $failed
