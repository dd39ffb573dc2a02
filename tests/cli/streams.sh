#!/bin/sh
# Commands whose standard input, output and error are closed, in all ways: what they write into files is what they write otherwise, no
# file takes a stream's place, and words that cannot be written are a failure where they are the result.
. "$(dirname "$0")/tap.sh"

# closed STATUS COMMAND...: writes into OUT. STATUS is that without standard output.
closed() {
	wanted=$1
	shift
	rm -rf whole
	sh -c "$(printf '%s' "$*" | sed 's,OUT,whole,g')" >whole.out 2>err </dev/null
	ok $? "undisturbed: ${*#"$program"}"
	for streams in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		rm -rf cut
		sh -c "$(printf '%s' "$*" | sed 's,OUT,cut,g') $streams" >out 2>err
		status=$?
		case $streams in
		*' >'* | '>'*) [ $status = "$wanted" ] && [ ! -s out ] ;;
		*) [ $status = 0 ] && sed 's/cut/whole/g' out | cmp -s - whole.out ;;
		esac
		good=$?
		[ ! -e whole ] || diff -r whole cut >differences 2>&1 || good=1
		[ $good = 0 ] && continue
		break
	done
	ok $good "all files, whichever streams are closed: ${*#"$program"}"
	[ $good = 0 ] || echo "# $streams: exit $status: $(head -c 200 err)"
}

run 0 solve -t ring:4 -c allgather -C 1 -S 2 -R 3 -o one.json
closed 4 "$program bounds -t ring:4 -c allgather"
closed 4 "$program solve -t ring:4 -c allgather -C 1 -S 2 -R 3 --engine bits -o OUT"
closed 4 "$program pareto -t ring:4 -c allgather -o OUT"
closed 4 "$program verify one.json"
closed 0 "$program lower one.json --target host -o OUT"
closed 4 "$program export one.json --format msccl-xml -o OUT"
# Times differ from run to run. Shared memory and sockets are opened by ranks, too.
"$program" run one.json --counts 7 >out <&- 2>&-
ok $? 'ranks run without standard input and error'
grep -qE "$exact" out
ok $? 'and their results are right'
"$program" run one.json --counts 7 <&- >&- 2>&-
ok "$(($? != 4))" 'and a table that cannot be written is a failure'
finish
