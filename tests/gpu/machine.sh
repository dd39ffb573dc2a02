# shellcheck shell=sh
# Part of gpu.sh: what GPUs there are, what compiles for them, and how they are named. Leaves compiler, gpus, first_gpu.
# shellcheck disable=SC2154,SC2034 # gpu.sh sets target, emulated, STAND_IN
add_libraries() {
	LD_LIBRARY_PATH=$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
}

find_cuda() {
	compiler=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || skip "there is no nvcc"
	listed=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
	[ "$listed" -gt 0 ] || skip "there is no GPU (nvidia-smi -L lists none)"
	capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u)
	case $capability in
	[0-9]*.[0-9]) architecture=sm_$(echo "$capability" | tr -d .) ;;
	*) architecture=native ;;
	esac
	shown=${CUDA_VISIBLE_DEVICES-}
	# Where the toolkit is not in the linker's list it lies beside its compiler.
	toolkit=$(dirname "$(dirname "$(readlink -f "$compiler")")")
	ldconfig -p 2>/dev/null | grep -q 'libcudart\.so' || add_libraries "$toolkit/lib64"
	PATH=$PATH:$toolkit/bin # compute-sanitizer
}

find_hip() {
	compiler=$(command -v hipcc || command -v /opt/rocm/bin/hipcc) || skip "there is no hipcc"
	listed=$(rocminfo 2>/dev/null | grep -c 'Device Type: *GPU')
	[ "$listed" -gt 0 ] || skip "there is no GPU (rocminfo lists none)"
	architecture=native shown=${HIP_VISIBLE_DEVICES-}
}

if [ "$emulated" ]; then
	[ -r "$STAND_IN" ] || { echo "gpu.sh: $STAND_IN: cannot be read; it is built with the tests" >&2; exit 2; }
	compiler=${CC:-cc} gpus=${STAND_IN_GPUS:-4} first_gpu=0
	export STAND_IN_GPUS="$gpus"
	add_libraries "$(dirname "$STAND_IN")"
else
	"find_$target"
	gpus=$listed first_gpu=0
	if [ "$shown" ]; then
		gpus=$(echo "$shown" | tr ',' '\n' | grep -c .) first_gpu=${shown%%,*}
	fi
fi

# shellcheck disable=SC2154 # quick
head_of_table() {
	emit '| | |'
	emit '| --- | --- |'
	emit "| date | $(date -u +%Y-%m-%dT%H:%MZ) |"
	if [ "$emulated" ]; then
		emit "| GPU | none: a driver that stands in for $gpus |"
		return
	fi
	if [ "$target" = cuda ]; then
		emit "| GPU | $gpus x $(nvidia-smi --query-gpu=name --format=csv,noheader | sort -u | paste -s -d , -) |"
		emit "| driver | $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | sort -u | paste -s -d , -) |"
	else
		emit "| GPU | $gpus x $(rocminfo | sed -n 's/^ *Marketing Name: *//p' | sort -u | paste -s -d , -) |"
		emit "| driver | $(cat /sys/module/amdgpu/version 2>/dev/null || uname -r) |"
	fi
	emit "| compiler | $("$compiler" --version | grep -Ei 'release|version' | head -n 1), -arch $architecture |"
	emit "| set | CUDA_DEVICE_MAX_CONNECTIONS=$CUDA_DEVICE_MAX_CONNECTIONS$([ "$quick" ] && echo ', --quick') |"
}
