#!/usr/bin/env python3
"""Reads files that others published, machines and plans, and writes what became of each. usage: published.py SCCL-SYNTH FOLDER [--write]

FOLDER holds checkouts, or unpacked archives, of repositories, in folders named OWNER+NAME, such as ROCm+rccl. What is known of each
repository is in the tables below; what is not there is skipped. --write: docs/evidence/imports.md and plans.md; otherwise they are
printed.
"""
import datetime
import glob
import os
import re
import subprocess
import sys
import tempfile

# Files of machines: repository, pattern.
MACHINES = [
    ('ROCm+rccl', 'tools/topo_expl/models/*.xml'),
    ('open-mpi+hwloc', 'tests/hwloc/xml/*.xml'),
    ('microsoft+taccl', 'taccl/examples/topo/*.json'),
    ('microsoft+taccl', 'taccl/examples/sketch/*.json'),
    ('microsoft+TE-CCL', 'teccl/examples/sample_inputs/*.json'),
    ('astra-sim+astra-sim', 'inputs/network/*.yml'),
    ('astra-sim+astra-sim', 'examples/network/analytical/*.yml'),
    ('aws+aws-ofi-nccl', 'topology/*.xml'),
    ('Azure+azhpc-images', 'topology/*-topo.xml'),
    ('Azure+azurehpc', 'experimental/cc_slurm_nhc/cc_slurm_nhc/specs/default/cluster-init/files/*-topo.xml'),
    ('nebius+nccl-topology', '*.xml'),
    ('modal-labs+gvisor', 'nccl_topo.xml'),
    ('modelscope+ms-swift', '*/source_en/BestPractices/AMD-support.md'),
    ('Panlichen+nccl-tests', 'topo.xml'),
    ('sugarlxn+nccl_test', 'nccl_topo.xml'),
    ('UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base', 'topology.xml'),
    ('yynil+RWKVinLLAMA', 'topo.xml'),
    ('zy-uestc+yccl', 'topo*.xml'),
]
# Plans and schedules: repository, pattern, consumer (None: none), machine (None: a link for each pair; a name of MADE, or a file of
# FOLDER: that machine). Of execution traces the pattern is that of rank 0. Files that a repository no longer has are from
# its history. made/ and trees/ hold what the tool of that repository prints: its spanning_trees_to_xml for its own topologies,
# and its serialization of schedules of our catalog.
PLANS = [
    ('ROCm+rccl', 'tools/msccl-algorithms/*.xml', 'rccl', None),
    ('ROCm+rccl', 'tools/msccl-unit-test-algorithms/*.xml', 'rccl', None),
    ('Azure+msccl-scheduler', 'tools/msccl-algorithms/*/*.xml', 'azure', None),
    ('microsoft+TE-CCL', 'teccl/examples/MSCCL_examples/*.xml', 'msccl', None),
    ('microsoft+mscclpp', 'test/execution-files/*.json', 'mscclpp', None),
    ('microsoft+mscclpp', 'test/executor-tests/execution-plans/*.json', 'mscclpp', None),
    ('microsoft+TE-CCL', 'teccl/examples/experiments/output_provided/NDv2_output/2_chassis/*/*/*.json', None, 'ndv2x2'),
    ('microsoft+TE-CCL', 'teccl/examples/experiments/output_provided/NDv2_output/4_chassis/*/*/*.json', None, 'ndv2x4'),
    ('microsoft+TE-CCL', 'teccl/examples/experiments/output_provided/DGX2_output/2_chassis/*/*/*.json', None, 'dgx2x2'),
]
PLANS += [
    ('astra-sim+astra-sim', 'examples/system/custom_collectives/*/*.xml', 'msccl', None),
    ('astra-sim+astra-sim', 'examples/system/custom_collectives/*/*.0.et', None, 'complete:8'),
    ('liangyuRain+ForestColl', 'trees/a100x1.xml', None, 'complete:8'),
    ('liangyuRain+ForestColl', 'trees/a100x2.xml', None, 'complete:16'),
    ('liangyuRain+ForestColl', 'trees/mi250x1.xml', None, 'complete:16'),
    ('liangyuRain+ForestColl', 'trees/mi250x2.xml', None, 'complete:32'),
    ('microsoft+msccl-tools', 'made/*.json', None, 'dgx1'),
    ('microsoft+msccl-tools', '*.xml', 'msccl', None),
    ('microsoft+msccl-tools', 'experiments*/*.xml', 'msccl', None),
    ('microsoft+msccl', 'src/xml_generator/*.xml', 'msccl', None),
    ('microsoft+mscclpp', 'apps/nccl/test/execution-files/*.json', 'mscclpp', None),
    ('dailiuyao+msccl_tools_lyd', 'examples/xml/*.xml', 'msccl', None),
    ('liangyuRain+mscclpp-public', '*/*inst1.xml', 'msccl', None),
    ('liangyuRain+mscclpp-public', '*/*_i1_*.xml', 'msccl', None),
    ('rouge3877+ns3-msccl-data', 'Validation/SingleCollective/Input/*/*_LL128_*.xml', 'msccl', None),
    ('rouge3877+ns3-msccl-data', 'Validation/SingleCollective/Input/Others/*.xml', 'msccl', None),
    ('spriestgcl+teccl-msccl', 'test.xml', 'msccl', None),
    ('spriestgcl+teccl-msccl', 'teccl/examples/experiments/output*/*/*/*/*.xml', 'msccl', None),
    ('microsoft+msccl', 'graph.xml', None, 'complete:4'),
    ('Azure+azhpc-images', 'topology/*-graph.xml', None, 'complete:4'),
    ('Azure+azurehpc', 'experimental/cc_slurm_nhc/cc_slurm_nhc/specs/default/cluster-init/files/*-graph.xml', None, 'complete:2'),
    ('modal-labs+gvisor', 'nccl_graph.xml', None, 'complete:16'),
    ('Panlichen+nccl-tests', 'graph.xml', None, 'ring:32'),
    ('UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base', 'chain0?.xml', None, 'complete:2'),
    ('UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base', 'chain0??.xml', None, 'complete:3'),
    ('UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base', 'chain0???.xml', None, 'complete:4'),
    ('UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base', 'graph0123.xml', None, 'complete:4'),
    ('UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base', 'graph.xml', None,
     'UCBerkeley-Spring2022-CS267-project+blinkplus-nccl-base/topology.xml'),
    ('zy-uestc+yccl', 'graph.xml', None, 'complete:4'),
]
MADE = {'ndv2x2': '{"TopologyParams": {"name": "NDv2", "chassis": 2}}', 'ndv2x4': '{"TopologyParams": {"name": "NDv2", "chassis": 4}}',
        'dgx2x2': '{"TopologyParams": {"name": "DGX2", "chassis": 2}}'}


def run(program, *arguments):
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return 3, '', 'takes more than two minutes'
    return done.returncode, done.stdout, done.stderr


def plain(text, path):
    """One line without the names of files, safe in a table."""
    text = text.replace('sccl-synth: ', '').replace(path + ': ', '').replace(path + ':', 'line ').replace(path, 'the file')
    return text.replace('|', '/').strip()


def files(folder, repository, pattern):
    base = os.path.join(folder, repository)
    for path in sorted(glob.glob(os.path.join(base, pattern))):
        yield path, repository.replace('+', '/') + '/' + os.path.relpath(path, base)


def machines(program, folder, work):
    rows = []
    for repository, pattern in MACHINES:
        for path, shown in files(folder, repository, pattern):
            status, out, err = run(program, 'import', path, '-o', os.path.join(work, 'read.json'))
            said = [plain(line, path) for line in err.splitlines()]
            result = plain(out.split(': ' + work)[0], path) if status == 0 else ('refused: ' + said[-1] if said else 'refused')
            if status == 0:
                bound, text, _ = run(program, 'bounds', '-t', os.path.join(work, 'read.json'), '-c', 'allgather', '--json')
                match = re.search(r'"bandwidth": "([^"]*)"', text)
                result += f'; allgather R/C at least {match.group(1)}' if bound == 0 and match else '; not connected'
            rows.append((shown, status == 0, result, '; '.join(said) if status == 0 else ''))
    return rows


def plans(program, folder, work):
    rows = []
    for name, text in MADE.items():
        with open(os.path.join(work, name + '.in.json'), 'w') as out:
            out.write(text)
        run(program, 'import', os.path.join(work, name + '.in.json'), '-o', os.path.join(work, name + '.json'))
    for repository, pattern, consumer, machine in PLANS:
        for path, shown in files(folder, repository, pattern):
            verdict, defects, ranks = '', '', '0'
            if consumer:
                status, out, err = run(program, 'lint', path, '--for', consumer)
                lines = out.splitlines()
                head = [line for line in lines if re.search(r': (right|wrong)$', line)]
                verdict = plain(head[0], path) if head else 'refused: ' + plain(err, path)
                defects = '; '.join(plain(line, path) for line in lines[:3] if line.startswith(path) and line not in head)
                ranks = (re.search(r'on (\d+) rank', verdict) or [0, '0'])[1]
                if 'never' in out:
                    defects += '; ' * bool(defects) + plain(re.search(r'never .*', out).group(0), path)
            where = os.path.join(work, machine + '.json') if machine in MADE else machine or f'complete:{ranks}'
            if machine and machine.endswith('.xml'):
                run(program, 'import', os.path.join(folder, machine), '-o', os.path.join(work, 'theirs.json'))
                where = os.path.join(work, 'theirs.json')
            of_rank = sorted(glob.glob(path[:-5] + '.*.et')) if path.endswith('.0.et') else [path]
            if where == 'complete:0':
                rows.append((shown, False, verdict, 'no', defects))
                continue
            status, out, err = run(program, 'import', *of_rank, '-t', where, '-o', os.path.join(work, 'a.json'))
            algorithm = plain(out.split(': ' + work)[0], path) if status == 0 else 'no: ' + plain(err, path).replace(folder + '/', '').replace(work + '/', '')
            rows.append((shown, status == 0, verdict, algorithm, defects))
    return rows


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.environ['SCCL_PATH'] = root
    today = datetime.date.today().isoformat()
    with tempfile.TemporaryDirectory() as work:
        read, played = machines(program, folder, work), plans(program, folder, work)
    texts = {'imports.md': [
        '# Machines that others published', '',
        f'{len(read)} files, {sum(r[1] for r in read)} read, {len(read) - sum(r[1] for r in read)} refused for a stated reason. {today}: '
        '`scripts/published.py build/sccl-synth FOLDER --write`, with FOLDER holding the repositories; the files are not ours and not here. '
        'What is read is a machine that `bounds` takes: the last figure is its lower bound on R/C of an allgather.', '',
        '| file | result | assumed, left out |', '| --- | --- | --- |'] + [f'| {a} | {c} | {d} |' for a, _, c, d in read]}
    texts['plans.md'] = [
        '# Plans that others published', '',
        f'{len(played)} files, {sum(r[1] for r in played)} of which become algorithms that verify. {today}: `scripts/published.py '
        'build/sccl-synth FOLDER --write`. [`lint`](../reference/commands.md#lint) executes each plan for the consumer that it was made for; '
        '`import -t` then makes it an algorithm, on a machine with a link for each pair (schedules of TE-CCL: on its own machine; those for two NDv2 are of 15 GPUs, since its '
        'code declares node 0 of that machine a switch, and those without "7-Flows" send fractions of chunks). Files in trees/ '
        'and made/ are what the tools of these repositories print: ForestColl for its topologies, msccl-tools for schedules of our catalog. Some '
        'files are from the history of a repository that no longer has them; some of MSCCL++\'s are in formats that its loader no longer takes. '
        'Of the eleven test plans that MSCCL++ has today, nine are right. Its own loader refuses `allreduce_pipeline.json`, whose switch channel has no `buffer_type`. '
        '`reduce_tbg.json` has a race: of two blocks that copy chunks 0 and 1 together, the first copies chunk 0 and the second chunk 1; but each of two readers '
        'takes half of chunk 1 after the signal of only one block.', '',
        '| file | lint | algorithm | defects, sizes |', '| --- | --- | --- | --- |'] + [f'| {a} | {c} | {d} | {e} |' for a, _, c, d, e in played]
    for name, lines in texts.items():
        text = '\n'.join(lines) + '\n'
        if '--write' in sys.argv:
            with open(os.path.join(root, 'docs/evidence', name), 'w') as out:
                out.write(text)
        else:
            print(text)
    print(f'{len(read)} machines, {sum(r[1] for r in read)} read; {len(played)} plans, {sum(r[1] for r in played)} became algorithms')


main()
