#!/bin/sh
# In the tarball of pack.sh this stands where emulated.sh does, which needs a C compiler: it brings programs for the driver
# that stands in for a GPU that were compiled when the tarball was made.
#
#   emulated.sh SCCL_SYNTH STAND_IN SOURCE_ROOT OUT.so ALGORITHM.json
made=$3/made/emulated-$(cksum <"$5" | tr ' ' -)
if [ ! -r "$made.so" ]; then
	echo "emulated.sh: $5: error: the tarball has no program of it for an emulated GPU" >&2
	exit 1
fi
cp "$made.so" "$4" && exec cp "$made.so.name" "$4.name"
