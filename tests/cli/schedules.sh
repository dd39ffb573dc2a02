#!/bin/sh
# Schedules of other tools: export, import of what was exported, samples of others' formats, and planted faults.
. "$(dirname "$0")/tap.sh"
inputs=$source/tests/interop/schedules

if [ "${3-xml}" != xml ]; then
	skip 'schedules in XML' 'the build is without libxml2'
	finish
fi

# sends FILE: the sends of an algorithm, step by step.
sends() {
	"$program" show "$1" | grep -E '^ *step|->'
}

# back FORMAT FILE MACHINE: what is exported is imported as the same sends in the same steps.
back() {
	run 0 export "$2" --format "$1" -o there
	run 0 import there -t "$3" -o again.json
	run 0 verify again.json
	sends "$2" >before
	sends again.json >after
	[ -s before ] && cmp -s before after
	ok $? "$1: $(basename "$2") there and back"
}

for c in broadcast/c18-s5-r5 gather/c2-s2-r3-root0 scatter/c16-s2-r3-root0 alltoall/c8-s2-r3 reduce/c18-s5-r5 reducescatter/c16-s2-r3 allreduce/c2-s2-r2 allgather/c6-s3-r7; do
	file=$(find "$source/algorithms/dgx1/$(dirname "$c")" -name "$(basename "$c")*.json" | head -1)
	[ -n "$file" ] || file=$(find "$source/algorithms/dgx1/$(dirname "$c")" -name 'c*.json' | sort | head -1)
	back csv "$file" dgx1
done
run 0 export "$source/algorithms/dgx1/allgather/c6-s3-r7.json" --format csv
silent
same 'a row says all' 'collective,root,chunks,step,rounds,action,chunk,src,dst' "$(head -1 out >head; echo head)"
run 0 export "$golden/ring3-allgather.json" --format csv
cmp -s out "$inputs/rows.csv"
ok $? 'a row a send'
run 0 export "$source/algorithms/dgx1/allgather/c6-s3-r7.json" --format csv
cp out rows.csv
run 0 export "$source/algorithms/dgx1/allgather/c6-s3-r7.json" --format csv -o same.csv
cmp -s rows.csv same.csv
ok $? 'a file gets the same'
back te-ccl "$source/algorithms/dgx1/allgather/c6-s3-r7.json" dgx1
has 'epochs are rounds' '"3-Epochs_Required": 7,' there
has 'and throughput is stated' '"5-Algo_Bandwidth": [0-9]' there
run 2 export "$source/algorithms/dgx1/alltoall/c8-s2-r3.json" --format te-ccl
has 'only allgather' 'is alltoall; TE-CCL' err

# faulty WHAT PATTERN FILE MACHINE SED: the schedule so changed is refused for that reason.
faulty() {
	sed "$5" "$3" >changed
	cmp -s changed "$3" && echo "# $1: nothing was changed"
	run 2 import changed -t "$4"
	has "$1" "$2" err
}
faulty 'csv: a send that is missing' 'does not|never|holds' rows.csv dgx1 '20d'
faulty 'csv: a chunk that does not exist' 'chunk must be an integer from 0 to 47' rows.csv dgx1 '5s/,[0-9]*,\([0-9]*,[0-9]*\)$/,99,\1/'
faulty 'csv: rounds that differ' 'rounds differ within the step' rows.csv dgx1 '5s/^allgather,,6,1,[0-9]*/allgather,,6,1,9/'
faulty 'csv: too few rounds' 'no schedule in steps' rows.csv dgx1 's/^allgather,,6,1,[0-9]*/allgather,,6,1,1/'
faulty 'csv: another collective in one row' 'is for something else than the rows before' rows.csv dgx1 '9s/allgather/gather/'
faulty 'csv: an unknown action' 'action must be copy or reduce' rows.csv dgx1 '9s/copy/move/'
faulty 'csv: a row that is cut off' 'must have nine columns' rows.csv dgx1 '9s/,[0-9]*$//'
faulty 'te-ccl: a flow where no step begins' 'in epoch 1, where no step begins' there dgx1 '0,/in epoch 0/s/in epoch 0/in epoch 1/'
faulty 'te-ccl: a chunk whose number has more than 32 bits' 'is not the way of a chunk' there dgx1 '0,/Chunk 0 /s/Chunk 0 /Chunk 4294967296 /'
faulty 'te-ccl: such a GPU' 'has the key "GPU 4294967296"' there dgx1 's/"GPU 0"/"GPU 4294967296"/'
faulty 'te-ccl: more digits than an epoch has' 'is not the way of a chunk' there dgx1 '0,/in epoch 0/s/in epoch 0/in epoch 0x0/'

# NCCL's graphs: rings and chains, the same channels again.
run 0 import "$inputs/rings.xml" -t ring:4 -c allgather -o rings.json
has 'rings of an allgather' '^allgather on ring:4, \(2,3,3\): rings.json$' out
run 0 verify rings.json
for c in allgather reducescatter allreduce; do
	run 0 import "$inputs/rings.xml" -t ring:4 -c $c -o rings.json
	run 0 export rings.json --format nccl-graph -o rings.xml
	has "$c: two rings" 'graph id="0" pattern="4" .*nchannels="2"' rings.xml
	run 0 import rings.xml -t ring:4 -c $c -o again.json
	sends rings.json >before
	sends again.json >after
	cmp -s before after && [ -s before ]
	ok $? "$c: there and back"
done
run 0 import "$inputs/chain.xml" -t complete:3 -o chain.json
has 'a chain sums up and passes on' '^allreduce on complete:3, \(1,4,4\)' out
run 0 export chain.json --format nccl-graph -o chain.xml
grep '<gpu' "$inputs/chain.xml" >before
grep '<gpu' chain.xml >after
cmp -s before after
ok $? 'and is the same chain again'
has 'a tree graph' 'graph id="1" pattern="3"' chain.xml
run 0 build -t dgx1 -c allreduce --method ring -o ring.json
run 0 export ring.json --format nccl-graph -o ring.xml
silent
has 'six rings of DGX-1, 25 GB/s each' 'nchannels="6" speedintra="25"' ring.xml
run 0 import ring.xml -t dgx1 -c allreduce -o again.json
has 'with the same R/C' '\(48,14,14\)' out
run 2 export "$source/algorithms/dgx1/allgather/c6-s3-r7.json" --format nccl-graph
has 'other schedules are refused' 'neither rings nor chains' err
# What is no graph of NCCL's. made NODES KIND CHUNKS ALL COST STEPS: an algorithm on nodes that are all joined, ALL its global chunks.
made() {
	printf '{"format": "sccl-algorithm", "version": 1, "name": "made", "collective": {"kind": "%s"}, "chunks": %d, "global_chunks": %d,\n' "$2" "$3" "$4"
	printf '"topology": '
	"$program" topology show "complete:$1" --format json
	printf ', "steps": [%s], "cost": {%s}}\n' "$6" "$5"
}
made 3 allgather 1 3 '"steps": 2, "rounds": 2, "bandwidth": "2"' '{"rounds": 1, "sends": [[0, 0, 1], [1, 1, 0], [2, 2, 1]]},
	{"rounds": 1, "sends": [[0, 1, 2], [1, 0, 2], [2, 1, 0]]}' >uneven.json
run 2 export uneven.json --format nccl-graph
has 'rings for the chunks of some nodes alone' 'uses a ring for 1 chunks of node 0 and 0 of node 1' err
made 4 allreduce 1 1 '"steps": 6, "rounds": 6, "bandwidth": "6"' '{"rounds": 1, "sends": [], "reduces": [[0, 0, 1]]},
	{"rounds": 1, "sends": [], "reduces": [[0, 1, 2]]}, {"rounds": 1, "sends": [], "reduces": [[0, 2, 3]]},
	{"rounds": 1, "sends": [[0, 3, 1]]}, {"rounds": 1, "sends": [[0, 1, 0]]}, {"rounds": 1, "sends": [[0, 0, 2]]}' >other.json
run 2 export other.json --format nccl-graph
has 'a sum that returns by another path' 'is summed up along another path than its sum returns by' err
made 3 allreduce 2 2 '"steps": 4, "rounds": 6, "bandwidth": "3"' '{"rounds": 2, "sends": [], "reduces": [[0, 0, 1], [1, 0, 1]]},
	{"rounds": 2, "sends": [], "reduces": [[0, 1, 2], [1, 1, 2]]}, {"rounds": 1, "sends": [[0, 2, 0], [1, 2, 1]]},
	{"rounds": 1, "sends": [[0, 0, 1], [1, 1, 0]]}' >mixed.json
run 2 export mixed.json --format nccl-graph
has 'rings beside chains' 'goes in another shape than those before it' err
run 0 solve -t line:1 -c allgather -C 1 -S 1 -R 1 -o one.json
run 2 export one.json --format nccl-graph
has 'a graph of one GPU' 'has 1 nodes; a graph is of 2 to 256 GPUs' err
run 0 build -t a100-pcie-pairs -c allgather --method ring -o pcie.json
run 0 export pcie.json --format nccl-graph -o pcie.xml
has 'links of PCIe' 'PHB' pcie.xml
run 0 build -t gaudi2 -c allgather --method ring -o boxes.json
run 2 export boxes.json --format nccl-graph
has 'a network between GPUs' 'has a network between boxes, and each box reads a graph' err
run 2 import "$inputs/chain.xml" -t complete:3 -c allgather
has 'trees are for allreduce' 'trees are for allreduce alone' err
faulty 'graph: a GPU twice' 'GPU 0 is in the channel a second time' "$inputs/rings.xml" ring:4 's/dev="1" rank="1"/dev="0" rank="0"/'
faulty 'graph: a GPU that is missing' 'has 3 of 4 GPUs' "$inputs/rings.xml" ring:4 '4d'
faulty 'graph: channels that are not there' 'states 3 channels and has 2' "$inputs/rings.xml" ring:4 's/nchannels="2"/nchannels="3"/'
faulty 'graph: a link that is not there' 'no link joins them' "$inputs/rings.xml" ring:4 's/rank="1"/rank="x"/; s/rank="2"/rank="1"/; s/rank="x"/rank="2"/'
faulty 'graph: a network' 'passes a network elsewhere than at its ends' "$inputs/rings.xml" ring:4 '3a <net dev="0"/>'
# A graph of several boxes has each box's part of the rings: here the four GPUs of one, and a ring around all eight.
{
	sed -n '1,8p' "$inputs/rings.xml" | sed 's/nchannels="2"/nchannels="1"/; s|<channel>|&<net dev="0"/>|; s|</channel>||'
	echo '<net dev="0"/></channel></graph></graphs>'
} >boxes.xml
run 0 import boxes.xml -t ring:8 -c allgather -o boxes.json
has 'a ring over two boxes' '^allgather on ring:8, \(1,7,7\)' out
run 0 verify boxes.json
run 0 import boxes.xml -t ring:8 -c allreduce -o boxes.json
run 0 verify boxes.json
run 2 import boxes.xml -t ring:4
has 'a single box is not all of them' "is for several boxes of 4 GPUs; name all of them" err
run 2 import boxes.xml -t ring:6
has 'nor are one and a half' 'is for several boxes of 4 GPUs' err
faulty 'graph: no network at the end' 'passes a network elsewhere than at its ends' boxes.xml ring:8 's|<net dev="0"/></channel>|</channel>|'
faulty 'graph: a tree between boxes' 'trees between boxes are not in the file' boxes.xml ring:8 's/pattern="4"/pattern="3"/'

# ForestColl's trees.
run 0 import "$inputs/forest.xml" -t complete:3 -o forest.json
has 'trees are an allgather' '^allgather on complete:3, \(2,2,4\): forest.json$' out
run 0 verify forest.json
run 0 import "$inputs/forest.xml" -t complete:3 -c reducescatter -o forest.json
has 'backwards a reducescatter' '^reducescatter on complete:3, \(6,2,4\)' out
run 0 import "$inputs/forest.xml" -t complete:3 -c allreduce -o forest.json
has 'and both an allreduce' '^allreduce on complete:3, \(6,4,8\)' out
faulty 'trees: a GPU twice' 'is reached twice' "$inputs/forest.xml" complete:3 "4s/dst=\"(0, 'GPU', 10)\"/dst=\"(0, 'GPU', 2)\"/"
faulty 'trees: a GPU that is not reached' 'does not reach' "$inputs/forest.xml" complete:3 '4d'
faulty 'trees: a GPU of no tree' 'must be a GPU that is the root of a tree' "$inputs/forest.xml" complete:3 "4s/dst=\"(0, 'GPU', 10)\"/dst=\"(0, 'GPU', 11)\"/"
faulty 'trees: chunks that differ' 'has 2 chunks and' "$inputs/forest.xml" complete:3 's/nchunks="2" height="1"/nchunks="1" height="1"/'

# msccl-tools.
run 0 import "$inputs/tools-gather.json" -t complete:3 -o tools.json
has 'an algorithm of msccl-tools' '^allgather on complete:3, \(2,1,2\): tools.json$' out
run 0 import "$inputs/tools-sum.json" -t line:3 -o tools.json
has 'sums are found' '^allreduce on line:3, \(1,4,4\): tools.json$' out
tr -d ' \n' <tools.json >flat
has 'two reduces, then copies' '"reduces":\[\[0,0,1\]\].*"reduces":\[\[0,1,2\]\].*"sends":\[\[0,2,1\]\].*"sends":\[\[0,1,0\]\]' flat
faulty 'msccl-tools: too few rounds' 'no schedule in steps' "$inputs/tools-gather.json" complete:3 's/"rounds": 2/"rounds": 1/'
faulty 'msccl-tools: a send that is missing' 'no schedule in steps' "$inputs/tools-gather.json" complete:3 's/\[4, 2, 0\], //'
faulty 'msccl-tools: an address of no chunk' 'must be an integer from 0 to 5, not 6' "$inputs/tools-gather.json" complete:3 's/\[4, 2, 0\]/[6, 2, 0]/'
faulty 'msccl-tools: a contribution twice' 'no schedule in steps' "$inputs/tools-sum.json" line:3 's/\[0, 2, 1\]/[0, 1, 2]/'

# Chakra's traces, one a rank.
for c in allgather/c6-s3-r7 allreduce/c16-s4-r6 alltoall/c8-s2-r3 reducescatter/c16-s2-r3; do
	rm -f ./*.et
	file=$source/algorithms/dgx1/$c.json
	run 0 export "$file" --format chakra -o trace
	[ "$(echo ./*.et | wc -w)" = 8 ]
	ok $? "$c: a trace for each rank"
	run 0 import ./*.et -t dgx1 -o again.json
	sends "$file" >before
	sends again.json >after
	cmp -s before after
	ok $? "$c: the same sends in the same steps"
	has "$c: as good again" "$(echo "$c" | sed 's/.*\/c\(.*\)-s\(.*\)-r\(.*\)/\\(\1,\2,\3\\)/')" out
done
run 0 export "$file" --format chakra --bytes 4K -o trace
has 'the size is stated' 'for 4096 bytes a rank' out
run 2 export "$file" --format chakra
has 'a prefix is needed' 'sccl-synth: -o: missing' err
run 2 import trace.0.et trace.1.et -t dgx1
has 'all ranks are needed' '2 traces are given, and dgx1 has 8 nodes' err
if python3 -c '' 2>/dev/null; then
	# planted WHAT PATTERN SCRIPT: a change of rank 0's nodes, as a list of (bytes before dependences, dependences, bytes after).
	planted() {
		rm -rf fault && mkdir fault && cp ./*.et fault
		python3 "$source/tests/interop/schedules/change_trace.py" fault/trace.0.et "$3"
		run 2 import fault/*.et -t dgx1
		has "chakra: $1" "$2" err
	}
	run 0 export "$source/algorithms/dgx1/allreduce/c16-s4-r6.json" --format chakra -o trace
	planted 'a dependence that is missing' 'depends on no order with another node' dependence
	planted 'a cycle' 'depend on each other in a cycle' cycle
	planted 'a node that is not there' 'which is not there' absent
	planted 'a message that nobody sends' 'messages are sent and' drop
	planted 'a file that is cut off' 'ends within record' cut
	planted 'another chunk' 'receives another chunk than is sent' chunk
else
	skip 'faults in traces' 'no python3'
fi
# Ranks that add to what they have sent.
rm -f ./*.et
run 0 build -t hypercube:2 -c allreduce --method recursive-doubling -o doubled.json
run 0 export doubled.json --format chakra -o trace
run 0 import ./*.et -t hypercube:2 -o again.json
sends doubled.json >before
sends again.json >after
cmp -s before after && [ -s before ]
ok $? 'sums of what was sent before: there and back'
run 0 build -t ring:4 -c broadcast --method ring -o cast.json
run 2 export cast.json --format chakra -o trace
has 'a collective that ASTRA-sim lacks' 'is broadcast; ASTRA-sim has' err
run 2 import rows.csv there -t dgx1
has 'one file, or traces' 'with -t one file is read' err
run 2 import rows.csv -t dgx1 -c allgather
has 'a file that says its collective' '^sccl-synth: -c: is for NCCL' err
run 2 import "$inputs/rings.xml" -c allgather
has '-c needs -t' '^sccl-synth: -c: ' err
# From a pipe, which can be read once.
"$program" import - -t ring:4 -c allgather -o piped.json <"$inputs/rings.xml" >out 2>err
ok $? 'a graph from standard input'
"$program" lint - <"$golden/ring3-allgather.xml" >out 2>err
ok $? 'a plan too'
finish
