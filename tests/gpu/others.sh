# shellcheck shell=sh
# Part of gpu.sh: what is not a run of sccl-run's alone. The vendor's checkers, a program of NCCL's, and the example.
# shellcheck disable=SC2154,SC2034 # gpu.sh sets work, target, compiler, architecture, here, gpus; find_program sets program
checked_files="$SOURCE_ROOT/algorithms/dgx1/allgather/c1-s2-r2.json $SOURCE_ROOT/algorithms/dgx1/allreduce/c8-s4-r4.json"

row() {
	case $3 in failed*) status=1 ;; esac
	emit "| $1 | $2 | $3 |"
}

# sanitize TOOL WAY: leaves $result. A checker that lets one kernel of a process run at a time stops ranks that are threads.
sanitize() {
	# shellcheck disable=SC2046
	timeout -k 10 400 compute-sanitizer --tool "$1" --target-processes all --error-exitcode 9 "$SCCL_RUN" "$program" --json \
		--types f32 --counts 0,7,1000 --calls 3 --timeout 90 $(options_of "$2") >"$work/rows" 2>"$work/err" </dev/null
	code=$?
	# Its own lines begin with =====, and are on the standard output.
	grep -h '^=====.*ERROR SUMMARY' "$work/rows" "$work/err" >"$work/lines"
	if grep -v 'ERROR SUMMARY: 0 errors' "$work/lines" >"$work/found" || [ $code -eq 9 ]; then
		grep -h '^=====' "$work/rows" "$work/err" | grep -v COMPUTE-SANITIZER | head -n 1 >>"$work/found"
		result="failed: $(paste -s -d ' ' "$work/found" | cut -c 1-300)"
	elif [ $code -eq 0 ] && [ "$(grep -c '"check": "exact"' "$work/rows")" -eq 3 ] && [ -s "$work/lines" ]; then
		result=clean
	else
		result="failed: no end, status $code: $(first_line "$work/err")"
	fi
}

# Whether a kernel of $program has memory that the threads of a block share; yes if there is no tool to tell.
uses_shared_memory() {
	command -v cuobjdump >/dev/null || return 0
	cuobjdump --dump-resource-usage "$program" >"$work/resources" 2>/dev/null || return 0
	grep -q 'SHARED:[1-9]' "$work/resources"
}

sanitizer_rows() {
	if [ "$target" != cuda ] || ! command -v compute-sanitizer >/dev/null; then
		row compute-sanitizer '' 'not run: it is not on the PATH'
		return
	fi
	for file in $checked_files; do
		if ! find_program "$file"; then
			row compute-sanitizer "$(short "$file")" "$result"
			continue
		fi
		for tool in memcheck racecheck; do
			if [ $tool = racecheck ] && ! uses_shared_memory; then
				row racecheck "$(short "$file")" "not run: it checks shared memory, and no kernel of the program has any"
				continue
			fi
			for protocol in plain packets; do
				tell "$tool of $(short "$file")"
				way=threads,protocol=$protocol
				sanitize $tool $way
				case $result in
				'failed: no end'*)
					row "$tool" "$(short "$file"), $way" "not done: ${result#failed: }; as processes instead:"
					way=processes,protocol=$protocol
					sanitize $tool $way
					;;
				esac
				row "$tool" "$(short "$file"), $way" "$result"
			done
		done
	done
}

# Programs of a ring of four for what the program calls.
nccl_programs() {
	mkdir -p "$work/nccl/programs"
	for one in allreduce_4_4_6 allgather_1_3_3 reducescatter_4_2_3 broadcast_2_3_3_0 reduce_1_2_2_0; do
		# shellcheck disable=SC2046
		set -- $(echo $one | tr _ ' ')
		rm -rf "$work/nccl/c"
		timeout -k 10 100 "$SCCL_SYNTH" solve -t ring:4 -c "$1" -C "$2" -S "$3" -R "$4" ${5:+--root "$5"} \
			-o "$work/nccl/found.json" >"$work/err" 2>&1 &&
			timeout -k 10 100 "$SCCL_SYNTH" lower "$work/nccl/found.json" --target cuda --types i32 --ops sum -o "$work/nccl/c" \
				>"$work/err" 2>&1 || return 1
		source=$(find "$work/nccl/c" -name '*.cu')
		compile "$source" "$work/nccl/programs/$(basename "$source" .cu).so" >"$work/err" 2>&1 || return 1
	done
}

# nccl_run LIBRARY: the program beside LIBRARY, with the drop-in before it; every call must be one of ours.
nccl_run() {
	drop_in=$SCCL_BUILD/runtime/libsccl-nccl.so
	[ -r "$drop_in" ] || { result="failed: $drop_in cannot be read"; return; }
	if ! timeout -k 10 300 "$compiler" -O2 -std=c++17 -arch="$architecture" -I"$SOURCE_ROOT" "$here/nccl.cu" -Xlinker "$1" \
		-o "$work/nccl/app" >"$work/err" 2>&1; then
		result="failed: not compiled: $(first_line "$work/err")"
		return
	fi
	timeout -k 10 200 env LD_LIBRARY_PATH="$(dirname "$1")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD="$drop_in" \
		SCCL_NCCL_PROGRAMS="$work/nccl/programs" SCCL_NCCL_TARGET=cuda SCCL_LOG=1 STAND_IN_NCCL_LOG="$work/nccl/calls" \
		"$work/nccl/app" 4 >"$work/rows" 2>"$work/err" </dev/null
	code=$?
	if grep -q 'NCCL serves' "$work/err"; then
		result="failed: $(grep -m 1 'NCCL serves' "$work/err" | tr '|' '/')"
	elif [ $code -eq 0 ] && [ "$(wc -l <"$work/rows")" -eq 15 ] && grep -q '^sccl: ' "$work/err"; then
		result='right, and all served by the catalog'
	else
		grep -v '^sccl: ' "$work/err" >"$work/lines"
		result="failed: status $code: $(first_line "$work/lines")"
	fi
}

# NCCL takes one rank a GPU. With fewer a stand-in that computes nothing lies behind, and all must come from us.
nccl_rows() {
	if [ "$target" != cuda ]; then
		row "drop-in" '' 'not run: for CUDA alone'
		return
	fi
	tell "the drop-in"
	if ! nccl_programs; then
		row "drop-in" 'ring:4' "failed: no programs: $(first_line "$work/err")"
		return
	fi
	stand_in_nccl=$SCCL_BUILD/tests/runtime/nccl/libnccl.so.2
	if [ -r "$stand_in_nccl" ]; then
		nccl_run "$stand_in_nccl"
		row "drop-in before a stand-in for NCCL" 'ring:4, one process' "$result"
	else
		row "drop-in before a stand-in for NCCL" 'ring:4, one process' "not run: $stand_in_nccl is not built"
	fi
	real=$(ldconfig -p 2>/dev/null | awk '/libnccl\.so\.2 / { print $NF; exit }')
	if [ -z "$real" ]; then
		row "drop-in before NCCL" 'ring:4, one process' 'not run: NCCL is not there (ldconfig -p lists no libnccl.so.2)'
	elif [ "$gpus" -lt 4 ]; then
		row "drop-in before NCCL" 'ring:4, one process' "not run: NCCL wants a GPU for each of 4 ranks, there are $gpus"
	else
		nccl_run "$real"
		row "drop-in before NCCL" 'ring:4, one process' "$result"
	fi
}

example_rows() {
	if [ "$target" != cuda ]; then
		row "examples/cuda" '' 'not run: for CUDA alone'
		return
	fi
	tell "the example"
	mkdir -p "$work/example"
	if timeout -k 10 100 "$SCCL_SYNTH" solve -t complete:4 -c allreduce -C 4 -S 2 -R 2 -o "$work/example/sum.json" >"$work/err" 2>&1 &&
		timeout -k 10 100 "$SCCL_SYNTH" lower "$work/example/sum.json" --target cuda --types f32 --ops sum -o "$work/example" >"$work/err" 2>&1 &&
		timeout -k 10 600 "$compiler" -O3 -std=c++17 -arch="$architecture" -I"$SOURCE_ROOT/runtime/include" -I"$work/example" \
			"$SOURCE_ROOT/examples/cuda/threads.cu" "$work/example/complete_4_allreduce_c4_s2_r2.cu" \
			"$SCCL_BUILD/runtime/libsccl.a" -ldl -lpthread -o "$work/example/threads" >"$work/err" 2>&1; then
		timeout -k 10 100 "$work/example/threads" >"$work/rows" 2>"$work/err" </dev/null
		code=$?
		result="failed: status $code: $(first_line "$work/err")"
		[ $code -eq 0 ] && [ "$(grep -c ', 0 elements wrong$' "$work/rows")" -eq 4 ] && result=right
	else
		result="failed: not compiled: $(first_line "$work/err")"
	fi
	row "examples/cuda" 'threads' "$result"
}

others_part() {
	emit ''
	emit '## Checkers, the drop-in and the example'
	emit ''
	emit '| what | of | result |'
	emit '| --- | --- | --- |'
	if wants sanitizer; then sanitizer_rows; fi
	if wants nccl; then nccl_rows; fi
	if wants example; then example_rows; fi
}
