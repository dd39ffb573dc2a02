#!/bin/sh
# Every call that writes fails in turn, as on a full, read-only or broken disk: a command that then says it succeeded has written all
# of its files; otherwise one line says what went wrong, and each file that is there is whole. Then the command is killed at every such
# call: what is on the disk is whole, and the same command again makes the rest. TAP.
#
#   disk.sh SCCL-SYNTH SOURCE EVERY     EVERY: the first of the calls, and one in so many after it
. "$(dirname "$0")/tap.sh"

EVERY=$3
if ! strace -qq -o /dev/null -e trace=none true 2>/dev/null; then
	echo "1..0 # SKIP strace cannot trace here"
	exit 0
fi

# same_or_less WHOLE CUT: every file of CUT is in WHOLE with the same bytes. A journal may hold fewer lines.
same_or_less() {
	[ -e "$2" ] || return 0
	find "$2" -type f | while read -r f; do
		case $f in *.journal | */.sccl-??????) continue ;; esac
		cmp -s "$f" "$1${f#"$2"}" || { echo "$f" >>odd; }
	done
}

# fails CALL ERROR COMMAND...: COMMAND writes into "cut"; "whole" is there from an undisturbed run.
fails() {
	call=$1 error=$2
	shift 2
	rm -rf whole cut odd
	sh -c "$(printf '%s' "$*" | sed 's,OUT,whole,g')" >whole.txt 2>err </dev/null || { ok 1 "undisturbed: $*"; head -3 err; return; }
	command=$(printf '%s' "$*" | sed 's,OUT,cut,g')
	tried=0 i=0 lies=0 words=0
	: >odd
	while [ $i -lt 400 ]; do
		i=$((i + 1))
		rm -rf cut
		sh -c "exec strace -qq -o trace -e trace=$call -e inject=$call:error=$error:when=$i $command" >cut.txt 2>err </dev/null
		status=$?
		grep -q INJECTED trace || break
		tried=$((tried + 1))
		if [ $status = 0 ]; then
			diff -r whole cut >/dev/null 2>&1 || { lies=$((lies + 1)); echo "# status 0 without all files: $call $i"; }
		else
			# A failure that hits the words themselves leaves none.
			[ "$(grep -c '^sccl-synth: ' err)" = 1 ] || grep -Eq "^write\([12],.*INJECTED" trace || { words=$((words + 1)); echo "# $call $i, status $status:"; head -3 err | sed 's/^/# /'; }
		fi
		same_or_less whole cut
		i=$((i + EVERY - 1))
	done
	[ $tried -gt 0 ] && [ $lies = 0 ] && [ $words = 0 ] && [ ! -s odd ]
	ok $? "$call fails with $error at $tried calls: whole files, one line ($*)"
	[ ! -s odd ] || sort -u odd | head -5 | sed 's/^/# not whole: /'
}

# killed CALL COMMAND...: as above; what is not whole has a name of its own, .sccl-XXXXXX.
killed() {
	call=$1
	shift
	rm -rf whole
	sh -c "$(printf '%s' "$*" | sed 's,OUT,whole,g')" >whole.txt 2>err </dev/null || { ok 1 "undisturbed: $*"; head -3 err; return; }
	command=$(printf '%s' "$*" | sed 's,OUT,cut,g')
	tried=0 i=0 again=0
	: >odd
	while [ $i -lt 400 ]; do
		i=$((i + 1))
		rm -rf cut
		sh -c "exec strace -qq -o trace -e trace=$call -e inject=$call:signal=KILL:when=$i $command" >cut.txt 2>err </dev/null
		grep -q 'killed by SIGKILL' trace || break
		tried=$((tried + 1))
		same_or_less whole cut
		sh -c "$command" >cut.txt 2>err </dev/null && diff -r -x '.sccl-??????' whole cut >differences 2>&1 || again=$((again + 1))
		i=$((i + EVERY - 1))
	done
	[ $tried -gt 0 ] && [ $again = 0 ] && [ ! -s odd ]
	ok $? "killed at $tried calls of $call: whole files, and the rest the next time ($*)"
	[ ! -s odd ] || sort -u odd | head -5 | sed 's/^/# not whole: /'
}

"$program" solve -t ring:4 -c allgather -C 1 -S 2 -R 3 -o one.json >/dev/null 2>err || { echo "1..0 # SKIP no algorithm"; exit 0; }
for what in \
	"$program solve -t ring:4 -c allgather -C 1 -S 2 -R 3 -o OUT" \
	"$program pareto -t ring:4 -c allgather -o OUT" \
	"$program lower one.json --target host -o OUT" \
	"$program build -t torus:3x3 -c allreduce --method ring -o OUT" \
	"$program export one.json --format msccl-xml -o OUT"; do
	fails write ENOSPC "$what"
	fails rename EIO "$what"
	for call in openat write fsync rename; do killed $call "$what"; done
done
fails fsync EIO "$program solve -t ring:4 -c allgather -C 1 -S 2 -R 3 -o OUT"
fails fdatasync EIO "$program pareto -t ring:4 -c broadcast --root 0 -k 1 --max-steps 3 --fresh -o OUT"
fails mkdir EROFS "$program pareto -t ring:4 -c allgather -o OUT"
fails mkdir ENOSPC "$program lower one.json --target host -o OUT"
fails openat EMFILE "$program lower one.json --target host -o OUT"
echo "1..$n"
exit $failed
