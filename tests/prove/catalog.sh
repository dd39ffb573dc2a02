#!/bin/sh
# verify --proofs over the catalog: timed cuts are counted, every trace that is kept is replayed, the others are made again.
# usage: catalog.sh SCCL-SYNTH ROOT [all]; without "all" what takes seconds: the DGX-1 without its allreduce, the atlas up to four GPUs,
# and one in eight of its machines of five.
synth=$(realpath "$1") root=$2
cd "$root/algorithms" || exit 2
if [ "${3-}" = all ]; then
	exec "$synth" verify --proofs .
fi
# shellcheck disable=SC2046
exec "$synth" verify --proofs amd-z52 atlas/*-[34]-* $(ls -d dgx1/*/ | grep -v '/allreduce/\|/proofs/') $(ls -d atlas/*-5-* | awk 'NR % 8 == 1')
