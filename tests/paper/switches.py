#!/usr/bin/env python3
"""Switches that copy and add before both judges: what they may do passes, planted misuse does not.

usage: switches.py SCCL-SYNTH SECOND-CHECK

Each case is an algorithm written out here by hand, so that neither judge sees what a construction of ours made of it.
"""
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction


def star(**abilities):
    """Four nodes on one switch, number 4, by links of one unit."""
    links = [{"src": n, "dst": 4, "bandwidth": 1} for n in range(4)]
    return {"nodes": 4, "switches": 1, "links": links, **abilities}


def pair(between=1, **abilities):
    """Nodes 0 and 1 on switch 4, nodes 2 and 3 on switch 5, and a link between the switches."""
    links = [{"src": n, "dst": 4 + n // 2, "bandwidth": 3} for n in range(4)] + [{"src": 4, "dst": 5, "bandwidth": between}]
    return {"nodes": 4, "switches": 2, "links": links, **abilities}


BOTH = {"multicast": True, "reduce": True}
TO_ALL = [[0, 0, n] for n in (1, 2, 3)]
FROM_ALL = [[0, n, 0] for n in (1, 2, 3)]
EVERYONE = [[0, a, b] for a in range(4) for b in range(4) if a != b]
BROADCAST, REDUCE = {"kind": "broadcast", "root": 0}, {"kind": "reduce", "root": 0}
ALLREDUCE, GATHER = {"kind": "allreduce"}, {"kind": "gather", "root": 0}
ROTATION = {"nodes": [1, 2, 3, 0], "parts": [0]}


def of(chunk, sends):
    return [[chunk, a, b] for _, a, b in sends]


def step(rounds, sends=(), reduces=()):
    s = {"rounds": rounds, "sends": sorted(sends)}
    if reduces:
        s["reduces"] = sorted(reduces)
    return s


SCATTERED = [[c, n, c] for c in range(4) for n in range(4) if n != c]
GATHERED = [[c, c, n] for c in range(4) for n in range(4) if n != c]


def doubled(rounds):
    """In its second step node 0 sends the chunk once as a copy and once into a sum."""
    return [step(1, [], [[0, 1, 0], [0, 2, 3]]), step(rounds, [[0, 0, 1]], [[0, 0, 3]]), step(1, [[0, 3, n] for n in (0, 1, 2)])]


# (what, right?, topology, collective, C, steps, symmetry)
CASES = [
    ("a broadcast in one round", True, star(multicast=True), BROADCAST, 1, [step(1, TO_ALL)]),
    ("a broadcast through a listed switch", True, star(multicast=[4]), BROADCAST, 1, [step(1, TO_ALL)]),
    ("a reduce in one round", True, star(reduce=True), REDUCE, 1, [step(1, [], FROM_ALL)]),
    ("two chunks in two rounds", True, star(multicast=True), BROADCAST, 2, [step(2, TO_ALL + of(1, TO_ALL))]),
    ("an allreduce by loads of sums, then multicasts", True, star(**BOTH), ALLREDUCE, 4, [step(3, [], SCATTERED), step(3, GATHERED)]),
    ("sums and multicasts of other chunks in one step", True, star(**BOTH), ALLREDUCE, 8,
     [step(3, [], SCATTERED), step(4, GATHERED, [[c + 4, a, b] for c, a, b in SCATTERED]), step(3, [[c + 4, a, b] for c, a, b in GATHERED])]),
    ("a multicast over two switches", True, pair(**BOTH), BROADCAST, 1, [step(1, TO_ALL)]),
    ("sums over two switches", True, pair(**BOTH), REDUCE, 1, [step(1, [], FROM_ALL)]),
    ("a multicast, where the far switch alone copies", True, pair(multicast=[5]), BROADCAST, 1, [step(1, TO_ALL)]),
    ("every node's multicast, by a rotation", True, star(multicast=True), {"kind": "allgather"}, 1, [step(3, TO_ALL)], [ROTATION]),
    ("a limit, which counts links", True, star(multicast=True, limits=[{"out_of": 0, "bandwidth": 1}]), BROADCAST, 1, [step(1, TO_ALL)]),

    ("a multicast through a switch that only forwards", False, star(), BROADCAST, 1, [step(1, TO_ALL)]),
    ("a multicast through a switch that only adds", False, star(reduce=True), BROADCAST, 1, [step(1, TO_ALL)]),
    ("sums in a switch that only forwards", False, star(), REDUCE, 1, [step(1, [], FROM_ALL)]),
    ("sums in a switch that only copies", False, star(multicast=True), REDUCE, 1, [step(1, [], FROM_ALL)]),
    ("two chunks counted as one copy", False, star(**BOTH), BROADCAST, 2, [step(1, TO_ALL + of(1, TO_ALL))]),
    ("two chunks counted as one sum", False, star(**BOTH), REDUCE, 2, [step(1, [], FROM_ALL + of(1, FROM_ALL))]),
    ("chunks that are not added counted as a sum", False, star(**BOTH), GATHER, 1, [step(1, [[n, n, 0] for n in (1, 2, 3)])]),
    ("sums for all counted as a multicast", False, star(**BOTH), ALLREDUCE, 1, [step(1, [], EVERYONE)]),
    ("sums for all, each by itself", True, star(**BOTH), ALLREDUCE, 1, [step(3, [], EVERYONE)]),
    ("a copy and a sum of one chunk counted as one", False, star(**BOTH), ALLREDUCE, 1, doubled(1)),
    ("a copy and a sum of one chunk, apart", True, star(**BOTH), ALLREDUCE, 1, doubled(2)),
    ("copies from two nodes counted as one", False, pair(**BOTH), BROADCAST, 1, [step(1, [[0, 0, 1]]), step(1, [[0, 0, 2], [0, 1, 3]])]),
    ("copies from one node there", True, pair(**BOTH), BROADCAST, 1, [step(1, [[0, 0, 1]]), step(1, [[0, 0, 2], [0, 0, 3]])]),
    ("sums for two nodes counted as one", False, pair(**BOTH), ALLREDUCE, 1,
     [step(1, [], [[0, 0, 2], [0, 1, 3]]), step(1, [], [[0, 2, 3]]), step(2, [[0, 3, 0], [0, 3, 1], [0, 3, 2]])]),
    ("sums for two nodes, apart", True, pair(**BOTH), ALLREDUCE, 1,
     [step(2, [], [[0, 0, 2], [0, 1, 3]]), step(1, [], [[0, 2, 3]]), step(2, [[0, 3, 0], [0, 3, 1], [0, 3, 2]])]),
    ("a multicast, where only the near switch copies", False, pair(multicast=[4]), BROADCAST, 1, [step(1, TO_ALL)]),
    ("every node's multicast in too few rounds", False, star(multicast=True), {"kind": "allgather"}, 1, [step(2, TO_ALL)], [ROTATION]),
    ("a limit over what comes out", False, star(multicast=True, limits=[{"out_of": 4, "bandwidth": 2}]), BROADCAST, 1, [step(1, TO_ALL)]),
]


def file_of(topology, collective, chunks, steps, symmetry=None):
    topology = {"format": "sccl-topology", "version": 1, "name": "by-hand", "duplex": True, **topology}
    rounds = sum(s["rounds"] for s in steps)
    per_node = collective["kind"] in ("allgather", "gather")
    file = {"format": "sccl-algorithm", "version": 1, "name": "by-hand", "collective": collective, "chunks": chunks,
            "global_chunks": chunks * (topology["nodes"] if per_node else 1), "topology": topology}
    if symmetry:
        file["symmetry"] = symmetry
    ratio = Fraction(rounds, chunks)
    file["steps"] = steps
    file["cost"] = {"steps": len(steps), "rounds": rounds, "bandwidth": str(ratio)}
    return file


def judged(command, path):
    done = subprocess.run(command + [path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.strip()


def main():
    judges = [[sys.argv[1], "verify"], [sys.argv[2]]]
    faults = 0
    print(f"1..{len(CASES) * len(judges)}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case.json")
        for what, right, *rest in CASES:
            with open(path, "w") as f:
                json.dump(file_of(*rest), f)
            for judge in judges:
                status, said = judged(judge, path)
                good = status == (0 if right else 1)
                faults += not good
                print(f"{'ok' if good else 'not ok'} - {os.path.basename(judge[0])}: {what}{'' if right else ', refused'}")
                if not good or not right:
                    print(f"# {said}")
    return 1 if faults else 0


sys.exit(main())
