#!/bin/sh
# Forged proofs, traces and algorithms: see forged-proofs.py.
. "$(dirname "$0")/tap.sh"
if ! command -v python3 >/dev/null; then
	skip 'forged proofs' 'no python3'
	finish
fi
if ! "$program" prove --traces -t dgx1 -c allgather -C 3 -S 2 -R 4 -o trace.json >/dev/null 2>&1; then
	skip 'forged proofs' 'no solver that writes traces in this build'
	finish
fi
python3 "$source/tests/cli/forged-proofs.py" "$program" "$source"
