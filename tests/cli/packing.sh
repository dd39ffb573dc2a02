#!/bin/sh
# sccl-synth build by trees that are packed into links: what is told of them, published figures, all sub-machines of both DGX-1.
. "$(dirname "$0")/tap.sh"

run 0 build -t dgx1v -c broadcast --root 0 --method blink -o b.json
has 'what multiplicative weights found' '^multiplicative weights, epsilon 0.03: [0-9]+ trees, rate 5\.[89][0-9]*, [0-2]\.[0-9] % below the cut.s$' out
has 'as many trees of weight 1 as the cut has' '^integer program over them: 6 of weight 1, the cut.s rate$' out
has 'four trees are enough' '^4 trees of weight 6 in total, rate 6 of the cut.s 6$' out
run 0 verify b.json
run 0 build -t dgx1v -c broadcast --root 0 --method blink -o again.json
cmp -s b.json again.json
ok $? 'the same bytes every time'
run 0 build -t dgx1v -c broadcast --root 0 --method blink --epsilon 0.2
has '--epsilon says how near' '^multiplicative weights, epsilon 0.2: ' out
run 0 build -t dgx1p -c allreduce --method blink
has 'what falls short of the cut is told' '^integer program over them: 2 of weight 1, 12.5 % below the cut: weights are relaxed$' out
has 'and mended' 'of weight [0-9]+ in total, rate 16/7 of the cut.s 16/7$' out
run 0 build -t dgx1v -c broadcast --root 0 --method blink --threshold 5 -o near.json
has 'near enough for Blink: trees of weight 1' '^within 5 % of the optimum: weights stay 1$' out
has 'six of them' '^6 trees of weight 6 in total, rate 6 of the cut.s 6$' out
run 0 verify near.json
run 0 build -t dgx1v -c broadcast --root 0 --method blink --threshold 0
has '0 is to the cut, with the fewest trees' '^4 trees of weight 6 in total' out
run 0 build -t dgx1p -c allreduce --method blink --threshold 5 -o near.json
has 'else of the largest fractions that will do' '^within 5 % of the optimum: weights are multiples of 1/4$' out
has '1.6 percent below the cut' '^9 trees of weight 9 in total, rate 9/4 of the cut.s 16/7$' out
run 0 verify near.json
run 0 build -t dgx1p -c allreduce --method blink --threshold 20
has 'trees of weight 1 where that will do' '^2 trees of weight 2 in total, rate 2 of the cut.s 16/7$' out
run 0 build -t dgx2 -c allreduce --method blink
has 'one-hop trees on one switch' '^one switch: a one-hop tree of each node, for its share$' out
run 0 build -t 'dgx1p*2' -c allreduce --method blink -C 256
has 'three phases over boxes' '^three phases over 2 boxes; trees within one:$' out
run 2 build -t dgx1 -c alltoall --method blink
run 3 build -t torus:33x33 -c broadcast --root 0 --method blink
has 'too many nodes are told' '^sccl-synth: blink: packs trees into machines of up to 1024 nodes, but this one has 1089$' err

# How long it takes at least to send all gradients over spanning trees, where a link takes 1 for them.
while read -r machine optimum; do
	run 0 build -t "$machine" -c allreduce --method linear-program
	has "C(G) of $machine" "^C\\(G\\) = $optimum, " out
	has 'and that nothing is better' '^no trees do better: ([0-9]+ parts \{|by prices of links, in whole numbers$)' out
done <<END
dgx1v 7/24
p3.8xlarge 1/3
dgx1p 7/16
ring:8 7/8
complete:8 1/4
p2.16xlarge 15/8
END
has 'PLX inside cards, between cards, in the centre are used as 15:14:8' '^use of links: 32 at 1, 16 at 14/15, 2 at 8/15$' out
run 0 build -t p2.16xlarge@gpus=0,1,2,3,4,5,6,7 -c allreduce --method linear-program
has 'as 7:6 in half of it' '^use of links: 16 at 1, 8 at 6/7$' out
run 0 build -t dgx1v -c allreduce --method linear-program -o lp.json
has 'bounds from links and cuts' '^bounds: at least 7/24 by all links and 1/6 by the least cut, at most 7/24$' out
run 0 verify lp.json
run 2 build -t dgx1v -c broadcast --root 0 --method linear-program
run 2 build -t 'line:4@drop=1-2' -c allreduce --method linear-program

# MXNet's trees of 8: a double link weighs 3, a single one 2; three levels; one tree for small messages, one of each for large ones.
run 0 build -t dgx1v -c allreduce --method kernighan-lin
has 'weights of links' '^links weigh 2 3$' out
has 'a tree of each node' '^8 trees by clustering, 0 by search$' out
ok $(($(grep -c 'x root [0-7], depth 3: ' out) != 8)) 'of depth 3'
run 0 build -t dgx1v -c allreduce --method kernighan-lin -C 1
has 'one for small messages' '^1 tree by clustering, 0 by search$' out
run 0 build -t dgx1v -c allreduce --method kernighan-lin --bytes 4K -o small.json
has 'where one tree ends is told' '^one tree up to 4242 bytes, one per node beyond$' out
has 'and 4 KiB are below' '^1 tree by clustering, 0 by search$' out
run 0 build -t dgx1v -c allreduce --method kernighan-lin --bytes 1M -o large.json
has 'as much beyond' '^one tree up to 4242 bytes, one per node beyond$' out
has 'and 1 MiB is beyond' '^8 trees by clustering, 0 by search$' out
run 0 tune small.json large.json
has 'tune chooses between the two by size, small ones' '^dgx1v_allreduce_c2_s6_r10_kernighan_lin 1060 packets one - no$' out
has 'and all others' '^dgx1v_allreduce_c8_s7_r7_kernighan_lin - plain one - no$' out
run 0 build -t hypercube:3 -c allreduce --method kernighan-lin --bytes 1G --alpha 0.7 --beta 4e-5
has 'as few steps, less data' '^one tree per node for any size$' out
run 0 build -t dgx1v -c allreduce --method kernighan-lin --bytes 1G --alpha 1 --beta 0
has 'where data costs nothing' '^one tree for any size$' out
run 0 build -t dgx1v@gpus=0,1,2,3,4 -c allreduce --method kernighan-lin
has 'where clustering gets stuck a search goes on' '^4 trees by clustering, 1 by search$' out

# Before minimising within 3 % of the cut, after it at the cut: all 46 and 14 sub-machines.
for published in dgx1v:46 dgx1p:14; do
	machine=${published%:*}
	run 0 topology parts $machine --json
	sed 's/^{"name": "\([^"]*\)".*/\1/' out >parts
	[ "$(wc -l <parts)" = "${published#*:}" ]
	ok $? "as many parts of $machine as were published"
	while read -r part; do
		for kind in 'broadcast --root 1' allreduce; do
			"$program" build -t "$part" -c $kind --method blink >told 2>/dev/null </dev/null || echo "$part $kind: refused"
			grep -Eq '^multiplicative weights.*(, the cut.s|, ([0-2]\.[0-9]|3\.0) % below the cut.s)$' told || echo "$part $kind: too far before"
			sed -n 's/^.*in total, rate \(.*\) of the cut.s \(.*\)$/\1 \2/p' told >rates
			read -r rate cut <rates
			[ -n "$rate" ] && [ "$rate" = "$cut" ] || echo "$part $kind: rate $rate, not $cut"
		done
	done <parts >wrong
	ok "$(wc -l <wrong)" "within 3 % before, exact after: all parts of $machine"
	sed 's/^/# /' wrong
done

# On every machine of the repository the best trees are the best that there is: what they take is the bound on any allreduce. Trees
# need links in both directions.
for file in "$source"/topologies/*.json; do
	name=$(basename "$file" .json)
	if ! grep -q '"duplex": true' "$file"; then
		run 2 build -t "$name" -c allreduce --method linear-program
		continue
	fi
	run 0 build -t "$name" -c allreduce --method linear-program
	rate=$(sed -n 's/^C(G) [^,]* \([0-9/]*\), .*/\1/p' out) # or "is from A to" what its trees take
	has "an allreduce on $name by trees can meet the bound: $rate" "R/C >= ${rate:-none}[;,]" out
done
finish
