#!/bin/sh
# Every row of lines.txt: the program, given bad input, ends with that status, says that one line and nothing else, and
# leaves no file. usage: bad.sh SCCL-SYNTH SOURCE [EVERY]. With EVERY only one row in so many. TAP on standard output.
set -u
every=${3-1}
program=$1
case $program in /*) ;; *) program=$PWD/$program ;; esac
here=$2/tests/bad
outside=$(mktemp -d) || exit 99
SCCL_PATH=$2 LC_ALL=C XDG_STATE_HOME=$outside/home
export SCCL_PATH LC_ALL XDG_STATE_HOME
trap 'rm -rf "$outside"' EXIT
trap 'exit 130' INT TERM
work=$outside/work
n=0 failed=0 row=0

# A plan whose thread block sends 2^20 chunks 300 times.
heavy_plan() {
	printf '<algo name="x" proto="Simple" nchannels="1" nchunksperloop="1" ngpus="2" coll="allreduce">'
	printf '<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0"><tb id="0" send="1" recv="-1" chan="0">'
	seq 0 299 | sed 's/.*/<step s="&" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1048576" depid="-1" deps="-1" hasdep="0"\/>/'
	printf '</tb></gpu><gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0"/></algo>'
}

prepare() {
	mkdir "$work" && cd "$work" || exit 99
	mkdir -p folder walk/ring:3/allgather
	ln -s "$here" bad
	ln -s "$2/tests/golden" golden
	: >plain
	cp bad/algorithm/verify-no-link.json "$(printf 'un\nruly.json')"
	printf '%100000s' '' | tr ' ' '[' >deep.json
	printf '%100000s' '' | sed 's/ /{"x":/g' >deeper.json
	yes a,0,1 | head -n 200000 >rows.csv
	{ printf '<system '; seq 60000 | sed 's/.*/a&=""/' | tr '\n' ' '; printf '/>'; } >attributes.xml
	{ seq 30000 | sed 's/.*/k&: 1/'; printf 'topology: [Ring]\nnpus_count: [4]\n'; } >keys.yml
	heavy_plan >heavy.xml
	echo '{"format": "sccl-journal", "version": 1, "topology": "another", "collective": "another"}' \
		>walk/ring:3/allgather/frontier.journal
}

# What is there: of files also size, inode and time of change, which no write leaves as it was.
state() { find . -type f -printf '%p %s %i %C@\n' -o -printf '%p %y\n'; }

# is_right STATUS LINE: the row just run ended as it must. Few commands, as there are hundreds of rows.
is_right() {
	[ "$status" = "$1" ] && [ ! -s "$outside/out" ] && printf '%s\n' "$2" >"$outside/wanted" && cmp -s "$outside/wanted" "$outside/err" &&
		state >"$outside/now" && cmp -s "$outside/now" "$outside/state"
}

# explain STATUS LINE: what it did instead.
explain() {
	[ "$status" = "$1" ] || echo "exit status $status, not $1"
	printf '%s\n' "$2" | cmp -s - "$outside/err" || { echo "standard error, not \"$2\":"; head -3 "$outside/err"; }
	[ ! -s "$outside/out" ] || { echo "standard output:"; head -3 "$outside/out"; }
	state | diff "$outside/state" - >"$outside/files" || { echo "files:"; cat "$outside/files"; }
}

prepare "$@"
state >"$outside/state"
while IFS='|' read -r wanted arguments line; do
	case $wanted in ''|'#'*) continue ;; esac
	row=$((row + 1))
	[ $((row % every)) = 0 ] || continue
	n=$((n + 1))
	# The arguments are words of the shell: rows may quote, and send standard output elsewhere.
	eval "timeout 60 \"\$program\" $arguments" >"$outside/out" 2>"$outside/err" </dev/null
	status=$?
	if is_right "$wanted" "$line"; then
		printf 'ok %d - %s\n' $n "$arguments"
	else
		printf 'not ok %d - %s\n' $n "$arguments"
		explain "$wanted" "$line" | sed 's/^/# /'
		state >"$outside/state"
		failed=1
	fi
done <"$here/lines.txt"
echo "1..$n"
exit $failed
