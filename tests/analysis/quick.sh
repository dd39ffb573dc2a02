#!/bin/sh
# The part of scripts/analyze that is quick: the library that programs link. Exit status 77, a skipped test: a tool is missing.
# usage: quick.sh SOURCE BUILD
"$1/scripts/analyze" --build "$2" --tool gcc --tool cppcheck "$1/runtime/core" "$1/runtime/net" "$1/runtime/host" || exit
exec "$1/scripts/analyze" --build "$2" --tool clang-tidy "$1/runtime/net" "$1/runtime/host"
