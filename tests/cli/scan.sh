#!/bin/sh
# scan: each node ends with the sum of all up to itself. Found, refused, judged, forged and run.
. "$(dirname "$0")/tap.sh"

run 0 bounds -t line:4 -c scan
has 'no node but the last needs a way back' '^  steps      S   >= 3   chunk 0 must get from node 0 to node 3$' out
run 0 bounds -t line:4@drop=1-2@add=1-3 -c scan
for engine in bits bits-z3 lia; do
	run 0 solve -t ring:4 -c scan -C 2 -S 3 -R 3 --engine $engine -o scan.json
	run 0 verify scan.json
	run 1 solve -t ring:4 -c scan -C 2 -S 2 -R 2 --engine $engine
done
has 'the file says what it is' '"collective": \{"kind": "scan"\}' scan.json
sed 's/"scan"/"allreduce"/' scan.json >forged.json
run 1 verify forged.json
has 'prefixes are not the whole sum' 'not-delivered: chunk . is incomplete' out
run 0 solve -t ring:4 -c allreduce --within direct -C 1 -S 2 -R 2 -o all.json
sed 's/"allreduce"/"scan"/; s/"within": "[a-z-]*"/"within": "all"/; s/"bounds".*/"x-bounds": {},/; s/"optimality".*/"optimality": {"class": "none"},/' all.json >forged.json
run 1 verify forged.json
has 'nor is the whole sum a prefix' 'not-delivered: chunk 0 is incomplete at node 0' out
run 0 run scan.json --counts 0,1,7,100 --types i32,f32 --calls 3
[ "$(grep -cE "$exact" out)" = 8 ]
ok $? 'it runs, with exact results'
run 0 run scan.json --counts 7 --calls 2 --in-place
has 'in place too' "$exact" out
run 0 solve -t dgx1 -c scan -C 1 -S 2 -R 2 -o two.json
run 0 run two.json --counts 50 --calls 2 --ops max
has 'also of other operations' " max .*($exact)" out
run 2 solve -t ring:4 -c scan -C 1 -S 2 -R 2 --engine lia-paper
has 'the encoding of the paper has no words for sums' 'lia-paper cannot solve scan' err
run 2 export two.json --format smt2
run 2 export two.json --format dimacs
run 2 export two.json --format msccl-xml
run 2 trees -t ring:4 -c scan
run 2 distribute two.json -t 'dgx1*2'
run 2 build -t ring:4 -c scan --method direct
run 2 prove -t ring:4 -c scan -C 3 -S 3 -R 3 -o p.json

# Its frontier, of all algorithms with one value of a chunk at a node.
run 0 pareto -t ring:4 -c scan -k 1 --max-steps 3 -o f
has 'the fewest steps' '^ +2 +2 +3 +3/2 +latency +exhausted +one-value +f/ring:4/scan/c2-s2-r3.json$' out
has 'and the best of three' '^ +3 +3 +4 +4/3 +pareto ' out
run 0 verify f
has 'the class is told' '"within": "one-value"' f/ring:4/scan/frontier.json
has 'of each point too' '"proof": "exhausted", "within": "one-value"' f/ring:4/scan/c2-s2-r3.json
sed 's/"within": "one-value"/"within": "composition"/' f/ring:4/scan/c2-s2-r3.json >forged.json
run 1 verify forged.json
has 'a scan is composed of nothing' 'only for allreduce' out
sed 's/"within": "one-value"/"within": "all"/' f/ring:4/scan/frontier.json >f/ring:4/scan/forged.json
run 2 verify f/ring:4/scan/forged.json
rm f/ring:4/scan/forged.json
run 2 prove f/ring:4/scan/frontier.json
has 'no certificates' 'have no certificates' err
run 2 pareto -t ring:4 -c scan --engine lia-paper
run 0 pareto -t ring:4 -c scan -k 0 --max-steps 2 --pipeline 1 -o f
run 0 verify f
finish
