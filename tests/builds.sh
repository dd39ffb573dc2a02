#!/bin/sh
# builds.sh SOURCE: every build type compiles without a warning, with gcc and with clang: what one optimiser cannot see, another
# complains of. And nobody but us stops at one: warnings are errors only where -Dwerror=true says so.
source=$1 status=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
: >"$work/known"

# is_known WHAT BUILD: the commands of BUILD were carried out for an earlier build type.
is_known() {
	commands=$(tr -s ' "' '\n' <"$2/compile_commands.json" | sort | cksum)
	before=$(sed -n "s/^$commands //p" "$work/known")
	[ "$before" ] && echo "builds: $1: the same commands as $before" && return
	echo "$commands $1" >>"$work/known"
	return 1
}

# compiles WHAT COMPILER CFLAGS OPTION...: the units of tests that need Criterion are left out; the build that runs them has them.
# Build types that come to the same commands, but for their order of flags, are compiled once.
compiles() {
	what=$1 compiler=$2 flags=$3
	shift 3
	if ! command -v "$compiler" >/dev/null; then
		echo "builds: $what: no $compiler"
		return
	fi
	plus=$(echo "$compiler" | sed 's/gcc/g++/; s/clang/clang++/')
	if CC=$compiler CXX=$plus CFLAGS=$flags CXXFLAGS=$flags meson setup "$work/build" "$source" -Dtests=disabled -Dwerror=true "$@" >"$work/log" 2>&1 &&
	   is_known "$what" "$work/build"; then
		:
	elif [ -e "$work/build/build.ninja" ] && ninja -C "$work/build" -j2 -k0 >>"$work/log" 2>&1; then
		echo "builds: $what: ok"
	else
		echo "builds: $what: failed"
		grep -E 'warning:|error:|ERROR' "$work/log" | sort -u | head -20
		status=1
	fi
	rm -rf "$work/build"
}

if meson introspect --buildoptions "$source/meson.build" | tr '{' '\n' | grep '"name": "werror"' | grep -q '"value": true'; then
	echo 'builds: warnings are errors where nobody asked for it'
	status=1
fi
compiles 'release' gcc '' --buildtype=release
compiles 'debug' gcc '' --buildtype=debug
compiles 'minsize' gcc '' --buildtype=minsize
compiles 'plain, -O3' gcc -O3 --buildtype=plain
compiles 'release, clang' clang '' --buildtype=release
exit $status
