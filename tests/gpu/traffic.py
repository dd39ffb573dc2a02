#!/usr/bin/env python3
"""Bytes that an algorithm must read and write in all, for each byte of L: traffic.py ALGORITHM.json

Counted from the file, as a fraction "reads writes steps" of one line:
- every send writes a chunk; a rank that sends a chunk to several peers in one step reads it once;
- what is reduced is read by its receiver, with the receiver's own part, when the sum is first needed: k parts and its own
  are k + 1 reads; the sum goes to the peers and, if this rank needs it again, to its own memory: one more write;
- an allgather's own chunks go from input to output: one read, one write.
An allreduce or an allgather; of others what a rank keeps is not told by the sends.
"""

import json
import sys
from fractions import Fraction


def uses(algorithm):
    """(chunk, node) -> per step: how many it sends to, parts that arrive, whether the chunk itself arrives."""
    found, arrived = {}, set()
    for number, step in enumerate(algorithm["steps"]):
        for kind in ("sends", "reduces"):
            for chunk, src, dst in step.get(kind, []):
                if kind == "sends" and (chunk, dst) in arrived:
                    continue
                if kind == "sends":
                    arrived.add((chunk, dst))
                out = found.setdefault((chunk, src), {}).setdefault(number, [0, 0, 0])
                out[0] += 1
                into = found.setdefault((chunk, dst), {}).setdefault(number, [0, 0, 0])
                into[1 if kind == "reduces" else 2] += 1
    return found


def kept(steps, after):
    """Whether a sum made in step AFTER is needed again before the whole chunk comes: by a later send or the output."""
    for number in sorted(steps):
        if number > after and steps[number][0]:
            return True
        if number >= after and steps[number][2]:
            return False
    return True


def of_place(steps):
    """Chunks that one node reads and writes of one chunk, its pushes to others among them."""
    reads = writes = parts = 0
    for number in sorted(steps):
        pushes, more, whole = steps[number]
        if pushes:
            reads += 1 + parts
            writes += pushes + (1 if parts and kept(steps, number) else 0)
            parts = 0
        parts = 0 if whole else parts + more
    return (reads + 1 + parts, writes + 1) if parts else (reads, writes)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        algorithm = json.load(file)
    kind = algorithm["collective"]["kind"]
    if kind not in ("allgather", "allreduce"):
        sys.exit(f"traffic.py: {sys.argv[1]}: {kind} is neither allgather nor allreduce")
    counts = [of_place(steps) for steps in uses(algorithm).values()]
    own = algorithm["global_chunks"] if kind == "allgather" else 0
    reads, writes = sum(c[0] for c in counts) + own, sum(c[1] for c in counts) + own
    chunks = algorithm["chunks"]
    print(float(Fraction(reads, chunks)), float(Fraction(writes, chunks)), len(algorithm["steps"]))


if __name__ == "__main__":
    main()
