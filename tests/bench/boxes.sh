#!/bin/sh
# N boxes of a machine, each GPU joined to a switch of all boxes by a NIC of its own: a topology on standard output. Bandwidths
# inside are times SCALE, in units of GB/S gigabytes a second.
#
#   boxes.sh SCCL-SYNTH MACHINE N SCALE NIC GB/S
"$1" topology show "$2" --format json | jq --argjson n "$3" --argjson s "$4" --argjson nic "$5" --arg gb "$6" '
	(.switches // 0) as $w | (.nodes * $n) as $p | .nodes as $m | (if $n > 1 then 1 else 0 end) as $top
	| def at($b): if . < $m then . + $b * $m else $p + $b * $w + . - $m end;
	{format: "sccl-topology", version: 1, name: (.name + "*" + ($n | tostring)), nodes: $p, switches: ($w * $n + $top),
	 duplex: .duplex,
	 links: ([range($n) as $b | .links[] | {src: (.src | at($b)), dst: (.dst | at($b)), bandwidth: (.bandwidth * $s), kind: "link"}]
		+ if $n > 1 then [range($p) | {src: ., dst: ($p + $w * $n), bandwidth: $nic, kind: "link"}] else [] end),
	 kinds: {link: {latency_us: "1", gigabytes_per_second: $gb}}}'
