#!/bin/sh
# pack.sh: a tarball is made, unpacked elsewhere, and its emulated parts run with nothing but what a C library's system has.
# In a chroot with root's rights and mmdebstrap this is what docs/howto/run-on-gpus.md shows; here the PATH has a shell's
# tools alone, and the programs are asked which libraries they need. TAP.
#
#   pack_test.sh BUILD
build=$1
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
number=0
check() {
	number=$((number + 1))
	if eval "$2"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' "$work/out" "$work/err" 2>/dev/null | head -40
	fi
}
echo 1..7
here=$(cd "$(dirname "$0")" && pwd)
"$here/pack.sh" --quick -o "$work/packed.tar.gz" "$build" >"$work/out" 2>"$work/err"
status=$?
# shellcheck disable=SC2016 # check evaluates what is quoted
check "a tarball is made" '[ $status -eq 0 ] && grep -q "packed.tar.gz: [0-9]* bytes" "$work/out"'
check "it has less than 20 MB" '[ "$(wc -c <"$work/packed.tar.gz")" -lt 20000000 ]'
tar -C "$work" -xzf "$work/packed.tar.gz" 2>"$work/err"
needed=$(find "$work/sccl-gpu/build" -type f -perm -100 ! -name sccl-synth -exec objdump -p {} + 2>/dev/null |
	awk '$1 == "NEEDED" { print $2 }' | grep -Ev '^(libc|libm|libdl|libpthread|ld-linux.*)\.so' | sort -u)
check "its programs need a C library alone" '[ -z "$needed" ]'

# What an essential Debian has.
mkdir "$work/bin"
for tool in sh awk basename cat chmod cksum cp cut date dirname env find grep head kill mkdir mktemp mv nproc paste printf ps readlink rm sed \
	sleep sort tail tee timeout touch tr uname uniq wc; do
	found=$(command -v $tool) && ln -s "$(readlink -f "$found")" "$work/bin/$tool"
done
gpu() {
	env -i PATH="$work/bin" HOME="$work" "$work/sccl-gpu/tests/gpu/gpu.sh" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
}
gpu --emulated --quick --only right,occupancy "$work/sccl-gpu/algorithms/dgx1/broadcast/c2-s2-r2-root1.json"
check "its emulated parts run without a compiler" '[ $status -eq 0 ] && [ "$(grep -c "| exact |$" "$work/out")" -ge 9 ] && grep -q "^Everything is right" "$work/out"'
check "and say how many blocks fit" 'grep -Eq "^\| algorithms/.*root1.json \| f32 \| - \| [1-9]" "$work/out"'
gpu --emulated --quick --only right "$work/sccl-gpu/algorithms/dgx1/allreduce/c8-s4-r4.json"
check "what it lacks is told" '[ $status -eq 1 ] && grep -q "not compiled: .*no program of it for an emulated GPU" "$work/out"'

# All that the other parts ask of sccl-synth is there, where nvcc and a GPU are.
printf '#!/bin/sh\ncase $* in *compute_cap*) echo 9.0 ;; *) echo "GPU 0: none" ;; esac\n' >"$work/bin/nvidia-smi"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/nvcc"
chmod +x "$work/bin/nvidia-smi" "$work/bin/nvcc"
gpu --quick
check "every request of the other parts has an answer" '! grep -q "no answer" "$work/out" "$work/err" && grep -q "examples/cuda . threads . failed: not compiled" "$work/out"'
