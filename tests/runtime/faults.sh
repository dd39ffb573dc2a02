#!/bin/sh
# Plants faults in generated programs, one at a time, and asks the fiber harness to find each: a result that differs or
# a deadlock. The program as it was generated must pass.
#
#   faults.sh FIBERS TOPOLOGY COLLECTIVE C S R
#
# The program is of the algorithm that `solve` finds. FIBERS is the harness; $SCCL_SYNTH the program, $SOURCE_ROOT the
# source tree, $CC the compiler.
CC=${CC:-cc}
[ $# -eq 6 ] || { echo "usage: faults.sh FIBERS TOPOLOGY COLLECTIVE C S R" >&2; exit 2; }
FIBERS=$1
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/whole"
"$SCCL_SYNTH" solve -t "$2" -c "$3" -C "$4" -S "$5" -R "$6" -o "$work/found.json" >"$work/log" 2>&1 &&
	"$SCCL_SYNTH" lower "$work/found.json" --target host -o "$work/whole" >>"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
original=$(echo "$work"/whole/*.c)
name=$(basename "$original" .c)

# Runs the program in $work under several schedules: 0, or what the harness found.
try() {
	$CC -w -O0 -std=c11 -DSCCL_HOST_HOOKS -I"$SOURCE_ROOT/runtime/include" -shared -fPIC "$work/$name.c" \
		-o "$work/$name.so" || return 4
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		"$FIBERS" "$work/$name.so" --calls 400 --seed $seed --protocol $protocol >/dev/null 2>"$work/log" || return $?
	done
}

protocol=plain
cp "$original" "$work/$name.c"
try || { echo "the program itself fails: $(head -n 1 "$work/log")"; exit 1; }

planted=0 missed=0
# plant WHAT LINE EDIT: a fault at a line of the original, by an edit of sed.
plant() {
	sed "$3" "$original" >"$work/$name.c"
	cmp -s "$original" "$work/$name.c" && { echo "nothing was planted: $1 at line $2"; missed=$((missed + 1)); return; }
	try
	code=$?
	planted=$((planted + 1))
	case $code in
	1 | 3) ;;
	*) echo "not found ($code): $1, line $2: $(sed -n "$2p" "$original")"; missed=$((missed + 1)) ;;
	esac
}

# The lines of the protocol's words that begin so.
lines() {
	awk -v protocol="$protocol" -v word="	$1(" '/^static const uint32_t [a-z]*_[0-9]+\[\]/ { mine = index($0, protocol "_") }
		mine && index($0, word) == 1 { print NR }' "$original"
}

for n in $(lines SCCL_CREDIT); do plant "no credit" "$n" "${n}d"; done
for n in $(lines SCCL_OFFER); do plant "no offer" "$n" "${n}d"; done
for n in $(lines SCCL_WAIT); do
	plant "missing wait" "$n" "${n}d"
	plant "wait for the signal before" "$n" "${n}s/\([0-9]*\)),\$/\1 - 1),/"
done
# Signals are numbered, so that a later one says what a lost one would have: the last to a peer is not to be lost.
for n in $(awk '/^static const uint32_t plain_/ { split("", last) }
	/^	SCCL_SIGNAL\(/ { split($0, part, ", "); last[part[2]] = NR }
	/^};/ { for (peer in last) print last[peer]; split("", last) }' "$original" | sort -n); do
	plant "lost signal" "$n" "${n}d"
	move=$((n - 1))
	sed -n "${move}p" "$original" | grep -q SCCL_SYNC && move=$((n - 2))
	sed -n "${move}p" "$original" | grep -q "SCCL_COPY\|SCCL_REDUCE" || continue
	plant "early flag" "$n" "${move}{h;d;};${n}{G;}"
done
n=$(grep -n '^		{plain_words, ' "$original" | cut -d: -f1)
[ "$n" ] || { echo "the tables are not where they were"; exit 1; }
plant "wrong epoch" "$n" "${n}s/plain_lengths, \([0-9]*\)/plain_lengths, \1 - 1/"

echo "$name: $planted faults planted, $missed not found"
[ $missed -eq 0 ]
