#!/bin/sh
# What must not pass for served and run does not: a schedule, a program or a cell that was damaged.
#
#   notices.sh SCCL-SYNTH SOURCE WRITE_CELLS, and what run_cells.sh takes
. "$2/tests/cli/tap.sh"
case $3 in /*) write_cells=$3 ;; *) write_cells=$OLDPWD/$3 ;; esac

# The cells of a ring, in an empty folder.
write() {
	rm -rf cells
	mkdir cells
	"$write_cells" ring:4 cells ring >cells/cells
}

# runs STATUS WHAT: what is in the folder, run.
runs() {
	timeout 120 sh "$source/tests/synth/methods/run_cells.sh" "$PWD/cells" 2 >out 2>err
	status=$?
	[ $status = "$1" ]
	ok $? "exit $1: $2"
	[ $status = "$1" ] || sed 's/^/# /' out err
}

# few PATTERN: only those cells.
few() {
	grep "$1" cells/cells >some
	cp some cells/cells
}

write
runs 0 'a ring'
has 'all that is served is run' '^12 cells served and run, 1 refused, 0 not exact; 96 rows exact$' out

# A chunk of an instruction is where in the buffers it reads and writes: one after another is made its neighbour.
write
few '^ring scatter 3 '
name=$(awk '{print $5}' cells/cells)
cp "cells/$name.c" whole.c
places=$(awk '/packets_0/ {exit} /^\tSCCL_COPY.*SCCL_(IN|OUT)PUT/ {print NR}' whole.c)
missed=
for line in $places; do
	awk -v at="$line" 'NR == at {split($0, a, /[(,]/); sub(/\([0-9]+, [0-9]+/, "(" a[2] ", " (a[3] % 2 ? a[3] - 1 : a[3] + 1))} {print}' \
		whole.c >"cells/$name.c"
	cmp -s whole.c "cells/$name.c" && missed="$missed $line"
	sh "$source/tests/synth/methods/run_cells.sh" "$PWD/cells" 2 >out 2>err && missed="$missed $line"
	grep -q '^ring scatter 3: plain' out || missed="$missed $line"
done
[ "$places" ] && [ -z "$missed" ]
ok $? "each of $(echo "$places" | wc -l) offsets, changed, is noticed"
[ -z "$missed" ] || echo "# not noticed: lines$missed of $name.c"

write
few '^ring allgather '
sed -i '/plain_0/,/SCCL_END/s/^\(\tSCCL_SIGNAL(.*, \)[0-9]*)/\10)/' cells/*allgather*.c
runs 1 'signals that say nothing'
has 'it says for which cell' '^ring allgather 0: plain, processes, exit 4' out

write
few '^ring [ab][lr].* served '
rm cells/*allgather*.c
echo 'no C' >>"$(echo cells/*broadcast*root0*.c)"
sed -i '/alltoall/s/served .*/fault: has fewer rounds than the bound/' cells/cells
runs 1 'programs and cells that are nothing'
has 'a program is missing' '^ring allgather 0: is not compiled' out
has 'a program is no C' '^ring broadcast 0: is not compiled' out
has 'a cell has a fault' '^ring alltoall 0: .*fewer rounds than the bound' out
has 'what is well is counted' '^2 cells served and run, 0 refused, 3 not exact; 16 rows exact$' out

write
few ' refused '
runs 1 'nothing is served'

# An algorithm with one send of another chunk.
run 0 build -t ring:4 -c allgather --method ring -o whole.json
run 0 verify whole.json
awk '/"steps": \[/ {inside = 1}
	inside && !done && /\[[0-9]+, *[0-9]+, *[0-9]+\]/ {match($0, /\[[0-9]+,/); c = substr($0, RSTART + 1, RLENGTH - 2)
	$0 = substr($0, 1, RSTART) (c % 2 ? c - 1 : c + 1) substr($0, RSTART + RLENGTH - 1); done = 1} {print}' whole.json >changed.json
! cmp -s whole.json changed.json
ok $? 'one send has another chunk'
run 1 verify changed.json
run 1 lower changed.json --target host -o lowered
[ ! -e lowered ]
ok $? 'nothing of it is lowered'

# The command line serves and refuses the same.
mkdir line
"$write_cells" line:3 line >line/cells
while read -r method kind root served why; do
	set -- build -t line:3 -c "$kind" --method "$method"
	[ "$root" = 0 ] || set -- "$@" --root "$root"
	"$program" "$@" >out 2>err
	case $?-$served in
	0-served) echo 0 ;;
	2-refused) grep -qF -- "$why" err; echo $? ;;
	*) echo 1; echo "# $method $kind $root: $served here" >&2 ;;
	esac
done <line/cells >verdicts
[ -s verdicts ] && ! grep -q 1 verdicts
ok $? "sccl-synth build serves and refuses as these $(wc -l <verdicts) cells"
finish
