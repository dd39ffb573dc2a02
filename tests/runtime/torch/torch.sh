#!/bin/sh
# The backend of torch.distributed against gloo, over four processes (ranks.py). Exit status 77: no torch.
#
#   torch.sh BUILD [--time]        $SCCL_SYNTH, $SOURCE_ROOT, $CC; $PYTHON (python3): one that has torch
CC=${CC:-cc} PYTHON=${PYTHON:-/usr/bin/python3}
command -v "$PYTHON" >/dev/null || exit 77
"$PYTHON" -c 'import torch.distributed' 2>/dev/null || { echo 'skipped: no torch'; exit 77; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/programs"
while read -r collective c s r root; do
	rm -rf "$work/c"
	# shellcheck disable=SC2086
	"$SCCL_SYNTH" solve -t complete:4 -c "$collective" -C "$c" -S "$s" -R "$r" ${root:+--root $root} -o "$work/found.json" >"$work/log" 2>&1 &&
		"$SCCL_SYNTH" lower "$work/found.json" --target host --types all --ops all -o "$work/c" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	for source in "$work"/c/*.c; do
		$CC -O2 -std=c11 -shared -fPIC -I"$SOURCE_ROOT/runtime/include" "$source" -o "$work/programs/$(basename "$source" .c).so" || exit 1
	done
done <<END
allreduce 1 1 1
allreduce 4 2 2
allgather 1 1 1
reducescatter 4 1 1
alltoall 4 1 1
broadcast 1 1 1 1
END
"$PYTHON" "$SOURCE_ROOT/tests/runtime/torch/ranks.py" "$SOURCE_ROOT" "$1" "$work/programs" $2
