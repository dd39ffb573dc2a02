# shellcheck shell=sh
# Part of gpu.sh: figures, all of 8 ranks on one GPU, beside what floor.cu measures there. A figure fails nothing.
# shellcheck disable=SC2154,SC2034 # gpu.sh sets work, quick, target, compiler, architecture, here
step_files="$SOURCE_ROOT/algorithms/dgx1/allgather/c1-s2-r2.json $SOURCE_ROOT/algorithms/dgx1/allgather/c6-s7-r7.json
$SOURCE_ROOT/algorithms/dgx1/allreduce/c8-s4-r4.json"
share_wanted=85 microseconds_wanted=3

floor_of() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/floor.txt"
}

floor_part() {
	: >"$work/floor.txt"
	emit ''
	emit '## What the GPU does at best'
	emit ''
	if [ "$target" != cuda ]; then
		emit 'There is no measurement of the floor for HIP: figures stand alone.'
		return
	fi
	tell "measuring the floor"
	if timeout -k 10 300 "$compiler" -O3 -std=c++17 -arch="$architecture" -I"$SOURCE_ROOT/runtime/include" "$here/floor.cu" \
		-o "$work/floor" >"$work/err" 2>&1 && timeout -k 10 200 "$work/floor" >"$work/floor.txt" 2>"$work/err"; then
		result=measured
	else
		result="failed: $(first_line "$work/err")" status=1
	fi
	emit 'Copies: cudaMemcpyAsync within the GPU, bytes read and written. Flags and packets: one way, half of a round trip.'
	emit ''
	emit '| figure | value |'
	emit '| --- | --- |'
	awk '{ print "| " $1 " | " $2 " " $3 " |" }' "$work/floor.txt" >"$work/lines"
	while read -r line; do emit "$line"; done <"$work/lines"
	[ "$result" = measured ] || emit "| | $result |"
	# One line: a figure that could not be taken.
	if [ "$result" = measured ] && [ -s "$work/err" ]; then emit "| | $(first_line "$work/err") |"; fi
}

# How many blocks of each kernel the GPU holds at once. A plan takes 16 to 64 a rank unless it is told otherwise, of 8 ranks here.
occupancy_part() {
	emit ''
	emit '## Blocks that fit at once'
	emit ''
	emit '| algorithm | type | operation | blocks |'
	emit '| --- | --- | --- | --- |'
	for file in "$@" $(needed_by_parts); do
		seen=" ${seen-} "
		case $seen in *" $file "*) continue ;; esac
		seen="$seen$file"
		if ! find_program "$file"; then
			emit "| $(short "$file") | | | $result |"
			continue
		fi
		timeout -k 10 60 "$SCCL_BUILD/tests/gpu/occupancy" "$program" >"$work/rows" 2>"$work/err" </dev/null || status=1
		while read -r _ type op blocks; do
			emit "| $(short "$file") | $type | $op | $([ "$blocks" -gt 0 ] && echo "$blocks" || echo "failed: $blocks") |"
		done <"$work/rows"
		[ ! -s "$work/err" ] || emit "| $(short "$file") | | | failed: $(first_line "$work/err") |"
	done
}

# Bytes read and written per byte of L by the algorithm of FILE. A tarball has them counted.
traffic_of() {
	if [ -r "$here/traffic.txt" ]; then
		awk -v name="$(short "$1")" '$1 == name { print $2, $3; found = 1 } END { exit !found }' "$here/traffic.txt"
	else
		python3 "$here/traffic.py" "$1"
	fi
}

# The median microseconds of $program with ARGUMENTS, in $took; false: $result says why there are none.
measure() {
	timeout -k 10 300 env CUDA_VISIBLE_DEVICES="$first_gpu" HIP_VISIBLE_DEVICES="$first_gpu" "$SCCL_RUN" "$program" --json \
		--no-check --label "$(short "$file")" --timeout 60 "$@" >"$work/rows" 2>"$work/err" </dev/null
	code=$?
	took=$(sed -n 's/.*"microseconds": \([0-9.]*\).*/\1/p' "$work/rows" | head -n 1)
	[ $code -eq 0 ] && [ "$took" ] && return
	result="failed: status $code: $(first_line "$work/err")" status=1
	return 1
}

# GB/s of the bytes that FILE's algorithm must move where L is SIZE, and the share of a copy's.
speed_row() {
	file=$1 size=$2 way=$3
	traffic=$(traffic_of "$file") || { status=1; return; }
	result='' copy=$(floor_of copy-1024M-median)
	# shellcheck disable=SC2046
	if measure --sizes "$size" --calls 35 $(options_of "$way"); then
		result=$(echo "$traffic $took ${copy:-0}" | awk -v bytes="$(($(echo "$size" | tr -d M) * 1048576))" -v wanted=$share_wanted '{
			moved = ($1 + $2) * bytes
			speed = moved / $4 / 1e3
			printf "%.2f | %.1f | %.1f | ", moved / 2 ^ 30, $4, speed
			share = $5 > 0 ? 100 * speed / $5 : 0
			verdict = share >= wanted ? "reached" : "below " wanted " %"
			if ($5 > 0)
				printf "%.1f %% | %s", share, verdict
			else
				printf " | no floor"
		}')
	else
		result="| | | | $result"
	fi
	emit "| $(short "$file") | $way | $size | $result |"
}

speed_part() {
	emit ''
	emit '## Large calls of 8 ranks on one GPU'
	emit ''
	emit 'Bytes: what the algorithm must read and write in all (traffic.py counts it from the file). The share is that of the'
	emit "median copy of 1 GiB; the target is $share_wanted %."
	emit ''
	emit '| algorithm | way | L of a rank | GiB moved | microseconds | GB/s | of a copy | target |'
	emit '| --- | --- | --- | --- | --- | --- | --- | --- |'
	if [ ! -r "$here/traffic.txt" ] && ! command -v python3 >/dev/null; then
		emit '| | | | | | | | there is no python3 to count bytes with |'
		return
	fi
	for file in $large_allgather $large_allreduce; do
		tell "speed of $(short "$file")"
		if ! find_program "$file"; then
			emit "| $(short "$file") | | | | | | | $result |"
			continue
		fi
		for size in 64M $([ "$quick" ] || echo 256M); do
			for way in threads threads,overlap threads,graph threads,kernels=step; do
				speed_row "$file" "$size" "$way"
			done
		done
	done
}

# Microseconds a step: a call's by its steps, so the launch is in it.
step_row() {
	file=$1 way=$2
	steps=$(sed -n 's/.*"cost": {"steps": \([0-9]*\).*/\1/p' "$file")
	# shellcheck disable=SC2046
	if measure --sizes 1K --calls 7000 $(options_of "$way"); then
		result=$(awk -v took="$took" -v steps="$steps" -v wanted=$microseconds_wanted 'BEGIN {
			verdict = took / steps <= wanted ? "reached" : "above " wanted " us"
			printf "%.2f | %.2f | %s", took, took / steps, verdict
		}')
		echo "$file $way $steps $took" >>"$work/steps"
	else
		result="| | $result"
	fi
	emit "| $(short "$file") | $way | $steps | $result |"
}

step_part() {
	: >"$work/steps"
	emit ''
	emit '## Small calls of 8 ranks on one GPU'
	emit ''
	emit "L is 1 KiB. A step: a call's median by its steps, launch included; the target is $microseconds_wanted us, the floor between"
	emit "two streams here $(floor_of flag-streams-median) us for a flag and $(floor_of packet-streams-median) us for a packet."
	emit ''
	emit '| algorithm | way | steps | us a call | us a step | target |'
	emit '| --- | --- | --- | --- | --- | --- |'
	for file in $step_files $large_allreduce; do
		tell "steps of $(short "$file")"
		if ! find_program "$file"; then
			emit "| $(short "$file") | | | | | $result |"
			continue
		fi
		for way in threads threads,graph threads,protocol=packets threads,protocol=packets,graph threads,protocol=packets,graph,blocks=1; do
			step_row "$file" $way
		done
	done
	emit ''
	emit 'Without the launch, by the two allgathers of 2 and 7 steps:'
	emit ''
	emit '| way | us a further step |'
	emit '| --- | --- |'
	awk '/allgather/ { if ($2 in took) printf "| %s | %.2f |\n", $2, ($4 - took[$2]) / ($3 - steps[$2]); else { took[$2] = $4; steps[$2] = $3 } }' \
		"$work/steps" >"$work/lines"
	while read -r line; do emit "$line"; done <"$work/lines"
}
