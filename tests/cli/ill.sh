#!/bin/sh
# Workers that crash, hang, run out of memory, end without an answer or with a part of one (ill_worker.c): the command ends in time, with
# the right status and one line that says why; what it writes is whole, and no worker runs on. TAP.
#   ill.sh SCCL-SYNTH SOURCE SHIM [all]
here=$PWD
. "$(dirname "$0")/tap.sh"
all=${4:-}
case $3 in /*) shim=$3 ;; *) shim=$here/$3 ;; esac
ILL_MARK=$work/mark
export ILL_MARK

# reason ILL: what is said of it.
reason() {
	case $1 in
	crash) echo 'died: Segmentation fault' ;;
	abort) echo 'died: Aborted' ;;
	busy | sleep | stop) echo 'time|its shares? of the' ;;
	hungry) echo 'memory limit of 64 MiB|died: Aborted|time limit of|their shares of the' ;; # without a limit it aborts at once; a slow computer is late
	status) echo 'ended with status 7|incomplete' ;;
	*) echo 'could not decide|incomplete|out of memory' ;;
	esac
}

# Every worker that fell ill has ended. Those of a worker that was killed are init's, which may take its time to wait for them (Z).
nobody() {
	while read -r it; do
		state=$(sed 's/.*) \(.\).*/\1/' "/proc/$it/stat" 2>/dev/null)
		case $state in '' | Z) ;; *) return 1 ;; esac
	done <mark
}

# What is there is valid by itself.
is_whole() {
	[ -e out.d ] || return 0
	[ -z "$(find out.d -name '.sccl-*')" ] || return 1
	find out.d -name '*.json' ! -name 'proofs*' | while read -r file; do "$program" verify "$file" >verified 2>&1 || echo "$file"; done >left
	[ ! -s left ]
}

# falls_ill ILL WHEN AT STATUSES COMMAND...: worker AT (0: all). Status 0 is for what needs that worker no more: it may say so in a line.
falls_ill() {
	ILL=$1 ILL_WHEN=$2 ILL_AT=$3 statuses=$4
	export ILL ILL_WHEN ILL_AT
	shift 4
	[ "$ILL.$ILL_WHEN" = hungry.begin ] && ILL_LIMIT=1 || ILL_LIMIT=
	export ILL_LIMIT
	rm -rf out.d mark
	LD_PRELOAD=$shim timeout 60 "$program" "$@" >out 2>err </dev/null
	status=$?
	[ -e mark ] || return 0 # there are fewer workers
	runs=$((runs + 1))
	lines=$(grep -c '^sccl-synth: ' err)
	case " $statuses " in
	*" $status "*) ;;
	*) echo "$ILL at $ILL_WHEN of $ILL_AT: exit $status: $(head -1 err)" >>faults ;;
	esac
	if [ $status != 0 ]; then
		[ "$lines" = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -Eq "$(reason "$ILL")" err || echo "$ILL at $ILL_WHEN of $ILL_AT: $(cat err)" >>faults
	fi
	nobody || echo "$ILL at $ILL_WHEN of $ILL_AT: runs on" >>faults
	is_whole || echo "$ILL at $ILL_WHEN of $ILL_AT: not whole: $(head -3 left)" >>faults
}

# The same for each illness of a list; in the long form each of the first workers as well, and both moments.
each() {
	what=$1 ills=$2 allowed=$3 runs=0
	shift 3
	: >faults
	workers=0 moments=begin
	[ -z "$all" ] || workers='0 1 2 3 5 8'
	for it in $ills; do
		case $it in half | garbage) moments=answer ;; *) moments=${all:+begin }answer ;; esac
		case $what in *certificate*) moments=begin ;; esac # a trace is not written by the program itself
		for moment in $moments; do
			for at in $workers; do
				case $it in
				hungry) falls_ill $it $moment $at "$allowed" "$@" --memory 64 ;;
				*) falls_ill $it $moment $at "$allowed" "$@" ;;
				esac
			done
		done
	done
	[ $runs -gt 0 ] && [ ! -s faults ]
	ok $? "$what: one line, in time, nothing half-written ($runs runs)"
	head -5 faults | sed 's/^/# /'
}

every='crash abort busy sleep stop hungry gone status half garbage'
some='crash stop hungry gone'
[ -z "$all" ] || some=$every
each 'solve' "$every" "3${all:+ 0}" solve -t ring:4 -c allgather -C 2 -S 2 -R 3 -o out.json --timeout 1
each 'pareto by a solver' "$some" '0 3' pareto -t dgx1@gpus=0,1,2,3 -c allgather --fresh -k 1 --timeout 4 -o out.d
each 'pareto by constructions' "$some" '0 3 4' pareto -t ring:4 -c allgather --fresh --timeout 1 -o out.d
# These have no limit of memory: a worker may take what the system gives.
some=$(echo "$some" | sed 's/hungry//')
each 'best' "$some" '0 3 4' best -t dgx1@gpus=0,1,2 -c allgather --sizes 1K,1M --within 2
# Status 0 of a solver of traces says that it does not know yet, and it writes no answer.
each 'a certificate' "$(echo "$some" | sed 's/half garbage//; s/gone//')" 3 prove -t ring:5 -c broadcast --root 0 -C 5 -S 3 -R 5 -o out.json --timeout 2

# What makes the certificates of a frontier has the last part of the time, not as long again: in one of three runs, for the computer may be
# busy. The frontier is complete without them (0), unless the search was late as well (3); a line says what is missing.
ILL=sleep ILL_WHEN=begin ILL_AT=0
for run in 1 2 3; do
	rm -rf out.d mark
	LD_PRELOAD=$shim timeout 17 "$program" pareto -t ring:5 -c broadcast --root 0 --fresh --timeout 10 -o out.d >out 2>err </dev/null
	status=$?
	[ $status = 0 ] || [ $status = 3 ] && grep -qE 'its values have no certificates|certificates may be missing' err
	ended=$?
	[ $ended = 0 ] && break
done
ok $ended 'certificates of a frontier end in time'
nobody && is_whole && [ -e out.d/ring:5/broadcast/frontier-root0.json ]
ok $? 'their worker too, and the frontier is there'

# Without a limit of time, a solver that always dies must not be asked for ever.
unset ILL_LIMIT
ILL=crash ILL_WHEN=begin ILL_AT=0
LD_PRELOAD=$shim timeout 60 "$program" prove -t ring:5 -c broadcast --root 0 -C 5 -S 3 -R 5 -o out.json >out 2>err </dev/null
[ $? = 3 ]
ok $? 'prove gives up where the solver always dies'
same 'and says why' 'sccl-synth: out.json: gave up on 1 certificate (the solver died: Segmentation fault), the last for (5,3,5)' err

# Solvers as they are, in too little memory: each engine finds the algorithm, or says that its limit was reached.
for engine in bits bits-z3 lia lia-paper naive; do
	: >faults
	enough=0
	for mib in 1 2 4 8 16 32 64 128 256 512; do
		rm -f out.json
		timeout 120 "$program" solve -t ring:4 -c allgather -C 2 -S 2 -R 3 --engine $engine --memory $mib -o out.json >out 2>err </dev/null
		case $?.$(cat err) in
		0.) enough=$mib; "$program" verify out.json >out 2>&1 || echo "$mib: no algorithm" >>faults ;;
		"3.sccl-synth: ring:4: gave up: memory limit of $mib MiB") [ ! -e out.json ] || echo "$mib: a file" >>faults ;;
		*) echo "$mib: $(cat err)" >>faults ;;
		esac
	done
	[ $enough -gt 0 ] && [ ! -s faults ]
	ok $? "$engine keeps to its limit of memory"
	head -3 faults | sed 's/^/# /'
done
finish
