#!/bin/sh
# Files that are no plain files: pipes under names that are looked for, symbolic links, the longest names, several writers.
. "$(dirname "$0")/tap.sh"

# quick STATUS ARGUMENT...: as run, and nothing is waited for.
quick() {
	wanted=$1
	shift
	timeout 20 "$program" "$@" >out 2>err </dev/null
	status=$?
	ok "$((status != wanted))" "exit $wanted: sccl-synth $*"
	[ $status = "$wanted" ] || { echo "# exit $status"; head -5 err | sed 's/^/# /'; }
}

mkdir -p pipes/topologies pipes/algorithms/ring:3/allgather pipes/judged
mkfifo pipes/topologies/pipe.json pipes/algorithms/ring:3/allgather/frontier.json pipes/judged/a.json
quick 0 topology list -d pipes
has 'a pipe among the machines is reported' '^sccl-synth: pipes/topologies/pipe.json: is not a regular file$' err
has 'and the others are listed' '^  dgx1 ' out
quick 2 topology show pipe -d pipes
quick 0 pareto -t ring:3 -c allgather -d pipes
has 'a pipe in a catalog is reported' 'ring:3/allgather/frontier.json: not used: .*is not a regular file$' err
quick 2 verify pipes/judged
has 'a pipe in a folder is reported' '^sccl-synth: pipes/judged/a.json: is not a regular file$' err
mkfifo nobody.json
quick 2 build -t ring:3 -c allgather --method ring -o nobody.json
has 'a pipe without a reader is not waited for' '^sccl-synth: nobody.json: is a pipe or socket that nothing reads from$' err

# What a shell passes as a stream is read.
run 0 build -t ring:3 -c allgather --method ring -o ring.json
"$program" verify /dev/stdin <ring.json >out 2>err
ok $? 'standard input by its name'
cat ring.json | "$program" verify /dev/fd/0 >out 2>err
ok $? 'a pipe by its number'
cat ring.json | "$program" verify - >out 2>err
ok $? 'standard input'

# A folder is not left, nor walked twice.
mkdir -p outside judged/below
cp ring.json outside/other.json
cp ring.json judged/one.json
run 0 verify judged
ln -s ../outside judged/away
quick 2 verify judged
has 'a link to a folder is reported' '^sccl-synth: judged/away: is a symbolic link, which is not followed' err
has_no 'and not followed' 'away/other' out
has 'the rest is judged' '^judged/one.json: ok' out
rm judged/away
ln -s ../outside/other.json judged/two.json
quick 2 verify judged
has_no 'nor is one to a file' 'two.json: ok' out
rm judged/two.json
ln -s .. judged/below/up
quick 2 verify judged
has_no 'nor one to the folder itself' 'up/' out
run 0 verify judged/one.json outside
ln -s outside named
run 0 verify named
has 'what is named is followed' '^named/other.json: ok' out

# The longest name that a folder takes.
long=$(printf '%250s' '' | tr ' ' a).json
run 0 build -t ring:3 -c allgather --method ring -o "$long"
cmp -s ring.json "$long"
ok $? 'a name of 255 bytes is written'

# Certificates that cannot be written are a failure, unlike those that there was no time to make.
mkdir -p "taken/ring:4/allgather/proofs.json/by/a folder"
quick 2 pareto -t ring:4 -c allgather -o taken
same 'and it says why' 'sccl-synth: taken/ring:4/allgather/proofs.json: Is a directory' err
has 'the frontier is printed' '^ +2 +2 +3 ' out
run 0 verify taken/ring:4/allgather/frontier.json

# Several walks into one catalog at once.
failed_walks=0 i=0
: >words
while [ $i -lt "${ROUNDS:-40}" ]; do
	i=$((i + 1))
	rm -rf shared
	for walk in 1 2 3; do
		"$program" pareto -t ring:4 -c broadcast --root 1 --max-steps 3 --fresh -o shared >/dev/null 2>>words </dev/null &
		eval "walk$walk=\$!"
	done
	for walk in $walk1 $walk2 $walk3; do
		wait "$walk" || failed_walks=$((failed_walks + 1))
	done
	[ $i = 1 ] && cp -r shared first
	diff -r first shared >>words || failed_walks=$((failed_walks + 1))
	find shared -name '.sccl-*' >>words
done
[ $failed_walks = 0 ] && [ ! -s words ]
ok $? 'three walks that share a folder all end well, with the same files and no others'
head -5 words | sed 's/^/# /'
finish
