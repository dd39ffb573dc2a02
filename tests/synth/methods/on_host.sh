#!/bin/sh
# All that the methods serve on a machine of machines.txt, from each root that the matrix has, built, verified, held against the
# bounds, lowered, compiled, run, and compared with a reference.
#
#   on_host.sh WRITE_CELLS MACHINE SERVED   SERVED: how many cells must be served at least
#
# Besides what run_cells.sh takes: $SCCL_PATH.
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

"$1" "$2" "$work" >"$work/cells" || { echo "$2: $(grep ' fault: ' "$work/cells")"; exit 1; }
served=$(awk '$4 == "served"' "$work/cells" | wc -l)
[ "$served" -ge "$3" ] || { echo "$2: $served cells served, not $3"; exit 1; }
echo "$2:"
sh "$SOURCE_ROOT/tests/synth/methods/run_cells.sh" "$work"
