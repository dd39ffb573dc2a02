#!/bin/sh
# The whole way for each algorithm FILE: lowered to the host, compiled, run, and every result compared with a reference:
# counts 0, 1, 7, 1000 and 65537, every data type and operation. Prints a table; fails where anything is not exact.
#
#   matrix.sh [--sanitize thread|address] [--calls N] [--counts LIST] [--modes "processes threads"] [--types LIST]
#             [--ways all|switched [--every N]] [--split] FILE...
#
# With --ways all each runs in every way that a host has: each protocol, a launch for the call or a step, blocks in turns,
# and where nothing is reduced the words walked without kernels; with --ways switched in those of switches that copy and
# add. With --every N, of the ways of the first file the first of N, of the next file's the second. With --split each kernel is compiled from its own file.
#
# $SCCL_SYNTH and $SCCL_RUN are the programs, $SOURCE_ROOT the source tree, $CC the compiler.
calls=20 counts=0,1,7,1000,65537 sanitize= modes=processes types=all ways=plain every=1 split=
while [ $# -gt 0 ]; do
	case $1 in
	--sanitize) sanitize=$2; shift 2 ;;
	--calls) calls=$2; shift 2 ;;
	--counts) counts=$2; shift 2 ;;
	--modes) modes=$2; shift 2 ;;
	--types) types=$2; shift 2 ;;
	--ways)
		ways='plain packets shared lines plain/steps packets/steps lines/steps plain/turns packets/turns lines/turns shared/turns pull pull/steps pull/turns no-kernels no-kernels-pull'
		[ "$2" = all ] || ways='plain multimem multimem/steps multimem/turns'
		shift 2 ;;
	--every) every=$2; shift 2 ;;
	--split) split=--split; shift ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || { echo "usage: matrix.sh [--sanitize KIND] [--calls N] [--counts LIST] [--modes MODES] FILE..." >&2; exit 2; }
CC=${CC:-cc}
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Under a sanitizer the runtime and the program are both compiled with it.
flags="-O2 -std=c11 -g -I$SOURCE_ROOT/runtime/include" run=$SCCL_RUN
if [ "$sanitize" ]; then
	flags="$flags -fsanitize=$sanitize -fno-sanitize-recover=all" run=$work/sccl-run
	# shellcheck disable=SC2086
	$CC $flags -D_POSIX_C_SOURCE=200809L -I"$SOURCE_ROOT" -o "$run" "$SOURCE_ROOT"/runtime/core/*.c \
		"$SOURCE_ROOT"/runtime/host/*.c "$SOURCE_ROOT"/runtime/gpu/*.c "$SOURCE_ROOT"/runtime/net/*.c "$SOURCE_ROOT"/runtime/runner/*.c -ldl -pthread || exit 4
fi

# What sccl-run is told for a way.
way_options() {
	case $1 in
	plain*) printf %s "--protocol plain" ;;
	packets*) printf %s "--protocol packets" ;;
	lines*) printf %s "--protocol lines" ;;
	shared*) printf %s "--protocol shared" ;;
	multimem*) printf %s "--protocol multimem" ;;
	pull*) printf %s "--transfer pull" ;;
	no-kernels-pull) printf %s "--kernels none --transfer pull" ;;
	no-kernels) printf %s "--kernels none" ;;
	esac
	case $1 in
	*/steps) printf %s " --kernels step --blocks 3" ;;
	*/turns) printf %s " --overlap --blocks 5" ;;
	esac
}
combines() {
	grep -q '^	1, /\* combining \*/' "$1"
}

status=0 nth=0
printf '| algorithm | ranks are | way | rows | calls a row | result |\n| --- | --- | --- | --- | --- | --- |\n'
for file; do
	nth=$((nth + 1))
	rm -rf "$work/c"
	mkdir "$work/c"
	# shellcheck disable=SC2086
	if ! "$SCCL_SYNTH" lower "$file" --target host --types "$types" --ops all $split -o "$work/c" >"$work/log" 2>&1; then
		printf '| %s | | | | | not lowered: %s |\n' "${file#"$SOURCE_ROOT"/}" "$(tail -n 1 "$work/log")"
		status=1
		continue
	fi
	source=$(echo "$work"/c/*.h | sed 's/h$/c/')
	# shellcheck disable=SC2086
	$CC $flags -Wall -Wextra -Werror -shared -fPIC "$work"/c/*.c -o "${source%.c}.so" || { status=1; continue; }
	for mode in $modes; do
		at=$nth
		for way in $ways; do
			at=$((at + 1))
			[ $((at % every)) = 0 ] || continue
			[ "${way#no-kernels}" != "$way" ] && combines "$source" && continue
			case $way in shared* | multimem*) grep -q "${way%%/*}_words" "$source" || continue ;; esac
			# shellcheck disable=SC2046
			"$run" "${source%.c}.so" --label "$file" --counts "$counts" --types "$types" --ops all --calls "$calls" \
				--mode "$mode" --json $(way_options "$way") >"$work/rows" 2>"$work/log"
			code=$?
			rows=$(wc -l <"$work/rows") exact=$(grep -c '"check": "exact"' "$work/rows")
			result=exact
			[ "$exact" -eq "$rows" ] || result="$((rows - exact)) rows differ: $(head -n 1 "$work/log")"
			[ $code -le 1 ] || result="failed: $(head -n 1 "$work/log")"
			[ "$result" = exact ] && [ "$rows" -gt 0 ] && [ $code -eq 0 ] || status=1
			printf '| %s | %s | %s | %d | %d | %s |\n' "${file#"$SOURCE_ROOT"/}" "$mode" "$way" "$rows" "$calls" "$result"
		done
	done
done
exit $status
