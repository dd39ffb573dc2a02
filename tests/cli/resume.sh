#!/bin/sh
# What --resume finds in a journal is verified or asked again, and it says which.
. "$(dirname "$0")/tap.sh"

# walk STATUS FOLDER [OPTION...]
walk() {
	wanted=$1 out=$2
	shift 2
	run "$wanted" pareto -t line:3 -c broadcast --root 0 -k 2 --max-steps 4 --fresh -o "$out" "$@"
}
journal=line:3/broadcast/frontier-root0.journal

walk 0 whole
cp out said
# A journal is kept where something stays open; what is added to its first line is for each case.
walk 3 begun --timeout 0.000001
[ -s begun/$journal ]
ok $? 'the journal of a walk without time is kept'

# with WHAT LINE PATTERN: resumed with that line it says that, and finds what a walk finds without it.
with() {
	rm -rf cut
	mkdir -p cut/line:3/broadcast
	head -1 begun/$journal >cut/$journal
	printf '%s\n' "$2" >>cut/$journal
	walk 0 cut --resume
	has "$1: it is reported" "^sccl-synth: cut/$journal: $3" err
	sed 's/cut/whole/' out | cmp -s - said
	ok $? "$1: the same points"
	diff -r whole cut >differences
	ok $? "$1: the same files"
}
with 'a refusal that nobody signed' '{"candidate": [1, 2, 2]}' '1 refutation is not signed by a search of this user and version, so solved again$'
with 'an algorithm without steps' '{"candidate": [1, 2, 2], "steps": []}' 'line 2 is damaged, so its candidate is solved again: must be 2 steps, not 0$'
with 'an algorithm over no link' '{"candidate": [1, 2, 2], "steps": [[1, [0, 0, 2]], [1, [0, 2, 1]]]}' \
	'the algorithm for \(1,2,2\) does not hold up, so the candidate is solved again: '
with 'no candidate' '{"candidate": [0, 0, 0], "steps": []}' 'line 2 is damaged'
with 'a broken line' '{"candidate": [1, 2' 'line 2 is damaged'
with 'an algorithm' '{"candidate": [1, 2, 2], "steps": [[1, [0, 0, 1]], [1, [0, 1, 2]]]}' \
	'has 1 algorithm, verified before use, and 0 signed refutations of an interrupted search$'

# What lies under the journal's name is not written to.
for kind in resumed anew; do
	rm -rf cut
	mkdir -p cut/line:3/broadcast
	echo precious >kept
	ln -s "$PWD/kept" cut/$journal
	if [ $kind = resumed ]; then
		walk 2 cut --resume
		has 'it says why' ': is a symbolic link$' err
	else
		walk 0 cut
	fi
	same "a symbolic link, $kind: the file it names stays as it is" precious kept
done
rm -rf cut
mkdir -p cut/line:3/broadcast
mkfifo cut/$journal
walk 2 cut --resume
has 'a pipe is not waited for' ': is not a regular file$' err

# The journal of another machine of that name is not thrown away.
rm -rf cut
mkdir -p cut/line:3/broadcast
sed '1s/line:3/line_3/' begun/$journal >cut/$journal
cp cut/$journal kept
walk 2 cut
has 'another journal is refused' ': belongs to another machine or collective; ' err
cmp -s kept cut/$journal
ok $? 'and kept'
finish
