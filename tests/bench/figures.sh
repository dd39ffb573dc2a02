#!/bin/sh
# All figures that this project holds itself to, one table after the other: the paper's rows, large machines, trees, frontiers of 16
# GPUs. Exit status 1 where an answer is wrong or a proof does not hold.
#
#   figures.sh SCCL-SYNTH ROWS
synth=$1 rows=$2
here=$(dirname "$0")
bad=0
echo '## The rows of the SCCL paper'; echo
sh "$here/paper.sh" "$synth" "$rows" || bad=1
echo; echo '## Large machines'; echo
sh "$here/scale.sh" "$synth" || bad=1
echo; echo '## Trees'; echo
sh "$here/forest.sh" "$synth" || bad=1
echo; echo '## Frontiers of 16 GPUs'; echo
sh "$here/frontiers.sh" "$synth" || bad=1
exit $bad
