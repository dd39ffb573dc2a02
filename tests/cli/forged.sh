#!/bin/sh
# Forged frontiers: each says something false of files that are right by themselves, and neither verify nor check-proof takes it.
. "$(dirname "$0")/tap.sh"

# refused WHAT PATTERN ARGUMENT...: exit 1 or 2, with PATTERN on either stream.
refused() {
	what=$1 pattern=$2
	shift 2
	timeout 120 "$program" "$@" >out 2>err </dev/null
	status=$?
	[ $status = 1 ] || [ $status = 2 ]
	ok $? "$what"
	[ $status = 1 ] || [ $status = 2 ] || { echo "# exit $status"; head -3 out err | sed 's/^/# /'; }
	cat err >>out
	has "$what: the reason" "$pattern" out
}

# forge SED FROM TO: a changed copy.
forge() {
	sed "$1" "$2" >forge.tmp
	! cmp -s forge.tmp "$2"
	ok $? "changed by $(printf %s "$1" | tr '#' ' ')"
	mv forge.tmp "$3"
}

# Roots.
run 0 pareto -t ring:4 -c broadcast --root 0,2 -o roots
d=roots/ring:4/broadcast
forge 's/"roots": \[0, 2\]/"roots": [0, 1]/' $d/frontier-root0,2.json $d/frontier-root0,1.json
refused 'points of other roots' 'c2-s2-r2-root0,2.json is for another collective' verify $d/frontier-root0,1.json
refused 'nor are they proved' 'c2-s2-r2-root0,2.json is for another collective' prove $d/frontier-root0,1.json
refused 'with --proofs too' 'is for another collective' verify --proofs $d/frontier-root0,1.json

# Custom collectives: the same costs and bounds, other lists, other buffers.
cat >clockwise.json <<'END'
{"format": "sccl-collective", "version": 1, "name": "halo", "nodes": 4,
 "pre": [[0, 0], [1, 1], [2, 2], [3, 3], [4, 0]], "post": [[0, 1], [1, 2], [2, 3], [3, 0], [4, 1]]}
END
sed 's/"post": .*/"post": [[0, 3], [1, 0], [2, 1], [3, 2], [4, 3]]}/' clockwise.json >other.json
run 0 pareto -t ring:4 -c ./clockwise.json --max-steps 1 -o custom
run 0 pareto -t ring:4 -c ./other.json --max-steps 1 -o turned
run 0 verify custom turned
d=custom/ring:4/custom
forge 's/"post": .*/"post": [[0, 3], [1, 0], [2, 1], [3, 2], [4, 3]]/' $d/frontier.json $d/forged.json
refused 'points of another custom collective' 'c.*.json is for another collective' verify $d/forged.json
forge 's/\("post": .*\)/\1, "inputs": [[4, 0], [1], [2], [3]]/' $d/frontier.json $d/forged.json
refused 'points with other buffers' 'c.*.json is for another collective' verify $d/forged.json
cp turned/ring:4/custom/c*.json $d
refused 'point files of another collective' 'c.*.json is for another collective' verify $d/frontier.json

# Compositions of another machine of the same name.
machine() { # LINK LINK LINK LINK
	printf '{"format": "sccl-topology", "version": 1, "name": "m", "nodes": 4, "duplex": true, "links": ['
	printf '{"src": %s, "dst": %s, "bandwidth": 1}' "$1" "$2"
	shift 2
	printf ', {"src": %s, "dst": %s, "bandwidth": 1}' "$@"
	printf ']}\n'
}
machine 0 1 1 2 2 3 0 3 >m.json
machine 0 2 1 2 1 3 0 3 >n.json
run 0 pareto -t ./m.json -c allreduce -o m
run 0 pareto -t ./n.json -c allreduce -o n
run 0 prove m/m/allreduce/frontier.json
run 0 verify --proofs m
composition=$(sed -n '/"composition"/,$s/.*"file": "\(.*\)".*/\1/p' m/m/allreduce/frontier.json)
cp -r m kept
cp "n/m/allreduce/$composition" m/m/allreduce/
refused 'a composition of another machine of the same name' "$composition is for another machine" verify m/m/allreduce/frontier.json
refused 'with --proofs too' "$composition is for another machine" verify --proofs m/m/allreduce/frontier.json
refused 'and by its proof' "$composition is for another machine" check-proof m/m/allreduce/proofs.json

rm -r m && mv kept m

# A direct algorithm of the same cost is no composition; one of one node is.
run 0 pareto -t line:2 -c allreduce -o two
run 0 verify two
d=two/line:2/allreduce
jq '.steps = [{"rounds": 1, "sends": [], "reduces": [[0, 0, 1], [0, 1, 0]]}, {"rounds": 1, "sends": [], "reduces": [[1, 0, 1], [1, 1, 0]]}]' \
	$d/c2-s2-r2.json >direct-sums.json && mv direct-sums.json $d/c2-s2-r2.json
run 0 verify $d/c2-s2-r2.json
refused 'a point that is no composition' 'c2-s2-r2.json is not a reducescatter followed by an allgather' verify $d/frontier.json
run 0 solve -t ring:4 -c allreduce --within direct -C 2 -S 2 -R 2 -o direct.json
sed 's/"class": "latency", "proof": "bound", "within": "all"/"class": "latency", "proof": "exhausted", "within": "all", "class_k": 0, "refuted": []/' direct.json >all.json
refused 'a search for sums that is said to cover all algorithms' 'no search for allreduce covers them' verify all.json
sed 's/"within": "all"/"within": "one-value"/' all.json >direct.json
run 0 verify direct.json
run 0 pareto -t dgx1@gpus=0 -c allreduce -o alone
run 0 verify alone

# No points: the bounds are counted all the same, and the machine is in the file.
run 0 pareto -t star:4 -c alltoall -k 1 --max-steps 2 -o none
d=none/star:4/alltoall
has 'without points it holds its machine' '"topology": \{$' $d/frontier.json
run 0 verify $d/frontier.json
run 0 prove $d/frontier.json
run 0 verify --proofs none
run 0 check-proof $d/proofs.json
forge 's/"steps": 2, "bandwidth": "3.4"/"steps": 9, "bandwidth": "1000"/; s/\[4, 2, 3\]//; s/"last_steps": 2/"last_steps": 8/' $d/frontier.json $d/forged.json
refused 'bounds that are too high' 'the bounds are 2 steps and 3/4 rounds per chunk, not 9 and 1000' verify $d/forged.json
forge 's/"bandwidth": "3.4"/"bandwidth": "1\/2"/; s/\[4, 2, 3\]/[4, 2, 2], [4, 2, 3]/' $d/frontier.json $d/forged.json
refused 'bounds that are too low' 'the bounds are 2 steps and 3/4 rounds per chunk, not 2 and 1/2' verify $d/forged.json
forge 's/^    "nodes": 4/    "nodes": 5/; s/{"src": 0, "dst": 3/{"src": 3, "dst": 4, "bandwidth": 1}, &/' $d/frontier.json $d/forged.json
refused 'another machine' 'nodes: the machine has 5 nodes' verify $d/forged.json
# A file of an older version names its machine, which is looked up.
printf '{"format": "sccl-frontier", "version": 1, "topology": "%s", "nodes": 4, "collective": {"kind": "allgather"}, "within": "all", "k": 4, "last_steps": %s, "bounds": {"steps": %s, "bandwidth": "%s"}, "ended": "steps", "points": [], "refuted": [], "open": []}\n' \
	ring:4 8 9 1000 >named.json
refused 'false bounds of a machine by its name' 'the bounds are 2 steps and 3/2 rounds per chunk, not 9 and 1000' verify named.json
sed 's/"last_steps": 8/"last_steps": 1/; s/"steps": 9, "bandwidth": "1000"/"steps": 2, "bandwidth": "3\/2"/' named.json >right.json
run 0 verify right.json
sed 's/"nodes": 4/"nodes": 8/' right.json >named.json
refused 'another number of nodes' 'nodes: the machine has 4 nodes' verify named.json

# A proof's points are those of its frontier.
run 0 pareto -t dgx1 -c allgather -k 4 --fresh -o f
run 0 prove f/dgx1/allgather/frontier.json
run 0 check-proof f/dgx1/allgather/proofs.json
d=f/dgx1/allgather
cp -r f whole
proof() { # WHAT PATTERN: of the files as they are now; then all is as before
	refused "$1" "$2" check-proof $d/proofs.json
	refused "$1: verify --proofs" "$2" verify --proofs $d
	rm -r f && cp -r whole f
}
forge 's/"point": \[2, 2, 3\]/"point": [3, 2, 3]/' $d/proofs.json $d/proofs.json
proof 'a point of another cost' 'its points'
forge '/"point": \[2, 2, 3\]/d' $d/proofs.json $d/proofs.json
proof 'a point that is gone' 'its points'
forge 's/"point": \[2, 2, 3\], "by": \[[^]]*\]/"point": [2, 2, 3], "by": ["cut"]/' $d/proofs.json $d/proofs.json
proof 'a point that is shown otherwise' 'its points'
forge '/"frontier"/d' $d/proofs.json $d/proofs.json
proof 'points of no frontier' 'points: belong to a frontier, but "frontier" names none'
forge 's/"frontier": "frontier.json"/"frontier": "nosuch.json"/' $d/proofs.json $d/proofs.json
proof 'a frontier that is not there' 'nosuch.json'
cp $d/frontier.json $d/frontier-x.json
forge 's/"frontier": "frontier.json"/"frontier": "frontier-x.json"/' $d/proofs.json $d/proofs.json
proof 'a frontier whose proofs are others' 'the proofs of this frontier are in proofs-x.json'
forge 's/, \[3, 2, 4\]//' $d/frontier.json $d/frontier.json
proof 'a frontier that is not whole' 'refuted and open candidates are not all'
forge '/"file": "c2-s2-r3.json"/d' $d/frontier.json $d/frontier.json
proof 'a frontier without one of its points' 'refuted and open candidates are not all'
rm $d/c2-s2-r3.json
proof 'a point whose file is gone' 'c2-s2-r3.json'

# What a point claims is what follows from the lists.
forge 's/"class_k": 4/"class_k": 3/' $d/c2-s2-r3.json $d/c2-s2-r3.json
proof 'a point exhausted in another class' 'c2-s2-r3.json'
forge 's/"ended": "bound"/"ended": "steps"/; s/"last_steps": 3/"last_steps": 2/' $d/frontier.json $d/frontier.json
proof 'a point beyond the last step count' 'c6-s3-r7.json has more steps than were searched'
forge 's/"last_steps": 3/"last_steps": 4/' $d/frontier.json $d/frontier.json
proof 'a search beyond its end' 'the bandwidth bound is met before step count 4'

# A name stands for one machine: what the points' files hold must be that one, or the frontier must hold the machine itself.
cat >complete.json <<'END'
{"format": "sccl-topology", "version": 1, "name": "ring:4", "nodes": 4, "duplex": true, "links": [
 {"src": 0, "dst": 1, "bandwidth": 1}, {"src": 0, "dst": 2, "bandwidth": 1}, {"src": 0, "dst": 3, "bandwidth": 1},
 {"src": 1, "dst": 2, "bandwidth": 1}, {"src": 1, "dst": 3, "bandwidth": 1}, {"src": 2, "dst": 3, "bandwidth": 1}]}
END
run 0 pareto -t ./complete.json -c allgather --fresh -o called
d=called/ring:4/allgather
run 0 prove $d/frontier.json
run 0 verify --proofs called
has 'a machine that is called as another is in the frontier whole' '"topology": \{$' $d/frontier.json
sed '/"topology": {/,/^  }/c\  "topology": "ring:4",' $d/frontier.json >forge.tmp
mv forge.tmp $d/frontier.json
refused 'points of another machine that is called as this one' 'the points are for another machine than the one of this name' verify $d/frontier.json
refused 'with --proofs too' 'the points are for another machine than the one of this name' verify --proofs $d/frontier.json
refused 'and by its proof' 'the points are for another machine than the one of this name' check-proof $d/proofs.json

# What a file names is a file beside it, or a machine that everyone knows.
for name in ../complete.json /dev/stdin complete.json complete.json@gpus=0,1; do
	sed "s#\"ring:4\"#\"$name\"#" right.json >named.json
	refused "a frontier of a machine in a file, $name" 'is a path; a file can name only shapes' verify named.json
done
run 0 pareto -t ring:4 -c broadcast --fresh -o b
cp b/ring:4/broadcast/c*.json .
sed 's/"file": "[^"]*"/"file": "-"/' b/ring:4/broadcast/frontier-root0.json >dash.json
refused 'a point from standard input' 'must be the name of a file in the same folder' verify dash.json
printf '{"format": "sccl-proof", "version": 1, "formulas": 1, "frontier": "-", "collective": {"kind": "allgather"}, "topology": %s, "points": [], "bounds": {"steps": 0, "bandwidth": {"at_least": 0}}, "refuted": []}\n' \
	"$(cat complete.json)" >dash.json
refused 'a frontier from standard input' 'must be the name of a file in the same folder' check-proof dash.json

# Long lists take no square of their length: 8 s of CPU time are plenty.
awk 'BEGIN { for (r = 2; r <= 902; r++) for (c = 1; 3 * c <= 2 * r; c++) printf "%.12f %d [%d, 2, %d]\n", r / c, c, c, r }' |
	LC_ALL=C sort -k1,1n -k2,2n | cut -d' ' -f3- >candidates
half=$(($(wc -l <candidates) / 2))
list() { paste -sd, -; }
cat >long.json <<END
{"format": "sccl-frontier", "version": 1, "topology": "ring:4", "nodes": 4, "collective": {"kind": "allgather"}, "within": "all", "k": 900,
 "last_steps": 2, "bounds": {"steps": 2, "bandwidth": "3/2"}, "ended": "limit", "points": [],
 "refuted": [$(head -n $half candidates | list)], "open": [$(tail -n +$((half + 1)) candidates | list)]}
END
(ulimit -t 8 && exec "$program" verify long.json) >out 2>&1
ok $? 'a list of hundreds of thousands of candidates'
finish
