#!/bin/sh
# sccl-synth verify: right, wrong and unreadable files, algorithms and frontiers; the worst decides the exit status.
. "$(dirname "$0")/tap.sh"
json='file ok fault step chunk src dst'

help verify

run 0 verify "$golden/ring3-allgather.json" "$golden/ring3-custom.json"
same 'a line for each file' "$golden/ring3-allgather.json: ok, 1 step, 1 round, R/C = 1
$golden/ring3-custom.json: ok, 2 steps, 3 rounds, R/C = 3/2" out
silent
run 0 verify "$golden/ring3-allgather.json" --json
same 'right, as JSON' "{\"file\": \"$golden/ring3-allgather.json\", \"ok\": true, \"fault\": null, \"step\": null, \"chunk\": null, \"src\": null, \"dst\": null}" out
keys 'keys of verify --json' "$json" out

# Wrong: FILE, the fault's name, and where it is.
while read -r file fault where; do
	run 1 verify "$bad/algorithm/$file.json"
	has "$file is a fault of the kind $fault" ": $fault: " out
	silent
	run 1 verify "$bad/algorithm/$file.json" --json
	keys "keys of $file" "$json" out
	has "$file as JSON" "\"ok\": false, \"fault\": \"$fault\", $where\}$" out
done <<'END'
verify-not-held not-held "step": 0, "chunk": 2, "src": 0, "dst": 1
verify-no-link no-link "step": 0, "chunk": 0, "src": 0, "dst": 2
verify-overload overload "step": 0, "chunk": null, "src": 0, "dst": 1
verify-twice twice "step": 0, "chunk": 0, "src": 0, "dst": 1
verify-not-delivered not-delivered "step": null, "chunk": 2, "src": null, "dst": 1
END

run 1 verify "$bad/algorithm/verify-overload.json" "$golden/ring3-allgather.json"
[ "$(wc -l <out)" = 2 ]
ok $? 'a wrong file does not keep the next from its verdict'
run 2 verify "$golden/ring3-allgather.json" nosuch.json "$bad/algorithm/verify-overload.json"
[ "$(wc -l <out)" = 2 ]
ok $? 'nor does one that cannot be read'
same 'which is named' 'sccl-synth: nosuch.json: No such file or directory' err

# Frontiers.
run 0 pareto -t dgx1 -c allgather -k 4 -o f
frontier=f/dgx1/allgather/frontier.json
run 0 verify $frontier
same 'a whole frontier' "$frontier: ok, the frontier is complete" out
sed 's/, \[3, 2, 4\]//' $frontier >f/dgx1/allgather/hole.json
run 1 verify f/dgx1/allgather/hole.json
has 'a frontier that leaves a better candidate out' '^f/dgx1/allgather/hole.json: frontier: refuted and open candidates are not all' out
run 1 verify f/dgx1/allgather/hole.json --json
has 'the same as JSON' '"ok": false, "fault": "frontier"' out
sed 's/c6-s3-r7.json/c2-s2-r3.json/' $frontier >f/dgx1/allgather/swapped.json
run 2 verify f/dgx1/allgather/swapped.json
has 'a point whose file has another cost' 'has a different cost' err
rm f/dgx1/allgather/c6-s3-r7.json
run 2 verify $frontier
has 'a point whose file is gone' 'c6-s3-r7.json' err

# Prices that show a bound stand beside it.
run 0 build -t dragonfly:2x2x2 -c alltoall --method direct -o priced.json
run 0 verify priced.json
priced() { # WHAT SED STATUS FAULT
	sed "$2" priced.json >other.json
	! cmp -s priced.json other.json
	ok $? "$1: another file"
	run "$3" verify other.json
	has "$1" "$4" $([ "$3" = 1 ] && echo out || echo err)
}
priced 'a price changed' 's/\[22, 1\]/[22, 2]/' 1 'the stated bounds are 1 step and 6/5 rounds per chunk, but they are 1 and 24/25$'
priced 'a price of another limit' 's/\[22, 1\]/[23, 1]/' 1 'the stated bounds are'
priced 'a price of no limit' 's/\[22, 1\]/[22222, 1]/' 1 'they are 1 and 19/20$'
priced 'no prices' 's/"limit_prices": .*\]/"limit_prices": []/' 1 'they are 1 and 19/20$'
priced 'more than they show' 's/"bandwidth": "6\/5"/"bandwidth": "5\/4"/' 1 'the stated bounds are 1 step and 5/4 rounds per chunk, but they are 1 and 6/5$'
priced 'a price below 0' 's/\[22, 1\]/[22, -1]/' 2 'bounds.limit_prices\[0\]\[1\]: must be an integer from 1 to 1048576, not -1$'
priced 'a price that is no pair' 's/\[22, 1\]/[22]/' 2 'bounds.limit_prices\[0\]: must be \[limit, price\]$'

# One order of additions: in a file, and between files.
machines=$source/algorithms/machines
run 0 verify --same-order "$machines/mi300x8/allreduce/c1-s1-r1.json" "$machines/mi300x8/allreduce/c8-s2-r2.json" "$golden/ring3-allgather.json"
has 'the order of a direct one' 'c8-s2-r2.json: ok, .*, adds 0 \+ 1 \+ 2 \+ 3 \+ 4 \+ 5 \+ 6 \+ 7$' out
has 'nothing is added' 'ring3-allgather.json: ok, 1 step, 1 round, R/C = 1$' out
run 1 verify --same-order "$source/algorithms/dgx1/allreduce/c2-s2-r2.json"
has 'two chunks of a file' ': order: chunk 0 is 0 \+ 2 \+ 3 .* at rank 0, and chunk 1 is 0 \+ 1 ' out
run 1 verify --same-order --json "$source/algorithms/dgx1/allreduce/c2-s2-r2.json"
has 'as JSON' '"ok": false, "fault": "order"' out
run 0 solve -t line:4 -c reduce --root 0 -C 1 -S 3 -R 3 -o line.json
run 0 solve -t complete:4 -c reduce --root 0 -C 1 -S 1 -R 1 -o direct.json
run 0 verify --same-order line.json
run 1 verify --same-order direct.json line.json
has 'two files' '^line.json: order: 0 \+ \(1 \+ \(2 \+ 3\)\), but in direct.json 0 \+ 1 \+ 2 \+ 3$' out
run 0 solve -t line:4 -c reduce --root 2 -C 1 -S 2 -R 2 -o middle.json
jq '.steps[0].reduces += [[0, 3, 2]] | .steps[1].reduces -= [[0, 3, 2]]' middle.json >early.json
run 0 verify --same-order middle.json early.json
has 'parts that come in different steps are one sum' '^early.json: ok, .*, adds 0 \+ 1 \+ 2 \+ 3$' out
finish
