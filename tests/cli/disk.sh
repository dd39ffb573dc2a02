#!/bin/sh
# Every call that writes fails in turn, as on a full, read-only or broken disk, in the command and in its workers: a command that then says
# it succeeded has written all of its files; otherwise one line says what went wrong, and each file that is there is whole. Then a signal
# arrives at every such call: what is on the disk is whole, and the same command again makes the rest. TAP.
#
#   disk.sh SCCL-SYNTH SOURCE EVERY     EVERY: one in so many of all pairs of a call and a fault or signal, the first among them
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

# into FOLDER COMMAND: COMMAND with FOLDER for OUT. Every run begins without what an earlier one keeps for its user.
into() {
	printf '%s' "$2" | sed "s,OUT,$1,g"
}

anew() {
	rm -rf "$work.state" "$1" .sccl-??????
}

# undisturbed COMMAND: into "whole"; its calls are in "calls", those of each process in their order.
undisturbed() {
	anew whole
	rm -rf cut odd
	: >odd
	sh -c "exec strace -f -qq -o calls -e trace=$traced $(into whole "$1")" >whole.txt 2>err </dev/null && return
	ok 1 "undisturbed: $1"
	head -3 err
	return 1
}
traced=openat,write,pwrite64,ftruncate,rename,fsync,fdatasync,mkdir,fchmod,unlink

# places CALL: $places are the calls of a process, counted from 1, that are to be disturbed: of openat those that create.
places() {
	all=$(awk -v call="$1(" '
		index($2, call) == 1 { i = ++seen[$1]; if (call != "openat(" || /O_CREAT/) is[i] = 1; if (i > most) most = i }
		END { for (i = 1; i <= most; i++) if (is[i]) print i }' calls)
	places=
	for place in $all; do
		[ $((passed % EVERY)) != 0 ] || places="$places $place"
		passed=$((passed + 1))
	done
}
passed=0

# fails CALL ERROR COMMAND: nothing where the command has no such call.
fails() {
	call=$1 error=$2
	tried=0 lies=0 words=0
	: >odd
	places "$call"
	for i in $places; do
		anew cut
		sh -c "exec strace -f -qq -o trace -e trace=$call -e inject=$call:error=$error:when=$i $(into cut "$3")" >cut.txt 2>err </dev/null
		status=$?
		grep -q INJECTED trace || continue
		tried=$((tried + 1))
		if [ $status = 0 ]; then
			# A journal that cannot be removed harms nobody.
			diff -r -x '*.journal' whole cut >/dev/null 2>&1 || { lies=$((lies + 1)); echo "# status 0 without all files: $call $i"; }
		else
			# A failure that hits the words themselves leaves none.
			[ "$(grep -c '^sccl-synth: ' err)" = 1 ] || grep -Eq "write\([12],.*INJECTED" trace || { words=$((words + 1)); echo "# $call $i, status $status:"; head -3 err | sed 's/^/# /'; }
		fi
		same_or_less whole cut
	done
	[ $tried = 0 ] && return
	echo "$call $error" >>met
	[ $lies = 0 ] && [ $words = 0 ] && [ ! -s odd ]
	ok $? "$call fails with $error at $tried calls: whole files, one line ($3)"
	[ ! -s odd ] || sort -u odd | head -5 | sed 's/^/# not whole: /'
}

# signalled CALL SIGNAL COMMAND: as above; what SIGKILL leaves half-written has a name of its own, .sccl-XXXXXX.
signalled() {
	call=$1 signal=$2
	tried=0 again=0
	: >odd
	places "$call"
	for i in $places; do
		anew cut
		sh -c "exec strace -f -qq -o trace -e trace=$call -e inject=$call:signal=$signal:when=$i $(into cut "$3")" >cut.txt 2>err </dev/null
		grep -q -e 'killed by SIGKILL' -e "--- SIG$signal" trace || continue
		tried=$((tried + 1))
		same_or_less whole cut
		# Searches catch SIGTERM and SIGINT and leave no temporary file; others may leave one, as after SIGKILL.
		case $signal$3 in KILL*) ;; *' solve '* | *' pareto '*) find . -name '.sccl-??????' >>odd ;; esac
		sh -c "$(into cut "$3")" >cut.txt 2>err </dev/null && diff -r -x '.sccl-??????' whole cut >differences 2>&1 || again=$((again + 1))
	done
	[ $tried = 0 ] && return
	echo "$call $signal" >>met
	[ $again = 0 ] && [ ! -s odd ]
	ok $? "SIG$signal at $tried calls of $call: whole files, and the rest the next time ($3)"
	[ ! -s odd ] || sort -u odd | head -5 | sed 's/^/# not whole: /'
}

# A full disk, one that became read-only, and one that breaks; each somewhere below.
faults='write:ENOSPC write:EIO openat:ENOSPC openat:EROFS openat:EMFILE mkdir:ENOSPC mkdir:EROFS rename:ENOSPC rename:EROFS rename:EIO
	fsync:EIO fsync:ENOSPC fdatasync:EIO fchmod:EROFS unlink:EROFS pwrite64:ENOSPC ftruncate:EROFS'
signals='openat:KILL write:KILL fsync:KILL rename:KILL openat:TERM write:INT fsync:TERM rename:INT'
: >met
"$program" solve -t ring:4 -c allgather -C 1 -S 2 -R 3 -o one.json >/dev/null 2>err || { echo "1..0 # SKIP no algorithm"; exit 0; }
for what in \
	"$program solve -t ring:4 -c allgather -C 1 -S 2 -R 3 -o OUT" \
	"$program pareto -t ring:4 -c allgather -o OUT" \
	"$program pareto -t ring:4 -c broadcast --root 0 -k 1 --max-steps 3 --fresh -o OUT" \
	"$program lower one.json --target host -o OUT" \
	"$program build -t torus:3x3 -c allreduce --method ring -o OUT" \
	"$program export one.json --format msccl-xml -o OUT"; do
	undisturbed "$what" || continue
	for it in $faults; do fails "${it%:*}" "${it#*:}" "$what"; done
	for it in $signals; do signalled "${it%:*}" "${it#*:}" "$what"; done
done
[ "$EVERY" = 1 ] || finish
for it in $faults $signals; do
	grep -q "^${it%:*} ${it#*:}$" met
	ok $? "$it was tried"
done
finish
