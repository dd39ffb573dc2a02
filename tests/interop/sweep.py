#!/usr/bin/env python3
"""Exports algorithms of the catalog as plans, in every way, and reads each plan that is written with `lint`, whose interpreters share
nothing with the writers. usage: sweep.py SCCL-SYNTH SOURCE EVERY [WRITE]

Takes one algorithm of EVERY. Prints how many plans passed and how many were refused, by the limit that refused them; the exit status
is 1 if a plan was written that lint calls wrong, if an export failed otherwise, or if a refusal is not by a limit. WRITE: a file for
the summary, in Markdown.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

WAYS = [('mscclpp', []), ('mscclpp', ['--in-place']), ('mscclpp', ['--proto', 'LL']), ('mscclpp', ['--proto', 'LL', '--in-place']),
        ('msccl-xml', []), ('msccl-xml', ['--in-place'])]
CONSUMER = {'mscclpp': 'mscclpp', 'msccl-xml': 'rccl'}
# What a refusal may say: a limit of the format or of its consumer.
LIMITS = [r'has no \w+ collective', r'ops in a thread block', r'takes at most', r'thread blocks; at most', r'nothing to do', r'sends; with RCCL',
          r'parts of a chunk arrive in one step', r'has \d+ semaphores for that', r'are too many to be played', r'plans of at most',
          r'too many chunks for a plan', r'more than \d+ sends', r'no reduce of switches', r'MSCCL\+\+ takes', r'reaches? the same']


def algorithms(folder):
    for path, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if name.endswith('.json') and not re.match('frontier|proofs', name):
                yield os.path.join(path, name)


def reason(text):
    text = re.sub(r'^sccl-synth: [^:]*:?', '', text)
    text = re.sub(r'.*would be wrong as such a plan: ', 'wrong in place: ' , text)
    return re.sub(r'\d+', 'N', re.sub(r'.*: ', '', text)).strip()


def main():
    program, source, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
    passed, refused, faults = collections.Counter(), collections.Counter(), []
    env = dict(os.environ, SCCL_PATH=source)
    chosen = list(algorithms(os.path.join(source, 'algorithms')))[::every]
    with tempfile.TemporaryDirectory() as work:
        plan = os.path.join(work, 'plan')
        for path in chosen:
            for form, options in WAYS:
                way = ' '.join([form, *options])
                done = subprocess.run([program, 'export', path, '--format', form, '-o', plan, *options], capture_output=True, text=True, env=env)
                said = done.stderr.strip().split('\n')[-1]
                if done.returncode:
                    in_place_race = '--in-place' in options and form == 'msccl-xml' and 'would be wrong' in said
                    if done.returncode not in (2, 3) or not (in_place_race or any(re.search(l, said) for l in LIMITS)):
                        faults.append(f'{way}: {said}')
                    refused[way, reason(said)] += 1
                    continue
                check = subprocess.run([program, 'lint', plan, '--for', CONSUMER[form]], capture_output=True, text=True, env=env)
                if check.returncode:
                    faults.append(f'{way}: {path}: {(check.stdout + check.stderr).strip().splitlines()[0]}')
                passed[way] += 1
    lines = [f'{len(chosen)} algorithms in {len(WAYS)} ways: {sum(passed.values())} plans pass, {sum(refused.values())} refused\n', '']
    lines += ['| way | pass | refused |', '| --- | --- | --- |']
    for form, options in WAYS:
        way = ' '.join([form, *options])
        lines.append(f'| `{way}` | {passed[way]} | {sum(n for (w, _), n in refused.items() if w == way)} |')
    why = collections.Counter()
    for (_, text), n in refused.items():
        why[text] += n
    lines += ['', '| refused because | plans |', '| --- | --- |'] + [f'| {text} | {n} |' for text, n in why.most_common(25)]
    print('\n'.join(lines))
    if len(sys.argv) > 4:
        with open(sys.argv[4], 'w') as out:
            out.write('\n'.join(lines) + '\n')
    for fault in faults[:20]:
        print('FAULT', fault)
    return 1 if faults or not passed else 0


sys.exit(main())
