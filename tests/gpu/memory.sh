# shellcheck shell=sh
# Part of gpu.sh: how memory reaches other processes, in each way that the driver may have, and switches that copy and add.
# shellcheck disable=SC2154,SC2034 # gpu.sh sets work, emulated, gpus, target; right.sh has judge, large_allgather
# A way that the machine lacks is told, and fails nothing; a wrong result, or no way at all, does.
way_row() {
	before=$status
	judge 300 --label "$(short "$file")" --timeout 30 --counts 0,1,7,65537 --calls 5 --mode processes
	if [ "$1" != any ] && [ "$result" != exact ] && [ "${result#differs}" = "$result" ]; then
		status=$before result="not here: ${result#failed: }"
	fi
	emit "| $1 | $(short "$file") | $rows | $result |"
}

# The largest of 8, 4 and 2 that has a GPU for each rank; 0: there is none.
team_size() {
	for n in 8 4 2; do
		if [ "$n" -le "$gpus" ]; then echo $n; return; fi
	done
	echo 0
}

# Leaves the algorithm of N ranks in $file.
make_switched() {
	file=$work/switched-$1.json
	timeout -k 10 100 "$SCCL_SYNTH" build -t "switch:$1+nvls" -c allreduce --method nvls -C $(($1 + 1)) -S 2 -o "$file" >"$work/err" 2>&1 || return 1
	make_programs "$file"
	find_program "$file"
}

switched_rows() {
	n=$(team_size)
	if [ "$n" -eq 0 ]; then
		emit "| switches | | 0 | not here: it takes 2 GPUs, and there are $gpus |"
		return
	fi
	if ! make_switched "$n"; then
		status=1
		emit "| switches | | 0 | failed: no program: $(first_line "$work/err") |"
		return
	fi
	for mode in processes threads; do
		before=$status
		judge 300 --label "switch:$n+nvls allreduce" --timeout 30 --protocol multimem --counts 0,1,7,1000,65537 --calls 5 --mode $mode
		case $result in *multimem* | *multicast*) status=$before result="not here: ${result#failed: }" ;; esac
		emit "| switches, $mode | $(basename "$file") | $rows | $result |"
	done
	[ "$emulated" ] || [ "$result" != exact ] || for protocol in multimem shared plain; do
		judge 300 --label "switch:$n+nvls allreduce" --timeout 30 --protocol $protocol --sizes 64M --calls 20 --mode threads
		emit "| switches, $protocol, 64 MiB | $(basename "$file") | $rows | $result; $(sed -n 's/.*"busbw": \([0-9.]*\).*/\1/p' "$work/rows" | head -n 1) GB/s busbw |"
	done
}

memory_part() {
	file=$large_allgather
	if [ "$emulated" ]; then file=$1; fi
	tell "how memory leaves its process"
	emit ''
	emit '## Memory of other processes'
	emit ''
	emit '| SCCL_GPU_EXPORT | algorithm | rows | result |'
	emit '| --- | --- | --- | --- |'
	if find_program "$file"; then
		for way in any file fabric ipc host; do
			if [ $way = any ]; then unset SCCL_GPU_EXPORT; else export SCCL_GPU_EXPORT=$way; fi
			way_row $way
		done
		unset SCCL_GPU_EXPORT
	else
		emit "| any | $(short "$file") | 0 | $result |"
	fi
	[ "$target" = hip ] || switched_rows
}
