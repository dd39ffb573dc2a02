#!/bin/sh
# verify --proofs over the catalog: timed cuts are counted, every trace that is kept is replayed, the others are made again.
# usage: catalog.sh SCCL-SYNTH ROOT [all]; without "all" the atlas up to five GPUs alone, whose traces are quick.
synth=$(realpath "$1") root=$2
cd "$root/algorithms" || exit 2
if [ "${3-}" = all ]; then
	exec "$synth" verify --proofs .
fi
exec "$synth" verify --proofs dgx1 amd-z52 atlas/*-[345]-*
