#!/bin/sh
# sccl-run from outside: what it prints, and what it says of faulty programs and bad usage. TAP.
#
# $SCCL_SYNTH and $SCCL_RUN are the programs, $SOURCE_ROOT the source tree, $CC the compiler.
CC=${CC:-cc}
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4
number=0

# expect NAME STATUS TEXT ARGUMENT...: sccl-run ends so, and TEXT (a pattern of grep) is a line of what it prints; an
# error is one line.
expect() {
	name=$1 status=$2 text=$3
	shift 3
	number=$((number + 1))
	"$SCCL_RUN" "$@" >out 2>err
	got=$?
	if [ $got -eq "$status" ] && cat out err | grep -q -e "$text" && { [ $got -ne 2 ] || [ "$(wc -l <err)" -eq 1 ]; }; then
		echo "ok $number $name"
	else
		echo "not ok $number $name (status $got)"
		sed 's/^/# /' out err
	fi
}

# make NAME SED: the program, edited, as NAME.so
make() {
	mkdir -p "$1"
	sed "$2" "$source" >"$1/$(basename "$source")"
	$CC -w -O1 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" "$1/$(basename "$source")" -o "$1.so" || exit 1
}

"$SCCL_SYNTH" solve -t ring:4 -c allreduce -C 4 -S 4 -R 6 -o found.json >log 2>&1 &&
	"$SCCL_SYNTH" lower found.json --target host -o . >>log 2>&1 || { cat log; exit 1; }
source=$(echo ./*.c)
symbol=$(basename "$source" .c)
last=$(awk '/^	SCCL_SIGNAL\(/ { last = NR } /^};/ && last { print last; exit }' "$source")
make whole ''
make hasty '/^\tSCCL_WAIT(/d' # all of them: without one alone, ranks may happen to be in time
make silent "${last}d"
make old 's/^	SCCL_ABI, /	SCCL_ABI + 1, /'
make foreign 's/"host"/"cuda"/'
make crashing 's/^static uint64_t chunk_limit(uint64_t count)/&;static uint64_t chunk_limit(uint64_t count)/;s/^	return sccl_longest(count, .*/	if (count == 5) __builtin_trap();&/'

# For more ranks than the sums of f8e5m2 are exact for, of which contributions are 0.
"$SCCL_SYNTH" build --method direct -t ring:9 -c reducescatter -o nine.json >log 2>&1 &&
	"$SCCL_SYNTH" lower nine.json --target host --types f8e5m2 --ops avg -o nine >>log 2>&1 || { cat log; exit 1; }
$CC -w -O1 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" nine/*.c -o "$(basename nine/*.c .c).so" || exit 1

echo "1..64"
expect "prints a row a size" 0 '^ *65536 *16384 *float *sum *-1 .* 0$' whole.so --symbol "$symbol" --sizes 1K:64K
cp whole.so "$symbol.so"
expect "takes its program's name from the file" 0 '^# Out of bounds values : 0 OK$' "$symbol.so" --sizes 1K
expect "prints objects" 0 '^{"file": "a \\"b\\"", "bytes": 28, "count": 7, "microseconds": .*, "type": "i32", "op": "max", "root": null, "in_place": false, "calls": 3, "wrong": 0, "check": "exact"}$' \
	whole.so --symbol "$symbol" --counts 7 --types i32 --ops max --calls 3 --json --label 'a "b"'
expect "prints an object a placement" 0 '"in_place": true, ' whole.so --symbol "$symbol" --counts 7 --calls 2 --json --in-place --out-of-place
expect "takes the options of nccl-tests" 0 '^ *8192 *2048 *float ' whole.so --symbol "$symbol" -b 128 -e 64K -f 8 -n 3 -w 2
expect "runs in one placement" 0 '^ *1024 *256 *float .* N/A *N/A *N/A *N/A$' whole.so --symbol "$symbol" --counts 256 --calls 2 --out-of-place
expect "takes NCCL's names of types" 2 'no kernel for sum of f64' whole.so --symbol "$symbol" -b 1K -e 1K -d double
expect "waits for its stream between hundreds of calls" 0 '^ *28 *7 *float ' whole.so --symbol "$symbol" --counts 7 -n 3 -w 700 --out-of-place
expect "averages over many ranks" 0 '^# Out of bounds values : 0 OK$' "$(basename nine/*.c .c).so" --counts 0,1,7,1000 --types f8e5m2 --ops avg --calls 3
expect "refuses a range upside down" 2 'is more than -e' whole.so --symbol "$symbol" -b 2K -e 1K
expect "refuses two lists of sizes" 2 'exclude' whole.so --symbol "$symbol" -b 2K --sizes 1K
expect "runs threads" 0 '(threads)' whole.so --symbol "$symbol" --mode threads --counts 0,1,1000
expect "runs in place" 0 '^# Out of bounds values : 0 OK$' whole.so --symbol "$symbol" --in-place --counts 1000
expect "stages" 0 '^# Out of bounds values : 0 OK$' whole.so --symbol "$symbol" --staged --counts 1000
expect "shows threads each other's memory" 0 '^# Out of bounds values : 0 OK$' whole.so --symbol "$symbol" --registered --mode threads --counts 1000
expect "cannot show it to other processes" 2 'cannot be opened by another process' whole.so --symbol "$symbol" --registered --counts 1000
expect "has no graphs on processors" 2 'no graphs' whole.so --symbol "$symbol" --graph --counts 1000
expect "cuts into blocks" 0 '^# Out of bounds values : 0 OK$' whole.so --symbol "$symbol" --blocks 40 --counts 1000
expect "only measures" 0 '"check": null}$' whole.so --symbol "$symbol" --no-check --json --sizes 4K
expect "tells where a result differs" 1 'f32 sum of .* elements, call [0-9]*, rank [0-3]: element [0-9]* of the output is wrong' \
	hasty.so --symbol "$symbol" --counts 1000,100000 --calls 400
expect "tells who waits for whom" 4 'rank [0-3], block 0, step [1-4] waits for rank [0-3]' \
	silent.so --symbol "$symbol" --counts 1000 --timeout 0.3
expect "tells which rank crashed" 4 'rank [0-3] ended by signal' crashing.so --symbol "$symbol" --counts 5
expect "refuses another abi" 2 'was generated for abi [0-9]*; this is abi [0-9]*' old.so --symbol "$symbol"
expect "refuses a target that is not here" 4 'cuda\|GPU' foreign.so --symbol "$symbol"
expect "refuses a missing file" 2 'sccl-run: none.so: cannot be loaded' none.so
expect "refuses what is no library" 2 'cannot be loaded' "$source"
expect "refuses a missing program" 2 'has no program named "whole"' whole.so
escape=$(printf '\033[2J\302\233')
expect "prints names as plain text" 2 '^sccl-run: a?\[2J??b: cannot be loaded: ./?\[2J??.so: ' "$escape.so" --label "a${escape}b"
expect "and options too" 2 '^sccl-run: --types: there is no "?\[2J??"' whole.so --types "$escape"
number=$((number + 1))
"$SCCL_RUN" "--x$escape" >out 2>err
[ $? -eq 2 ] && grep -q '^sccl-run: unrecognized option .--x?\[2J??' err && ! grep -qF "$escape" err || printf 'not '
echo "ok $number and options that there are not"
number=$((number + 1))
"$SCCL_RUN" whole.so --symbol "$symbol" --counts 1000 >out 2>&- <&- && grep -q '^# Out of bounds values : 0 OK$' out || printf 'not '
echo "ok $number runs without standard input and error"
number=$((number + 1))
"$SCCL_RUN" whole.so --symbol "$symbol" --counts 1000 <&- >&- 2>err
[ $? -eq 4 ] && grep -q '^sccl-run: standard output: cannot be written$' err || printf 'not '
echo "ok $number says that its table cannot be written"
mkfifo pipe.so
expect "waits for no pipe" 2 'pipe.so: is not a regular file' pipe.so
expect "asks for a file" 2 'FILE is missing'
expect "takes one file" 2 'is a second FILE' whole.so old.so
expect "refuses a range without power of two" 2 'there is no power of two in it' whole.so --sizes 5:7
expect "refuses a range that ends before it begins" 2 'write a range of bytes' whole.so --sizes 2K:1K
expect "refuses a size that is none" 2 'write bytes as in' whole.so --sizes 12Q
expect "refuses a number too large" 2 'write bytes as in' whole.so --sizes 99999999999999999999
expect "refuses a negative count" 2 'write numbers of elements' whole.so --counts -1
expect "refuses a type that is none" 2 '--types: there is no "f33"' whole.so --types f33
expect "refuses an operation that was not compiled in" 2 "$symbol has no kernel for prod of f32" whole.so --symbol "$symbol" --ops prod
expect "refuses a type that was not compiled in" 2 "$symbol has no kernel for sum of f64" whole.so --symbol "$symbol" --types f64
expect "refuses an operation that is none" 2 '--ops: there is no "median"' whole.so --ops median
expect "refuses no calls" 2 '--calls 0: write a number from 1' whole.so --calls 0
expect "refuses a mode that is none" 2 'write processes or threads' whole.so --mode fibers
expect "refuses a timeout that is none" 2 'write seconds' whole.so --timeout soon
expect "refuses more than the machine holds" 2 'this machine has' whole.so --symbol "$symbol" --sizes 1024G
expect "refuses a protocol that is none" 2 '--protocol smoke: write plain' whole.so --symbol "$symbol" --protocol smoke
expect "refuses kernels that are none" 2 '--kernels two: write one, step or none' whole.so --symbol "$symbol" --kernels two
expect "refuses a size beyond 64 bits" 2 'write bytes as in' whole.so --sizes 99999999999G
expect "takes values behind an equals sign" 0 '^# Out of bounds values : 0 OK$' whole.so "--symbol=$symbol" --counts=7 --check
expect "tells in its table what is not checked" 0 '^ *28 *7 *float .* N/A' whole.so --symbol "$symbol" --counts 7 --no-check --calls 3
expect "writes any label as JSON" 0 '^{"file": "a\\u0001\\u007f\\ufffd", ' whole.so --symbol "$symbol" --counts 7 --calls 3 --json \
	--label "$(printf 'a\001\177\377')"
expect "knows the paper's mode of a kernel a step" 0 '^# ' whole.so --symbol "$symbol" --counts 7 --mode multikernel
expect "and of none" 0 '^# ' whole.so --symbol "$symbol" --counts 7 --mode memcpy
expect "binds each rank to a processor" 0 '^# Out of bounds values : 0 OK$' whole.so --symbol "$symbol" --counts 7 --pin
expect "asks which program to preload for" 2 'usage: sccl-run --nccl' --nccl -t ring:4
expect "takes no other options with it" 2 '^sccl-run: --nccl: --smoke is no option, or lacks its value$' --nccl --smoke 1 -- true
expect "refuses a target that is none" 2 'there is no target "abacus"' --nccl -t ring:4 --target abacus -- true
export SCCL_SYNTH_BEFORE="$SCCL_SYNTH" SCCL_SYNTH=nowhere
expect "needs the synthesizer" 2 'sccl-synth is not found: name it with SCCL_SYNTH' --nccl -t ring:4 --target host -- true
export SCCL_SYNTH="$SCCL_SYNTH_BEFORE" SCCL_NCCL_LIBRARY=nowhere
expect "needs the library" 2 'libsccl-nccl.so is not found' --nccl -t ring:4 --target host -- true
export SCCL_NCCL_LIBRARY="$SCCL_RUN" SCCL_INCLUDE=nowhere
expect "needs the headers" 2 'the headers in sccl/ are not found' --nccl -t ring:4 --target host -- true
unset SCCL_NCCL_LIBRARY SCCL_INCLUDE SCCL_SYNTH
mkdir -p apart/bin && cp "$SCCL_RUN" apart/bin
SCCL_RUN=apart/bin/$(basename "$SCCL_RUN")
expect "looks for the synthesizer beside itself" 2 'sccl-synth is not found' --nccl -t ring:4 --target host -- true
