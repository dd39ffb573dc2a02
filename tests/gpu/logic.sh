#!/bin/sh
# gpu.sh itself, where there is no GPU: what is right is told as right, and what is wrong as wrong. TAP.
#
#   logic.sh BUILD      $SCCL_SYNTH, $SCCL_RUN and $STAND_IN lie there, $SOURCE_ROOT is the source tree
# shellcheck disable=SC2016,SC2034 # check evaluates what is quoted
here=$SOURCE_ROOT/tests/gpu
SCCL_BUILD=$1 true_synth=$SCCL_SYNTH true_run=$SCCL_RUN
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
number=0
export SCCL_BUILD true_synth true_run STAND_IN

check() {
	number=$((number + 1))
	if eval "$2"; then
		echo "ok $number $1"
	else
		echo "not ok $number $1"
		sed 's/^/# /' "$work/out" "$work/err" | head -60
	fi
}
gpu() {
	timeout 200 "$here/gpu.sh" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
}
# script NAME: an executable of that name in a folder that PATH begins with.
script() {
	mkdir -p "$work/bin"
	cat >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

echo 1..22
make() {
	"$true_synth" solve -t ring:4 "$@" >"$work/err" 2>&1 || { sed "s/^/# /" "$work/err"; exit 1; }
}
make -c allreduce -C 4 -S 4 -R 6 -o "$work/sum.json"
make -c allgather -C 1 -S 3 -R 3 -o "$work/gather.json"

gpu --emulated --quick --only right,deep,death -o "$work/table.md" "$work/sum.json" "$work/gather.json"
check "what is right is told" '[ $status -eq 0 ] && grep -q "^Everything is right" "$work/out" && ! grep -Eq "failed|differs" "$work/out"'
check "the table goes to a file too" 'cmp -s "$work/out" "$work/table.md"'
check "each algorithm runs in each way" '[ "$(grep -c "^| sum.json | .* | exact |$" "$work/out")" -eq 14 ] && [ "$(grep -c "^| gather.json | .* | exact |$" "$work/out")" -eq 11 ]'
check "copy engines are asked to reduce nothing" 'grep -q "gather.json | threads,kernels=none" "$work/out" && ! grep -q "sum.json | .*kernels=none" "$work/out"'
check "a dead rank is named" 'grep -q "ended after .* rank 2 ended by signal 9" "$work/out"'

gpu --emulated --quick --only memory "$work/gather.json"
check "each way in which memory leaves its process is tried" '[ $status -eq 0 ] && [ "$(grep -c "^| \(any\|file\|fabric\|ipc\|host\) | gather.json | 4 | exact |$" "$work/out")" -eq 5 ] && [ "$(grep -c "^| switches, .* | 5 | exact |$" "$work/out")" -eq 2 ]'
STAND_IN_NO_MULTICAST=1 STAND_IN_NO_IPC=1 gpu --emulated --quick --only memory "$work/gather.json"
check "a switch that is not there is told, and fails nothing" '[ $status -eq 0 ] && [ "$(grep -c "^| switches, .* not here: .*at no switch" "$work/out")" -eq 2 ]'

# A program with another chunk of the input in one place of its table.
script broken-synth <<'END'
#!/bin/sh
"$true_synth" "$@" || exit
while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
for file in "$2"/*.cu; do
	sed 's/^\t\(SCCL_[RT][A-Z]*\)(\([0-9]*\), 0,/\t\1(\2, 1,/' "$file" >"$file.changed" && mv "$file.changed" "$file"
done
END
SCCL_SYNTH=$work/bin/broken-synth gpu --emulated --quick --only right "$work/sum.json"
check "a program that adds the wrong chunk is found" '[ $status -eq 1 ] && grep -q "sum.json | threads | 4 | 3 | differs: .*element" "$work/out" && grep -q "^SOMETHING IS WRONG" "$work/out"'

script failing-run <<'END'
#!/bin/sh
case "$*" in
*packets*) echo 'sccl-run: rank 1 | waits' >&2; exit 4 ;;
*in-place*) exec sleep 0 ;;
esac
exec "$true_run" "$@"
END
SCCL_RUN=$work/bin/failing-run gpu --emulated --quick --only right "$work/gather.json"
check "a way that fails is told, with its first line" '[ $status -eq 1 ] && [ "$(grep -c "failed: sccl-run: rank 1 / waits |$" "$work/out")" -eq 3 ]'
check "a run without rows is no success" 'grep -q "threads,in-place | 0 | 3 | failed: 0 of 0 rows" "$work/out"'
check "the others are still run" '[ "$(grep -c "| exact |$" "$work/out")" -eq 7 ]'

echo '{' >"$work/broken.json"
gpu --emulated --only right "$work/broken.json"
check "a file that is no algorithm is told" '[ $status -eq 1 ] && grep -q "broken.json | | 0 | | failed: not compiled: .*broken.json" "$work/out"'
gpu --emulated "$work/none.json"
check "a file that is not there is bad usage" '[ $status -eq 2 ] && grep -q "none.json: cannot be read" "$work/err"'
gpu --emulated --only rihgt
check "a part that is not there is bad usage" '[ $status -eq 2 ] && grep -q "^usage" "$work/err"'

PATH=$work/bin:$PATH
printf '#!/bin/sh\necho no >&2\nexit 9\n' | tee "$work/bin/nvidia-smi" >"$work/bin/rocminfo"
printf '#!/bin/sh\n' | tee "$work/bin/nvcc" >"$work/bin/hipcc"
chmod +x "$work"/bin/*
gpu
check "without a GPU it is skipped in one line" '[ $status -eq 77 ] && [ "$(cat "$work/out")" = "gpu.sh: skipped: there is no GPU (nvidia-smi -L lists none)" ]'
SCCL_GPU_TARGET=hip gpu
check "and so for HIP" '[ $status -eq 77 ] && grep -q "rocminfo lists none" "$work/out"'

# The other parts, with stand-ins for all that they call: amounts and calls are made small.
script nvidia-smi <<'END'
#!/bin/sh
case $* in
-L) echo 'GPU 0: a stand-in' ;;
*compute_cap*) echo 9.0 ;;
*) echo 'a stand-in' ;;
esac
END
cp "$here/stand_in_nvcc.sh" "$work/bin/nvcc"
script compute-sanitizer <<'END'
#!/bin/sh
while [ "${1#--}" != "$1" ]; do
	case $1 in --tool) tool=$2 ;; esac
	shift 2
done
case "$tool $*" in
*'mode threads'*packets*) exit 4 ;;
racecheck*c8_s4_r4*) echo '========= Invalid read'; echo '========= ERROR SUMMARY: 2 errors'; exit 9 ;;
esac
echo '========= ERROR SUMMARY: 0 errors'
exec "$@"
END
script small-run <<'END'
#!/bin/sh
small=$(printf '%s\n' "$*" | sed 's/--sizes [0-9]*M/--sizes 64K/; s/--calls [0-9]*/--calls 7/')
exec "$true_run" $small
END
export STAND_IN_GPUS=1
LD_LIBRARY_PATH=$(dirname "$STAND_IN")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
SCCL_RUN=$work/bin/small-run gpu --quick --only speed,step,sanitizer,nccl,example
check "figures are put beside the floor" '[ "$(grep -Ec "^\| algorithms/dgx1/all.* \| 64M \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ % \| " "$work/out")" -eq 8 ]'
check "a step is a part of the call" '[ "$(grep -Ec "^\| algorithms/.* \| [2-7] \| [0-9.]+ \| [0-9.]+ \| (reached|above 3 us) \|" "$work/out")" -eq 20 ] && grep -q "0.900 us for a flag and 0.800 us for a packet" "$work/out" && [ "$(grep -Ec "^\| threads[a-z,=1]* \| -?[0-9.]+ \|$" "$work/out")" -eq 5 ]'
check "checkers' words are read" '[ "$(grep -c "^| memcheck .* | clean |$" "$work/out")" -eq 4 ] && [ "$(grep -c "^| racecheck .*c8-s4-r4.* | failed: .*Invalid read" "$work/out")" -eq 2 ]'
check "where threads cannot end, processes are checked" '[ "$(grep -c "threads,protocol=packets | not done: .*as processes" "$work/out")" -eq 4 ]'
check "an example that is wrong is told" '[ $status -eq 1 ] && grep -q "^| examples/cuda | threads | failed" "$work/out"'

if command -v python3 >/dev/null; then
	for name in dgx1/allgather/c6-s3-r7 dgx1/allreduce/c16-s4-r6 dgx1/allreduce/c48-s5-r16 amd-z52/allreduce/c16-s14-r14; do
		file=$SOURCE_ROOT/algorithms/$name.json
		rm -rf "$work/c"
		"$true_synth" lower "$file" --target cuda --types f32 --ops sum -o "$work/c" >"$work/err" 2>&1
		chunks=$(sed -n 's/^ *"chunks": \([0-9]*\),$/\1/p' "$file")
		python3 "$here/traffic.py" "$file" | awk -v c="$chunks" '{ printf "%.0f %.0f\n", $1 * c, $2 * c }'
		awk -f "$here/moves.awk" "$work"/c/*.cu
	done >"$work/out"
	check "what must be moved is what programs move" '[ "$(wc -l <"$work/out")" -eq 8 ] && [ "$(uniq -d "$work/out" | wc -l)" -eq 4 ]'
else
	number=$((number + 1))
	echo "ok $number what must be moved is what programs move # SKIP no python3"
fi
