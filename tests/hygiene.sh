#!/bin/sh
# Files beyond 500 lines, functions beyond 80, tags that two types share, leftover notes. usage: hygiene.sh ROOT
cd "$1" || exit 2
status=0
complain() { [ -z "$1" ] || { echo "$1"; status=1; }; }

files=$(find core interop prove simulate encode synth explore lower show library cli runtime -name '*.[ch]' | sort)
complain "$(for f in $files; do
	n=$(wc -l <"$f")
	[ "$n" -le 500 ] || echo "$f: $n lines, more than 500: split it"
	awk -v f="$f" '/^[a-z].*\)$/ {name = $0} /^\{/ {start = NR}
		/^\}/ {if (start && NR - start > 80) print f ": " NR - start " lines: " substr(name, 1, 70); start = 0}' "$f"
done)"
complain "$(grep -hoE '^[[:space:]]*(static )?(const )?(struct|enum|union) [a-z_0-9]+ \{' $files | awk '{print $(NF - 1)}' | sort | uniq -d |
	sed 's/.*/two types have the tag &/')"
complain "$(grep -rnE 'TO''DO|FIX''ME|X''XX' $files scripts docs tests --include='*' 2>/dev/null | grep -v 'XXXXXX' | head)"
for c in scripts/demo scripts/test scripts/setup .ci/run; do
	[ -x "$c" ] || complain "$c is missing or not executable"
done
exit $status
