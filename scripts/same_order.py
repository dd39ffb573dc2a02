#!/usr/bin/env python3
"""The price of adding every element in the same order: writes docs/evidence/same-order.md.

usage: same_order.py SCCL-SYNTH [SOURCE] > PAGE; mv PAGE docs/evidence/same-order.md

For each machine and each collective that reduces, every point of the stored frontier is asked of `verify --same-order`; a
reduce in which a hub adds all but the root's part is first changed so that the root's part is added there too. Where that
does not serve, the least R/C of any number of steps under the constraint is computed for reducescatter and reduce: all ways to put
parentheses around the ranks' inputs are the candidates, and for each, a linear program over placements of its sums and
routes between them. Prices of links that such a program returns prove, by dynamic programming in integers, that other
candidates cost as much or more, so that few programs are solved. Needs python3-scipy."""
import datetime
import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from math import lcm
from pathlib import Path

import numpy
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

MACHINES = ["dgx1", "dgx-h100", "mi300x8"]
KINDS = ["allreduce", "reducescatter", "reduce"]


def call(*arguments):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True)


def same_order(program, file):
    """The order in which FILE adds, or None."""
    done = call(program, "verify", "--same-order", file)
    return done.stdout.strip().partition(", adds ")[2] if done.returncode == 0 else None


def with_root_at_hub(algorithm):
    """The same reduce, except that a root that adds its own part to all others' in one step sends it to where they are added."""
    root = algorithm["collective"]["root"]
    steps = algorithm["steps"]
    for chunk in range(algorithm["chunks"]):
        into = [(s, send) for s, step in enumerate(steps) for send in step.get("reduces", []) if send[0] == chunk and send[2] == root]
        if len(into) != 1:
            continue
        last, send = into[0]
        hub = send[1]
        steps[last]["reduces"].remove(send)
        steps[last].setdefault("sends", []).append(send)
        for step in steps[:last]:  # where others reduce into the hub, the link from the root is as free as theirs
            if any(r[0] == chunk and r[2] == hub for r in step.get("reduces", [])):
                step["reduces"].append([chunk, root, hub])
                break
        else:
            return None
    return algorithm


# ---- the least rate under the constraint ----


class Machine:
    def __init__(self, program, name):
        topology = json.loads(call(program, "topology", "show", name, "--format", "json").stdout)
        self.n = topology["nodes"]
        self.edges = []
        for link in topology["links"]:
            self.edges.append((link["src"], link["dst"], link["bandwidth"]))
            if topology.get("duplex"):
                self.edges.append((link["dst"], link["src"], link["bandwidth"]))


def distances(machine, prices):
    """Least prices of routes, in integers."""
    far = 1 << 40
    d = numpy.full((machine.n, machine.n), far, dtype=numpy.int64)
    for v in range(machine.n):
        d[v, v] = 0
    for (a, b, _), price in zip(machine.edges, prices):
        d[a, b] = min(d[a, b], price)
    for via in range(machine.n):
        d = numpy.minimum(d, d[:, via, None] + d[None, via, :])
    return d


def least_costs(machine, prices, trees, to):
    """For each tree, the sum over the destinations TO of the least price of bringing its sum there: placements are independent of each
    other, so that this divided by the price of all capacity is a lower bound on the rate of the tree."""
    d = distances(machine, prices)
    known = {v: d[v] for v in range(machine.n)}

    def cost(tree):
        if tree not in known:
            here = cost(tree[0]) + cost(tree[1])  # to have both parts at a node
            known[tree] = (here[:, None] + d).min(axis=0)
        return known[tree]

    return [int(cost(tree)[to].sum()) for tree in trees]


def solve(machine, tree, ends):
    """The least rounds per chunk where each node of ENDS wants the sum of a chunk that is added by TREE, as a float, and the prices
    of the links."""
    inner = []

    def number(t):
        if isinstance(t, int):
            return t
        parts = number(t[0]), number(t[1])
        inner.append(parts)
        return machine.n + len(inner) - 1

    number(tree)
    n, m, values = machine.n, len(machine.edges), machine.n + len(inner)
    parent = {part: n + i for i, parts in enumerate(inner) for part in parts}
    each = values * m + len(inner) * n
    columns = len(ends) * each + 1
    rows, cols, data, right = [], [], [], []
    row = 0
    for k, to in enumerate(ends):  # the value of each node of the tree flows from where it is made to where it is used
        base = k * each
        for x in range(values):
            for v in range(n):
                for e, (a, b, _) in enumerate(machine.edges):
                    if v in (a, b):
                        rows.append(row), cols.append(base + x * m + e), data.append(1 if b == v else -1)
                made = 1 if x < n and x == v else 0
                if x >= n:
                    rows.append(row), cols.append(base + values * m + (x - n) * n + v), data.append(1)
                used = 1 if x == values - 1 and v == to else 0
                if x != values - 1:
                    rows.append(row), cols.append(base + values * m + (parent[x] - n) * n + v), data.append(-1)
                right.append(used - made)
                row += 1
    equal = coo_matrix((data, (rows, cols)), shape=(row, columns)).tocsr()
    rows, cols, data = [], [], []
    for e, (_, _, bandwidth) in enumerate(machine.edges):
        for base in range(0, len(ends) * each, each):
            for x in range(values):
                rows.append(e), cols.append(base + x * m + e), data.append(1)
        rows.append(e), cols.append(columns - 1), data.append(-bandwidth)
    most = coo_matrix((data, (rows, cols)), shape=(m, columns)).tocsr()
    cost = numpy.zeros(columns)
    cost[-1] = 1
    found = linprog(cost, A_ub=most, b_ub=numpy.zeros(m), A_eq=equal, b_eq=numpy.array(right, float), method="highs")
    if found.status != 0:
        sys.exit(f"the program of {tree} was not solved: {found.message}")
    return found.fun, [max(0.0, -p) for p in found.ineqlin.marginals]


def as_integers(prices):
    exact = [Fraction(p).limit_denominator(5000) for p in prices]
    scale = lcm(*(p.denominator for p in exact))
    return [int(p * scale) for p in exact]


def all_trees(n):
    """All sums of n inputs, as nested pairs; which part of a pair comes first does not change its bits."""
    trees = {1 << v: [v] for v in range(n)}
    for size in range(2, n + 1):
        for bits in range(1 << n):
            if bin(bits).count("1") != size:
                continue
            low = bits & -bits
            found = []
            rest = bits ^ low
            part = rest
            while True:  # the part with the lowest rank, and its complement
                part = (part - 1) & rest
                found += [(a, b) for a in trees[part | low] for b in trees[bits ^ low ^ part]]
                if part == 0:
                    break
            trees[bits] = found
    return trees[(1 << n) - 1]


def least_rate(machine, ends):
    """The least rounds per chunk over all trees, exact, a tree that has it, and how many trees and programs there were."""
    trees = all_trees(machine.n)
    bound = [Fraction(0)] * len(trees)
    best, best_tree, solved = None, None, 0
    left = list(range(len(trees)))
    at = 0
    while left:
        value, prices = solve(machine, trees[at], ends)
        solved += 1
        prices = as_integers(prices)
        capacity = sum(p * b for p, (_, _, b) in zip(prices, machine.edges))
        exact = Fraction(least_costs(machine, prices, [trees[at]], ends)[0], capacity)
        if abs(float(exact) - value) > 1e-7:
            sys.exit(f"the prices of {trees[at]} show {exact}, its program {value}")
        if best is None or exact < best:
            best, best_tree = exact, trees[at]
        for i, cost in zip(left, least_costs(machine, prices, [trees[i] for i in left], ends)):
            bound[i] = max(bound[i], Fraction(cost, capacity))
        left = [i for i in left if bound[i] < best]
        print(f"{solved} programs, {len(left)} of {len(trees)} trees left, {best}", file=sys.stderr)
        at = min(left, key=lambda i: bound[i]) if left else None
    return best, best_tree, len(trees), solved


def text_of(tree):
    return str(tree) if isinstance(tree, int) else f"({text_of(tree[0])} + {text_of(tree[1])})"


def row_of(machine, kind, point, least, how, order):
    """LEAST: the least R/C in one order; None: not known."""
    price = "none" if order else "open" if least is None or Fraction(point["bandwidth"]) >= least else "no such algorithm"
    cost = f"({point['chunks']},{point['steps']},{point['rounds']})"
    return f"| {machine} | {kind} | {cost} | {point['bandwidth']} | {price} | {how if order else ''} | {order or ''} |"


def main():
    program = sys.argv[1]
    source = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent)
    rows, rates, least = [], [], {}
    with tempfile.TemporaryDirectory() as work:
        for machine in MACHINES:
            refused = []
            for kind in KINDS:
                folder = source / "algorithms" / "machines" / machine / kind
                frontier = json.loads(next(iter(sorted(folder.glob("frontier*.json")))).read_text())
                for point in frontier["points"]:
                    file = folder / point["file"]
                    order, how = same_order(program, file), "as it is"
                    if order is None and kind == "reduce":
                        changed = with_root_at_hub(json.loads(file.read_text()))
                        other = Path(work) / file.name
                        if changed:
                            changed.pop("optimality", None)
                            other.write_text(json.dumps(changed))
                            order, how = same_order(program, other), "the root's part at the hub"
                    if order is None and kind != "allreduce" and kind not in refused:
                        refused.append(kind)
                    rows.append((machine, kind, point, how, order))
            # The price of ports of switches is not modelled here: such machines have all their points as they are.
            for kind in refused if machine == "dgx1" else []:
                m = Machine(program, machine)
                ends = list(range(m.n)) if kind == "reducescatter" else [0]
                best, tree, n, solved = least_rate(m, ends)
                least[machine, kind] = best / len(ends)
                frontier = next(iter(sorted((source / "algorithms" / "machines" / machine / kind).glob("frontier*.json"))))
                free = Fraction(json.loads(frontier.read_text())["bounds"]["bandwidth"])
                if kind == "reducescatter":  # then an allgather, which adds nothing: its least R/C is that of the reducescatter without
                    whole = best / m.n + free
                    rates.append(f"| {machine} | allreduce | {2 * free} | at most {whole} | at most {float(whole / (2 * free)):.4f} | the same as the next, then an allgather | | |")
                rates.append(f"| {machine} | {kind} | {free} | {best / len(ends)} | {float(best / len(ends) / free):.4f} | {text_of(tree)[1:-1]} | {n} | {solved} |")
    texts = [row_of(machine, kind, point, least.get((machine, kind)), how, order) for machine, kind, point, how, order in rows]
    print(PAGE.format(date=datetime.date.today(), rows="\n".join(texts), rates="\n".join(rates)))


PAGE = """# The price of one order of additions

{date}, `scripts/same_order.py build/sccl-synth`. Under [the constraint](../concepts/lowering.md#same-order) that every element is
added in the same order, whatever the size of a call: what is the least R/C?

## Points of the frontiers

Each point of the stored frontiers of `algorithms/machines`, which are proved without the constraint. Price *none*: an
algorithm of the same S and R/C adds in one order, so that the point is on the frontier under the constraint too. *As it is*:
the stored algorithm does. *The root's part at the hub*: where a hub adds all parts but the root's and the root adds its own
to that, the root sends its part to the hub instead, over links that a reduce leaves idle; `verify --same-order` accepts the
result. *No such algorithm*: its R/C is below the least in one order, which the second table has. *Open*: this algorithm
does not; whether another of the same cost does is not known here.

| machine | collective | (C,S,R) | R/C | price | how | adds |
| --- | --- | --- | --- | --- | --- | --- |
{rows}

## Where it costs something

On machines that are not fully linked, optimal algorithms add on the way, along another tree for each chunk. In one order
every chunk must follow the same parentheses, though each of its sums can be made anywhere. The least R/C of a reducescatter
or reduce of any number of steps is the least, over all ways to put parentheses, of a linear program over where sums are made and how
they travel; chunks can be cut as finely as its solution asks. A candidate is left out only where prices of links prove that
it costs as much, in integers. `trees`: candidates; `programs`: how many had to be solved.

| machine | collective | bound without | R/C in one order | price | one that has it | trees | programs |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rates}

The allreduce is such a reducescatter followed by an allgather, which adds nothing; whether one made otherwise costs less is
open.
"""

if __name__ == "__main__":
    main()
