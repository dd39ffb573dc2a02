#!/usr/bin/python3
"""random_programs.py ASK_PROGRAM MACHINES [large]

Holds the values of synth/program against a linear program with another formulation and another solver, on random
machines of 3 to 5 nodes (7 if large) with one-way links, switches and limits. Only the relation B is the project's; the
collectives, their inversion and the program stand here again, in terms of flows and not of trees:

- a commodity that one node wants flows through (node, step), as in any time-expanded network;
- one that several want flows through (set of informed nodes, step). From I to I + J in a step, every node of J is sent
  the commodity by some node of I; which one need only be known in total for each (I, node), as a tree's choices for
  different nodes of J are independent of each other.

Also: all groups of symmetries give the same value, algorithms verify and attain the value where they claim it, and the
solver finds nothing below a value for up to three units of chunks. Exit status 77: scipy is missing.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

try:
    import numpy
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix
except ImportError:
    print("python3-scipy is missing")
    sys.exit(77)

TOLERANCE = 1e-7
KINDS = ["allgather", "broadcast", "gather", "scatter", "alltoall", "reduce", "reducescatter", "custom", "custom-sum"]
BLOCKS = {"scatter", "alltoall", "reducescatter"}  # C counts a block for each node


class Program:
    """min c x, rows = and <= with sparse entries, x >= 0."""

    def __init__(self):
        self.cost, self.equal, self.less = [], [], []

    def variable(self, cost=0.0):
        self.cost.append(cost)
        return len(self.cost) - 1

    def value(self):
        def matrix(rows):
            at = [(i, j, v) for i, (row, _) in enumerate(rows) for j, v in row]
            i, j, v = zip(*at) if at else ((), (), ())
            return csr_matrix((v, (i, j)), (len(rows), len(self.cost))), numpy.array([b for _, b in rows], float)
        if any(not row and bound for row, bound in self.equal):
            return None
        a, b = matrix(self.less)
        e, f = matrix(self.equal)
        for method in "highs-ds", "highs-ipm":
            found = linprog(self.cost, a, b, e, f, method=method, options={
                "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
            if found.status == 0:
                return found.fun
        return None if found.status == 2 else float("nan")


def commodities(kind, nodes, root, custom):
    """(sources, receivers, chunks) for C = the unit, and whether all runs backwards."""
    every = range(nodes)
    if kind == "allgather":
        return [({n}, set(every), 1) for n in every], False
    if kind == "broadcast":
        return [({root}, set(every), 1)], False
    if kind == "gather":
        return [({n}, {root}, 1) for n in every], False
    if kind == "scatter":
        return [({root}, {n}, 1) for n in every], False
    if kind == "alltoall":
        return [({n}, {m}, 1) for n in every for m in every], False
    if kind == "reduce":
        return [({root}, set(every), 1)], True
    if kind == "reducescatter":
        return [({n}, set(every), 1) for n in every], True
    chunks = 1 + max(c for c, _ in custom["pre"])
    place = {key: [{n for c, n in custom[key] if c == chunk} for chunk in range(chunks)] for key in ("pre", "post")}
    if kind == "custom":
        return [(h, w, 1) for h, w in zip(place["pre"], place["post"])], False
    return [(w, h, 1) for h, w in zip(place["pre"], place["post"]) if w], True


def add_paths(p, edges, nodes, steps, sources, receivers, loads):
    """Receivers: {node: chunks}. Data at a source are at all of them."""
    held = {(s, v): p.variable() for s in range(steps + 1) for v in range(nodes)}  # before step s
    balance = {(s, v): [(held[s, v], -1.0)] for s in range(steps + 1) for v in range(nodes)}
    for v in range(nodes):
        if v not in sources:
            p.equal.append(([(held[0, v], 1.0)], 0.0))
    for s in range(steps):
        for v in range(nodes):
            balance[s + 1, v].append((held[s, v], 1.0))
        for e, (u, v, _) in enumerate(edges):
            x = p.variable()
            loads[s][e].append(x)
            balance[s + 1, v].append((x, 1.0))
            balance[s + 1, u].append((x, -1.0))
    # What leaves u in step s was there before it.
    for s in range(steps):
        for u in range(nodes):
            out = [(loads[s][e][-1], 1.0) for e, edge in enumerate(edges) if edge[0] == u]
            if out:
                p.less.append((out + [(held[s, u], -1.0)], 0.0))
    for s in range(1, steps + 1):
        for v in range(nodes):
            p.equal.append((balance[s, v], 0.0))
    for v in range(nodes):
        p.less.append(([(held[steps, v], -1.0)], -float(receivers.get(v, 0))))


def add_sets(p, edges, nodes, steps, sources, receivers, chunks, loads):
    into = {v: [(e, u) for e, (u, w, _) in enumerate(edges) if w == v] for v in range(nodes)}
    states = {frozenset(sources): [(None, chunks)]}  # set: what flows into it
    for s in range(steps):
        following = {}
        for have, entering in states.items():
            near = [v for v in range(nodes) if v not in have and any(u in have for _, u in into[v])]
            leaving, gets = [], {v: [] for v in near}
            for size in range(len(near) + 1):
                for new in itertools.combinations(near, size):
                    then = have | set(new)
                    if s == steps - 1 and not receivers <= then:
                        continue
                    x = p.variable()
                    leaving.append(x)
                    following.setdefault(then, []).append((x, 1.0))
                    for v in new:
                        gets[v].append(x)
            p.equal.append(([(x, 1.0) for x in leaving] + [(x, -1.0) for x, _ in entering if x is not None],
                            float(sum(c for x, c in entering if x is None))))
            for v, flows in gets.items():
                senders = []
                for e, u in into[v]:
                    if u in have:
                        y = p.variable()
                        senders.append(y)
                        loads[s][e].append(y)
                if flows:
                    p.equal.append(([(x, 1.0) for x in flows] + [(y, -1.0) for y in senders], 0.0))
        states = following


def own_value(network, kind, root, custom, steps):
    """R/C, or None if there is no algorithm of so many steps."""
    nodes, edges = network["nodes"], network["edges"]
    wanted, backwards = commodities(kind, nodes, root, custom)
    if backwards:
        edges = [[v, u, b] for u, v, b in edges]
    p = Program()
    rounds = [p.variable(1.0) for _ in range(steps)]
    loads = [[[] for _ in edges] for _ in range(steps)]
    paths = {}
    for sources, receivers, chunks in wanted:
        receivers = receivers - sources
        if len(receivers) == 1:
            ends = paths.setdefault(frozenset(sources), {})
            for v in receivers:
                ends[v] = ends.get(v, 0) + chunks
        elif receivers:
            add_sets(p, edges, nodes, steps, sources, receivers, chunks, loads)
    for sources, receivers in paths.items():
        add_paths(p, edges, nodes, steps, sources, receivers, loads)
    for s in range(steps):
        for e, (_, _, b) in enumerate(edges):
            p.less.append(([(x, 1.0) for x in loads[s][e]] + [(rounds[s], -float(b))], 0.0))
        for b, crossed in network["limits"]:
            uses = {}
            for e in crossed:
                uses[e] = uses.get(e, 0) + 1
            load = [(x, float(n)) for e, n in uses.items() for x in loads[s][e]]
            p.less.append((load + [(rounds[s], -float(b))], 0.0))
    value = p.value()
    return None if value is None else value / (nodes if kind in BLOCKS else 1)


def shared_value(network, steps):
    """R/C of the least loads through which a unit can flow from every node to every other, each flow through all of them."""
    nodes, edges = network["nodes"], network["edges"]
    p = Program()
    rounds = [p.variable(1.0) for _ in range(steps)]
    shared = [[p.variable() for _ in edges] for _ in range(steps)]
    for u, v in itertools.permutations(range(nodes), 2):
        loads = [[[] for _ in edges] for _ in range(steps)]
        add_paths(p, edges, nodes, steps, {u}, {v: 1}, loads)
        for s in range(steps):
            for e in range(len(edges)):
                p.less.append(([(y, 1.0) for y in loads[s][e]] + [(shared[s][e], -1.0)], 0.0))
    for s in range(steps):
        for e, (_, _, b) in enumerate(edges):
            p.less.append(([(shared[s][e], 1.0), (rounds[s], -float(b))], 0.0))
        for b, crossed in network["limits"]:
            p.less.append(([(shared[s][e], float(crossed.count(e))) for e in set(crossed)] + [(rounds[s], -float(b))], 0.0))
    return p.value()


def random_links(draw, nodes):
    """Direct links: a way around that reaches all nodes, and others by chance; some one-way, some alike."""
    shape = draw.choice(["any", "any", "any", "sparse", "ring", "complete", "oneway-ring"])
    order = list(range(nodes))
    draw.shuffle(order)
    links = {}
    if shape in ("ring", "oneway-ring", "complete"):
        b = draw.randint(1, 3)
        for i in range(nodes):
            for j in range(1, nodes) if shape == "complete" else [1]:
                links[order[i], order[(i + j) % nodes]] = b
                if shape == "ring":
                    links[order[(i + 1) % nodes], order[i]] = b
        return links
    for i in range(nodes):
        links[order[i], order[(i + 1) % nodes]] = draw.randint(1, 3)
    for u, v in itertools.permutations(range(nodes), 2):
        if draw.random() < (0.15 if shape == "sparse" else 0.45):
            links[u, v] = draw.randint(1, 3)
    return links


def random_switches(draw, nodes):
    """All nodes behind one switch, alike or not; or two switches, one link apart, and some direct links."""
    links, switches = {}, draw.choice([1, 1, 2])
    alike = draw.random() < 0.5
    up, down = draw.randint(1, 4), draw.randint(1, 4)
    for v in range(nodes):
        to = nodes + (v * switches // nodes)
        links[v, to] = up if alike else draw.randint(1, 4)
        links[to, v] = down if alike else draw.randint(1, 4)
    if switches == 2:
        links[nodes, nodes + 1] = draw.randint(1, 4)
        links[nodes + 1, nodes] = draw.randint(1, 4)
    if not alike:
        for u, v in itertools.permutations(range(nodes), 2):
            if draw.random() < 0.25:
                links[u, v] = draw.randint(1, 3)
    return links, switches


def random_machine(draw, largest):
    nodes = draw.randint(3, largest)
    switches = 0
    if draw.random() < 0.35:
        links, switches = random_switches(draw, nodes)
    else:
        links = random_links(draw, nodes)
    limits = []
    for _ in range(draw.choice([0, 0, 1, 2])):
        at = draw.choice(["out_of", "into", "edges"])
        if at == "edges":
            many = sorted(draw.sample(sorted(links), draw.randint(2, min(6, len(links)))))
            limits.append({"edges": [list(e) for e in many], "bandwidth": draw.randint(1, 4)})
        else:
            limits.append({at: draw.randrange(nodes), "bandwidth": draw.randint(1, 3)})
    return {"format": "sccl-topology", "version": 1, "name": "random", "nodes": nodes, "switches": switches,
            "links": [{"src": u, "dst": v, "bandwidth": b} for (u, v), b in sorted(links.items())], "limits": limits}


def random_custom(draw, nodes, combining):
    chunks = draw.randint(1, 3)
    pre, post = [], []
    for c in range(chunks):
        has = draw.sample(range(nodes), draw.randint(1, nodes - 1) if combining else draw.choice([1, 1, 2]))
        wants = draw.sample(range(nodes), 1 if combining else draw.randint(1, nodes))
        pre += [[c, n] for n in sorted(has)]
        post += [[c, n] for n in sorted(wants)]
    return {"format": "sccl-collective", "version": 1, "name": "random", "nodes": nodes, "pre": pre, "post": post,
            "combining": combining}


def random_case(seed, largest):
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    machine = random_machine(draw, min(largest, 6) if kind in ("allgather", "reducescatter") and seed % 4 else largest)
    custom = random_custom(draw, machine["nodes"], kind == "custom-sum") if kind.startswith("custom") else None
    rooted = kind in ("broadcast", "gather", "scatter", "reduce")
    return {"seed": seed, "machine": machine, "kind": kind, "root": draw.randrange(machine["nodes"]) if rooted else 0,
            "custom": custom}


def near(a, b):
    return abs(a - b) <= TOLERANCE * max(1.0, abs(b))


def fraction(pair):
    return Fraction(*pair) if pair[1] else None


def check_program(p, values, network, case, complain, count):
    """One answer of the project."""
    steps, group = p["steps"], p["group"]
    if steps not in values:
        values[steps] = own_value(network, case["kind"], case["root"], case["custom"], steps)
    mine = values[steps]
    if "error" in p:
        if mine is not None:
            complain(f"{group}, {steps} steps: {p['error']}; expected {mine}")
        return
    value, attained = fraction(p["value"]), fraction(p["attained"])
    count["values"] += 1
    if value is None or mine is None or not near(float(value), mine):
        complain(f"{group}, {steps} steps: {value}, expected {mine}")
        return
    if attained is None or attained != value:
        complain(f"{group}, {steps} steps: at least {value}, attained {attained}")
    for key in ("exact", "rounded"):
        if key not in p:
            continue
        count["algorithms"] += 1
        chunks, made, rounds, sound = p[key + "_is"]
        if not sound or made != steps or fraction(p[key]) != Fraction(rounds, chunks) or fraction(p[key]) < value:
            complain(f"{group}, {steps} steps: {key} algorithm {p[key + '_is']} of value {value}")
        if key == "exact" and (fraction(p[key]) != value or chunks != p["chunks"]):
            complain(f"{group}, {steps} steps: {p[key + '_is']} does not attain {value} with {p['chunks']}")
    if p["chunks"] and p["chunks"] <= 4096 and "exact" not in p:
        complain(f"{group}, {steps} steps: no algorithm of {p['chunks']} chunks: {p.get('no_algorithm')}")
    if "rounded" not in p:
        count["no rounded algorithm"] += 1
    for c, s, r, what, answer in p.get("solver", []):
        count["solver"] += answer in ("found", "none")
        if answer == ("found" if what == "below" else "none") or answer == "error":
            complain(f"solver: ({c},{s},{r}) is {answer}, the value is {value}")


def check_case(ask, case, folder, count):
    t = os.path.join(folder, f"t{case['seed']}.json")
    k = case["kind"]
    with open(t, "w") as f:
        json.dump(case["machine"], f)
    if case["custom"]:
        k = os.path.join(folder, f"c{case['seed']}.json")
        with open(k, "w") as f:
            json.dump(case["custom"], f)
    nodes = case["machine"]["nodes"]
    largest = 3 if nodes <= 3 or nodes <= 5 and case["kind"] != "alltoall" else 0
    said = subprocess.run([ask, t, k, str(case["root"]), "2", str(largest)], capture_output=True, text=True)
    faults = []

    def complain(what):
        faults.append(f"seed {case['seed']}, {case['kind']} from {case['root']}, {nodes} nodes: {what}")

    if said.returncode == 2:
        count["refused"] += 1  # nothing to do, or not all nodes are reached
        return faults
    if said.returncode != 0:
        complain(f"status {said.returncode}: {said.stderr}")
        return faults
    answer = json.loads(said.stdout)
    values = {}
    for p in answer["programs"]:
        check_program(p, values, answer, case, complain, count)
    below = answer["least"] - 1
    if below > 0 and own_value(answer, case["kind"], case["root"], case["custom"], below) is not None:
        complain(f"{below} steps are enough, the project says {answer['least']}")
    return faults


def main():
    ask, machines, large = sys.argv[1], int(sys.argv[2]), "large" in sys.argv[3:]
    first = int(os.environ.get("FIRST_SEED", "1"))
    count = dict.fromkeys(["values", "algorithms", "no rounded algorithm", "solver", "refused"], 0)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + machines):
            begin = time.time()
            case = random_case(seed, 7 if large else 5)
            new = check_case(ask, case, folder, count)
            faults += new
            for f in new:
                print("not as expected:", f, flush=True)
            if "VERBOSE" in os.environ:
                nodes = case["machine"]["nodes"]
                print(f"seed {seed}: {case['kind']}, {nodes} nodes, {time.time() - begin:.1f} s", flush=True)
    print(f"{machines} machines:", ", ".join(f"{n} {what}" for what, n in count.items()), f"{len(faults)} faults")
    return 1 if faults or not count["values"] else 0


if __name__ == "__main__":
    sys.exit(main())
