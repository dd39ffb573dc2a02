#!/bin/sh
# sccl-synth topology probe: this computer, and others as hwloc wrote them down. Its third argument says whether the build has
# hwloc.
. "$(dirname "$0")/tap.sh"
inputs=$source/tests/interop/hwloc

# line WHAT PATTERN: standard error is one line, of that pattern.
line() {
	[ "$(wc -l <err)" = 1 ] && grep -qE -- "^sccl-synth: $2\$" err
	ok $? "$1"
	grep -qE -- "^sccl-synth: $2\$" err || head -3 err | sed 's/^/# /'
}

if [ "$3" = none ]; then
	run 2 topology probe
	line 'without hwloc it says so' 'topology probe: this build was made without hwloc.*'
	run 2 topology probe --from "$inputs/nvlinks.xml" -o none.json
	line 'without hwloc it says so, with a file too' 'topology probe: this build was made without hwloc.*'
	[ ! -e none.json ]
	ok $? 'and writes nothing'
	finish
fi

# This computer may have accelerators or not.
"$program" topology probe -o here.json >out 2>err
case $? in
0)
	run 0 topology show ./here.json
	;;
1)
	line 'without accelerators it says what there is' \
		'topology probe: hwloc sees no accelerator on this computer \([0-9]+ packages?, [0-9]+ cores?, [0-9]+ PCI devices?\)'
	[ ! -e here.json ] && [ ! -s out ]
	ok $? 'and writes nothing'
	;;
*)
	ok 1 'this computer can be read'
	;;
esac
run 1 topology probe --from "$inputs/no-gpu.xml" -o none.json
line 'a screen is no accelerator' 'topology probe: hwloc sees no accelerator in that file \(1 package, 1 core, 1 PCI device\)'
[ ! -e none.json ] && [ ! -s out ]
ok $? 'and nothing is written'

# machine NAME LINKS: tests/interop/hwloc/NAME.xml is read as the machine of these links, "src dst bandwidth kind" on one line each.
machine() {
	run 0 topology probe --from "$inputs/$1.xml" -o "$1.json"
	silent
	sed -n 's/.*"src": \([0-9]*\), "dst": \([0-9]*\), "bandwidth": \([0-9]*\)\(, "kind": "\(.*\)"\)*}.*/\1 \2 \3 \5/p' \
		"$1.json" >links
	same "the links of $1" "$2" links
	run 0 topology show "./$1.json" --format json
	cmp -s out "$1.json"
	ok $? "$1 is written in the canonical form"
}

machine nvlinks '0 1 1 nvlink
0 2 1 nvlink
0 3 2 nvlink
1 2 2 nvlink
1 3 1 nvlink
2 3 2 nvlink'
has 'the machine is called as its file' '^  "name": "nvlinks",$' nvlinks.json
has 'the source names hwloc and the file without its folder' '^  "source": "hwloc [0-9.]+, nvlinks\.xml; ' nvlinks.json
has 'a unit of bandwidth is one NVLink' '"nvlink": .*"gigabytes_per_second": "25"' nvlinks.json
run 0 topology probe --from "$inputs/nvlinks.xml"
sed 's/"name": "probed"/"name": "nvlinks"/' out | cmp -s - nvlinks.json
ok $? 'without -o it is printed'
run 0 solve -t ./nvlinks.json -c allgather -C 1 -S 2 -R 2 -o a.json
run 0 verify a.json
run 0 solve -t ./nvlinks.json -c allgather -C 4 -S 1 -R 4
run 1 solve -t ./nvlinks.json -c allgather -C 5 -S 1 -R 4

# Ports of NVSwitches are one switch.
machine nvswitch '0 4 2 nvswitch
1 4 2 nvswitch
2 4 2 nvswitch
3 4 2 nvswitch'
run 0 solve -t ./nvswitch.json -c allgather -C 2 -S 1 -R 3
# Where the switch leaves one out, PCIe reaches it, and is no nearer than the switch for the others.
machine half-switched '0 3 1 nvswitch
0 4 1 pcie
1 3 1 nvswitch
1 5 1 pcie
2 6 1 pcie
4 7 1 pcie
5 7 1 pcie
6 7 1 pcie'
# Six cards under bridges of two, two of them half as wide; both packages.
machine pcie '0 6 2 pcie
1 6 2 pcie
2 9 1 pcie
3 9 1 pcie
4 10 2 pcie
5 10 2 pcie
6 7 2 pcie
7 8 1 pcie
7 9 2 pcie
8 10 2 pcie'
run 0 bounds -t ./pcie.json -c allgather
# Two pairs of xGMI; what hwloc tells of two hops is no link.
machine xgmi '0 1 3 xgmi
0 4 1 pcie
1 4 1 pcie
2 3 3 xgmi
2 6 1 pcie
3 6 1 pcie
4 5 1 pcie
5 6 1 pcie'
# Processors with NVLinks of their own; the way between them is not told.
machine power '0 1 2 nvlink
0 4 2 nvlink
0 6 1 pcie
1 4 2 nvlink
1 7 1 pcie
2 3 2 nvlink
2 5 2 nvlink
2 8 1 pcie
3 5 2 nvlink
3 9 1 pcie
6 10 1 pcie
7 10 1 pcie
8 12 1 pcie
9 12 1 pcie
10 11 1 pcie
11 12 1 pcie'
# Devices that are on no bus, told of three times, without any speed.
machine off-the-bus '0 2 1 
1 2 1 '

# spoilt STATUS WHAT SED LINE: nvlinks.xml, changed by SED, is refused in that one line.
spoilt() {
	sed "$3" "$inputs/nvlinks.xml" >spoilt.xml
	cmp -s spoilt.xml "$inputs/nvlinks.xml" && ok 1 "$2: the input is another"
	run "$1" topology probe --from spoilt.xml -o spoilt.json
	line "$2" "$4"
	[ ! -e spoilt.json ] && [ ! -s out ]
	ok $? 'and nothing is written'
}
spoilt 2 'two devices of one name' 's/name="cuda2"/name="cuda0"/' 'spoilt.xml: two accelerators have number 0 on CUDA'
spoilt 2 'a speed beyond belief' 's/1000000 25000/9 99999999999/' \
	'spoilt.xml: NVLinkBandwidth: a speed of more than 1 PB/s is implausible'
spoilt 2 'speeds too far apart' 's/1000000 25000/100 999999999/; s/25000/00001/g' \
	'spoilt.xml: a link of 999999999 MB/s next to one of 1 MB/s is implausible'
for speed in 1e30 -1 nan inf; do
	spoilt 2 "PCIe of $speed" "s/pci_link_speed=\"15.*\"/pci_link_speed=\"$speed\"/" \
		'spoilt.xml: 0000:05:00.0: the speed of its PCI link is implausible'
done
spoilt 2 'latencies in place of bandwidths' 's/kind="9"/kind="5"/' 'spoilt.xml: NVLinkBandwidth: is not a matrix of bandwidths'
spoilt 2 'a matrix with too few values' '/<u64values/{s/ [0-9]* "*$/ /;s/length="[0-9]*">[0-9]*/length="9">/}' \
	'spoilt.xml: hwloc cannot load this machine'
# The allocator of a sanitizer returns NULL, as the C library's does, and hwloc refuses by itself.
if [ "${ASAN_OPTIONS:-}" ]; then
	export ASAN_OPTIONS="$ASAN_OPTIONS:allocator_may_return_null=1"
	spoilt 2 'a matrix of too many objects' 's/nbobjs="4"/nbobjs="4294967295"/' 'spoilt.xml: hwloc cannot load this machine'
else
	spoilt 3 'a matrix of too many objects' 's/nbobjs="4"/nbobjs="4294967295"/' 'spoilt.xml: hwloc needs more memory than there is'
fi
spoilt 2 'a file that ends early' '20,$d' 'spoilt.xml: is not XML of hwloc'
spoilt 2 'no XML at all' 's/.*/GPU0 GPU1/' 'spoilt.xml: is not XML of hwloc'
spoilt 2 'an empty file' d 'spoilt.xml: is not XML of hwloc'
spoilt 2 'XML of another kind' 's/topology/svg/' 'spoilt.xml: (is not XML of hwloc|hwloc cannot load this machine)'
# hwloc 2.9 breaks on this; only its own process ends.
cat >breaks.xml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<topology version="2.0">
  <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="1">
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="2"/>
  </object>
</topology>
END
run 2 topology probe --from breaks.xml
line 'a machine that is a memory' 'breaks.xml: (signal [0-9]+ ended hwloc|hwloc cannot load this machine|is not XML of hwloc)'
run 2 topology probe --from missing.xml
line 'a missing file' 'missing.xml: .*'
run 2 topology probe --from .
line 'a folder' '\.: .*'

# What a device is called goes into a text and nowhere else.
sed 's/value="Tesla[^"]*"/value="\&quot;\&#10;sccl-synth: fine \&#x1F600;"/' "$inputs/nvlinks.xml" >hostile.xml
run 0 topology probe --from hostile.xml -o hostile.json
has 'a hostile name is made plain' '"4 accelerators, ..\?sccl-synth: fine' hostile.json
run 0 topology show ./hostile.json
finish
