#!/bin/sh
# sccl-synth run: every result against a reference, also for counts that no block divides.
. "$(dirname "$0")/tap.sh"

help run

exact() { grep -cE "$exact" out; }

run 0 run "$golden/ring3-allgather.json" --counts 0,1,7
silent
has 'the columns of nccl-tests' '^# +size +count +type +redop +root +time +algbw +busbw +#wrong +time +algbw +busbw +#wrong$' out
[ "$(exact)" = 3 ]
ok $? 'three rows, all exact'
run 0 run "$golden/ring3-allgather.json" --counts 0,1,7 --json
[ "$(wc -l <out)" = 3 ]
ok $? 'an object a row'
has 'it names the algorithm file' "\"file\": \"$golden/ring3-allgather.json\", \"bytes\": 0, \"count\": 0," out
has_no 'and every check is exact' '"check": "[^e]' out
run 0 run "$golden/ring3-allgather.json" -b 64 -e 4K -f 8 -n 3 -w 0 --in-place
same 'sizes as nccl-tests takes them, in place alone' '64 N/A 512 N/A 4096 N/A' "$(awk '/^ / {printf "%s%s %s", sep, $1, $6; sep = " "} END {print ""}' out >sizes; echo sizes)"
run 2 run "$golden/ring3-allgather.json" -b 4K -e 1K
run 0 run "$golden/ring3-allgather.json" --sizes 1K:4K --mode threads --calls 5
[ "$(exact)" = 3 ]
ok $? 'threads too, by size'

run 0 solve -t ring:3 -c allreduce -C 3 -S 2 -R 2 -o sum.json
run 0 run sum.json --counts 0,1,7,1000 --types all --ops all --calls 2
[ "$(exact)" = 288 ]
ok $? 'four counts, twelve types, six operations'
run 0 run sum.json "$golden/ring3-custom.json" --counts 7 --calls 2
[ "$(exact)" = 2 ]
ok $? 'files one after the other'
run 1 run "$bad/algorithm/verify-not-delivered.json" --counts 7
[ ! -s out ]
ok $? 'what does not verify is not run'
CC=nosuchcompiler
export CC
run 4 run "$golden/ring3-allgather.json" --counts 7
has 'a compiler that is not there is named' 'nosuchcompiler' err
CC='cc; touch hacked'
run 4 run "$golden/ring3-allgather.json" --counts 7
[ ! -e hacked ]
ok $? 'no shell reads $CC'
# A compiler that leaves a server behind, as caches of compilers do, which has the compiler's output open.
cat >serves <<'END'
#!/bin/sh
sleep 600 &
echo $! >"$SERVER"
exec cc "$@"
END
chmod +x serves
CC=$work/serves SERVER=$work/server
export SERVER
run 0 run "$golden/ring3-allgather.json" --counts 7
kill "$(cat server)"
ok $? 'a program is run while the server of its compiler still runs'
unset CC SERVER
# A compiler that waits until two of it run, and cannot compile one of the files.
cat >together <<'END'
#!/bin/sh
echo >>"$BEGUN"
tries=0
until [ "$(wc -l <"$BEGUN")" -gt 1 ] || [ $tries = 200 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
case "$*" in
*f32_max*) echo 'a mistake' >&2; exit 1 ;;
esac
[ $tries -lt 200 ]
END
chmod +x together
NVCC=$work/together BEGUN=$work/begun
export NVCC BEGUN
run 4 run sum.json --target cuda --types f32,i32 --ops sum,max -j 2 --counts 7
has 'kernels are compiled in parallel, and a failure names the file' 'could not compile ring_3_allreduce_c3_s2_r2.f32_max.cu$' err
same 'with the compiler'\''s message and nothing else' "a mistake
sccl-synth: $NVCC: could not compile ring_3_allreduce_c3_s2_r2.f32_max.cu" err
cat >fails <<'END'
#!/bin/sh
echo 'a mistake' >&2
exit 1
END
chmod +x fails
NVCC=$work/fails
run 4 run sum.json --target cuda --types f32,i32 --ops sum,max -j 5 --counts 7
[ "$(wc -l <err)" = 2 ]
ok $? 'of several failures one is reported'
NVCC=$work/together
rm -f begun
if command -v script >/dev/null; then
	script -qec "$program run sum.json --target cuda --types f32,i32 --ops sum,max -j 2 --counts 7" /dev/null >out 2>err </dev/null
	has 'progress on a terminal' 'compiling ring_3_allreduce_c3_s2_r2: 1 of 5 files' out
else
	skip 'progress on a terminal' 'no script'
fi
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR
run 0 run "$golden/ring3-allgather.json" --counts 7
[ -z "$(ls tmp)" ]
ok $? 'nothing is left behind'
finish
