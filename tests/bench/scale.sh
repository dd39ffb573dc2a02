#!/bin/sh
# How large a machine can be answered for, each time with its proof: both lower bounds met, or the gap. CPU seconds and peak
# memory of the whole process; the file is then judged by a second one.
#
#   scale.sh SCCL-SYNTH [OUT]
synth=$1
[ -z "${2:-}" ] || exec >"$2"
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bad=0

# MACHINE KIND C S R CLASS METHOD: by which answer it is claimed optimal (both), and how it is built (it is solved for)
row() {
	how="solve -S $4 -R $5"
	[ -z "${7:-}" ] || how="build --method $7"
	/usr/bin/time -f '%U %S %M' -o "$work/cost" timeout 600 "$synth" $how -t "$1" -c "$2" -C "$3" -o "$work/a.json" >"$work/log" 2>&1
	status=$?
	read -r user system kib <"$work/cost"
	case $status in
	0)
		/usr/bin/time -f '%U %S' -o "$work/judged" "$synth" verify "$work/a.json" >"$work/log" 2>&1 || status=wrong
		claim=$(grep -o '"class": "[a-z]*"' "$work/a.json" | cut -d'"' -f4)
		size=$(wc -c <"$work/a.json")
		judged=$(awk '{ printf "%.2f", $1 + $2 }' "$work/judged")
		;;
	*) claim=- size=- judged=- ;;
	esac
	[ "$status" != 0 ] || grep -q "c$3-s$4-r$5[-\"]" "$work/a.json" || status=other
	[ "$status" = 0 ] && [ "$claim" = "${6:-both}" ] || bad=1
	awk -v m="$1" -v k="$2" -v c="($3,$4,$5)" -v s="$status" -v t="$user" -v y="$system" -v r="$kib" -v o="$claim" -v j="$judged" -v z="$size" \
		'BEGIN { printf "| %s | %s | %s | %s | %s | %.2f | %d | %s | %s |\n", m, k, c, s == 0 ? "found" : "exit " s, o, t + y, r / 1024, j, z }'
	rm -f "$work/a.json"
}

{
	echo '| machine | collective | (C,S,R) | answer | optimal in | CPU s | peak MiB | verified, CPU s | bytes |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- |'
	while read -r machine kind chunks steps rounds class method; do
		row "$machine" "$kind" "$chunks" "$steps" "$rounds" "$class" "$method" </dev/null
	done <<END
torus:8x8 allgather 4 8 63
torus:16x16 allgather 4 16 255
torus:32x32 allgather 4 32 1023
torus:64x64 allgather 4 64 4095
torus:16x16x16 allgather 6 24 4095
hypercube:10 allgather 10 10 1023
complete:256 allgather 1 1 1
gb200-nvl72 allgather 18 1 71
torus:6x10 allgather 4 8 59
torus:4x8x12 allgather 6 12 383
torus:64x64 reducescatter 16384 64 4095
torus:8x8 alltoall 256 8 256
torus:16x16 alltoall 1024 16 2048
torus:32x32 alltoall 4096 32 16384
hypercube:10 alltoall 10240 10 5120
complete:256 alltoall 256 1 1
gb200-nvl72 alltoall 1296 1 71
torus:8x8 allgather 1 8 16 latency
torus:8x8 allgather 2 8 32 latency
hypercube:6 allgather 1 6 11 latency
hypercube:6 allgather 2 6 21
torus:16x16 allgather 1 16 64 latency
torus:16x16 allgather 2 16 128 latency
hypercube:8 allgather 1 8 32 latency
hypercube:8 allgather 2 8 64 latency
torus:64x64 allgather 1 64 1024 latency
torus:8x8 alltoall 64 8 64
hypercube:6 alltoall 64 6 32
torus:16x16 alltoall 256 16 512
hypercube:8 alltoall 256 8 128
torus:32x32 alltoall 1024 32 4096
hypercube:10 alltoall 1024 10 512
torus:6x10 alltoall 60 8 75
torus:4x8x12 alltoall 384 12 576
mesh:32x32 allgather 1 512 512 none multitree
dgx-a100*2 allgather 13 4 15 bandwidth
dgx-a100*4 allgather 16 8 49 none
dgx-a100*4 allgather 128 11 385 none
dgx-a100*8 allgather 16 12 113 none
dgx-a100*8 allgather 128 13 897 none
dgx-a100*16 allgather 16 14 241 none
END
}
exit $bad
