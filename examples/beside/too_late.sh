#!/bin/sh
# too_late.sh BESIDE: where the second network takes longer to switch to than all calls over the first, all elements stay there.
out=$("$1" 1000 measured 900000) || exit 1
case $out in *"sums of 1000 and 0 floats, 0 elements wrong"*) exit 0 ;; esac
echo "$out"
exit 1
