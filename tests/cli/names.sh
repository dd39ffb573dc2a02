#!/bin/sh
# Names of files may be any bytes: what is printed of them is one line that a terminal takes for text, and JSON is UTF-8.
. "$(dirname "$0")/tap.sh"

# A line end, an escape that would turn letters red, and a byte that is no UTF-8.
odd=$(printf 'odd\n\033[31m\377')
plain='odd??[31m?'

# clean WHAT FILE: letters of UTF-8, tabs and line ends alone, and the name as it is to be seen.
clean() {
	LC_ALL=C tr -d '\11\12\40-\176\200-\377' <"$2" | wc -c >counted
	iconv -f UTF-8 -t UTF-8 "$2" >read 2>counted.err && [ "$(cat counted)" -eq 0 ] && grep -Fq "$plain" "$2"
	ok $? "$1: one line, no controls, UTF-8"
}

# json WHAT FILE KEY: each line is an object whose KEY is the name, with U+FFFD for what is no letter.
json() {
	jq -e --arg name "$(printf 'odd\n\033[31m\357\277\275')" --arg key "$3" 'select(.[$key] | contains($name) | not)' "$2" >wrong 2>&1
	[ $? = 4 ] && iconv -f UTF-8 -t UTF-8 "$2" >read 2>&1
	ok $? "$1: the name as JSON"
}

run 0 build -t dgx1 -c allreduce --method ring -o "$odd.json"
clean 'build' out
run 0 build -t dgx1 -c allreduce --method ring -o "$odd.json" --json
json 'build --json' out file
run 0 verify "$odd.json"
clean 'verify' out
run 0 verify "$odd.json" --json
json 'verify --json' out file
run 0 simulate "$odd.json" --sizes 1K --svg plot.svg
clean 'simulate' out
run 0 simulate "$odd.json" --sizes 1K --json
json 'simulate --json' out file
run 0 train "$odd.json" --workload vgg16
clean 'train' out
run 0 train "$odd.json" --workload vgg16 --json
jq -e --arg name "$(printf 'odd\n\033[31m\357\277\275.json')" 'select(.file != $name and .file != null)' out >wrong 2>&1
[ $? = 4 ]
ok $? 'train --json: the name as JSON'
run 0 run "$odd.json" --counts 1 --json
json 'run --json' out file
run 2 tune "$odd.json" "$odd.json"
clean 'a fault' err

cp "$source/topologies/dgx1.json" "$odd-t.json"
run 0 explore -t "./$odd-t.json" -c allgather --method ring --sizes 1K --json
json 'explore --json' out topology
run 1 topology isomorphic "./$odd-t.json" dgx1p
clean 'topology isomorphic' out
run 1 topology isomorphic "./$odd-t.json" dgx1p --json
json 'topology isomorphic --json' out a
run 0 topology parts "./$odd-t.json"
clean 'topology parts' out

# Names inside of files are UTF-8, and may have line ends and controls all the same.
cat >inside.json <<'END'
{"format": "sccl-topology", "version": 1, "name": "odd\n\u001b[31m\u009b", "nodes": 2, "duplex": true,
 "description": "odd\u001b", "links": [{"src": 0, "dst": 1, "bandwidth": 1, "kind": "odd\r"}],
 "kinds": {"odd\r": {"latency_us": 1, "gigabytes_per_second": 1}}}
END
plain='odd??[31m??'
run 0 topology show ./inside.json
clean 'topology show' out
run 0 bounds -t ./inside.json -c allgather
clean 'bounds' out
run 0 pareto -t ./inside.json -c allgather
clean 'pareto' out
run 0 trees -t ./inside.json -c allgather
clean 'trees' out
run 0 explore -t ./inside.json -c allgather --method direct --sizes 1K
clean 'explore' out
run 0 explore -t ./inside.json -c allgather --method direct --sizes 1K --format svg
xmllint=$(command -v xmllint || true)
if [ -n "$xmllint" ]; then
	"$xmllint" --noout out
	ok $? 'and its picture is XML'
else
	skip 'and its picture is XML' 'no xmllint'
fi
run 0 build -t ./inside.json -c allgather --method direct -o inside-a.json
clean 'build on it' out
run 0 show inside-a.json
clean 'show' out
finish
