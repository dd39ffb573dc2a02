#!/bin/sh
# Generated programs before a judge that shares nothing with the project (judge.py), then with faults planted in them.
# usage: judge.sh [--all] SCCL-SYNTH SOURCE. --all: every algorithm of the catalog, $JOBS at once; with the file $JUDGED, which keeps
# a line for each, a run that was stopped goes on where it was. TAP on standard output.
set -u
all= one=
case $1 in
--all) all=1; shift ;;
--one) one=$2; shift 2 ;;
esac
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

# judge_one TARGET FILE: a line, "held", "refused" or "left out" (as too large for a program), and why.
judge_one() {
	if ! "$program" lower "$2" --target "$1" -o "$work/one" >"$work/out" 2>&1; then
		echo "left out $1 ${2#"$source/"}: $(tail -1 "$work/out")"
		return
	fi
	python3 "$judge" "$work"/one/*.c* >"$work/out" 2>&1
	case $? in # a judge that was stopped has said nothing
	0) echo "held $1 ${2#"$source/"}" ;;
	1) echo "refused $1 ${2#"$source/"}: $(head -1 "$work/out")" ;;
	esac
}

if [ -n "$one" ]; then
	judge_one "${one%%:*}" "${one#*:}"
	exit
fi

if [ -n "$all" ]; then
	log=${JUDGED:-$work/judged}
	touch "$log"
	find "$source/algorithms" -name 'c[0-9]*.json' -printf '%s %p\n' | sort -n | cut -d ' ' -f 2- >"$work/algorithms"
	for target in host cuda; do
		# Those that are in the log already are not judged again.
		sed -n "s,^[a-z ]* $target \(algorithms/.*\.json\).*,$source/\1,p" "$log" | grep -vxFf - "$work/algorithms" |
			sed "s/^/$target:/" | tr '\n' '\0' | xargs -0 -r -P "${JOBS:-1}" -I '{}' sh "$0" --one '{}' "$program" "$source" >>"$log"
	done
	for target in host cuda; do
		count=$(grep -c "^held $target " "$log") large=$(grep -c "^left out $target .*: " "$log")
		grep -v "^held " "$log" | grep " $target " | grep -v '^left out .* \(more than\|too many\|too large\) ' >"$work/out"
		check "$target: $count of $(grep -c . "$work/algorithms") programs of the catalog hold, $large are too large" \
			'[ $((count + large)) -eq "$(grep -c . "$work/algorithms")" ] && [ "$count" -gt 0 ] && [ ! -s "$work/out" ]'
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
for kind in allgather broadcast reducescatter reduce allreduce; do
	make build -t switch:4+nvls -c $kind --method nvls -o "$work/made/switch-$kind.json"
done
lower small host "$work"/made/*.json
python3 "$judge" "$work"/small/*.c >"$work/out" 2>&1
check 'small programs of every kind hold' "grep -q '^$(ls "$work"/made | wc -l) programs judged, 0 refused' '$work/out'"
python3 "$judge" --plant 3 "$work"/small/*.c >"$work/out" 2>&1
check "$(tail -1 "$work/out")" 'grep -q "all refused" "$work/out" && ! grep -q "NOT" "$work/out"'

# A rank that hears of another through a third, whose packet to it depends on the other's by the order of moves alone.
lower third host "$source/tests/lower/text/through-a-third.json"
python3 "$judge" "$work"/third/*.c >"$work/out" 2>&1
check 'a credit that is heard of through a third is rare' 'grep -q "0 refused" "$work/out" && grep -q SCCL_RARE_CREDIT "$work"/third/*.c'
python3 "$judge" --warps "$work"/third/*.c >"$work/out" 2>&1
check 'it is refused if warps share the moves' 'grep -q "has not heard that its first call has ended" "$work/out"'

# Of the catalog, for a GPU, and with switches that copy and add.
make build -t dgx-h100+nvls -c allreduce --method nvls -C 34 -S 3 -o "$work/h100.json"
# shellcheck disable=SC2046 # words
lower catalog cuda $(find "$source/algorithms/dgx1" "$source/algorithms/amd-z52" -name 'c[0-9]*.json' -size -40k | sort | awk 'NR % 4 == 1') \
	"$source/tests/golden/ring3-custom.json" "$work/h100.json"
python3 "$judge" "$work"/catalog/*.cu >"$work/out" 2>&1
check "$(tail -1 "$work/out")" 'grep -q "programs judged, 0 refused" "$work/out"'
echo "1..$n"
exit $failed
