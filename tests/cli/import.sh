#!/bin/sh
# sccl-synth import: machines in the formats of others, as tests/interop/machines/expected.txt has them. The third argument lists
# the libraries that the build has: hwloc, xml, yaml. With WRITE set in the environment, writes expected.txt anew.
. "$(dirname "$0")/tap.sh"
inputs=$source/tests/interop/machines

help import

if [ "$3" != 'hwloc xml yaml' ]; then
	skip 'all formats' "the build has only: $3"
	finish
fi

cp -r "$inputs" in
for file in in/*.[a-z]*; do
	case $file in in/expected.txt | in/bad-*) continue ;; esac
	echo "== $(basename "$file")"
	"$program" import "$file" -o read.json 2>&1 </dev/null && "$program" topology show ./read.json | tail -n +2
done >found
[ -z "${WRITE-}" ] || cp found "$inputs/expected.txt"
cmp -s found "$inputs/expected.txt"
ok $? 'every file is read as expected'
diff found "$inputs/expected.txt" | sed 's/^/# /' | head -20

run 0 import in/nccl-direct.xml
cp out printed.json
run 0 import in/nccl-direct.xml -o nccl-direct.json
cmp -s printed.json nccl-direct.json
ok $? 'without -o the machine is printed'
run 0 topology isomorphic ./printed.json ./nccl-direct.json
run 0 import in/nccl-direct.xml --rates planned -o planned.json
has 'planned rates are those of NCCL' '"nvlink": .*"gigabytes_per_second": "20"' planned.json
run 0 import in/nccl-direct.xml in/smi-direct.txt -o merged.json
has 'the most detailed is taken' 'nccl-direct.xml: taken, as the most detailed of 2' err
run 0 import in/smi-nvswitch.txt in/nccl-nvswitch.xml -o merged.json
has_no 'descriptions that agree give no difference' 'sends' err
run 0 import in/nccl-direct.xml in/smi-nvswitch.txt -o merged.json
has 'differences are listed' 'GPUs meet in switches; .*links join pairs' err
has 'with numbers' 'GPU 0 sends 300 GB/s in all; .*: 450 GB/s' err
run 2 import in/nccl-direct.xml in/rates.csv -o never.json
has 'two machines are not merged' 'describes 3 GPUs and in/nccl-direct.xml 4' err
[ ! -e never.json ]
ok $? 'and nothing is written'
run 0 import --json in/astra.yml -o astra.json
keys 'as JSON' 'format name nodes switches links file notes' out
silent
sed 's/$/\r/' in/smi-direct.txt >crlf.txt
run 0 import crlf.txt -o crlf.json
run 0 import in/rates.csv -o /dev/stdout
has 'it goes to /dev/stdout' '"format": "sccl-topology"' out
[ -L /dev/stdout ]
ok $? 'which remains what it is'
run 0 bounds -t ./nccl-direct.json -c allreduce
# A pipe can be read once, also by hwloc.
"$program" import - -o piped.json <"$source/tests/interop/hwloc/nvlinks.xml" >out 2>err
ok $? 'hwloc XML from standard input'
run 0 import "$source/tests/interop/hwloc/nvlinks.xml" -o direct.json
run 0 topology isomorphic ./piped.json ./direct.json
printf 'topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [9999999999999]\n' >slow.yml
run 2 import slow.yml
has 'a latency that no link has' 'slow.yml:4: "9999999999999" is not a latency in ns' err
printf '<!-- no <!ENTITY is defined by this -->\n<system version="1"/>\n' >comment.xml
run 2 import comment.xml
has 'a comment defines nothing' 'comment.xml: lists no GPU' err

# Plans become algorithms: there and back again, in both formats.
back() {
	for format in msccl-xml mscclpp; do
		run 0 export "$1" --format $format -o plan
		run 0 import plan -t "$2" -o back.json
		run 0 verify back.json
		has "the $3 is the same" "\"collective\": \{\"kind\": \"$3\"" back.json
	done
}
back "$golden/ring3-allgather.json" ring:3 allgather
"$program" show "$golden/ring3-allgather.json" | grep -E '^ *step|->' >before
"$program" show back.json | grep -E '^ *step|->' >after
cmp -s before after && [ -s before ]
ok $? 'with the same sends'
back "$source/algorithms/dgx1/allreduce/c16-s4-r6.json" dgx1 allreduce
back "$source/algorithms/dgx1/alltoall/c8-s2-r3.json" dgx1 alltoall
run 0 import plan -t dgx1 -o back.json
has 'with as few rounds' '\(8,2,3\)' out
back "$source/algorithms/dgx1/reducescatter/c16-s2-r3.json" dgx1 reducescatter
cat >te-ccl-schedule.json <<END
{"1-Epoch_Duration": 1.0, "6-Demand_Met": {"GPU 1": {}, "GPU 2": {}, "GPU 4": {}},
 "7-Flows": ["Chunk 0 from 1 traveled over 1->2 in epoch 0", "Chunk 0 from 2 traveled over 2->4 in epoch 0 via switches 3",
 "Chunk 0 from 4 traveled over 4->1 in epoch 0", "Chunk 0 from 1 traveled over 2->4 in epoch 1",
 "Chunk 0 from 2 traveled over 4->1 in epoch 1", "Chunk 0 from 4 traveled over 1->2 in epoch 1"]}
END
run 0 import te-ccl-schedule.json -t ring:3 -o gathered.json
has 'a schedule of TE-CCL too' '^allgather on ring:3, \(1,2,2\): gathered.json$' out
run 0 verify gathered.json
run 2 import te-ccl-schedule.json -t ring:4
# Rank 0 gets the sum of its box before that of all: both copies are kept.
run 0 import "$source/tests/interop/plans/box-sums.xml" -t complete:4 -o sums.json
has 'sums of boxes are passed on before they are whole' '^allreduce on complete:4, \(1,5,5\): sums.json$' out
run 0 verify sums.json
run 2 import in/nccl-direct.xml -t ring:4
finish
