#!/bin/sh
# sccl-synth lint: plans of others, right ones and with a fault planted in each way.
. "$(dirname "$0")/tap.sh"
inputs=$source/tests/interop/plans

help lint

if [ "${3-xml}" != xml ]; then
	skip 'plans in XML' 'the build is without libxml2'
	finish
fi

cp "$golden/ring3-allgather.xml" ring.xml
run 0 lint ring.xml --for rccl
has 'a right plan is right' '^ring.xml: MSCCL XML, allgather on 3 ranks: right$' out
has 'it says for which counts it serves' 'counts    of elements of 4 bytes: multiples of 3, that is of 12 bytes' out
has 'and for which never' 'never     for a power of two, as 3 is none' out
silent
run 0 lint "$inputs/gather-two.json" "$inputs/sum-two.json" --for mscclpp
has 'MSCCL++ too' 'gather-two.json: MSCCL\+\+ JSON, allgather on 2 ranks: right' out
has 'also by packets' 'sum-two.json: MSCCL\+\+ JSON, allreduce on 2 ranks: right' out
has 'with the sizes it serves' 'sizes     multiples of 32 bytes \(2 chunks of 16\)' out
run 0 lint --json ring.xml
keys 'as JSON' 'file format collective ranks ok faults notes' out

# planted WHAT PATTERN FILE SED...: the plan so changed is wrong, and the first fault is that.
planted() {
	what=$1 pattern=$2 file=$3
	shift 3
	sed "$@" "$file" >changed
	cmp -s changed "$file" && echo "# $what: nothing was changed"
	run 1 lint changed
	head -1 out >first
	has "$what" "$pattern" first
}
ours=$inputs/gather-two.json sum=$inputs/sum-two.json
# The second rank's are lines beyond the first rank's eight ops.
planted 'a forgotten wait' 'may be written after the rank has ended' "$ours" '10s/"wait"/"nop"/;10s/"channel_ids": \[0\], "channel_type": "memory"/"channel_type": "none"/'
planted 'a signal that nobody sends' 'rank 1, thread block 0, op 7 \(wait\): waits forever for a signal' "$ours" '9s/"signal"/"nop"/'
planted 'threads that do not meet before a signal' 'may be written after the rank has ended' "$ours" '8s/"nop"/"flush"/'
planted 'a peer that has not begun' 'op 4 \(put\): writes, before the rank is known to have begun, chunk 0 of the output of rank 1' "$ours" '5s/"wait"/"flush"/'
planted 'a place beyond the end' 'op 4 \(put\): writes beyond the end: chunk 2 of the output of rank 1' "$ours" '7s/"index": 0, "size": 1}\], "channel_ids"/"index": 2, "size": 1}], "channel_ids"/'
planted 'data in the wrong place' 'chunk [01] of the output' "$ours" '4s/"type": "o", "index": 0/"type": "o", "index": 1/'
planted 'packets that are never written' 'op 1 \(repkt\): waits forever for packets' "$sum" '3s/"ppkt"/"nop"/'
planted 'a contribution twice' 'op 1 \(re\): adds a contribution a second time' "$sum" '4s/"repkt"/"re"/;4s/{"type": "s"/{"type": "i"/'
planted 'a contribution that is missing' 'lacks the contributions of some ranks' "$sum" '4s/, {"type": "s", "index": 0, "size": 1}//'

run 0 build -t ring:4 -c allgather --method ring -o around.json
run 0 export around.json --format msccl-xml -o around.xml
planted 'a dependence that is not announced' 'waits forever for an op that does not announce its end' around.xml 's/hasdep="1"/hasdep="0"/'
planted 'a missing dependence' 'reads what (may not have been written yet|nothing was written to)' around.xml 's/depid="[0-9]*" deps="[0-9]*"/depid="-1" deps="-1"/'
planted 'a chunk that is sent and not received' '(waits forever|never received|chunks were sent)' ring.xml '0,/type="r"/s/type="r"/type="nop"/'
planted 'a read beyond the buffer' 'beyond the end' ring.xml '0,/type="s" srcbuf="i" srcoff="0"/s/type="s" srcbuf="i" srcoff="0"/type="s" srcbuf="i" srcoff="7"/'

# Limits, each by the consumer that has it.
sed 's/ minBytes="0"//' ring.xml >sizes.xml
run 1 lint sizes.xml --for rccl
has 'an attribute that is mandatory' 'rccl needs minBytes and maxBytes' out
run 0 lint sizes.xml --for msccl
sed 's/^  </\t</' ring.xml >tabs.xml
run 1 lint tabs.xml --for azure
has 'what its reader of XML does not take' 'is indented by tabs, which azure cannot read' out
run 1 lint ring.xml --for mscclpp
has 'the wrong format' 'is MSCCL XML, which mscclpp does not load' out
sed 's/maxBytes="0"/maxBytes="8"/; s/minBytes="0"/minBytes="16"/' ring.xml >never.xml
run 1 lint never.xml --for rccl
has 'sizes at which it is never selected' 'is never selected: its most bytes are less than its least' out
run 2 lint /dev/null
run 2 lint "$inputs/gather-two.json" --for nccl
has 'an unknown consumer is told the known ones' 'must be mscclpp, msccl, rccl or azure' err
finish
