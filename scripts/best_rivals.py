#!/usr/bin/env python3
"""Compares `sccl-synth best` with every other way to get an algorithm: is any of them faster at any size?

usage: best_rivals.py SCCL-SYNTH [SECONDS [PATTERN [PAGE]]]

`best` gets SECONDS (30), and so does each rival: every method of `build` with its own number of chunks, with few and with many,
and `build` with all of them for a small and a large size (one rival a core at a time); `trees`; `pareto`; and on copies of a box
`distribute` of algorithms for the box, and `repeat`. Simulates what they write at all sizes, prints a table, and exits with 1 if
one is faster than `best`, or if `best` took more than a second longer than it was given. PATTERN: only the rows, such as
"dgx1 allgather", in which it occurs; empty: all. Takes hours. PAGE (docs/evidence/best-rivals.md): the rows take their places in
it, with what it has of others.
"""
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MACHINES = {"dgx1": [], "dgx-h100": [], "mi300x8": [], "gb200-nvl72": [], "dgx-h100*4:ib400": [],
            "torus:16x16": ["--alpha", "0.7", "--beta", "4e-5"]}
COLLECTIVES = {"allgather": [], "reducescatter": [], "allreduce": [], "alltoall": [], "broadcast": ["--root", "0"]}
SIZES = "1K,4K,16K,64K,256K,1M,4M,16M,64M,256M,1G"
CHUNKS = [4, 64]          # besides the method's own, times the number of nodes where blocks are divided
BLOCKS = {"reducescatter", "alltoall", "allreduce"}
TREES = {"allgather", "reducescatter", "allreduce", "broadcast"}
SLACK = 1 + 1e-6          # times are rounded
MOST_SENDS = 1 << 20      # of an algorithm that a program can be made of; `best` leaves larger ones out
COLUMNS = ["machine", "collective", "rivals", "nearest", "sizes at which one is faster", "seconds", "load", "date"]
HEAD = """# `best` and its rivals

Written by `scripts/best_rivals.py build/sccl-synth SECONDS ROW docs/evidence/best-rivals.md`, on two shared cores. Each row compares
`sccl-synth best` with every other way of this project to get an algorithm, at eleven sizes of one rank's input from 1 KiB to 1 GiB:
each method of `build` with its own number of chunks, with few and with many; `build` with all of them for 4 KiB and 64 MiB; `trees`;
each point of `pareto`; and `distribute` and `repeat` where they apply. Algorithms of more than 1,048,576 sends, of which no program can be
made, are no rivals. Times are simulated, by default in steps; links of the torus have 0.7 µs and 25 GB/s.

`rivals`: algorithms compared. `nearest`: the largest ratio, of all sizes, of `best`'s time to that of the fastest rival: 1 or less if
none is faster. `seconds`: what `best` took, of what it was given; each rival was given as much. `load`: of the two cores, when the
row began and when it ended; a command gets about two of so many shares of the cores.
"""


def check(done):
    """Ends the comparison where a command, or a part of it, has crashed."""
    if done.returncode < 0 or " died" in done.stderr:
        raise RuntimeError(f"{' '.join(done.args)}: status {done.returncode}: {done.stderr.strip()}")


def run(seconds, *command):
    """Standard output; None if it did not succeed in time."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 5, check=False)
    except subprocess.TimeoutExpired:
        return None
    check(done)
    return done.stdout if done.returncode == 0 else None


def methods(program):
    text = subprocess.run([program, "build", "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z0-9-]+)  +\S", text.split("\nMethods:\n")[1], re.MULTILINE)


class Study:
    """The rivals of `best` on one machine for one collective, and their times."""

    def __init__(self, program, machine, collective, seconds, folder):
        self.program, self.machine, self.collective, self.seconds = program, machine, collective, seconds
        self.folder, self.rivals = pathlib.Path(folder), {}
        self.nodes = json.loads(run(9, program, "topology", "show", machine, "--format", "json"))["nodes"]
        self.chunks = [chunks * (self.nodes if collective in BLOCKS else 1) for chunks in CHUNKS]

    def subject(self, machine=None):
        return ["-t", machine or self.machine, "-c", self.collective, *COLLECTIVES[self.collective]]

    def fewest_sends(self, algorithm):
        """As many as its file lists, or, where it lists one of each orbit, as all nodes that want a chunk need."""
        listed = sum(len(step.get("sends", [])) + len(step.get("reduces", [])) for step in algorithm["steps"])
        others = self.nodes - 1
        each = {"allreduce": 2 * others, "alltoall": 1}.get(self.collective, others)
        return max(listed, algorithm["global_chunks"] * each)

    def simulate(self, name, path):
        if self.fewest_sends(json.loads(pathlib.Path(path).read_text())) > MOST_SENDS:
            return
        out = run(2 * self.seconds, self.program, "simulate", str(path), "--sizes", SIZES, "--json", *MACHINES[self.machine])
        if out:
            self.rivals[name] = [json.loads(line)["microseconds"] for line in out.splitlines()]

    def build(self, name, *arguments):
        path = self.folder / f"{name.replace(' ', '_')}.json"
        if run(self.seconds, self.program, *arguments, "-o", str(path)) is not None and path.exists():
            self.simulate(name, path)

    def ask_method(self, method):
        asked = ["build", *self.subject(), "--method", method]
        self.build(method, *asked)
        for chunks in self.chunks if self.rivals.get(method) else []:
            self.build(f"{method} -C {chunks}", *asked, "-C", str(chunks))

    def ask_size(self, size):
        self.build(f"build --bytes {size}", "build", *self.subject(), "--within", str(self.seconds), "--bytes", size,
                   *(["--alpha", "1", "--beta", "1e-5"] if MACHINES[self.machine] else []))

    def ask_trees(self):
        if self.collective in TREES:
            self.build("trees", "trees", *self.subject(), "--within", str(self.seconds))

    def ask_builds(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as cores:
            asked = [cores.submit(self.ask_trees), *(cores.submit(self.ask_size, size) for size in ("4K", "64M")),
                     *(cores.submit(self.ask_method, method) for method in methods(self.program))]
            for one in asked:
                one.result()

    def ask_frontier(self):
        out = self.folder / "frontier"
        run(self.seconds, self.program, "pareto", *self.subject(), "-o", str(out), "--timeout", str(self.seconds))
        for path in sorted(out.rglob("c*.json")):
            self.simulate(f"pareto {path.stem}", path)

    def ask_copies(self):
        """Algorithms of `build` for one box."""
        if "*" not in self.machine:
            return
        box, halves = self.machine.split("*")[0], []
        for kind in ("reducescatter", "allgather") if self.collective == "allreduce" else (self.collective,):
            path = self.folder / f"{kind}.json"
            run(self.seconds, self.program, "build", "-t", box, "-c", kind, *COLLECTIVES[kind], "--within", str(self.seconds), "-o", str(path))
            halves.append(str(path))
        for steps in ([], ["-S", "12"], ["-S", "32"]):
            self.build(" ".join(["distribute", *steps]), "distribute", *halves, "-t", self.machine, *steps)

    def ask_repeats(self):
        path = self.folder / "one.json"
        if run(self.seconds, self.program, "build", *self.subject(), "--method", "direct", "-o", str(path)) is None:
            return
        for runs in (4, 16):
            self.build(f"repeat --runs {runs} of direct", "repeat", str(path), "--runs", str(runs))

    def best(self):
        """Its times, how long it took, and what it says on standard error."""
        begin = time.monotonic()
        done = subprocess.run([self.program, "best", *self.subject(), "--sizes", SIZES, "--json", "--within", str(self.seconds),
                               *MACHINES[self.machine]], capture_output=True, text=True, check=False)
        took = time.monotonic() - begin
        check(done)
        return [json.loads(line)["microseconds"] for line in done.stdout.splitlines()], took, done.stderr.strip()

    def ask(self):
        """The cells of its row after machine and collective, and whether all is well."""
        load = os.getloadavg()[0]
        times, took, said = self.best()
        for ask in (self.ask_builds, self.ask_frontier, self.ask_copies, self.ask_repeats):
            ask()
        late, nearest, faster = took > self.seconds + 1, 0, []
        for i, size in enumerate(SIZES.split(",") if times else []):
            ratio, name = max(((times[i] / rival[i], name) for name, rival in self.rivals.items()), default=(0, ""))
            nearest = max(nearest, ratio)
            if ratio > SLACK:
                faster.append(f"{size}: {name} by {100 * (ratio - 1):.1f} %")
        what = "; ".join(faster) or "none" if times else "best found nothing: " + said
        return [len(self.rivals), f"{nearest:.4f}", what, f"{took:.1f} of {self.seconds:g}{' (late)' * late}",
                f"{load:.0f}, {os.getloadavg()[0]:.0f}", datetime.date.today()], bool(times) and not faster and not late


def line_of(cells):
    return f"| {' | '.join(str(x).replace('*', chr(92) + '*') for x in cells)} |"


class Page:
    """The rows of a page, which keep their places."""

    def __init__(self, path):
        self.path, self.rows = pathlib.Path(path), {}
        for line in self.path.read_text().splitlines() if self.path.exists() else []:
            cells = line.split(" | ")
            if len(cells) == len(COLUMNS) and cells[2].isdigit():
                self.rows[" ".join(cells[:2]).lstrip("| ")] = line

    def take(self, machine, collective, line):
        self.rows[f"{machine} {collective}".replace("*", r"\*")] = line
        order = [f"{m} {c}".replace("*", r"\*") for m in MACHINES for c in COLLECTIVES]
        lines = [HEAD, line_of(COLUMNS), "|" + " --- |" * len(COLUMNS), *(self.rows[at] for at in order if at in self.rows)]
        self.path.write_text("\n".join(lines) + "\n")


def main():
    program, seconds, pattern = sys.argv[1], float((sys.argv[2:3] or ["30"])[0]), (sys.argv[3:4] or [""])[0]
    page, bad = Page(sys.argv[4]) if sys.argv[4:] else None, 0
    print(line_of(COLUMNS), "|" + " --- |" * len(COLUMNS), sep="\n", flush=True)
    for machine in MACHINES:
        for collective in COLLECTIVES:
            if pattern not in f"{machine} {collective}":
                continue
            with tempfile.TemporaryDirectory() as folder:
                cells, well = Study(program, machine, collective, seconds, folder).ask()
            bad += not well
            line = line_of([machine, collective, *cells])
            print(line, flush=True)
            if page:
                page.take(machine, collective, line)
    sys.exit(1 if bad else 0)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main()
