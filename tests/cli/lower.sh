#!/bin/sh
# sccl-synth lower --target host: a program that needs the runtime's public headers and nothing else.
. "$(dirname "$0")/tap.sh"

help lower

run 0 lower "$golden/ring3-allgather.json" "$golden/ring3-custom.json" --target host -o made
silent
find made -type f | sort >files
same 'a source and a header of each' 'made/ring_3_allgather_c1_s1_r1.c
made/ring_3_allgather_c1_s1_r1.h
made/ring_3_custom_c2_s2_r3.c
made/ring_3_custom_c2_s2_r3.h' files
cat made/*.[ch] | grep '^ *#include' >includes
has_no 'only headers of sccl/' '#include ([^<]|<[^s]|<s[^c])' includes
has_no 'only headers of sccl/, spelt whole' '#include <(sccl[^/]|sc[^c])' includes
for header in $(sed 's/.*<\(.*\)>.*/\1/' includes | sort -u); do
	[ -e "$source/runtime/include/$header" ]
	ok $? "$header is a public header"
done
compiled=0
for file in made/*.c; do
	${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$source/runtime/include" -c "$file" -o made.o 2>cc.err || compiled=1
done
ok $compiled 'C11 without a warning, with -I runtime/include alone'
[ $compiled = 0 ] || head -5 cc.err | sed 's/^/# /'

mkdir before && cp made/* before
run 0 lower "$golden/ring3-allgather.json" "$golden/ring3-custom.json" --target host -o made
diff -r before made
ok $? 'the same bytes again'

# A file for each kernel, by default of those that most call.
run 0 solve -t ring:3 -c allreduce -C 3 -S 2 -R 2 -o sum.json
run 0 lower sum.json --target cuda --split -o split
silent
has 'every kernel is declared' '^SCCL_DECLARE_KERNEL\(ring_3_allreduce_c3_s2_r2_kernel_bf16_max\)$' split/ring_3_allreduce_c3_s2_r2.cu
has 'and exported by its file' '^SCCL_EXPORT_KERNEL\(ring_3_allreduce_c3_s2_r2_kernel_bf16_max,' split/ring_3_allreduce_c3_s2_r2.bf16_max.cu
ok $(($(ls split/*.cu | wc -l) != 13)) 'twelve kernels'
run 0 lower sum.json --target cuda --split --types all --ops all -o split-all
ok $(($(ls split-all/*.cu | wc -l) != 58)) 'fifty-seven on request'
run 0 lower "$golden/ring3-allgather.json" --target host --split --types f32,i64,i32 --ops prod -o moves
ls moves >files
same 'one for each size where nothing is reduced' 'ring_3_allgather_c1_s1_r1.4.c
ring_3_allgather_c1_s1_r1.8.c
ring_3_allgather_c1_s1_r1.c
ring_3_allgather_c1_s1_r1.h' files

run 0 solve -t line:2 -c allreduce -C 2 -S 2 -R 2 -o line2.json
run 1 lower "$bad/algorithm/verify-overload.json" line2.json --target host -o partly
find partly -type f | sort >files
has 'what verifies is lowered' 'line_2_allreduce' files
[ "$(wc -l <files)" = 2 ]
ok $? 'and what does not is not'

run 0 lower --same-order line2.json --target host -o ordered
run 1 lower --same-order "$source/algorithms/dgx1/allreduce/c2-s2-r2.json" --target host -o disordered
has 'which chunks differ' 'does not add every element in the same order: chunk 0 is ' err
[ ! -e disordered ]
ok $? 'and nothing is written'
run 1 lower --same-order "$source/algorithms/dgx1/allreduce/c2-s2-r2.json" --target host --types e4m3,bf16 --ops mulsum,sum -o disordered
has 'types of 8 bits are rounded between' 'chunk 0 is \[' err
run 0 lower --same-order "$golden/ring3-allgather.json" --target host -o ordered
run 0 solve -t line:3 -c scan -C 1 -S 2 -R 2 -o sums.json
run 0 lower --same-order sums.json --target host -o ordered
run 0 build -t ring:24 -c allreduce --method ring -o long.json
run 1 lower --same-order long.json --target host -o disordered
has 'sums of 24 ranks begin where they are sent from' 'does not add every element in the same order: chunk 0 is ' err
run 2 lower "$golden/ring3-allgather.json" --target host --accumulate f64 -o ordered
has 'sums are kept in their own type or in f32' '--accumulate: must be own or f32, not "f64"' err
finish
