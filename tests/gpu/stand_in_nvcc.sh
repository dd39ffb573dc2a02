#!/bin/sh
# Stands in for nvcc where gpu.sh is tested: generated programs are compiled for the driver that stands in for a GPU,
# and the programs that lie beside gpu.sh become scripts that say what those would. $STAND_IN and $SOURCE_ROOT.
out='' input='' objects='' linked=-shared
while [ $# -gt 0 ]; do
	case $1 in
	--version) echo 'a stand-in, release 0.0'; exit 0 ;;
	-o) out=$2; shift ;;
	-Xcompiler | -Xlinker) shift ;;
	-c) linked=-c ;;
	*.cu) [ "$input" ] || input=$1 ;;
	*.o) objects="$objects $1" ;;
	esac
	shift
done
say() {
	printf '#!/bin/sh\ncat <<END\n%s\nEND\n' "$1" >"$out"
	chmod +x "$out"
}
case $(basename "$input") in
floor.cu)
	say 'copy-1024M-median 1.0 GB/s
flag-streams-median 0.900 us
packet-streams-median 0.800 us'
	;;
threads.cu)
	say 'rank 0 on GPU 0: 10 sums, 0 elements wrong
rank 1 on GPU 0: 10 sums, 0 elements wrong
rank 2 on GPU 0: 10 sums, 0 elements wrong
rank 3 on GPU 0: 10 sums, 7 elements wrong'
	;;
nccl.cu)
	echo 'nccl.cu: error: not for a stand-in' >&2
	exit 1
	;;
*)
	[ $linked = -c ] && library='' || library=$STAND_IN
	# shellcheck disable=SC2086
	exec "${CC:-cc}" -w -O1 -std=gnu11 -DSCCL_EMULATE='"tests/runtime/gpu/emulate_threads.h"' -I"$SOURCE_ROOT" \
		-I"$SOURCE_ROOT/runtime/include" $linked -fPIC ${input:+-x c "$input" -x none} $objects $library -o "$out"
	;;
esac
