#!/usr/bin/env python3
"""The price of adding every element in the same order: writes docs/evidence/same-order.md.

usage: same_order.py SCCL-SYNTH > PAGE; mv PAGE docs/evidence/same-order.md
       same_order.py SCCL-SYNTH MACHINE allreduce|reduce|reducescatter STEPS|any    # one row of its second table

Every point of the stored frontiers is asked of `verify --same-order`; a reduce in which a hub adds all but the root's part is first
changed so that the root's part is added there too. Where that does not serve, the least R/C of so many steps under the
constraint is computed for reducescatter and reduce: all ways to put parentheses around the ranks' inputs are the candidates, and for each,
a linear program over when and where its sums are made and how they travel. Prices of links that such a program returns
prove, by dynamic programming in integers, that other candidates cost as much or more, so that few programs are solved. An allreduce of
few steps is priced by same_order_whole.py. Needs python3-scipy, and an hour."""
import datetime
import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from math import lcm
from pathlib import Path

import numpy
from same_order_whole import least_whole, one_that_reaches
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

MACHINES = ["dgx1", "dgx-h100", "mi300x8"]
KINDS = ["allreduce", "reducescatter", "reduce"]
WHOLE_STEPS = 2  # of an allreduce: beyond, a cheapest placement of one chunk takes HiGHS minutes
TRIED_STEPS = 3  # beyond, its program is too large


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
    """Links as pairs of nodes, and limits: of which links no more than so many chunks pass in a round."""

    def __init__(self, program, name):
        topology = json.loads(call(program, "topology", "show", name, "--format", "json").stdout)
        self.n = n = topology["nodes"]
        self.links, self.limits = [], []
        links = [(link["src"], link["dst"], link["bandwidth"]) for link in topology["links"]]
        if topology.get("duplex"):
            links += [(b, a, bandwidth) for a, b, bandwidth in links]
        if topology.get("switches", 0) > 1 or topology.get("limits"):
            sys.exit(f"{name}: neither direct links alone nor one switch")
        if topology.get("switches"):
            self.links = [(a, b) for a in range(n) for b in range(n) if a != b]
            for a, b, bandwidth in links:  # the switch is node n: each port is a limit on all that leaves or enters its node
                self.limits.append(([e for e, link in enumerate(self.links) if (link[0] == a if b == n else link[1] == b)], bandwidth))
        else:
            for a, b, bandwidth in links:
                self.limits.append(([len(self.links)], bandwidth))
                self.links.append((a, b))


class Network:
    """Where partial sums can be: at a node after each of STEPS steps (None: at any time), node v after step t at place t n + v.
    `arcs`: from, to, and the limits that it counts in, which are `limits`: bandwidth, and the step whose rounds multiply it."""

    def __init__(self, machine, steps):
        self.n, self.rounds = machine.n, steps or 1
        self.arcs, self.limits = [], []
        for t in range(self.rounds):
            here, there = (t * self.n, (t + 1) * self.n) if steps else (0, 0)
            if steps:
                self.arcs += [(here + v, there + v, []) for v in range(self.n)]
            of = [[] for _ in machine.links]
            for members, bandwidth in machine.limits:
                for e in members:
                    of[e].append(len(self.limits))
                self.limits.append((bandwidth, t))
            self.arcs += [(here + a, there + b, of[e]) for e, (a, b) in enumerate(machine.links)]
        self.last = steps * self.n if steps else 0
        self.places = self.last + self.n
        self.passes = 1 if steps else self.n - 1  # over the arcs, until all routes are known


class Trees:
    """All sums of n inputs: sum i < n is an input, others add `left` and `right`; of the parts of a pair, that with the lowest rank
    comes first, since the order of a pair does not change its bits. `levels`: where sums of 1, 2, ... inputs begin and end."""

    def __init__(self, n):
        of = {1 << v: [v] for v in range(n)}
        left, right = [0] * n, [0] * n
        self.n, self.levels = n, [(0, n)]
        for size in range(2, n + 1):
            begin = len(left)
            for bits in (b for b in range(1 << n) if bin(b).count("1") == size):
                low, first = bits & -bits, len(left)
                part = rest = bits ^ low
                while part:
                    part = (part - 1) & rest
                    for a in of[part | low]:
                        for b in of[bits ^ low ^ part]:
                            left.append(a), right.append(b)
                of[bits] = range(first, len(left))
            self.levels.append((begin, len(left)))
        self.left, self.right = numpy.array(left), numpy.array(right)
        self.first, self.count = self.levels[-1][0], len(left) - self.levels[-1][0]

    def every(self):
        return [self.nested(self.first + i) for i in range(self.count)]

    def nested(self, i):
        return i if i < self.n else (self.nested(int(self.left[i])), self.nested(int(self.right[i])))


FAR = 1 << 40


def least_costs(network, prices, trees, ends, which):
    """For each tree of the mask WHICH, the sum over ENDS of the least price of bringing its sum there, FAR or more where that cannot be:
    placements are independent of each other, so that this divided by the price of a round is a lower bound on the rate of the tree."""
    arcs = [(a, b, sum(prices[i] for i in limits)) for a, b, limits in network.arcs]
    known = numpy.full((network.places, len(trees.left)), FAR, dtype=numpy.int64)
    for begin, end in trees.levels:
        pick = numpy.arange(begin, end)
        if begin == trees.first:
            pick = pick[which]
        here = numpy.full((network.places, len(pick)), FAR, dtype=numpy.int64)
        for place in range(network.places):
            if begin:  # to have both parts there
                here[place] = known[place][trees.left[pick]] + known[place][trees.right[pick]]
            elif place < network.n:
                here[place, place] = 0
        for _ in range(network.passes):
            for a, b, price in arcs:
                numpy.minimum(here[b], here[a] + price, out=here[b])
        known[:, pick] = numpy.minimum(here, FAR)
    return known[[network.last + v for v in ends]][:, trees.first :][:, which].sum(axis=0)


def equations(network, tree, ends):
    """The program of TREE, where each node of ENDS wants the sum of a chunk: columns for each end, how much of each partial sum passes each
    arc, and how much of it is made at each place; at last, the rounds of each step. Returns the sums that must be equal to the last result, and
    those that must not exceed 0."""
    inner = []

    def number(t):
        if isinstance(t, int):
            return t
        inner.append((number(t[0]), number(t[1])))
        return network.n + len(inner) - 1

    top = number(tree)
    n, values, arcs, places = network.n, network.n + len(inner), len(network.arcs), network.places
    parent = {part: n + i for i, parts in enumerate(inner) for part in parts}
    each = values * arcs + len(inner) * places
    columns = len(ends) * each + network.rounds
    rows, cols, data = [], [], []
    right = numpy.zeros((len(ends), values, places), dtype=int)

    def entry(row, column, value):
        rows.append(row), cols.append(column), data.append(value)

    for k, to in enumerate(ends):  # each partial sum flows from where it is made to where it is used
        for x in range(values):
            row = (k * values + x) * places
            for i, (a, b, _) in enumerate(network.arcs):
                entry(row + b, k * each + x * arcs + i, 1)
                entry(row + a, k * each + x * arcs + i, -1)
            for place in range(places):
                if x >= n:
                    entry(row + place, k * each + values * arcs + (x - n) * places + place, 1)
                if x != top:
                    entry(row + place, k * each + values * arcs + (parent[x] - n) * places + place, -1)
            if x < n:
                right[k, x, x] -= 1
        right[k, top, network.last + to] += 1
    equal = coo_matrix((data, (rows, cols)), shape=(right.size, columns)).tocsr()
    rows, cols, data = [], [], []
    for k in range(len(ends)):
        for i, (_, _, limits) in enumerate(network.arcs):
            for limit in limits:
                for x in range(values):
                    entry(limit, k * each + x * arcs + i, 1)
    for limit, (bandwidth, t) in enumerate(network.limits):
        entry(limit, columns - network.rounds + t, -bandwidth)
    most = coo_matrix((data, (rows, cols)), shape=(len(network.limits), columns)).tocsr()
    return equal, right.flatten(), most


def as_integers(numbers):
    """NUMBERS times the least factor that makes them integers, and the factor; where that is too large, rounded."""
    scale = lcm(*{Fraction(number).limit_denominator(20000).denominator for number in numpy.unique(numbers)})
    scale = scale if scale <= 10**7 else 10**6
    return (numbers * scale).round().astype(numpy.int64), scale


class Solved:
    """The least rounds per chunk of a program. `value`: as a float; `prices`: of the limits, integers, with which other trees' rates are
    bounded; `reached`: rounds of an exact solution, a fraction, or None."""

    def __init__(self, network, tree, ends):
        equal, right, most = equations(network, tree, ends)
        cost = numpy.zeros(most.shape[1])
        cost[-network.rounds :] = 1
        found = linprog(cost, A_ub=most, b_ub=numpy.zeros(most.shape[0]), A_eq=equal, b_eq=right, method="highs")
        if found.status != 0:
            sys.exit(f"the program of {tree} was not solved: {found.message}")
        self.value = found.fun
        self.prices = as_integers(numpy.maximum(0, -found.ineqlin.marginals))[0]
        rounds = numpy.zeros(network.rounds, dtype=numpy.int64)
        for price, (bandwidth, t) in zip(self.prices, network.limits):
            rounds[t] += price * bandwidth
        self.capacity = int(rounds.max())  # the price of a round in any step is at most this
        whole, scale = as_integers(found.x)
        exact = (whole >= 0).all() and (equal @ whole == right * scale).all() and (most @ whole <= 0).all()
        self.reached = Fraction(int(whole[-network.rounds :].sum()), scale) if exact else None


def least_rate(machine, ends, steps, trees, floor):
    """The least rounds per chunk over all trees in STEPS steps (None: any number), exact, a tree that has it, and how many trees were
    candidates and how many programs solved. None can have less than FLOOR."""
    network = Network(machine, steps)
    left = least_costs(network, [0] * len(network.limits), trees, ends, numpy.ones(trees.count, dtype=bool)) < FAR
    candidates, solved = int(left.sum()), 0
    bound = numpy.zeros(trees.count)
    best, best_tree, proof = None, None, None
    asked = numpy.zeros(trees.count, dtype=bool)
    while left.any() and best != floor:
        ask = left & ~asked
        if not ask.any():
            sys.exit(f"the prices of {left.sum()} programs do not show their values")
        at = int(numpy.where(ask, bound, numpy.inf).argmin())
        asked[at] = True
        tree = trees.nested(trees.first + at)
        found = Solved(network, tree, ends)
        solved += 1
        if best is None or found.value < float(best) - 1e-9:
            best, best_tree, proof = found.reached or Fraction(found.value).limit_denominator(30000), tree, found.reached
        costs = least_costs(network, found.prices.tolist(), trees, ends, left)
        bound[left] = numpy.maximum(bound[left], costs / found.capacity)
        left[left] = costs * best.denominator < best.numerator * found.capacity  # in integers
        left &= bound < float(best) * (1 + 1e-12)
        print(f"steps {steps}: {solved} programs, {left.sum()} of {candidates} trees left, {found.value:.6f}, best {best}", file=sys.stderr)
    if proof is None:
        sys.exit(f"the solution of {best_tree} is not exact")
    return best, best_tree, candidates, solved


def text_of(tree):
    """Sums are added from the left, so that only those on the right of another need parentheses."""
    if isinstance(tree, int):
        return str(tree)
    right = text_of(tree[1])
    return f"{text_of(tree[0])} + {right}" if isinstance(tree[1], int) else f"{text_of(tree[0])} + ({right})"


# ---- the page ----


def frontier_of(source, machine, kind):
    folder = source / "algorithms" / "machines" / machine / kind
    return folder, json.loads(next(iter(sorted(folder.glob("frontier*.json")))).read_text())


def free_rate(frontier, steps):
    """The least R/C of so many steps (None: any number) without the constraint."""
    if steps is None:
        return Fraction(frontier["bounds"]["bandwidth"])
    return next(Fraction(value["value"]) for value in frontier["values"] if value["steps"] == steps)


class Least:
    """The least R/C in one order of machines and collectives by steps, computed when first asked for."""

    def __init__(self, program, source):
        self.program, self.source = program, source
        self.found, self.rows = {}, []

    def of(self, name, kind, steps):
        if (name, kind, steps) not in self.found:
            machine = Machine(self.program, name)
            ends = list(range(machine.n)) if kind == "reducescatter" else [0]
            free = free_rate(frontier_of(self.source, name, kind)[1], steps)
            best, tree, count, solved = least_rate(machine, ends, steps, Trees(machine.n), free * len(ends))
            least = best / len(ends)
            self.found[name, kind, steps] = least, tree
            self.rows.append(f"| {name} | {kind} | {steps or 'any'} | {free} | {least} | {price_of(least, free)} | {text_of(tree)} | {count} | {solved} |")
        return self.found[name, kind, steps]

    def whole(self, name, steps):
        """The least R/C of an allreduce, and a tree that has it; beyond WHOLE_STEPS only if it equals the least in any order, else None for both."""
        if (name, steps) not in self.found:
            machine, free = Machine(self.program, name), free_rate(frontier_of(self.source, name, "allreduce")[1], steps)
            trees = Trees(machine.n).every()
            if steps <= WHOLE_STEPS:
                best, tree, solved, _ = least_whole(machine, trees, steps)
            else:  # whether one costs nothing
                tree, solved = one_that_reaches(machine, trees, steps, free)
                best = free if tree else None
            self.found[name, steps] = best, tree
            if best:
                self.rows.append(f"| {name} | allreduce | {steps} | {free} | {best} | {price_of(best, free)} | {text_of(tree)} | {len(trees)} | {solved} |")
        return self.found[name, steps]

    def composed(self, name, steps):
        """The least R/C of a reducescatter in one order and then an allgather, which adds nothing, or None."""
        gather = frontier_of(self.source, name, "allgather")[1]
        scatter = frontier_of(self.source, name, "reducescatter")[1]
        n = gather["nodes"]
        if steps is None:
            return self.of(name, "reducescatter", None)[0] + free_rate(gather, None) / n
        return min((self.of(name, "reducescatter", v["steps"])[0] + Fraction(w["value"]) / n
                    for v in scatter["values"] for w in gather["values"] if v["steps"] + w["steps"] == steps), default=None)


def price_of(least, free):
    return "none" if least == free else f"{float(least / free):.4f}"


def row_of(least, name, kind, point, order, how):
    """ORDER: that of an algorithm of the same cost, or None."""
    price, steps = "none", point["steps"]
    free = Fraction(point["value"])
    found, tree = least.whole(name, steps) if not order and kind == "allreduce" and steps <= TRIED_STEPS else (None, None)
    if found:
        price, order, how = price_of(found, free), text_of(tree), "placements"
    elif not order and kind == "allreduce":
        found = least.composed(name, steps)
        price = "open" if found is None else "none" if found == free else f"at most {price_of(found, free)}"
        order, how = "", "composed" if found else ""
    elif not order:
        found, tree = least.of(name, kind, steps)
        price, order, how = price_of(found, free), text_of(tree), "program"
    return f"| {name} | {kind} | ({point['chunks']},{steps},{point['rounds']}) | {point['bandwidth']} | {price} | {how} | {order} |"


def stored_order(program, folder, point, kind, work):
    """The order in which the stored algorithm of a point or, for a reduce, that with the root's part at the hub adds, or None, and which."""
    file = folder / point["file"]
    order = same_order(program, file)
    if order or kind != "reduce":
        return order, "as it is"
    changed = with_root_at_hub(json.loads(file.read_text()))
    if not changed:
        return None, ""
    changed.pop("optimality", None)
    other = Path(work) / file.name
    other.write_text(json.dumps(changed))
    return same_order(program, other), "the root's part at the hub"


def main():
    program = sys.argv[1]
    source = Path(__file__).resolve().parent.parent
    least = Least(program, source)
    if len(sys.argv) > 2:
        name, kind, steps = sys.argv[2:]
        if kind == "allreduce":
            least.whole(name, int(steps))
        else:
            least.of(name, kind, None if steps == "any" else int(steps))
        print(least.rows[0])
        return
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for name in MACHINES:
            for kind in KINDS:
                folder, frontier = frontier_of(source, name, kind)
                for point in frontier["points"]:
                    rows.append(row_of(least, name, kind, point, *stored_order(program, folder, point, kind, work)))
    for kind in ("reducescatter", "reduce"):
        least.of("dgx1", kind, None)
    free, whole = (free_rate(frontier_of(source, "dgx1", "allreduce")[1], None), least.composed("dgx1", None))
    least.rows.append(f"| dgx1 | allreduce | any | {free} | at most {whole} | at most {price_of(whole, free)} | composed | | |")
    still_open = OPEN if any("| open |" in row for row in rows) else ""
    print(PAGE.format(date=datetime.date.today(), open=still_open, rows="\n".join(rows), rates="\n".join(least.rows)))


OPEN = """*Open*: this algorithm does not add in one order; whether another of the same cost does is not known here.

"""
PAGE = """# The price of one order of additions

{date}, `scripts/same_order.py build/sccl-synth`. Under [the constraint](../concepts/lowering.md#same-order) that every element is
added in the same order, whatever the size of a call: what is the least R/C?

## Points of the frontiers

Each point of the stored frontiers of `algorithms/machines`, which are proved without the constraint. Price: the least R/C of so
many steps in one order, divided by the least without the constraint (the `value` of the point, which can be below the R/C of the stored
algorithm); *none*: they are equal. How it is known:

- *as it is*: the stored algorithm adds in one order;
- *the root's part at the hub*: where a hub adds all parts but the root's and the root adds its own to that, the root sends its part
  to the hub instead, over links that a reduce leaves idle; `verify --same-order` accepts the result;
- *program*: a linear program for each way to put parentheses, below;
- *placements*: mixtures of placements of single chunks for each way to put parentheses, with three steps for some ways, below;
- *composed*: a reducescatter in one order, by such programs, followed by an allgather, which adds nothing. Where its R/C is above the least,
  whether an allreduce made otherwise costs less is open.

{open}| machine | collective | (C,S,R) | R/C | price | how | adds |
| --- | --- | --- | --- | --- | --- | --- |
{rows}

## The least in one order

On machines that are not fully linked, optimal algorithms add on the way, along another tree for each chunk. In one order
every chunk must follow the same parentheses, though each of its sums can be made anywhere. The least R/C of a reducescatter
or reduce in S steps is the least, over all ways to put parentheses, of a linear program: how much of each partial sum is made at which node
after which step, passes which link in which step, and how many rounds each step has. Chunks can be cut as finely as its solution
asks, since what flows is traced back, unit by unit, from each sum to its two parts. *Any* number of steps: the same
without time.

Each least is exact on both sides. The solution of the tree that has it is checked in integers; another tree is left out only
where prices of links, which a program returns, prove that it costs as much, in integers too. No tree is below the least without the
constraint, so that the search ends where that is reached. `trees`: candidates; `programs`: of how many trees programs had to be solved.

In an allreduce a partial sum can serve several nodes: it is sent to each, or made at several. So a chunk has a placement, which
partial sums are at which node after which step and over which link they came, found by a 0-1 program (HiGHS); and the least R/C of
a tree is that of a mixture of placements, by column generation
([scripts/same_order_whole.py](../../scripts/same_order_whole.py)). The mixture is checked in fractions. Trees that an automorphism of the
machine maps to each other count as one. Most others cost as much even where placements need not be whole, which prices in
integers prove; for some hundred, HiGHS says that no placement is cheaper at such prices. With three steps a cheapest placement takes
minutes to find. There, only flat trees are tried, with placements that are found in seconds, each averaged over its images under the
automorphisms that keep the tree; the search ends when a mixture needs no more rounds than an allreduce in any order, which is checked in
fractions. A slower computer may not get there.

The programs let a rank keep several partial sums of a chunk beside each other. An algorithm file has one at each rank, and
lowering adds all parts that come to a rank into one sum, in the order of their lowest ranks. So a least is a bound for files that
`verify --same-order` accepts; *none* by a program or by placements says that the order alone costs nothing, not that there is such a file.

| machine | collective | S | without | in one order | price | one that has it | trees | programs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rates}
"""

if __name__ == "__main__":
    main()
