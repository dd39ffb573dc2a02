# Read by the tests here: . "$(dirname "$0")/tap.sh". Each is called with SCCL-SYNTH SOURCE, works in an empty folder $work,
# and prints TAP.
set -u
program=$1 source=$2
case $program in /*) ;; *) program=$PWD/$program ;; esac
golden=$source/tests/golden bad=$source/tests/bad
work=$(mktemp -d) || exit 99
SCCL_PATH=$source LC_ALL=C XDG_STATE_HOME=$work.state
export SCCL_PATH LC_ALL XDG_STATE_HOME
trap 'rm -rf "$work" "$work.state"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
n=0 failed=0
# A row of `run` without a wrong element, in one of the two placements or both.
exact='[0-9] +0(( +[0-9.]+){3} +0|( +N/A){4})$|N/A( +[0-9.]+){3} +0$'

# ok STATUS WHAT: a line of TAP.
ok() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# run STATUS ARGUMENT...: the program's words are in out and err; its status must be that one.
run() {
	wanted=$1
	shift
	timeout 120 "$program" "$@" >out 2>err </dev/null
	status=$?
	ok "$((status != wanted))" "exit $wanted: sccl-synth $(printf %s "$*" | tr -c " -~" "?")"
	[ $status = "$wanted" ] || { echo "# exit $status"; head -5 err | sed 's/^/# /'; }
}

# same WHAT WANTED FILE: FILE holds exactly the text WANTED.
same() {
	printf '%s\n' "$2" >wanted
	cmp -s wanted "$3"
	ok $? "$1"
	cmp -s wanted "$3" || diff wanted "$3" | sed 's/^/# /'
}

# has WHAT PATTERN FILE, has_no WHAT PATTERN FILE: by grep -E.
has() {
	grep -qE -- "$2" "$3"
	ok $? "$1"
}

has_no() {
	! grep -qE -- "$2" "$3"
	ok $? "$1"
}

silent() {
	[ ! -s err ]
	ok $? "nothing on standard error"
}

# keys WHAT KEYS FILE: the first line of FILE is an object of exactly these keys, in this order. Values may nest.
keys() {
	if ! command -v python3 >/dev/null; then
		skip "$1" "no python3"
		return
	fi
	found=$(head -1 "$3" | python3 -c 'import json, sys; print(" ".join(json.load(sys.stdin)))' 2>/dev/null)
	[ "$found" = "$2" ]
	ok $? "$1"
	[ "$found" = "$2" ] || echo "# keys: $found"
}

# help COMMAND: its --help ends well and shows an example.
help() {
	run 0 "$1" --help
	has "the help of $1 has an example" "^Example: sccl-synth $1 " out
	has "the help of $1 says what its exit status means" '^Exit status: 0 ' out
	silent
}

finish() {
	echo "1..$n"
	exit $failed
}
