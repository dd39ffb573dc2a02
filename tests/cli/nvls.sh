#!/bin/sh
# Switches that copy and add, across commands: what is built and proved, what is refused, what is claimed falsely.
. "$(dirname "$0")/tap.sh"

run 0 topology list
for machine in dgx-h100 dgx-h200 dgx-b200 gb200-nvl72; do
	has "$machine+nvls is listed" "^  $machine\+nvls\$" out
done
run 0 topology show dgx-h100+nvls
has 'what its switch can do' '^  switches that copy: 8$' out
has 'what its switch can add' '^  switches that add: 8$' out
run 0 topology show switch:4+nvls --format json
has 'in files' '^  "multicast": true,$' out

# Frontiers.
run 0 pareto -t dgx-h100+nvls -c broadcast --root 0
has 'a broadcast in one round' '^ +18 +1 +1 +1/18 +1/18 +- +both +bound ' out
run 0 pareto -t switch:3+nvls -c allreduce -o found
has 'an allreduce, proved in each step' '^ +4 +2 +5 +5/4 +5/4 +- +pareto +bound +one-value ' out
has 'and in the last' '^ +13 +5 +14 +14/13 +14/13 +- +pareto +bound +one-value ' out
silent
d=found/switch:3+nvls/allreduce
for file in "$d"/*.json; do
	run 0 verify "$file"
done
cp "$d/frontier.json" frontier.json

# forged WHAT SED FILE PATTERN: FILE changed so is refused for that reason.
forged() {
	cp "$3" kept
	sed "$2" kept >"$3"
	! cmp -s kept "$3"
	ok $? "changed: $1"
	run 1 verify "$3"
	has "$1" "$4" out
	cp kept "$3"
}

a="$d/c4-s2-r5.json"
forged 'a class by exhaustion' 's#"proof": "bound", "within": "one-value"#"proof": "exhausted", "within": "one-value", "class_k": 4, "refuted": [[4, 2, 4]]#' "$a" \
	'claimed by a search, but none knows switches that copy or add'
forged 'a class by a program' 's#"class": "pareto", "proof": "bound"#"class": "pareto", "proof": "program"#' "$a" 'claimed by a search'
forged 'a class of all algorithms' 's#"within": "one-value"#"within": "all"#' "$a" 'no bound proves the class "pareto"'
forged 'a round less' 's#{"rounds": 3#{"rounds": 2#; s#"rounds": 5, "bandwidth": "5/4"#"rounds": 4, "bandwidth": "1"#' "$a" 'overload'
forged 'a switch that does not add' 's#"multicast": true,#"multicast": true#; /"reduce": true/d' "$a" 'under the limit'
forged 'a switch that does not copy' '/"multicast": true/d' "$a" 'under the limit'

# A slower broadcast, and a value that would make it the best.
run 0 pareto -t switch:3+nvls -c broadcast --root 0 -o found
d=found/switch:3+nvls/broadcast
a="$d/c1-s1-r1-root0.json"
sed 's#{"rounds": 1#{"rounds": 2#; s#"rounds": 1, "bandwidth": "1"#"rounds": 2, "bandwidth": "2"#; s#"class": "both"#"class": "latency"#' "$a" >slow.json
cp slow.json "$a"
run 0 verify "$a"
forged 'a value that no bound shows' 's#"rounds": 1, "bandwidth": "1", "class": "both"#"rounds": 2, "bandwidth": "2", "class": "latency"#; s#"value": "1"#"value": "2"#; s#"ended": "bound"#"ended": "steps"#' \
	"$d/frontier-root0.json" 'none knows switches that copy or add'

# Searches: what is constructed and bounded is answered, nothing is refuted.
run 0 solve -t switch:3+nvls -c broadcast --root 0 -C 1 -S 1 -R 1
run 1 solve -t switch:3+nvls -c allreduce --within direct -C 4 -S 2 -R 4
has 'by the bound of its steps' 'R/C=1 is below 5/4, the bandwidth bound for 2 steps' err
run 2 solve -t switch:3+nvls -c scan -C 1 -S 1 -R 2
has 'no solver' 'no search knows switches that copy or add' err

run 0 show found/switch:3+nvls/allreduce/c4-s2-r5.json
has 'show says how to read it' '^  its switches copy and add: ' out

# Times.
run 0 build -t dgx-h100+nvls -c allreduce --method nvls -S 4 -o four.json
run 0 simulate four.json --sizes 1G --json
has '1 GiB in the time of 31/450 L and eight hops' '"microseconds": 2961\.55' out
run 0 best -t dgx-h100+nvls -c allreduce --sizes 1K,1G --within 5 --json
tail -1 out | grep -q '"method": "nvls"'
ok $? 'best takes nvls'
run 0 best -t dgx-h100+nvls -c reduce --root 0 --sizes 1G --within 3 --json
has 'at the bound' '"microseconds": 2386\.79' out

# Machines in which switches that copy are only a part.
run 0 topology show 'dgx-h100+nvls@gpus=0,1@relay'
has 'GPUs that relay do not copy' '^  switches that copy: 2$' out
for machine in 'dgx-h100+nvls*2:ib400' 'dgx-h100+nvls*2:ib400@gpus=0,1,8,9' 'dgx-h100+nvls@gpus=0,1,2@add=0-1x1,1-2x1,0-2x1'; do
	run 0 pareto -t "$machine" -c allreduce --within 4 --max-steps 3 -o boxes --fresh
	run 0 verify "boxes/$(echo "$machine" | tr '*' _)/allreduce"
done
finish
