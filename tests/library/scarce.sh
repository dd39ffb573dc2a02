#!/bin/sh
# scarce.sh TOUR SOURCE SHIM [all]: an application of libsccl-synth (tour.c) out of memory, as tests/cli/memory.sh does with commands. If an
# allocation fails, the library's one line ends the process with status 4, or the call ends with an error that names memory.
here=$PWD
. "$(dirname "$0")/../cli/tap.sh"
all=${4:-}
case $3 in /*) shim=$3 ;; *) shim=$here/$3 ;; esac
. "$source/tests/cli/starved.sh"
besides="allocation failed" # nauty's own, before ours; the command has an allocator of its own
for part in machines algorithms frontiers fastest; do starved 0 "$part" "$part"; done
finish
