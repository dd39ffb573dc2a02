#!/bin/sh
# sccl-synth simulate and train: how long algorithms take, message by message, and what training pays for them.
. "$(dirname "$0")/tap.sh"

a=$source/algorithms/dgx1

# xml WHAT FILE WORDS...: FILE is XML, and among its texts are these.
xml() {
	if ! command -v python3 >/dev/null; then
		skip "$1" "no python3"
		return
	fi
	python3 - "$2" "$3" <<'END'
import sys, xml.dom.minidom
texts = [t.firstChild.data for t in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("text")]
sys.exit(0 if sys.argv[2] in texts else f"# {texts}")
END
	ok $? "$1"
}

# microseconds: of the first row of --json.
microseconds() { sed -n '1s/.*"microseconds": \([0-9.]*\),.*/\1/p' out; }

# takes WHAT TIME ARGUMENT...
takes() {
	what=$1 time=$2
	shift 2
	"$program" simulate "$@" --json >out 2>err
	[ "$(microseconds)" = "$time" ]
	ok $? "$what: $time us"
	[ "$(microseconds)" = "$time" ] || sed 's/^/# /' out err
}

help simulate
help train
for name in alexnet alphagozero fasterrcnn googlenet llama2-7b ncf resnet18 resnet50 transformer vgg16; do
	has "the help of train names $name" "(^|[ :])$name( |\$)" out
done

# Three steps around a ring of four, a chunk a step: 3 (α + β L).
run 0 build -t ring:4 -c allgather --method ring -C 1 -o ring4.json
takes 'a ring' 303.0000 ring4.json --alpha 1 --beta 1 --sizes 100
takes 'α alone' 300.0003 ring4.json --alpha 100 --beta 1e-4 --sizes 1
takes 'β alone' 3.0000 ring4.json --alpha 0 --beta 1e-3 --sizes 1000
has 'busbw of an allgather is that of what comes from the three others' '"gigabytes_per_second": 0\.3333, "busbw": 1\.0000\}$' out
takes 'a head for each message' 351.0000 ring4.json --alpha 1 --beta 1 --sizes 100 --head 16
takes 'a head for each of the packets, the last of which is short' 495.0000 ring4.json --alpha 1 --beta 1 --sizes 100 --head 16 --packet 32
takes 'what one byte of room allows: 1 byte in 2 α' 603.0000 ring4.json --alpha 1 --beta 1 --sizes 100 --buffer 1
takes 'room enough changes nothing' 303.0000 ring4.json --alpha 1 --beta 1 --sizes 100 --buffer 2
takes 'and 10 us more for each of three steps' 333.0000 ring4.json --alpha 1 --beta 1 --sizes 100 --step-cost 10
run 2 simulate ring4.json --alpha 1 --beta 1 --step-cost cuda
has 'links without a kind have no default' '^sccl-synth: --step-cost: link 0-1 of ring:4 has no kind: give it in microseconds$' err
run 2 simulate ring4.json --alpha 1 --beta 1 --step-cost -1
run 0 build -t dgx-h100 -c allgather --method ring -o ring8.json
takes 'as NCCL: seven steps of 3.5 us' 24.5000 ring8.json --sizes 1 --step-cost cuda
# A chain of two hops, two chunks: by dataflow the second follows the first.
run 0 build -t line:3 -c broadcast --root 0 --method direct -C 2 -o line3.json
takes 'steps wait for each other' 24.0000 line3.json --alpha 2 --beta 1 --sizes 10
takes 'chunks do not' 19.0000 line3.json --alpha 2 --beta 1 --sizes 10 --start dataflow
takes 'by tables a step of two chunks is over when both have left' 22.0000 line3.json --alpha 2 --beta 1 --sizes 10 --start lockstep
# Tables that are played: the algorithm that they were written for.
run 0 build -t mesh:2x2 -c allreduce --method multitree --tables tables.json -o tables-of.json
takes 'an algorithm in lockstep' 5.0240 tables-of.json --alpha 1 --beta 1e-3 --sizes 1K --start lockstep
takes 'its tables' 5.0240 tables.json --alpha 1 --beta 1e-3 --sizes 1K --start lockstep
sed 's/"children": \[1, 2\]/"children": [1, 3]/' tables.json >other.json
run 2 simulate other.json --alpha 1 --beta 1e-3
has 'a child that the table of another does not expect' '^sccl-synth: other.json: nodes\[[0-9]\]' err
sed 's/"nop"/"sum"/; s/"reduce"/"sum"/' tables.json >other.json
run 2 simulate other.json --alpha 1 --beta 1e-3
has 'an operation that there is not' 'must be "reduce", "gather" or "nop"$' err
takes 'reductions' 6.0480 tables-of.json --alpha 1 --beta 1e-3 --sizes 1K --reduce-cost 2e-3
takes 'calls' 15.0240 tables-of.json --alpha 1 --beta 1e-3 --sizes 1K --start lockstep --call-cost 10
# Node 0 of a switch gets two chunks at once over its one link, each over two hops.
run 0 build -t switch:3 -c gather --root 0 --method direct -C 1 -o switch3.json
takes 'who shares fairly ends together' 24.0000 switch3.json --alpha 2 --beta 1 --sizes 10
takes 'in turns the last ends as late' 24.0000 switch3.json --alpha 2 --beta 1 --sizes 10 --sharing fifo
takes 'and in order' 24.0000 switch3.json --alpha 2 --beta 1 --sizes 10 --sharing order
run 0 simulate switch3.json --alpha 2 --beta 1 --sizes 10
has 'fair: each waits 10 us' ' 10.000$' out
run 0 simulate switch3.json --alpha 2 --beta 1 --sizes 10 --sharing fifo
has 'fifo: one alone does' ' 5.000$' out

run 0 simulate $a/allgather/c1-s2-r2.json $a/allgather/c6-s3-r7.json
silent
[ "$(grep -c '^ *[0-9][0-9]* ' out)" = 42 ]
ok $? 'of two files a row for each power of two from 1K to 1G'
run 0 simulate $a/allgather/c1-s2-r2.json $a/allgather/c6-s3-r7.json --sizes 1K,96000K --json
silent
keys 'a row' 'file bytes microseconds gigabytes_per_second busbw' out
has 'sizes are bytes' '"bytes": 98304000, ' out
[ "$(wc -l <out)" = 4 ]
ok $? 'a line for each file and size'
# 2 α + 2 β L and 3 α + 7/6 β L, β 1/25 ns a byte.
has '(1,2,2) by the model' 'c1-s2-r2.json", "bytes": 1024, "microseconds": 1.4819, ' out
has '(6,3,7) by the model' 'c6-s3-r7.json", "bytes": 98304000, "microseconds": 4589.6200, ' out
# They are level at 6 α / β, 105000 bytes.
for size in 102K 103K; do
	"$program" simulate $a/allgather/c1-s2-r2.json $a/allgather/c6-s7-r7.json --sizes $size --json >out 2>err
	first=$(sed 's/.*c\([0-9]*\)-s.*"microseconds": \([0-9.]*\),.*/\2 \1/' out | sort -n | head -1)
	[ "${first#* }" = "$([ $size = 102K ] && echo 1 || echo 6)" ]
	ok $? "(1,2,2) hands over to (6,7,7): C = ${first#* } is faster at $size"
done
run 0 simulate $a/allgather/c1-s2-r2.json --sizes 1K --busiest 2 --json
keys 'a row with links' 'file bytes microseconds gigabytes_per_second busbw links' out
has 'the busiest links' '"links": \[\{"link": "[0-7]-[0-7]", "use": 0\.0553\}, \{"link": "[0-7]-[0-7]", "use": 0\.0553\}\]\}$' out
run 0 simulate $a/allgather/c1-s2-r2.json --sizes 1K --busiest 2
has 'in words' '^ +busiest:  [0-7]-[0-7] 5.5 %  [0-7]-[0-7] 5.5 %$' out

run 0 simulate ring4.json line3.json --alpha 1 --beta 1 --sizes 1:1K --svg times.svg
xml 'a picture' times.svg ring4.json
hostile=$(printf 'a&b<c>"d\001\377\nλ.json')
cp ring4.json "$hostile"
"$program" simulate "$hostile" --alpha 1 --beta 1 --sizes 5 --svg hostile.svg >out 2>err
ok $? 'any bytes may name a file'
xml 'a name that is no text' hostile.svg "$(printf 'a&b<c>"d   λ.json')"
"$program" simulate "$hostile" --alpha 1 --beta 1 --sizes 5 --json >out 2>err
[ "$(wc -l <out)" = 1 ]
ok $? 'stays in its line of JSON'
run 2 simulate ring4.json --alpha 1 --beta 1 --sizes 1K --svg ring4.json/times.svg
has 'no folder for a picture' '^sccl-synth: ring4.json: Not a directory$' err
run 2 simulate ring4.json
has 'a machine without speeds' '^sccl-synth: ring:4: has no alpha and beta for link 0-1; give --alpha and --beta$' err
run 1 simulate "$bad/algorithm/verify-not-delivered.json" --alpha 1 --beta 1
[ ! -s out ]
ok $? 'what does not verify is not played'

# MultiTree's simulation (ISCA 2021, figure 10): 256 nodes, 375 N KiB, 16 GB/s and 150 ns a link, packets of 256 bytes with 16 beside.
# torus METHOD CHUNKS ARGUMENT...: its microseconds there.
torus() {
	"$program" build -t torus:16x16 -c allreduce --method "$1" ${2:+-C "$2"} -o "torus-$1-$2.json" >out 2>err || cat err >&2
	method=$1
	shift 2
	"$program" simulate "torus-$method-"*.json --alpha 0.15 --beta 6.25e-5 --head 16 --sizes 96000K "$@" --json >out 2>err
	microseconds
	rm -f "torus-$method-"*.json
}
# ratio WHAT A B LEAST MOST: of A to B.
ratio() {
	awk -v a="$2" -v b="$3" -v l="$4" -v m="$5" 'BEGIN { exit !(b > 0 && a / b >= l && a / b <= m) }'
	ok $? "$1: $2 to $3 us"
}
packets=$(torus multitree '' --packet 256)
messages=$(torus multitree '')
ring=$(torus ring 256 --packet 256)
grid=$(torus 2d-ring 256 --packet 256)
ratio 'MultiTree is at least 3 times as fast as a ring' "$ring" "$packets" 3 9
ratio 'and 1.4 times as a 2D-ring' "$grid" "$packets" 1.4 9
ratio 'message-based flow control gains 6 %' "$packets" "$messages" 1.055 1.065
ratio 'a double binary tree of two chunks is the worst' "$(torus double-binary-tree 2 --packet 256)" "$ring" 1.01 99

# Two nodes, α 10, β 1: an allreduce of L bytes is 2 (10 + L / 2).
cat >two.json <<'END'
{
  "format": "sccl-workload", "version": 1, "name": "two", "batch": 1, "gradient_bytes": 1,
  "layers": [
    {"name": "first", "parameters": 100, "forward_us": 10, "backward_us": "41/2"},
    {"name": "none", "parameters": 0, "forward_us": 10, "backward_us": "39/2"},
    {"name": "last", "parameters": 20, "forward_us": 10, "backward_us": 30}
  ]
}
END
run 0 build -t line:2 -c allreduce --method direct -o two-ranks.json
run 0 train two-ranks.json --workload ./two.json --alpha 10 --beta 1 --json
silent
keys 'a row of train' 'workload file bytes forward backward communication iteration calls overlapped_communication overlapped_iteration' out
has 'one call of all 120' '"bytes": 120, "forward": 30.000, "backward": 70.000, "communication": 140.000, "iteration": 240.000, ' out
has 'a call a layer: 40, hidden, and 120 after the end' '"calls": 2, "overlapped_communication": 160.000, "overlapped_iteration": 220.000' out
mkdir -p own/workloads
sed 's/"forward_us": 10,/"forward_us": 11,/' two.json >own/workloads/two.json
run 0 train two-ranks.json -d own --workload two --alpha 10 --beta 1 --json
has 'a workload of -d' '"forward": 33.000, ' out
run 0 train two-ranks.json --workload ./two.json --alpha 10 --beta 1
has 'shares: 140 of 240, and 120 beyond the computing of 220' '^ +0\.140 +0\.240 +58\.3 % +0\.220 +54\.5 %  two-ranks\.json$' out
run 0 train two-ranks.json --workload ./two.json --alpha 10 --beta 1 --json --bucket 21
has 'layers in one bucket' '"calls": 1, "overlapped_communication": 140.000, "overlapped_iteration": 240.000' out
run 0 train $a/allreduce/c16-s4-r6.json $a/allreduce/c48-s14-r14.json --workload resnet50,vgg16 --batch 1
[ "$(grep -c '^ .* %  .*c[14][0-9s-]*-r[0-9]*.json$' out)" = 4 ] && [ "$(grep -c 'the fastest for each call$' out)" = 2 ]
ok $? 'a row an algorithm, and one for the best of all'
has 'what it computes' '^resnet50: 25557032 parameters in 54 layers, 102228128 bytes of gradients; batch 1 on each of 8 ranks' out
# Two samples of 32 rows are two tiles, one for each array: 100 cycles and 62 for the operands to pass.
cat >products.json <<'END'
{"format": "sccl-workload", "version": 1, "name": "products", "batch": 2, "gradient_bytes": 4,
 "layers": [{"name": "one", "parameters": 1, "flops": 204800, "products": [[32, 32, 100]]}]}
END
run 0 train $a/allreduce/c16-s4-r6.json --workload ./products.json --arrays 32x32x2@1 --json
has 'products on arrays' '"forward": 0\.162[0-9]*, "backward": 0\.324' out
run 0 train $a/allreduce/c16-s4-r6.json --workload ./products.json --arrays 32x32x1@0.5 --json
has 'one array of half the clock takes four times as long' '"forward": 0\.648' out
run 0 train $a/allreduce/c16-s4-r6.json --workload resnet50 --arrays 32x32x16@1
has 'the rate printed is the most that arrays do' 'at 32\.768 Tflop/s' out
sed 's/, "products": .*\]\]//' products.json >none.json
run 2 train $a/allreduce/c16-s4-r6.json --workload ./none.json --arrays 32x32x2@1
has 'nothing for arrays to compute' 'has no "products" for arrays to compute$' err
run 2 train $a/allreduce/c16-s4-r6.json --workload resnet50 --arrays 32x32@1
has 'arrays that are not said' '^sccl-synth: --arrays: must be rows, columns, number and GHz' err
run 0 train $a/allreduce/c48-s14-r14.json --workload resnet50 --json
forward=$(sed 's/.*"forward": \([0-9]*\).*/\1/' out)
run 0 train $a/allreduce/c48-s14-r14.json --workload resnet50 --teraflops 16 --batch 128 --json
[ "$(sed 's/.*"forward": \([0-9]*\).*/\1/' out)" = "$forward" ]
ok $? 'twice the batch at twice the rate computes as long'

run 2 train $a/allgather/c1-s2-r2.json --workload resnet50
has 'gradients are added' 'c1-s2-r2.json: is for allgather, not for allreduce$' err
run 2 train $a/allreduce/c48-s14-r14.json two-ranks.json --workload resnet50 --alpha 1 --beta 1
has 'ranks are as many in each file' '^sccl-synth: two-ranks.json: is for 2 nodes, .* for 8$' err
run 2 train $a/allreduce/c48-s14-r14.json --workload resnet50,
run 2 train "$source/algorithms/dgx1/allreduce/c2-s2-r2.json" --workload alexnet,nix
has 'a workload that is not there' '^sccl-synth: nix: no such workload' err
[ ! -s out ]
ok $? 'and nothing is said of the others'
finish
