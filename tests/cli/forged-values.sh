#!/bin/sh
# Forged frontiers without k and their certificates: see forged-values.py.
. "$(dirname "$0")/tap.sh"
if ! command -v python3 >/dev/null; then
	skip 'forged values' 'no python3'
	finish
fi
python3 "$source/tests/cli/forged-values.py" "$program" "$source"
