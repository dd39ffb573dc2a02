#!/usr/bin/env python3
"""Measures generated GPU kernels by their machine code: the figures of docs/concepts/lowering.md.

usage: kernel_figures.py FILE.cu [ARCH...]    ARCH: sm_80, sm_90, ... (nvcc), gfx90a, ... (hipcc; FILE.hip)

$INCLUDE is the folder of the headers (runtime/include). For NVIDIA it prints of each kernel the bytes of text, the registers,
and the bytes of spills and stack; the instructions that combine 64 bytes of two sources, loads and stores included; and of the
program, the bytes of a launch, the barriers and fences of rank 0 in each step, and what ranks read and write in a call.
For AMD, registers, spills and scratch.
"""
import os, re, struct, subprocess, sys, tempfile

INCLUDE = os.environ.get('INCLUDE', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'runtime', 'include'))
NOP, BRANCH = 0x918, 0x947

PROBE = '''#include <sccl/device.h>
#define PROBE(type, op) __global__ void probe_##type##_##op(const sccl_unit_t *a, const sccl_unit_t *b, sccl_unit_t *d, uint64_t factor) \\
{ \\
    const sccl_fold_t fold = SCCL_FOLD(type, op); \\
    sccl_unit_t u[4], v[4]; \\
    a += threadIdx.x, b += threadIdx.x, d += threadIdx.x; \\
    _Pragma("unroll") for (int k = 0; k < 4; k++) u[k] = a[512 * k], v[k] = b[512 * k]; \\
    _Pragma("unroll") for (int k = 0; k < 4; k++) { \\
        if (sccl_scales(fold)) \\
            u[k].low = sccl_scale_word(fold, u[k].low, factor), u[k].high = sccl_scale_word(fold, u[k].high, factor); \\
        sccl_unit_sum_t s = sccl_unit_begin(fold, u[k]); \\
        sccl_unit_add(fold, &s, v[k]); \\
        u[k].low = sccl_sum_end(fold, &s.low), u[k].high = sccl_sum_end(fold, &s.high); \\
        if (sccl_divides(fold)) \\
            u[k].low = sccl_divide_word(fold, u[k].low, factor, 8), u[k].high = sccl_divide_word(fold, u[k].high, factor, 8); \\
    } \\
    _Pragma("unroll") for (int k = 0; k < 4; k++) d[512 * k] = u[k]; \\
}
/* 64 bytes of two sources that come in packets, added and sent on; of lines, whose mark takes one byte in sixteen, 60. */
__global__ void probe_packets(const uint8_t *a, const uint8_t *b, uint8_t *d, uint32_t *absent, uint32_t mark)
{
    uint64_t u[8], v[8];
    uint32_t none = 0;
    a += 16 * threadIdx.x, b += 16 * threadIdx.x, d += 16 * threadIdx.x;
    _Pragma("unroll") for (int k = 0; k < 8; k++) none |= !sccl_packet_seen(a + 8192 * k, mark, &u[k]) | !sccl_packet_seen(b + 8192 * k, mark, &v[k]);
    if (none) *absent = 1;
    _Pragma("unroll") for (int k = 0; k < 8; k++) sccl_packet_post(d + 8192 * k, mark, sccl_fold_word(SCCL_FOLD(f32, sum), u[k], v[k]));
}
__global__ void probe_lines(const uint8_t *a, const uint8_t *b, uint8_t *d, uint32_t *absent, uint64_t mark)
{
    sccl_unit_t u[4], v[4];
    uint32_t none = 0, part = threadIdx.x %% 8, at = threadIdx.x / 8 * 128;
    _Pragma("unroll") for (int k = 0; k < 4; k++) none |= !sccl_line_seen(a + at + 8192 * k, part, mark, &u[k].low, &u[k].high) |
        !sccl_line_seen(b + at + 8192 * k, part, mark, &v[k].low, &v[k].high);
    if (sccl_meet_warp(none)) *absent = 1;
    _Pragma("unroll") for (int k = 0; k < 4; k++) u[k] = sccl_fold_unit(SCCL_FOLD(f32, sum), u[k], v[k]);
    _Pragma("unroll") for (int k = 0; k < 4; k++) sccl_line_post(d + at + 8192 * k, part, mark, u[k].low, u[k].high);
}
%s
'''
SIZE = '#include <stdio.h>\n#include <sccl/device.h>\nint main(void) { printf("%zu\\n", sizeof(sccl_launch_t)); return 0; }\n'


def texts(cubin):
    """{name: bytes} of the code of each kernel."""
    d = open(cubin, 'rb').read()
    at, n, names = struct.unpack_from('<Q', d, 40)[0], struct.unpack_from('<H', d, 60)[0], struct.unpack_from('<H', d, 62)[0]
    rows = [struct.unpack_from('<IIQQQQ', d, at + 64 * i) for i in range(n)]
    name = lambda r: d[rows[names][4] + r[0]:].split(b'\0')[0].decode()
    return {name(r)[6:]: d[r[4]:r[4] + r[5]] for r in rows if name(r).startswith('.text.')}


def instructions(code):
    """Without the padding, and the endless branch in front of it."""
    ops = [struct.unpack_from('<Q', code, i)[0] & 0xfff for i in range(0, len(code), 16)]
    while ops and ops[-1] in (NOP, BRANCH):
        ops.pop()
    return len(ops)


def short(symbol):
    return re.search(r'\d((?:kernel|probe)_[a-z0-9_]*?)(?:_kernel)?(?:11sccl_launch|13sccl_launch_t|PK|$)', symbol).group(1)


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr or p.stdout)
    return p.stdout + p.stderr


def cuda(source, arch, work):
    log = run('nvcc', '-O3', '-std=c++17', '-arch=' + arch, '-Xptxas', '-v', '-I' + INCLUDE, '-cubin', '-o', work + '/k.cubin', source)
    found = re.findall(r"Compiling entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers",
                       log, re.S)
    text = texts(work + '/k.cubin')
    for symbol, stack, stores, loads, registers in sorted(found):
        print(f'{arch} {short(symbol)}: {len(text[symbol])} bytes, {registers} registers, {int(stores) + int(loads)} spilled, {stack} stack')
    kinds = [(t, o) for t in ('f32', 'bf16', 'f16', 'f8e4m3', 'f8e5m2') for o in ('sum', 'max', 'premulsum')]
    kinds += [('f16_wide', 'sum'), ('bf16_wide', 'sum'), ('i32', 'avg')]
    with open(work + '/probe.cu', 'w') as f:
        f.write(PROBE % '\n'.join('PROBE(%s, %s)' % k for k in kinds))
    run('nvcc', '-O3', '-std=c++17', '-arch=' + arch, '-I' + INCLUDE, '-cubin', '-o', work + '/p.cubin', work + '/probe.cu')
    for symbol, code in sorted(texts(work + '/p.cubin').items()):
        print(f'{arch} {short(symbol)}: {instructions(code)} instructions for 64 bytes of two sources')


def hip(source, arch):
    log = run('hipcc', '-O3', '-std=c++17', '--offload-arch=' + arch, '-Rpass-analysis=kernel-resource-usage', '-I' + INCLUDE, '-c', source,
              '-o', '/dev/null')
    for name, vgprs, scratch, spill in re.findall(
            r'Function Name: (\S+).*?\bVGPRs: (\d+).*?ScratchSize \[bytes/lane\]: (\d+).*?VGPRs Spill: (\d+)', log, re.S):
        print(f'{arch} {short(name)}: {vgprs} registers, {spill} spilled, {scratch} stack')


def steps(source):
    """Barriers and posts of rank 0: each signal or offer that is not in a group with others has a fence of its own."""
    body = re.search(r'plain_0\[\] = \{(.*?)\n\};', open(source).read(), re.S).group(1)
    n = max([int(s) for s in re.findall(r'SCCL_(?:COPY|REDUCE|TOTAL|SIGNAL|WAIT)\((\d+)', body)] + [1])
    groups = re.findall(r'SCCL_FLAGS\(\d+, \d+\),\s*SCCL_(?:OFFER|SIGNAL)', body)
    fences = len(groups) if groups else len(re.findall('SCCL_(?:OFFER|SIGNAL)', body))
    print(f'rank 0: {n} steps, {body.count("SCCL_SYNC") / n:.1f} barriers and {fences / n:.1f} fences a step')


def bytes_moved(source):
    """Bytes that all ranks read and write in a call of each protocol, in inputs: chunks are nearly of one length."""
    text = open(source).read()
    parts = re.search(r'cuts\[\] = \{\n\t\{\d+, (\d+), \d+, (\d+)\}', text)
    for what in 'plain', 'shared':
        ranks = re.findall(what + r'_\d+\[\] = \{(.*?)\n\};', text, re.S)
        places = sum(len(re.findall(r'SCCL_(?:INPUT|INPUT_OF|OUTPUT|SCRATCH)\(', r)) for r in ranks)
        if ranks:
            print(f'{what}: {places / len(ranks) / int(parts[1]) / int(parts[2]):.2f} inputs read and written a rank')


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    source, archs = sys.argv[1], sys.argv[2:] or ['sm_90']
    with tempfile.TemporaryDirectory() as work:
        steps(source)
        bytes_moved(source)
        with open(work + '/size.c', 'w') as f:
            f.write(SIZE)
        run('cc', '-I' + INCLUDE, '-o', work + '/size', work + '/size.c')
        print('a launch:', run(work + '/size').strip(), 'bytes')
        for arch in archs:
            if arch.startswith('gfx'):
                hip(source, arch)
            else:
                cuda(source, arch, work)


main()
