# shellcheck shell=sh
# Part of gpu.sh: are results right? Each algorithm in many ways, ten thousand calls in a row, and a rank that dies.
# shellcheck disable=SC2154,SC2034 # gpu.sh sets work, emulated, quick, every_way, gpus; find_program sets program, ranks, combines
large_allgather=$SOURCE_ROOT/algorithms/dgx1/allgather/c6-s3-r7.json
large_allreduce=$SOURCE_ROOT/algorithms/dgx1/allreduce/c16-s4-r6.json

# Runs $program with ARGUMENTS for LIMIT seconds at most; leaves $result and $rows.
judge() {
	limit=$1
	shift
	timeout -k 10 "$limit" "$SCCL_RUN" "$program" --json "$@" >"$work/rows" 2>"$work/err" </dev/null
	code=$?
	rows=$(wc -l <"$work/rows") exact=$(grep -c '"check": "exact"' "$work/rows") result=exact
	case $code in
	0) [ "$rows" -gt 0 ] && [ "$exact" -eq "$rows" ] || result="failed: $((rows - exact)) of $rows rows are not exact" ;;
	1) result="differs: $(first_line "$work/err")" ;;
	124 | 137) result="failed: not done after $limit s; $(first_line "$work/err")" ;;
	*) result="failed: $(first_line "$work/err")" ;;
	esac
	[ "$result" = exact ] || status=1
}

# A way is options without their dashes, joined by commas; the first is who the ranks are.
options_of() {
	printf %s "--mode $1" | sed 's/,/ --/g; s/=/ /g'
}

a_choice_of_ways() {
	cat <<-END
		threads
		threads,protocol=packets
		threads,graph
		threads,protocol=packets,graph,overlap
		threads,kernels=step
		threads,registered
		threads,in-place
		threads,kernels=none
		threads,transfer=pull
		processes
		processes,protocol=packets,graph
	END
	[ "$quick" ] || cat <<-END
		threads,protocol=packets,kernels=step
		threads,protocol=packets,graph
		threads,kernels=step,graph,staged
		threads,protocol=packets,kernels=step,graph
		threads,overlap
		threads,protocol=packets,overlap,in-place
		threads,staged
		threads,protocol=packets,registered,graph
		threads,kernels=none,staged
		threads,kernels=none,in-place
		processes,kernels=step,in-place
		processes,protocol=packets,overlap,staged
		processes,graph,registered
		processes,kernels=none
		threads,transfer=pull,kernels=none
		processes,transfer=pull,graph
	END
}

all_ways() {
	for mode in threads processes; do
		for memory in '' ,staged ,registered ,in-place; do
			for protocol in '' ,protocol=packets ,transfer=pull; do
				for how in '' ,overlap ,graph ,graph,overlap ,kernels=step ,kernels=step,graph; do
					echo "$mode$memory$protocol$how"
				done
			done
			echo "$mode$memory,kernels=none"
		done
	done
}

# How much of it: processes that share a GPU do so by turns of some milliseconds, and a step is a turn at least.
amounts_of() {
	types=f32,i32,bf16 counts=0,1,7,1000,65537 calls=20
	case $1 in
	processes*) [ "$gpus" -ge "$ranks" ] || types=f32 calls=3 ;;
	esac
	if [ "$emulated" ]; then types=f32 counts=0,1,7,1000 calls=3; fi
	printf %s "--types $types --ops sum --counts $counts --calls $calls"
}

right_part() {
	emit ''
	emit '## Results'
	emit ''
	emit "Ranks take the GPUs in turn. Counts 0, 1, 7, 1000 and 65537$([ "$emulated" ] && echo ' (the last not here)')."
	emit ''
	emit '| algorithm | way | rows | calls a row | result |'
	emit '| --- | --- | --- | --- | --- |'
	for file; do
		tell "running $(short "$file")"
		if ! find_program "$file"; then
			emit "| $(short "$file") | | 0 | | $result |"
			continue
		fi
		failures=0
		for way in $(if [ "$every_way" ]; then all_ways; else a_choice_of_ways; fi); do
			case $combines$way in 1*kernels=none*) continue ;; esac
			if [ $failures -ge 4 ]; then # each may have cost the watchdog's time
				emit "| $(short "$file") | $way | 0 | 0 | not run: $failures ways failed before |"
				continue
			fi
			amounts=$(amounts_of "$way")
			# shellcheck disable=SC2046,SC2086
			judge 300 --label "$(short "$file")" --timeout 30 $amounts $(options_of "$way")
			case $result in failed*) failures=$((failures + 1)) ;; esac
			emit "| $(short "$file") | $way | $rows | ${amounts##* } | $result |"
		done
	done
}

deep_part() {
	calls=10000 files="$large_allgather $large_allreduce"
	if [ "$emulated" ]; then calls=100 files=$1; fi
	emit ''
	emit '## Many calls in a row'
	emit ''
	emit '| algorithm | way | rows | calls a row | result |'
	emit '| --- | --- | --- | --- | --- |'
	for file in $files; do
		tell "many calls of $(short "$file")"
		if ! find_program "$file"; then
			emit "| $(short "$file") | | 0 | $calls | $result |"
			continue
		fi
		for way in threads threads,graph threads,protocol=packets threads,protocol=packets,graph; do
			# shellcheck disable=SC2046
			judge 300 --label "$(short "$file")" --timeout 60 --counts 1000 --calls "$calls" $(options_of $way)
			emit "| $(short "$file") | $way | $rows | $calls | $result |"
		done
	done
}

children_of() {
	cat "/proc/$1/task/$1/children" 2>/dev/null || pgrep -P "$1"
}

# A rank is killed among many calls: the others must end, in time, and the dead one must be named.
kill_one() {
	timeout -k 10 150 "$SCCL_RUN" "$program" --label "$(short "$file")" --counts 65537 --calls 1000000000 --timeout 20 >/dev/null 2>"$work/err" </dev/null &
	runner=$!
	sleep "$([ "$emulated" ] && echo 2 || echo 15)"
	# shellcheck disable=SC2046
	set -- $(children_of $runner)
	# shellcheck disable=SC2046
	[ $# -eq 0 ] || set -- $(children_of "$1")
	if [ $# -lt 3 ]; then
		kill "$runner" 2>/dev/null
		wait "$runner"
		result="failed: there are $# ranks; $(first_line "$work/err")"
		return
	fi
	at=$(date +%s)
	kill -KILL "$3"
	wait "$runner"
	code=$? took=$(($(date +%s) - at))
	if [ $code -eq 4 ] && [ $took -le 40 ] && grep -q 'rank 2 ' "$work/err"; then
		result="ended after $took s: $(first_line "$work/err")"
	else
		result="failed: status $code after $took s: $(first_line "$work/err")"
	fi
}

death_part() {
	file=$large_allreduce
	if [ "$emulated" ]; then file=$1; fi
	tell "a rank dies"
	emit ''
	emit '## Rank 2 is killed in mid-call'
	emit ''
	emit '| algorithm | watchdog | result |'
	emit '| --- | --- | --- |'
	if find_program "$file"; then kill_one; fi
	case $result in failed*) status=1 ;; esac
	emit "| $(short "$file") | 20 s | $result |"
}
