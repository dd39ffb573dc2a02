#!/bin/sh
# sccl-synth best: the fastest algorithm at each size, against bounds, NCCL's algorithms, and every other method. With a third
# argument on more machines and collectives, and with more time.
. "$(dirname "$0")/tap.sh"
all=${3:-}

# of KEY FILE: the numbers (or words) of that key in FILE, one a line.
of() { sed "s/.*\"$1\": \"\\{0,1\\}\\([^,\"}]*\\).*/\\1/" "$2"; }

# each WHAT CONDITION FILE: the condition in awk, of t (µs), bound, ring and tree of each line of FILE.
each() {
	of microseconds "$3" >t && of bound_microseconds "$3" >bound && of ring_microseconds "$3" >ring && of tree_microseconds "$3" >tree
	paste t bound ring tree | awk "{ t = \$1; bound = \$2; ring = \$3; tree = \$4 } !($2) { bad = 1; print \"# \" \$0 } END { exit bad || !NR }"
	ok $? "$1"
}

help best

# ---- rows ----

run 0 best -t dgx1 -c allgather --sizes 1K:1M --json --within 6
[ -z "$(grep -v '^sccl-synth: --within: 6 s were not enough for ' err)" ]
ok $? 'nothing on standard error but what there was not enough time for'
keys 'a row' 'bytes microseconds bound_microseconds algbw busbw algorithm method chunks steps rounds ring_microseconds tree_microseconds file' out
[ "$(wc -l <out)" = 11 ]
ok $? 'a row for each power of two from 1K to 1M'
each 'no time is below its bound' 't >= bound * 0.999999 && bound > 0' out
each 'nor above that of the ring' 't <= ring * 1.000001' out
each 'there are no trees of an allgather' 'tree == "null"' out
run 0 best -t mi300x8 -c allgather --sizes 1K:1M --json
cp out first
run 0 best -t mi300x8 -c allgather --sizes 1K:1M --json
cmp -s out first
ok $? 'the same bytes again'
has 'algbw is that of the whole result, busbw of what comes from others' '^\{"bytes": 1048576, "microseconds": 17\.3840, "bound_[a-z]*": 17\.3840, "algbw": 482\.5[0-9]*, "busbw": 422\.2[0-9]*, ' out
run 0 best -t mi300x8 -c alltoall --sizes 1K,1M --json
each 'one step that fills all links is at the bound' 't <= bound * 1.0001' out
run 0 best -t dgx1@gpus=0 -c allreduce --sizes 1K --json --start dataflow --within 2
run 0 best -t dgx2x2 -c alltoall --sizes 1000000 --json --start dataflow
case $(of method out) in list-schedule|multitree) true;; *) false;; esac
ok $? 'by dataflow, links of different speeds ask for a schedule in time, or trees that are as fast'
each 'which is at the bound' 't <= bound * 1.0001' out
run 0 best -t dgx2x2 -c allgather --sizes 125000 --json --start dataflow --sharing order --within 40 -o timed
[ "$(of method out)" = list-schedule ]
ok $? 'in the order of the algorithm, ports ask for one'
each 'which is at the bound' 't <= bound * 1.0001' out
cp out best.jsonl
run 0 simulate timed/dgx2x2/allgather/c*.json --sizes 125000 --json --start dataflow --sharing order
[ "$(of microseconds out)" = "$(of microseconds best.jsonl)" ]
ok $? 'its file plays as long'
rm -rf timed best.jsonl
run 0 best -t dgx-h100 -c allreduce --sizes 1K,1M,1G --json --within 4s
each 'trees serve an allreduce' 't <= tree && t <= ring' out

# ---- never slower than any method ----

# beaten MACHINE COLLECTIVE ARGUMENT...: no method of `build --method` is faster at any size, by `simulate` with the same options.
beaten() {
	machine=$1 collective=$2
	shift 2
	run 0 best -t "$machine" -c "$collective" --sizes 1K,32K,1M,32M,1G --json --within ${all:+1}4 "$@"
	cp out best.jsonl
	tried=0 slower=0
	for m in ring direct double-binary-tree recursive-doubling bruck binomial multitree 2d-ring hdrm; do
		"$program" build -t "$machine" -c "$collective" --method "$m" -o method.json >/dev/null 2>&1 || continue
		"$program" simulate method.json --sizes 1K,32K,1M,32M,1G --json "$@" >method.jsonl 2>err || continue
		tried=$((tried + 1))
		of microseconds best.jsonl >a && of microseconds method.jsonl >b
		paste a b | awk '$1 > $2 * 1.000001 { bad = 1 } END { exit bad || NR != 5 }' || { slower=$((slower + 1)); echo "# $m"; paste a b | sed 's/^/# /'; }
		rm -f method.json
	done
	[ $slower = 0 ] && [ $tried -gt 1 ]
	ok $? "$collective on $machine: no row is slower than any of $tried methods"
}
beaten dgx1 allreduce
beaten torus:3x3 alltoall --alpha 1 --beta 1e-4
[ -z "$all" ] || beaten dgx1 broadcast
[ -z "$all" ] || beaten ring:6 reducescatter --alpha 1 --beta 1e-4
[ -z "$all" ] || beaten torus:4x4 allgather --alpha 1 --beta 1e-4 --start dataflow
[ -z "$all" ] || beaten torus:4x4 broadcast --alpha 1 --beta 1e-4 --start dataflow --sharing order
[ -z "$all" ] || beaten switch:4 gather --alpha 1 --beta 1e-4 --sharing fifo

# ---- every collective ----

for collective in scan scatter ${all:+broadcast gather reduce allreduce reducescatter}; do
	run 0 best -t ring:4 -c $collective --alpha 1 --beta 1e-4 --sizes 1K,1M --json --within 2
	[ "$(wc -l <out)" = 2 ]
	ok $? "$collective: no row is empty"
	each "$collective: no time is below its bound" 't >= bound * 0.999999 && bound > 0' out
done
run 0 best -t ring:4 -c broadcast --root 1,3 --alpha 1 --beta 1e-4 --sizes 1K --json --within 2
cat >swap.json <<'END'
{"format": "sccl-collective", "version": 1, "name": "swap", "nodes": 4, "pre": [[0, 0], [1, 2]], "post": [[0, 2], [1, 0]]}
END
run 0 best -t ring:4 -c ./swap.json --alpha 1 --beta 1e-4 --sizes 1K,1M --json --within 2
each 'a custom one' 't >= bound * 0.999999 && ring == "null"' out

# ---- the table, and other forms ----

run 0 best -t dgx-h100 -c allgather --sizes 1K:1G
has 'a range of sizes in one row, with the numbers at its ends' '^  1K\.\.1G +orbits +\((18,1,7|1,1,1)\) +0\.72\.\.16703 +11\.4\.\.514 ' out
has 'the distance to the bound, and the gain over a ring' ' 0\.00 % +6\.8[0-9]\.\.1\.00x +-$' out
[ "$(wc -l <out)" = 3 ]
ok $? 'rows are merged'
run 0 best -t mi300x8 -c alltoall --sizes 1K,1M --format csv
[ "$(head -1 out)" = "$(printf 'bytes,microseconds,bound_microseconds,algbw,busbw,algorithm,method,chunks,steps,rounds,ring_microseconds,tree_microseconds,file\r')" ]
ok $? 'CSV has headings'
[ "$(wc -l <out)" = 3 ]
ok $? 'and a row for each size'
run 0 best -t mi300x8 -c alltoall --sizes 1K,1M --format svg
has 'a plot names what it compares' ">NCCL's ring</text>" out

# ---- files ----

run 0 best -t dgx1 -c broadcast --root 3 --sizes 1K:1G --json -o dir --within 3
folder=dir/dgx1/broadcast
for file in choices-root3 best-root3.txt best-root3.csv best-root3.jsonl best-root3.svg; do
	[ -s "$folder/$file" ]
	ok $? "-o writes $file"
done
cmp -s out $folder/best-root3.jsonl
ok $? 'the file has what is printed'
cp out rows
run 0 verify $folder/c*.json
same=0
while read -r row; do
	echo "$row" >row
	"$program" simulate "$(of file row)" --sizes "$(sed 's/^{"bytes": \([0-9]*\),.*/\1/' row)" --json >played 2>err
	[ "$(of microseconds played)" = "$(of microseconds row)" ] || { same=1; cat row played err | sed 's/^/# /'; }
	grep -q "^$(of algorithm row | tr -c 'A-Za-z0-9\n' _) " $folder/choices-root3 || { same=1; echo "# not in choices: $(of algorithm row)"; }
done <rows
ok $same 'each row is what simulate says of its file, whose program is in the table of choices'
[ "$(find $folder -name 'c[0-9]*.json' | wc -l)" = "$(of file rows | sort -u | wc -l)" ]
ok $? 'no other algorithms are written'
has 'the last choice serves all larger sizes' ' - plain one - no$' $folder/choices-root3
[ -z "$(find dir -type f -name '.*')" ]
ok $? 'nothing is left half written'

# ---- limits ----

for c in allgather reducescatter allreduce alltoall broadcast reduce gather scatter; do
	run 0 best -t dgx1 -c $c --sizes 1K,1M --json --within 1e-6
	[ "$(wc -l <out)" = 2 ]
	ok $? "$c: one classic algorithm however little time there is"
done
has 'and what there was no time for' '^sccl-synth: --within: 1e-06 s were not enough for .*the search for a frontier$' err
run 3 best -t dgx1 -c scan --within 1e-6
[ ! -s out ]
ok $? 'but no classic algorithm is a scan'
tried=0
for within in 0.05 0.2 0.5; do
	timeout 60 "$program" best -t p2.8xlarge -c scan --sizes 1K --within $within >out 2>err </dev/null
	status=$?
	[ $status = 0 ] || { [ $status = 3 ] && grep -q '^sccl-synth: p2.8xlarge: gave up: nothing was found in time$' err; } || tried=$within
done
[ $tried = 0 ]
ok $? 'a search that ends for lack of time does not mean that there is nothing'
timeout 60 "$program" best -t torus:16x16 -c alltoall --alpha 1 --beta 1e-4 --sizes 1M --within 2s >out 2>err </dev/null
status=$?
[ $status = 0 ] || [ $status = 3 ]
ok $? 'a large machine in little time: an answer, or none'
[ $status = 3 ] || { has 'which names what there was not enough time for' '^sccl-synth: --within: 2 s were not enough for [a-z]' err
	has 'in the table too' '^cut off by its time: there was not enough for [a-z]' out; }

# A shell lets its jobs in the background ignore SIGINT; env gives it back.
env --default-signal=INT "$program" best -t torus:8x8 -c broadcast --alpha 1 --beta 1e-4 --sizes 1K,1M --within 100 -o cut >out 2>err </dev/null &
pid=$!
sleep 4
kill -s INT $pid
wait $pid
status=$?
[ $status = 130 ]
ok $? "interrupted: exit $status"
{ [ ! -s out ] && [ ! -e cut ]; } || { [ -s out ] && [ -s cut/torus:8x8/broadcast/best-root0.txt ]; }
ok $? 'with what there is so far, in whole files'
[ ! -s out ] || has 'and the table says so' '^interrupted: more time might find faster ones$' out
[ "$(ps -eo ppid= | grep -c "^ *$pid$")" = 0 ]
ok $? 'no workers are left'

# The sources have begun, but nothing of this size is found within moments.
env --default-signal=INT "$program" best -t torus:32x32 -c alltoall --alpha 1 --beta 1e-4 --within 100 >out 2>err </dev/null &
pid=$!
until ps -eo ppid= | grep -q "^ *$pid$"; do
	kill -0 $pid 2>/dev/null || break
	sleep 0.1
done
kill -s INT $pid
wait $pid
status=$?
[ $status = 130 ] && [ ! -s out ]
ok $? "interrupted before anything is found: exit $status"
same 'which is stated' 'sccl-synth: torus:32x32: interrupted: nothing was found yet' err

# ---- folders that cannot be written ----

echo text >notdir
for out in notdir notdir/more /dev/null /proc/x; do
	run 2 best -t torus:8x8 -c broadcast --alpha 1 --beta 1e-4 --within 100000 -o "$out"
	[ ! -s out ]
	ok $? "-o $out is refused before the search"
done
[ "$(cat notdir)" = text ]
ok $? 'and stays as it is'
mkdir -p late/mi300x8/alltoall/best.svg
run 2 best -t mi300x8 -c alltoall --sizes 1K --json -o late
[ "$(wc -l <out)" = 1 ] && [ "$(of file out)" = null ]
ok $? 'the answer is printed even if a file cannot be written, and names none'
[ ! -e late/mi300x8/alltoall/choices ]
ok $? 'no table of choices names what may be missing'
has 'which is stated' '^sccl-synth: late/mi300x8/alltoall/best.svg: Is a directory$' err

# ---- bad input ----

run 2 best -c allgather
run 2 best -t dgx1
run 2 best -t nix -c allgather
run 2 best -t dgx1 -c nix
run 2 best -t dgx1 -c allgather extra
run 2 best -t ring:4 -c allgather
has 'a machine without speeds' '^sccl-synth: ring:4: has no alpha and beta for link 0-1; give --alpha and --beta$' err
run 2 best -t line:4@drop=1-2 -c broadcast --root 0 --alpha 1 --beta 1e-4
has 'a node that is not reached' 'node [23] cannot be reached' err
for within in 0 -1 nan 3m s 1e9 0x1p3 0x3 5ss; do
	run 2 best -t dgx1 -c allgather --within $within
	same "--within $within" "sccl-synth: --within: must be seconds, more than 0 and at most 1e8, not \"$within\"" err
done
run 2 best -t dgx1 -c allgather --sizes 8:4
run 2 best -t dgx1 -c allgather --sizes 1M,1K
run 2 best -t dgx1 -c allgather --format pdf
run 2 best -t dgx1 -c allgather --json --format csv
has 'one form' '^sccl-synth: --json: contradicts --format csv$' err
run 2 best -t dgx1 -c broadcast --root all
run 2 best -t dgx1 -c allgather --root 1
run 2 best -t dgx1 -c allgather --packet 256
run 2 best -t mi300x8 -c alltoall --sizes 1K -o first
[ ! -s out ]
ok $? 'no folder, no answer'
finish
