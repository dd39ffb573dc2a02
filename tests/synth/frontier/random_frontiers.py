#!/usr/bin/python3
"""random_frontiers.py SCCL-SYNTH ASK_PROGRAM MACHINES [large]

Holds frontiers without k against a linear program of another library, and against exhaustive search, on random machines
of 3 to 5 nodes (7 if large) with one-way links, switches and limits, for all collectives that have such frontiers:

- every value is that of the linear program of random_programs.py, which shares the relation B alone with the project;
  of an allreduce, composed: the least sum of its halves' over all splits of the steps; directly: that of the costliest
  broadcast, or of flows between all pairs of nodes through the same loads, in one step that of an allgather;
- the points descend, none is below the value of its steps, and what says that it attains it does;
- the solver alone is asked for every C of up to three units and every R from S up: what it finds is not below the
  value, and no better than the points, unless an allreduce's value is a bound alone;
- the files verify with their certificates.

Exit status 77: scipy is missing.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))
from random_programs import near, own_value, random_custom, random_machine, shared_value

KINDS = ["allgather", "broadcast", "gather", "scatter", "alltoall", "reduce", "reducescatter", "allreduce", "custom",
         "custom-sum", "broadcasts", "reduces", "gathers", "scatters"]
ROOTED = {"broadcast", "gather", "scatter", "reduce"}
MANY_ROOTS = {"broadcasts", "reduces", "gathers", "scatters"}
ONE_BUFFER = {"broadcast", "reduce", "broadcasts", "reduces", "allreduce"}
UNITS = 3  # of chunks, for exhaustive search
ROUNDS_ABOVE = 30  # the value, up to which there must be an algorithm
QUESTION = 400  # (chunk, edge, step) variables of the largest question of that


def over_roots(kind, nodes, roots):
    """The chunks of a collective of several roots as those of a custom one."""
    every = range(nodes)
    if kind in ("broadcasts", "reduces"):
        ends = [({r}, set(every)) for r in roots]
    else:
        ends = [({n}, {r}) for r in roots for n in every]
    if kind in ("reduces", "scatters"):
        ends = [(w, h) for h, w in ends]
    pre, post = ([[c, n] for c, e in enumerate(ends) for n in sorted(e[i])] for i in (0, 1))
    return {"pre": pre, "post": post}


class Case:
    """A machine, a collective, and what the linear program says of them."""

    def __init__(self, seed, largest):
        draw = random.Random(seed)
        self.seed, self.kind = seed, KINDS[seed % len(KINDS)]
        # Sets of informed nodes, once for each node that sends to all: their number limits the linear program.
        wide = self.kind in ("allgather", "reducescatter", "allreduce")
        self.machine = random_machine(draw, min(largest, 5) if wide and seed // len(KINDS) % 4 else largest)
        self.nodes = nodes = self.machine["nodes"]
        roots = 2 if self.kind in MANY_ROOTS else int(self.kind in ROOTED)
        self.roots = sorted(draw.sample(range(nodes), roots))
        self.custom = random_custom(draw, nodes, self.kind == "custom-sum") if self.kind.startswith("custom") else None
        self.known = {}

    def __str__(self):
        return f"seed {self.seed}, {self.kind} from {self.roots}, {self.nodes} nodes"

    def arguments(self, folder):
        """Written to FOLDER."""
        machine, collective = folder / "machine.json", self.kind
        machine.write_text(json.dumps(self.machine))
        if self.custom:
            collective = folder / "custom.json"
            collective.write_text(json.dumps(self.custom))
        elif self.kind in MANY_ROOTS:
            collective = self.kind[:-1]
        roots = ["--root", ",".join(map(str, self.roots))] if self.roots else []
        return ["-t", str(machine), "-c", str(collective), *roots]

    def asked(self, kind, root, custom, steps):
        key = kind, root, steps
        if key not in self.known:
            self.known[key] = own_value(self.network, kind, root, custom, steps)
        return self.known[key]

    def value(self, steps):
        """R/C as the linear program has it; None: there is no algorithm."""
        if self.kind in MANY_ROOTS:
            sums = self.kind == "reduces"
            return self.asked("custom-sum" if sums else "custom", 0, over_roots(self.kind, self.nodes, self.roots), steps)
        return self.asked(self.kind, self.roots[0] if self.roots else 0, self.custom, steps)

    def composed(self, steps):
        """The least sum over all splits, of C chunks of a reducescatter and C/P of an allgather."""
        halves = [(self.asked("reducescatter", 0, None, s), self.asked("allgather", 0, None, steps - s)) for s in range(1, steps)]
        return min((a + b / self.nodes for a, b in halves if a is not None and b is not None), default=None)

    def directly(self, steps):
        """What every allreduce contains: the costliest broadcast; or what all contributions need together."""
        if steps == 1:
            return self.asked("allgather", 0, None, 1)
        least = [self.asked("broadcast", r, None, steps) for r in range(self.nodes)]
        together = shared_value(self.network, steps)
        return None if None in least or together is None else max(*least, together)


class Judge:
    """Collects what is not as expected, and counts what was compared."""

    def __init__(self):
        self.count = dict.fromkeys(["refused", "values", "attained", "points", "at their value", "verified", "questions",
                                    "undecided"], 0)
        self.faults = []

    def complain(self, case, what):
        self.faults.append(f"{case}: {what}")
        print("not as expected:", self.faults[-1], flush=True)

    def values(self, case, f, wanted, bound):
        """The values of one class are WANTED(steps), or the bandwidth bound where that is more. Those of BOUND: the bound's."""
        values = f["values"]
        first = max(f["bounds"]["steps"], 1)
        if [v["steps"] for v in values] != list(range(first, first + len(values))) or not values:
            self.complain(case, f"step counts of {values}")
        if first > 1 and wanted(first - 1) is not None:
            self.complain(case, f"{first - 1} steps are enough, the project says {first}")
        for v in values:
            said, least = Fraction(v.get("value", v.get("at_least"))), wanted(v["steps"])
            self.count["values"] += 1
            self.count["attained"] += "value" in v
            if bound and least is not None:
                least = max(least, float(Fraction(f["bounds"]["bandwidth"])))
            if least is None or not near(float(said), least):
                self.complain(case, f"{v}, expected {least}")

    def points(self, case, f):
        last = None
        for p in f["points"]:
            composed = p.get("within") == "composition" and "composition" in f
            cost, value = Fraction(p["bandwidth"]), value_map(f["composition"] if composed else f).get(p["steps"])
            self.count["points"] += 1
            self.count["at their value"] += value == cost
            if cost != Fraction(p["rounds"], p["chunks"]) or (value is not None and cost < value):
                self.complain(case, f"point {p} below {value}")
            if last and (p["steps"] <= last["steps"] or cost >= Fraction(last["bandwidth"])):
                self.complain(case, f"point {p} after {last}")
            if p["proof"] == "program" and cost != value:
                self.complain(case, f"point {p} says that it attains {value}")
            last = p


def value_map(f):
    return {v["steps"]: Fraction(v.get("value", v.get("at_least"))) for v in f["values"]}


def best(f, steps):
    return min((Fraction(p["bandwidth"]) for p in f["points"] if p["steps"] <= steps), default=None)


class Project:
    def __init__(self, program, ask, judge):
        self.program, self.ask, self.judge = program, ask, judge
        self.env = dict(os.environ, LC_ALL="C")

    def run(self, *words):
        return subprocess.run([self.program, *map(str, words)], env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)

    def network(self, case, question, folder):
        """Relation B, the unit of C, the least steps; None where there is nothing to do or not all nodes are reached."""
        collective = "allgather" if case.kind in MANY_ROOTS | {"allreduce"} else question[3]
        said = subprocess.run([self.ask, question[1], collective, str((case.roots or [0])[0]), "-1", "0"], env=self.env,
                              capture_output=True, text=True)
        return json.loads(said.stdout) if said.returncode == 0 else None

    def exhaust(self, case, question, f, unit):
        """Every C of up to UNITS units, with R from S up until there is an algorithm."""
        of, within = value_map(f), (["--within", "direct"] if case.kind == "allreduce" else [])
        edges, chunks_each = len(case.network["edges"]), 1 if case.kind in ONE_BUFFER else case.nodes
        bounds = {v["steps"] for v in f["values"] if case.kind == "allreduce" and "at_least" in v}
        for steps in sorted(of):
            for c in range(unit, UNITS * unit + 1, unit):
                if c * chunks_each * edges * steps <= QUESTION:
                    self.least_rounds(case, f, [*question, *within], c, steps, of[steps], steps in bounds)

    def least_rounds(self, case, f, question, c, steps, value, bound):
        """
        Asks for C chunks in STEPS with R from S up. An allreduce need not exist in as few steps as a broadcast has, and its
        search ends with its time.
        """
        above = int(value * c) + ROUNDS_ABOVE
        for rounds in range(steps, max(steps, above) + 1):
            self.judge.count["questions"] += 1
            status = self.run("solve", *question, "-C", c, "-S", steps, "-R", rounds, "--engine", "bits",
                              "--timeout", 20).returncode
            if status != 1:
                break
        if status == 3:
            self.judge.count["undecided"] += 1
        elif status == 1:
            if case.kind != "allreduce" or any(p["steps"] == steps and p["chunks"] <= c for p in f["points"]):
                self.judge.complain(case, f"no algorithm of {c} chunks in {steps} steps and {rounds} rounds")
        elif status != 0:
            self.judge.complain(case, f"solve ({c},{steps},{rounds}): exit status {status}")
        elif Fraction(rounds, c) < value:
            self.judge.complain(case, f"({c},{steps},{rounds}) is below the value {value}")
        elif (best(f, steps) is None or best(f, steps) > Fraction(rounds, c)) and not bound:
            self.judge.complain(case, f"({c},{steps},{rounds}) is better than the points {f['points']}")

    def check(self, case, folder):
        question = case.arguments(folder)
        network = self.network(case, question, folder)
        if network is None:
            self.judge.count["refused"] += 1
            return
        case.network = network
        most = 2 * network["least"] + 1 if case.kind == "allreduce" else network["least"] + 2
        said = self.run("pareto", *question, "--fresh", "--json", "-o", folder / "out", "--max-steps", most)
        if said.returncode != 0:
            self.judge.complain(case, f"pareto: exit status {said.returncode}: {said.stderr.strip()}")
            return
        f = json.loads(said.stdout)
        if case.kind == "allreduce":
            self.judge.values(case, f, case.directly, True)
            self.judge.values(case, f["composition"], case.composed, False)
            self.judge.points(case, f["composition"])
        else:
            self.judge.values(case, f, case.value, False)
        self.judge.points(case, f)
        self.exhaust(case, question, f, 1 if case.kind == "allreduce" else network["unit"])
        said = self.run("verify", "--proofs", folder / "out")
        self.judge.count["verified"] += said.stdout.count(": ok")
        if said.returncode != 0 or not list((folder / "out").rglob("proofs*.json")):
            self.judge.complain(case, f"verify --proofs: exit status {said.returncode}: {said.stdout}{said.stderr}")


def main():
    program, ask = map(os.path.realpath, sys.argv[1:3])
    machines, large = int(sys.argv[3]), "large" in sys.argv[4:]
    first, judge = int(os.environ.get("FIRST_SEED", "0")), Judge()
    project = Project(program, ask, judge)
    for seed in range(first, first + machines):
        begin = time.time()
        with tempfile.TemporaryDirectory() as folder:
            case = Case(seed, 7 if large else 5)
            project.check(case, pathlib.Path(folder))
        if "VERBOSE" in os.environ:
            print(f"{case}: {time.time() - begin:.1f} s", flush=True)
    print(f"{machines} machines:", ", ".join(f"{n} {what}" for what, n in judge.count.items()), f"{len(judge.faults)} faults")
    return 1 if judge.faults or not judge.count["questions"] else 0


if __name__ == "__main__":
    sys.exit(main())
