#!/bin/sh
# Compiles and runs what write_cells has written into FOLDER (its lines in FOLDER/cells), twice: ranks as processes, flags behind the
# data; ranks as threads, packets. Each result is compared with a reference. A cell is "METHOD KIND ROOT"; each that is not exact gets
# a line, then there is one for all. Sources that were run are taken away.
#
#   run_cells.sh FOLDER [SECONDS]   how long a rank waits for another
#
# $SCCL_RUN is the program, $SOURCE_ROOT the source tree, $CC the compiler.
[ $# -gt 0 ] && [ -s "$1/cells" ] || { echo "usage: run_cells.sh FOLDER [SECONDS]" >&2; exit 2; }
cd "$1" || exit 2
counts=0,1,7,1000 n_counts=4

# A way of running it: every count must be exact.
runs_exactly() {
	"$SCCL_RUN" "$1.so" --counts $counts --types i32 --calls 5 --timeout "$seconds" --json --protocol "$2" --mode "$3" >rows 2>log
	code=$?
	[ $code -eq 0 ] && [ "$(grep -c '"check": "exact"' rows)" -eq $n_counts ] && return
	echo "$1 $2, $3, exit $code: $(grep -c '"check": "differs"' rows) rows differ: $(head -n 1 log)" >>results
	return 1
}

run_program() {
	if ! ${CC:-cc} -Og -std=c11 -I"$SOURCE_ROOT/runtime/include" -shared -fPIC "$1.c" -o "$1.so" 2>log; then
		echo "$1 is not compiled: $(grep -m 1 error log)" >>results
		return
	fi
	runs_exactly "$1" plain processes && runs_exactly "$1" packets threads && echo "$1 exact" >>results
	rm -f "$1.so" "$1.c"
}

seconds=${2:-60}
: >results
for name in $(awk '$4 == "served" {print $5}' cells); do
	run_program "$name"
done

awk -v n=$n_counts '
FILENAME == "results" {name = $1; sub(/^[^ ]* /, ""); result[name] = $0; next}
{cell = $1 " " $2 " " $3}
$4 == "refused" && NF > 4 {refused++; next}
$4 == "served" && result[$5] == "exact" {exact++; next}
{print cell ": " ($4 == "served" ? ($5 in result ? result[$5] : "was not run") : $0); bad++}
END {
	printf "%d cells served and run, %d refused, %d not exact; %d rows exact\n", exact, refused, bad, 2 * n * exact
	exit bad > 0 || exact == 0
}' results cells
