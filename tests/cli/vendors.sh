#!/bin/sh
# topology probe with libraries that stand in for the vendors' management libraries. usage: vendors.sh SCCL-SYNTH SOURCE FOLDER
libraries=$3
. "$(dirname "$0")/tap.sh"

"$program" topology probe -o here.json >out 2>err
case $? in
0)
	echo '1..0 # SKIP this computer has accelerators'
	exit 0
	;;
2)
	echo '1..0 # SKIP the build is without hwloc'
	exit 0
	;;
esac
LD_LIBRARY_PATH=$libraries
export LD_LIBRARY_PATH

# links FILE: src dst bandwidth kind
links() {
	sed -n 's/.*"src": \([0-9]*\), "dst": \([0-9]*\), "bandwidth": \([0-9]*\)\(, "kind": "\(.*\)"\)*}.*/\1 \2 \3 \5/p' "$1" >found
}

export STAND_IN_GPUS=4
run 0 topology probe -o ring.json
has 'NVML: four GPUs' '^found 4 accelerators: ring.json$' out
links ring.json
same 'two links to each neighbour' '0 1 2 nvlink
0 3 2 nvlink
1 2 2 nvlink
2 3 2 nvlink' found
run 0 topology show ./ring.json
has 'of 25 GB/s each' 'nvlink: latency 7/10 us, 25 GB/s per unit' out
has 'and says who said so' "links by the vendor's management library" out
run 0 bounds -t ./ring.json -c allreduce

export STAND_IN_LINKS=switch STAND_IN_GPUS=8
run 0 topology probe -o switch.json
has 'NVML: GPUs that meet in switches' '^found 8 accelerators' out
run 0 topology show ./switch.json
has 'one switch' '8 nodes, 1 switch .*, 16 links' out
has 'four links of the fifth generation' 'nvswitch: latency .*, 50 GB/s per unit' out

export STAND_IN_GPUS=1
run 0 topology probe
export STAND_IN_BROKEN=yes
run 0 topology probe -o xgmi.json
has 'a library that cannot start is passed over' '^found 4 accelerators: xgmi.json$' out
links xgmi.json
same 'ROCm SMI: the pairs of xGMI' '0 1 2 xgmi
0 2 1 xgmi
1 3 1 xgmi
2 3 1 xgmi' found
# Another computer's file is not completed by this one's libraries.
run 0 topology probe --from "$source/tests/interop/hwloc/nvlinks.xml" -o file.json
has_no 'a file is as it is' "vendor's" file.json
run 1 topology probe --from "$source/tests/interop/hwloc/no-gpu.xml"
LD_LIBRARY_PATH=/nowhere run 1 topology probe
finish
