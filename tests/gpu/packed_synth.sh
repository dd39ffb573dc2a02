#!/bin/sh
# In the tarball of pack.sh this stands where sccl-synth does, which needs solvers that a machine with GPUs lacks: it answers
# the requests of gpu.sh, `solve`, `build` and `lower`, from folders that were made when the tarball was. Files count by what they
# hold, not by where they lie.
#
# $MADE: the folders (made/ beside build/); $RECORD: a sccl-synth that answers a request that has none yet.
made=${MADE:-$(dirname "$0")/../made}
command=$1 key=$1 out='' arguments=''
shift
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	*.json) key="$key $(cksum <"$1")"; arguments="$arguments $1" ;;
	*) key="$key $1"; arguments="$arguments $1" ;;
	esac
	shift
done
folder=$made/$(printf %s "$key" | cksum | tr ' ' -)
if [ ! -d "$folder" ] && [ "${RECORD:-}" ]; then
	mkdir -p "$folder" || exit 4
	[ "$command" != lower ] && to=$folder/found.json || to=$folder
	# shellcheck disable=SC2086
	"$RECORD" "$command" $arguments -o "$to" || { rm -rf "$folder"; exit 1; }
fi
if [ ! -d "$folder" ]; then
	echo "sccl-synth: $command: the tarball has no answer to this: it holds what gpu.sh asks for alone" >&2
	exit 2
fi
if [ "$command" != lower ]; then
	exec cp "$folder/found.json" "$out"
fi
mkdir -p "$out" && exec cp "$folder"/* "$out"
