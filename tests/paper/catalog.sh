#!/bin/sh
# Every file of the catalog before a judge: catalog.sh SCCL-SYNTH verify, all files; or catalog.sh SECOND-CHECK [--mutants],
# every algorithm before the second judge, which with mutants must also object to what is planted.
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")/../.." || exit 99
names='c*.json'
[ "${1:-}" = verify ] && names='*.json'
list=$(find algorithms -name "$names" ! -name 'proofs*' | sort) # those are tests/prove's
[ -n "$list" ] || { echo "no algorithms in algorithms/"; exit 1; }
echo "$list" | xargs "$program" "$@"
