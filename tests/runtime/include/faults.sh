#!/bin/sh
# Plants faults in generated programs and in the headers that they stand on, one at a time, and asks the fiber harness to
# find each: a result that differs or a deadlock. The program as it was generated must pass. TARGET lanes: cuda, where sixteen
# threads are a warp, and only packets of lines.
#
#   faults.sh FIBERS TARGET TOPOLOGY COLLECTIVE C S R [EVERY]
#
# The program is of the algorithm that `solve` finds. FIBERS is the harness; with TARGET cuda it emulates a GPU. $SCCL_SYNTH
# is the program, $SOURCE_ROOT the source tree, $CC the compiler. With EVERY each kind of fault is planted in one line of EVERY alone.
CC=${CC:-cc}
kind=$4 chunks=$5 threads='' turn=''
[ $# -eq 7 ] || [ $# -eq 8 ] || { echo "usage: faults.sh FIBERS TARGET TOPOLOGY COLLECTIVE C S R [EVERY]" >&2; exit 2; }
FIBERS=$1 target=$2 every=${8-1}
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/whole"
"$SCCL_SYNTH" solve -t "$3" -c "$4" -C "$5" -S "$6" -R "$7" -o "$work/found.json" >"$work/log" 2>&1 &&
	"$SCCL_SYNTH" lower "$work/found.json" --target "$([ "$target" = lanes ] && echo cuda || echo "$target")" --types f32,f16,u8 --ops sum,prod,max -o "$work/whole" >>"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
cp -r "$SOURCE_ROOT/runtime/include" "$work/include"
original=$(echo "$work"/whole/*.c*)
name=$(basename "${original%.c*}")
ranks=$(grep -c "^static const uint32_t packets_[0-9]*\[\]" "$original")
case $target in
host) flags="-DSCCL_HOST_HOOKS" ;;
lanes) flags="-std=gnu11 -DSCCL_EMULATED_LANES=16 -DSCCL_EMULATE=\"tests/runtime/include/emulate.h\" -I$SOURCE_ROOT" ;;
*) flags="-std=gnu11 -DSCCL_EMULATE=\"tests/runtime/include/emulate.h\" -I$SOURCE_ROOT" ;;
esac

# Runs the program in $work under N schedules: 0, or what the harness found.
try() {
	# shellcheck disable=SC2086
	$CC -w -O0 -std=c11 $flags -I"$work/include" -shared -fPIC -x c "$work/program" -o "$work/$name.so" || return 4
	for seed in $(seq "$1"); do
		# shellcheck disable=SC2086
		"$FIBERS" "$work/$name.so" $threads $turn --calls "${calls-400}" --seed $seed --protocol $protocol >/dev/null 2>"$work/log" || return $?
	done
}

planted=0 missed=0
# judge WHAT WHERE: the program in $work must be found at fault.
judge() {
	try 10
	code=$?
	planted=$((planted + 1))
	case $code in
	1 | 3) ;;
	*) echo "not found ($code): $1, $2"; missed=$((missed + 1)) ;;
	esac
}
unchanged() {
	echo "nothing was planted: $1, $2"
	missed=$((missed + 1))
}
# plant WHAT LINE EDIT: a fault at a line of the original, by an edit of sed.
plant() {
	sed "$3" "$original" >"$work/program"
	where="line $2: $(sed -n "$2p" "$original")"
	if cmp -s "$original" "$work/program"; then unchanged "$1" "$where"; else judge "$1" "$where"; fi
}
# plant_in HEADER WHAT EDIT: a fault in a header.
plant_in() {
	header=$work/include/sccl/$1
	cp "$original" "$work/program"
	cp "$header" "$work/kept"
	sed "$3" "$work/kept" >"$header"
	if cmp -s "$work/kept" "$header"; then unchanged "$2" "$1"; else judge "$2" "$1"; fi
	cp "$work/kept" "$header"
}

# One line in $every of standard input, from the first on.
sample() { awk -v every="$every" 'NR % every == 1 % every'; }

# The lines of the protocol's words that begin so.
lines() {
	awk -v protocol="$protocol" -v word="	$1(" '/^static const uint32_t [a-z]*_[0-9]+\[\]/ { mine = index($0, protocol "_") }
		mine && index($0, word) == 1 { print NR }' "$original"
}
# What takes the place of a credit, offer, wait or signal in its group: a word that is none of them does nothing.
nothing='SCCL_WORD(99, 0), 0, 0,'
# The line of the last move before line N that writes into the memory of PEER.
last_move() {
	sed -n "1,$1p" "$original" | awk -v peer="$2" '/SCCL_COPY|SCCL_REDUCE|SCCL_TOTAL/ && (index($0, "SCRATCH(" peer ",") || index($0, "OUTPUT(" peer ",")) { at = NR }
		END { print at }'
}
faults_of_flags() {
	for n in $(lines SCCL_CREDIT | sample); do plant "no credit" "$n" "${n}s/SCCL.*/$nothing/"; done
	for n in $(lines SCCL_OFFER | sample); do plant "no offer" "$n" "${n}s/SCCL.*/$nothing/"; done
	# With shared inputs a wait can be needless: that a rank has come may be known through a third, and ranks of the host make
	# a move without letting others go on. tests/lower/program/test_shared.c takes each wait away.
	[ $protocol = shared ] || for n in $(lines SCCL_WAIT | sample); do
		plant "missing wait" "$n" "${n}s/SCCL.*/$nothing/"
		plant "wait for the signal before" "$n" "${n}s/\([0-9]*\)),\$/\1 - 1),/"
	done
	# Signals are numbered, so that a later one says what a lost one would have: the last to a peer is not to be lost.
	for n in $(last_signals | sample); do
		plant "lost signal" "$n" "${n}s/SCCL.*/$nothing/"
		move=$(last_move "$n" "$(sed -n "${n}s/.*SIGNAL([0-9]*, \([0-9]*\),.*/\1/p" "$original")")
		[ "$move" ] || continue # it says that the rank has come, or has read
		plant "early flag" "$n" "${move}{h;d;};${n}{G;}"
	done
	n=$(grep -n "^		{${protocol}_words, " "$original" | cut -d: -f1)
	[ "$n" ] || { echo "the tables are not where they were"; exit 1; }
	plant "wrong epoch" "$n" "${n}s/_lengths, \([0-9]*\)/_lengths, \1 - 1/"
}

# Most credits are rare: packets of the previous call imply them, unless a share may have been empty. So all the credits of a
# rank are taken at once. In a reducescatter the last rank's chunk is the longest, so that it hears from others in every call that its
# block has a part of: its credits are needless.
faults_of_packets() {
	for n in $(grep -n '^static const uint32_t packets_[0-9]*\[\]' "$original" | cut -d: -f1); do
		sed -n "$n,/^};/p" "$original" | grep -q 'SCCL_[A-Z_]*CREDIT' || continue
		[ $kind = reducescatter ] && sed -n "${n}p" "$original" | grep -q "packets_$((ranks - 1))\[" && continue
		plant "no credit" "$n" "$n,/^};/s/SCCL_[A-Z_]*CREDIT.*/$nothing/"
	done
	for n in $( (lines SCCL_OFFER; lines SCCL_RARE_OFFER) | sample); do plant "no offer" "$n" "${n}s/SCCL.*/$nothing/"; done
	if grep -q SCCL_RARE_CREDIT "$original"; then
		plant_in device_flags.h "data that were empty imply a credit" 's/rare \&\& x->heard/rare/'
		plant_in device_flags.h "an offer is left out where data were empty" 's/rare \&\& sccl_is_whole(x)/rare/'
		plant_in device_run.h "the call before that was whole" 's/sccl_is_whole(&x) ? SCCL_WHOLE/x.heard || x.turn == 0 ? SCCL_WHOLE/'
		plant_in device_block.h "the first chunk is there, so all are" '/sccl_is_whole/,/^}/s/return .*/return x->begin < x->end;/'
		# Calls that erase their packets are two in 2^31. What the credit behind them orders is in litmus.py.
		turn='--turn 2147483640'
		cp "$original" "$work/program"
		try 2 || { echo "the program itself fails where packets are erased: $(head -n 1 "$work/log")"; missed=$((missed + 1)); }
		plant_in device_flags.h "a call that erases makes no offer" 's/ \&\& !sccl_is_erased(x, x->turn))/)/'
		turn=''
	fi
	plant_in device_block.h "wrong parity" 's/(x->turn & 1)/(0 \& x->turn)/'
	plant_in device_block.h "wrong parity: of three" 's/(x->turn & 1)/(x->turn % 3 \& 1)/'
	plant_in device_block.h "marks that come again" 's/x->turn % 0xffffffffu/x->turn % 2/'
	plant_in device_run.h "wrong turn" 's/turns\[block\] = (x.turn + 1)/turns[block] = x.turn/'
	plant_in device_run.h "a block that leaves a call out counts it" 's/peer_packets \&\& !absent/peer_packets/'
	[ "$chunks" -eq 1 ] || plant_in device_block.h "a block with a part of one chunk leaves the call out" '/sccl_is_absent/,/^}/s/return .*/return l->peer_packets \&\& !sccl_is_whole(x);/'
	plant_in device_flags.h "credit for the call before that" 's/x->turn - 1)/x->turn - 2)/'
	plant_in device_flags.h "offer of a call too many" 's/x->turn + 1)/x->turn + 2)/'
}

# Of words of 128 bytes, whose mark is the last. Whether lanes agree shows where there are lanes.
faults_of_lines() {
	if [ "$target" = lanes ]; then
		plant_in device_lines.h "a lane that believes itself alone" 's/sccl_meet_warp(absent \&\& !x->gave_up)/absent \&\& !x->gave_up/'
		plant_in device_lines.h "a part of another line" 's/first + sccl_lane() \/ SCCL_LINE_LANES/first/'
		plant_in device_lines.h "words that are the same" 's/from + 8 \* SCCL_LINE_PARTS/from/'
		return
	fi
	plant_in device_block.h "wrong parity" 's/(x->turn & 1)/(0 \& x->turn)/'
	plant_in device_block.h "one mark for all calls" '/sccl_line_mark/,/^}/s/x->turn + 1/1/'
	plant_in device_block.h "marks that come again" '/sccl_line_mark/,/^}/s/x->turn + 1/x->turn % 2 + 1/'
	plant_in device_run.h "wrong turn" 's/turns\[block\] = (x.turn + 1)/turns[block] = x.turn/'
	plant_in device_host_move.h "a mark that nobody waits for" 's/ACQUIRE) != sccl_line_mark(x))/ACQUIRE) == ~(uint64_t)0)/'
	plant_in device_host_move.h "lines that overlap" 's/to += SCCL_LINE_BYTES/to += SCCL_LINE_DATA/'
}

# The lines of the last signal of a rank to each peer.
last_signals() {
	awk -v what="$protocol" '/^static const uint32_t [a-z]*_[0-9]+\[\]/ { split("", last); mine = index($0, " " what "_") }
		mine && /^	SCCL_SIGNAL\(/ { split($0, part, ", "); last[part[2]] = NR }
		/^};/ { for (peer in last) print last[peer]; split("", last) }' "$original" | sort -n
}

# The lines of the barriers, except those before signals that later ones make needless.
needed_barriers() {
	for n in $(lines SCCL_SYNC); do
		if sed -n "$((n + 2))p" "$original" | grep -q SCCL_SIGNAL; then
			last=$(awk -v n="$n" 'NR > n + 1 && !/SCCL_SIGNAL/ { print NR - 1; exit }' "$original")
			last_signals | awk -v n="$n" -v last="$last" '$1 > n && $1 <= last { found = 1 } END { exit !found }' || continue
		fi
		echo "$n"
	done
}

# Only where a block is many threads. Credits are needless where everybody's end waits for everybody's beginning.
faults_of_threads() {
	case $protocol-$kind in
	packets-allgather | packets-allreduce | packets-reducescatter | packets-alltoall) return ;;
	esac
	for n in $(needed_barriers | sample); do
		plant "missing barrier" "$n" "${n}d"
	done
}

case $target in
host) protocols='plain packets lines shared' ;;
lanes) protocols=lines calls=10 threads="--threads 16" ;;
*) protocols='plain packets shared' ;;
esac
for protocol in $protocols; do
	[ $protocol = lines ] || grep -q "${protocol}_words" "$original" || continue
	cp "$original" "$work/program"
	# Right programs run under more schedules in free_run.sh.
	try $((every > 1 ? 2 : 10)) || { echo "the program itself fails: $(head -n 1 "$work/log")"; exit 1; }
	case $target-$protocol in
	host-plain | host-shared) faults_of_flags ;;
	host-packets) faults_of_packets ;;
	*-lines) faults_of_lines ;;
	*) faults_of_threads ;;
	esac
done
echo "$name for $target: $planted faults planted, $missed not found"
[ $missed -eq 0 ]
