#!/usr/bin/env python3
"""Compares schedules in time with TACOS on its own examples and tests, and prints a page of Markdown.

usage: tacos.py MATCH_IN_TIME TACOS [SOURCE] > docs/evidence/tacos.md

MATCH_IN_TIME: the program that tests/bench/match_in_time.c is built into. TACOS: a checkout of
https://github.com/astra-sim/tacos; its sources are compiled here with c++, in a folder that is removed
afterwards. Without it, or without a compiler, one line says so, and the exit status is 77. Exit status 1: ours takes longer."""
import datetime
import itertools
import json
import math
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

SKIPPED = 77
REPEATS = 20  # TACOS's tests take the best of so many runs
ROUNDING = 1e-6

# Shape, dimensions, GiB/s and us (of the first and the second dimension), chunks of a node, bytes of a node's whole output. The
# first is TACOS's src/main.cpp, the others are all of its tests/; its "hypercube" is a mesh of three dimensions.
INSTANCES = [
    ("mesh2", (4, 3), ("50",), ("0.5",), 3, 12 << 20),
    ("mesh2", (5, 5), ("50",), ("0.5",), 1, 1024 << 20),
    ("mesh2", (10, 10), ("100",), ("1",), 2, 1024 << 20),
    ("mesh2", (7, 12), ("100",), ("1",), 3, 4096 << 20),
    ("hetero", (5, 5), ("50", "75"), ("0.5", "0.5"), 1, 1024 << 20),
    ("hetero", (8, 5), ("80", "35"), ("1", "1"), 2, 1024 << 20),
    ("hetero", (7, 10), ("16", "73"), ("1.5", "1.5"), 3, 4096 << 20),
    ("torus3", (3, 3, 3), ("50",), ("0.5",), 1, 1024 << 20),
    ("torus3", (3, 4, 5), ("50",), ("0.5",), 2, 2048 << 20),
    ("torus3", (4, 2, 3), ("50",), ("0.5",), 3, 3072 << 20),
    ("mesh3", (3, 3, 3), ("50",), ("0.5",), 1, 1024 << 20),
    ("mesh3", (3, 4, 5), ("50",), ("0.5",), 2, 2048 << 20),
    ("mesh3", (4, 2, 3), ("50",), ("0.5",), 3, 3072 << 20),
]
NAMES = {"mesh2": "mesh", "mesh3": "mesh", "torus3": "torus", "hetero": "mesh, two speeds"}


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(SKIPPED)


def compile_tacos(checkout, source, folder):
    compiler = shutil.which("c++")
    if not compiler:
        skip("there is no C++ compiler")
    if not (checkout / "include/tacos/synthesizer/synthesizer.h").exists():
        skip(f"{checkout} is no checkout of TACOS")
    program = folder / "tacos"
    sources = sorted(str(p) for p in (checkout / "src").glob("*/*.cpp"))
    done = subprocess.run([compiler, "-std=c++17", "-O3", "-DNDEBUG", f"-I{checkout}/include", f"-I{checkout}/include/tacos", *sources,
                           str(source / "scripts/tacos.cpp"), "-o", str(program)], stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        skip("TACOS does not compile")
    return program


def links(shape, dimensions):
    """The links (src, dst) with the dimension of each; both ways, around the ends of a torus, once between each two nodes."""
    found = {}
    for at in itertools.product(*map(range, dimensions)):
        for d, n in enumerate(dimensions):
            to = list(at)
            to[d] = at[d] + 1 if at[d] + 1 < n or not shape.startswith("torus") else 0
            if to[d] < n and to[d] != at[d]:
                a, b = (sum(x * math.prod(dimensions[:i]) for i, x in enumerate(p)) for p in (at, to))
                found[a, b] = found[b, a] = d
    return found


def topology(instance):
    shape, dimensions, rates, latencies, _, _ = instance
    kinds = {str(i): {"latency_us": str(Fraction(us)), "gigabytes_per_second": str(Fraction(rate) * (1 << 30) / 10 ** 9)}
             for i, (rate, us) in enumerate(zip(rates, latencies))}
    return {"format": "sccl-topology", "version": 1, "name": "tacos", "nodes": math.prod(dimensions), "kinds": kinds,
            "links": [{"src": a, "dst": b, "kind": str(min(d, len(rates) - 1))} for (a, b), d in sorted(links(shape, dimensions).items())]}


def numbers_of(command):
    done = subprocess.run(list(map(str, command)), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return [float(x) for x in done.stdout.split()]


def with_any_chunks(program, path, chunks, total):
    """With 1, 2, 4, ... times the chunks, as long as that helps by 0.2 %: the time, their number, and CPU seconds."""
    best, at, seconds = math.inf, 0, 0
    while True:
        time, _, cpu = numbers_of([program, path, chunks, total, 1])
        seconds += cpu
        helps = time < best * (1 - 2e-3)
        best, at = min((best, at), (time, chunks))
        chunks *= 2
        if not helps:
            return best, at, seconds


def row(instance, match, tacos, folder):
    shape, dimensions, rates, latencies, chunks, total = instance
    path = folder / "machine.json"
    path.write_text(json.dumps(topology(instance)))
    theirs, their_cpu = numbers_of([tacos, shape, "x".join(map(str, dimensions)), ",".join(rates), ",".join(latencies), chunks, total, REPEATS])
    busy, bound, cpu = numbers_of([match, path, chunks, total, REPEATS, "busy"])
    free, more, free_cpu = with_any_chunks(match, path, chunks, total)
    name = f"{NAMES[shape]} {'x'.join(map(str, dimensions))}"
    size = f"{total >> 20} MiB"
    text = (f"| {name} | {size} | {chunks} | {theirs:.2f} | {busy:.2f} | {1000 * their_cpu:.1f} | {1000 * cpu:.1f} | {free:.2f} | {more} | "
            f"{1000 * free_cpu:.1f} | {bound:.2f} | {100 * (free / bound - 1):.2f} % |")
    return text, busy > theirs * (1 + ROUNDING) or free > theirs * (1 + ROUNDING), cpu < their_cpu


def main():
    match = Path(sys.argv[1]).resolve()
    checkout = Path(sys.argv[2]).resolve()
    source = Path(sys.argv[3] if len(sys.argv) > 3 else Path(__file__).parent.parent).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tacos = compile_tacos(checkout, source, folder)
        rows = [row(i, match, tacos, folder) for i in INSTANCES]
    slower = sum(r[1] for r in rows)
    quicker = sum(r[2] for r in rows)
    print(f"""# Against TACOS

Printed by `scripts/tacos.py` on {datetime.date.today()}, which compiles TACOS (Won et al., MICRO 2024), version 1.3.0, from its sources and runs it beside
[matching in time](../concepts/schedules-in-time.md#matching) on the instances of its example and tests: allgathers on networks without
switches. TACOS matches chunks to links at random; as in its tests, the best of {REPEATS} runs counts, and so it does for ours.

In TACOS a link is busy for the latency of a message as well as for its bytes. *Ours, so* is our time by that rule, with the same number of
chunks. By our rule the link sends the next message during the latency. *Ours, free* is our time by our rule with any number of chunks: one
run for each of C, 2 C, 4 C, ... until twice as many gain less than 0.2 %. *Bound*: no schedule is faster by our rule. All our schedules are
verified and simulated. CPU milliseconds are those of the synthesis alone, over all runs; neither starting a program nor verifying counts.

| network | output | C | TACOS us | ours, so us | TACOS ms | ours ms | ours, free us | C | ms | bound us | above bound |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |""")
    print("\n".join(r[0] for r in rows))
    print(f"\nOurs takes longer on {slower} of {len(rows)}, and less CPU time on {quicker} of {len(rows)}.")
    sys.exit(1 if slower else 0)


main()
