# Read by tests of commands and of the library without memory, after tap.sh: starved runs one with each allocation failing. $shim is
# tests/cli/fail_allocation.c; $all is empty for a sample. What is run does its work, or it ends with 3 or 4 and one line that names memory;
# it never dies, blames the input or leaves anything half-written.
TMPDIR=$work/run FAIL_MARK=$work/mark
export TMPDIR FAIL_MARK
faults=$work/faults
besides= # words of a line that is not counted

# Times and peaks of memory differ between runs.
plain() { sed 's/[0-9.]* m*s\>//g; s/[0-9]* MiB//g' "$1"; }

# in_folder COMMAND...: in a new folder run; out, err and status are beside it.
in_folder() {
	rm -rf "$work/run"
	mkdir "$work/run"
	cd "$work/run" || exit 99
	timeout 120 "$@" >../out 2>../err </dev/null
	status=$?
	cd "$work" || exit 99
	tries=0 # scratch folders outlive their owner by a moment
	while [ $tries -lt 100 ] && ls -d run/sccl-run-* >/dev/null 2>&1; do
		sleep 0.05
		tries=$((tries + 1))
	done
}

# What stopped is not half-written: no temporary files, and each file is that of the undisturbed run or valid by itself.
is_whole() {
	find run -mindepth 1 ! -path 'run/out*' >left
	[ ! -s left ] || return 1
	find run -type f ! -name '*.journal' | while read -r file; do
		cmp -s "$file" "whole/${file#run/}" || "$program" verify "$file" >/dev/null 2>&1 || echo "$file"
	done >left
	[ ! -s left ]
}

is_right() {
	plain out >out.plain
	cmp -s out.plain whole.plain && diff -r run whole >left
}

# judge WHAT: of the last run.
judge() {
	runs=$((runs + 1))
	[ "$status" = "$wanted" ] && is_right && return
	is_told || echo "$1: exit $status: $(head -c 200 err)" >>"$faults"
	is_whole || echo "$1: left behind: $(head -3 left)" >>"$faults"
}

is_told() {
	said=0 last=
	while read -r line; do
		[ -z "$besides" ] || case $line in *"$besides"*) continue ;; esac
		said=$((said + 1)) last=$line
	done <err
	case $status:$said:$last in 3:1:sccl-synth:*memory* | 4:1:sccl-synth:*memory*) ;; *) return 1 ;; esac
}

# The next n after $1: each of the first, then by a ratio.
next() {
	if [ -n "$all" ]; then
		echo $(($1 + 1 + ($1 > 2000) * $1 / 100))
	else
		echo $(($1 + 1 + $1 * 2 / 5))
	fi
}

allocations() {
	at=1 turn=AT
	while [ "$at" -lt 3000000 ]; do
		rm -f mark
		in_folder env "FAIL_$turn=$at" LD_PRELOAD="$shim" "$program" "$@"
		judge "allocation $at ($turn)"
		[ -e mark ] || break
		at=$(next "$at")
		[ $turn = AT ] && turn=FROM || turn=AT
	done
}

# From what the loader needs by small steps, then by large ones; below, it is the loader that complains.
limits() {
	i=0 kib=$least
	while [ $i -lt 25 ]; do
		in_folder sh -c 'ulimit -v "$0" && exec "$@"' "$kib" "$program" "$@"
		judge "limit of $kib KiB"
		i=$((i + 1))
		kib=$((kib + (i < 15 ? 200 : 3000)))
	done
}

# starved STATUS WHAT COMMAND...: STATUS is that of the undisturbed run.
starved() {
	wanted=$1 what=$2 runs=0
	shift 2
	in_folder "$program" "$@"
	ok "$((status != wanted))" "$what: exit $wanted with memory"
	rm -rf whole
	mv run whole
	plain out >whole.plain
	: >"$faults"
	allocations "$@"
	[ "$at" -gt 1 ] || echo 'no allocation failed: is the shim loaded?' >"$faults"
	limits "$@"
	[ ! -s "$faults" ]
	ok $? "$what: done, or one line that memory ran out ($runs runs)"
	head -5 "$faults" | sed 's/^/# /'
}

least=16000
until (ulimit -v $least && exec "$program" --version) >out 2>err; do
	least=$((least + 500))
	[ $least -lt 4000000 ] || exit 99
done
