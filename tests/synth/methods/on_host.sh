#!/bin/sh
# All that the methods serve on a machine of machines.txt, from each root that the matrix has, built, verified, held against the
# bounds, lowered, compiled, run, and compared with a reference.
#
#   on_host.sh WRITE_CELLS MACHINE SERVED [EVERY FROM]
#
# SERVED: how many cells must be served at least. With EVERY and FROM only the cells whose number is FROM modulo EVERY.
# Besides what run_cells.sh takes: $SCCL_PATH.
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

machine=$2 wanted=$3
"$1" "$machine" "$work" ${4+"$4" "$5"} >"$work/cells" || { echo "$machine: $(grep ' fault: ' "$work/cells")"; exit 1; }
served=$(awk '$4 == "served"' "$work/cells" | wc -l)
[ $# -gt 3 ] && wanted=1
[ "$served" -ge "$wanted" ] || { echo "$machine: $served cells served, not $wanted"; exit 1; }
echo "$machine:"
sh "$SOURCE_ROOT/tests/synth/methods/run_cells.sh" "$work"
