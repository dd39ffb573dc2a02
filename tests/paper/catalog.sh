#!/bin/sh
# Every algorithm of the catalog before the second judge; with mutants, it must also object to what is planted.
# usage: catalog.sh SECOND-CHECK [--mutants]
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")/../.." || exit 99
list=$(find algorithms -name 'c*.json' | sort)
[ -n "$list" ] || { echo "no algorithms in algorithms/"; exit 1; }
echo "$list" | xargs "$program" "$@"
