#!/bin/sh
# Every value of small catalogs changed in turn: see tampered.py. usage: tampered.sh SCCL-SYNTH SOURCE [EVERY]
. "$(dirname "$0")/tap.sh"
if ! command -v python3 >/dev/null; then
	skip 'tampered catalogs' 'no python3'
	finish
fi
if ! "$program" prove --traces -t dgx1 -c allgather -C 3 -S 2 -R 4 -o trace.json >/dev/null 2>&1; then
	skip 'tampered catalogs' 'no solver that writes traces in this build'
	finish
fi
python3 "$source/tests/cli/tampered.py" "$program" "$source" "${3-12}"
