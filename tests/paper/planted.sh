#!/bin/sh
# planted.sh SCCL-SYNTH SOURCE: scripts/comparisons.py, which says what comes out of five papers, must notice what is planted in its tables.
. "$(dirname "$0")/../cli/tap.sh"

# compared STATUS WHAT LINE: runs the table of one paper and the list of facts in the changed copy; its error output must have LINE.
compared() {
	python3 scripts/comparisons.py "$program" "$source" --quick wang >out 2>err
	status=$?
	ok "$((status != $1))" "exit $1: $2"
	if [ "$1" = 0 ]; then
		ok "$(wc -l <err)" "nothing is said of it"
	else
		grep -q -- "$3" err
		ok $? "says $3"
	fi
	[ "$status" = "$1" ] || sed 's/^/# /' err
	rm -rf scripts
	cp -r "$source/scripts" scripts
}

# plant FILE OLD NEW: changes one line.
plant() {
	cp "scripts/papers/$1" before
	sed -i "s|$2|$3|" "scripts/papers/$1"
	! cmp -s before "scripts/papers/$1" || ok 1 "\"$2\" is in $1"
}

cp -r "$source/scripts" scripts
compared 0 'as it is'
plant wang.py '\["1", "6/7"\]' '["1", "5/7"]'
compared 1 'a number that does not come out' 'not so: wang: loads on p2.8xlarge: published 7:6, ours 1 6/7 of 7/4: does not come out'
plant wang.py '@fact("loads on p2.8xlarge", "sec. 3", "7:6", quick=True)' '@fact("loads on p2.8xlarge", "sec. 3", "7:6", quick=True, why="it cannot")'
compared 1 'a reason where it does' 'comes out, so there is no reason to give'
plant wang.py '@fact("loads on p2.8xlarge"' '@fact("use of p2.8xlarge"'
compared 1 'a row of no fact' 'not so: wang: row "use of p2.8xlarge" is of no fact'
plant facts.py '\["loads "\]' '["loads ", "weights "]'
compared 1 'a fact without a row' 'not so: wang: p2.16xlarge 15:14:8, p2.8xlarge 7:6: no row begins with "weights "'
plant facts.py '\["loads "\]' '""'
compared 1 'a fact with neither' 'neither a row nor a reason'
plant facts.py '15:14:8, p2' '15:14:9, p2'
compared 1 'a number of a fact that no row has' 'not so: wang: p2.16xlarge 15:14:9, p2.8xlarge 7:6: no row of it has 9'
finish
