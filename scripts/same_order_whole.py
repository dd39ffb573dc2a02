#!/usr/bin/env python3
"""The least R/C of an allreduce in one order of additions on a machine of direct links; scripts/same_order.py writes it down.

Unlike in a reducescatter, a partial sum can serve several nodes: it is sent to each, or made at several, so that what flows is not
a sum over nodes. The placement of one chunk is therefore a 0-1 program: which partial sums of a tree of parentheses are at which node after
which step, sent over which link or made there. Chunks are independent of each other but for the links, so the least R/C of a tree
is that of a mixture of placements, found by column generation: prices of links ask for a cheapest placement, until none is cheaper
than what the mixture pays (Dantzig and Wolfe 1960). A mixture is checked in fractions. Another tree is left out where its program
without the demand for integers costs as much, which is shown by prices in integers; else where a cheapest placement at the prices that left
out others does, or its own mixture, as HiGHS finds them. Trees that an automorphism of the machine maps to each other are one.

With more than two steps a cheapest placement takes HiGHS minutes. There only some trees are tried, with placements as cheap as are found in
seconds, and a mixture serves where it needs no more than an allreduce in any order, which is shown in fractions, too.
Needs python3-scipy."""
import sys
import time
from fractions import Fraction

import numpy
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import bmat, csr_matrix

SCALE = 10**9  # of prices as integers


def automorphisms(machine):
    """All permutations of the nodes under which each link has the bandwidth of its image."""
    bandwidth = dict(zip(machine.links, (limit for _, limit in machine.limits)))
    found = []

    def extend(image):
        v = len(image)
        if v == machine.n:
            found.append(tuple(image))
            return
        for w in set(range(machine.n)) - set(image):
            if all(bandwidth.get((u, v)) == bandwidth.get((image[u], w)) and bandwidth.get((v, u)) == bandwidth.get((w, image[u])) for u in range(v)):
                extend([*image, w])

    extend([])
    return found


def ordered(tree):
    """The same sums, of the parts of each the one with the lowest rank first; and that rank."""
    if isinstance(tree, int):
        return tree, tree
    (a, low), (b, high) = ordered(tree[0]), ordered(tree[1])
    return ((a, b), low) if low < high else ((b, a), high)


def image(tree, of):
    return of[tree] if isinstance(tree, int) else (image(tree[0], of), image(tree[1], of))


def classes(machine, trees):
    """A tree of each class of TREES, each of them `ordered`, under the automorphisms of the machine."""
    group, seen, found = automorphisms(machine), set(), []
    for tree in trees:
        if tree not in seen:
            seen.update(ordered(image(tree, of))[0] for of in group)
            found.append(tree)
    return found


ALWAYS = -1  # in place of a column: an input is at its own node


class Placement:
    """The 0-1 program of one chunk: columns, each at most 1, and rows `matrix` x <= 0. `demands`: columns that must be 1: the sum of all at
    each node at the end; None: it cannot be there. `sends`: column -> number of its link and step, link + links x (step - 1). `rounds`: what
    a round of each step adds to what its links may pass, negative."""

    def __init__(self, machine, tree, steps):
        self.machine, self.steps, self.sends = machine, steps, {}
        self.parts = {}
        self.top = self.number(tree)
        self.columns, self.rows, self.entries = 0, 0, []
        self.has = {}  # (sum, node, step) -> column, or ALWAYS
        for step in range(steps + 1):
            for value in range(self.top + 1):
                for node in range(machine.n):
                    self.place(value, node, step)
        self.demands = [self.has.get((self.top, node, steps)) for node in range(machine.n)]
        if None in self.demands:
            self.demands = None
            return
        rows, columns, data = zip(*self.entries)
        self.matrix = csr_matrix((data, (rows, columns)), shape=(self.rows, self.columns), dtype=numpy.int64)
        self.least = numpy.zeros(self.columns, dtype=numpy.int64)
        self.least[self.demands] = 1
        self.send_columns = numpy.array(list(self.sends))
        self.send_limits = numpy.array(list(self.sends.values()))
        links, limits = len(machine.links), len(machine.links) * steps
        self.rounds = csr_matrix(([-b for _, b in machine.limits] * steps, (range(limits), [i // links for i in range(limits)])))

    def number(self, tree):
        """Numbers a tree's sums, parts before what is made of them, after the inputs."""
        if isinstance(tree, int):
            return tree
        parts = self.number(tree[0]), self.number(tree[1])
        value = self.machine.n + len(self.parts)
        self.parts[value] = parts
        return value

    def column(self):
        self.columns += 1
        return self.columns - 1

    def at_most(self, column, sources):
        """A row: COLUMN is at most the sum of SOURCES."""
        self.entries.append((self.rows, column, 1))
        self.entries.extend((self.rows, source, -1) for source in sources)
        self.rows += 1

    def follow(self, column, source):
        if source != ALWAYS:
            self.at_most(column, [source])

    def place(self, value, node, step):
        """Adds how VALUE can be at NODE after STEP: it was, it is received, or it is made of its parts there."""
        if value == node:
            self.has[value, node, step] = ALWAYS
            return
        ways = [self.has[value, node, step - 1]] if (value, node, step - 1) in self.has else []
        for link, (a, b) in enumerate(self.machine.links):
            if b == node and (value, a, step - 1) in self.has:
                send = self.column()
                self.sends[send] = link + len(self.machine.links) * (step - 1)
                self.follow(send, self.has[value, a, step - 1])
                ways.append(send)
        parts = self.parts.get(value)
        if parts and all((part, node, step) in self.has for part in parts):
            made = self.column()
            for part in parts:
                self.follow(made, self.has[part, node, step])
            ways.append(made)
        if ways:
            self.has[value, node, step] = self.column()
            self.at_most(self.has[value, node, step], ways)

    def capacity(self, prices):
        """The most that a round of any step is worth at PRICES of links in steps."""
        links = len(self.machine.links)
        return max(sum(prices[t * links + i] * bandwidth for i, (_, bandwidth) in enumerate(self.machine.limits)) for t in range(self.steps))

    def relaxed(self):
        """A lower bound on the least rounds a chunk, proved by prices in integers, of the program without the demand for integers; None: there is
        no placement."""
        loads = csr_matrix((numpy.ones(len(self.sends)), (self.send_limits, self.send_columns)), shape=(self.rounds.shape[0], self.columns))
        rows = bmat([[self.matrix, None], [loads, self.rounds]], format="csr")
        found = linprog([0] * self.columns + [1] * self.steps, A_ub=rows, b_ub=numpy.zeros(rows.shape[0]), method="highs",
                        bounds=[(low, 1) for low in self.least] + [(0, None)] * self.steps)
        if found.status == 2:
            return None
        weights = (numpy.maximum(0, -found.ineqlin.marginals) * SCALE).round().astype(numpy.int64)
        prices = weights[self.rows :]
        worth = self.matrix.T @ weights[: self.rows]
        worth[self.send_columns] += prices[self.send_limits]
        # Whatever the columns, from `least` to 1, no less is paid than this.
        paid = int(numpy.minimum(worth, worth * self.least).sum())
        return Fraction(paid, max(self.capacity(prices.tolist()), 1))

    def cheapest(self, prices, seconds=None):
        """A cheapest placement at PRICES: how often it passes each link in each step, and a bound on what any pays. With SECONDS, the cheapest
        that was found by then, or None."""
        cost = numpy.zeros(self.columns)
        cost[self.send_columns] = prices[self.send_limits]
        found = milp(cost, constraints=LinearConstraint(self.matrix, -numpy.inf, 0), bounds=Bounds(self.least, 1),
                     integrality=numpy.ones(self.columns), options={"mip_rel_gap": 1e-9} | ({"time_limit": seconds} if seconds else {}))
        if found.x is None and seconds:
            return None, found.mip_dual_bound
        if found.status != 0 and not seconds:
            sys.exit(f"a placement was not found: {found.message}")
        chosen = found.x.round().astype(numpy.int64)
        if (self.matrix @ chosen > 0).any() or (chosen < self.least).any():
            sys.exit("a placement that was found is none")
        return numpy.bincount(self.send_limits, chosen[self.send_columns], len(prices)).astype(numpy.int64), found.mip_dual_bound


def mix(loads, rounds):
    """The program of a mixture of LOADS on the limits: HiGHS's solution, the share of each and the rounds of each step."""
    limits, steps = rounds.shape
    return linprog([0] * len(loads) + [1] * steps, A_ub=numpy.hstack([numpy.array(loads).T, rounds]), b_ub=numpy.zeros(limits),
                   A_eq=[[1] * len(loads) + [0] * steps], b_eq=[1], method="highs")


def next_prices(loads, stable, newest):
    """Those to ask of next: mostly between STABLE, which gave the best bound, and the NEWEST, which jump."""
    return newest if len(loads) % 3 == 0 else (stable + newest) / 2


class Mixture:
    """The least rounds a chunk of one tree. `least`: of the mixture found, a fraction, checked; `bound`: none is below, as HiGHS finds it;
    `prices`: those that show it."""

    def __init__(self, placement, enough=None):
        """ENOUGH: ends once the tree is known to need as much."""
        rounds = placement.rounds.toarray()
        prices, self.bound, loads = numpy.ones(len(rounds)), 0.0, []
        while True:
            load, paid = placement.cheapest(prices)
            bound = paid / placement.capacity(prices)
            if not loads or bound > self.bound:
                self.bound, self.prices = bound, prices / placement.capacity(prices)
            loads.append(load)
            found = mix(loads, rounds)
            if found.fun - self.bound < 1e-7 or (enough is not None and self.bound >= float(enough) - 1e-7):
                break
            prices = next_prices(loads, self.prices, numpy.maximum(0, -found.ineqlin.marginals))
        self.least = self.checked(placement, loads, found.x[: len(loads)])

    @staticmethod
    def checked(placement, loads, shares):
        """The rounds that placements need of which each has its share of the chunks, as a fraction."""
        links = len(placement.machine.links)
        shares = [Fraction(share).limit_denominator(20000) for share in shares]
        shares[shares.index(max(shares))] += 1 - sum(shares)
        if min(shares) < 0:
            sys.exit("the shares of a mixture are not exact")
        load = [sum(share * int(one[i]) for share, one in zip(shares, loads) if share) for i in range(len(loads[0]))]
        return sum(max(load[t * links + i] / bandwidth for i, (_, bandwidth) in enumerate(placement.machine.limits))
                   for t in range(placement.steps))


def solve_exactly(rows, right):
    """The unique solution of ROWS x = RIGHT, in fractions; None: there is none, or there are several."""
    rows = [[Fraction(v) for v in [*row, value]] for row, value in zip(rows, right)]
    columns, at = len(rows[0]) - 1, 0
    for column in range(columns):
        pivot = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [v / rows[at][column] for v in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[column]:
                rows[i] = [a - row[column] * b for a, b in zip(row, rows[at])]
        at += 1
    return None if any(row[columns] for row in rows[at:]) else [row[columns] for row in rows[:columns]]


class SharedLinks:
    """Mixtures of what placements do to the links, where a placement stands for its images, in equal parts, under the automorphisms that keep
    the tree: column generation as in `Mixture`, with placements that are cheap, but not shown to be the cheapest."""

    def __init__(self, machine, tree, steps):
        self.placement = Placement(machine, tree, steps)
        number = {link: i for i, link in enumerate(machine.links)}
        links = len(number)
        self.images = [[t * links + number[of[a], of[b]] for t in range(steps) for a, b in machine.links]
                       for of in automorphisms(machine) if ordered(image(tree, of))[0] == tree]
        self.rounds = self.placement.rounds.toarray()
        self.loads, self.bound = [], 0.0  # loads: times the number of images

    def shared(self, of):
        return sum(of[numpy.array(one)] for one in self.images)

    def reaches(self, floor, seconds, each):
        """Is there a mixture of FLOOR rounds a chunk, as fractions show? Tries for SECONDS, at most EACH of them for a placement."""
        end = time.monotonic() + seconds
        prices = stable = numpy.array([1 / bandwidth for _, bandwidth in self.placement.machine.limits] * self.placement.steps)
        while time.monotonic() < end:
            load, paid = self.placement.cheapest(prices, each)
            if load is None:
                if prices is stable:
                    return False
                prices = stable
                continue
            self.loads.append(self.shared(load))
            found = mix(numpy.array(self.loads) / len(self.images), self.rounds)
            if found.fun < float(floor) + 1e-9 and self.is_exact(found.x, floor):
                return True
            newest = self.shared(numpy.maximum(0, -found.ineqlin.marginals)) / len(self.images)
            worth = paid / self.placement.capacity(prices)
            if worth > self.bound:
                self.bound, stable = worth, prices / self.placement.capacity(prices)
            prices = next_prices(self.loads, stable, newest)
            print(f"mixture of {len(self.loads)}: {found.fun:.4f} rounds, none below {float(floor):.4f}", file=sys.stderr)
        return False

    def is_exact(self, x, floor):
        """Fractions near X that are a mixture of FLOOR rounds: a vertex, solved from the limits that hold X."""
        steps = self.placement.steps
        links = len(self.placement.machine.links)
        used = [i for i, share in enumerate(x[:-steps]) if share > 1e-9]
        limit = [bandwidth for _, bandwidth in self.placement.machine.limits]
        rows = [[int(self.loads[i][at]) for i in used] + [-limit[at % links] * len(self.images) * (at // links == t) for t in range(steps)]
                for at in range(links * steps)]
        near = [x[i] for i in used] + list(x[-steps:])
        tight = [row for row in rows if abs(sum(a * b for a, b in zip(row, near))) < 1e-7]
        solution = solve_exactly([*tight, [1] * len(used) + [0] * steps], [0] * len(tight) + [1])
        return bool(solution) and min(solution) >= 0 and sum(solution[: len(used)]) == 1 and sum(solution[-steps:]) == floor and \
            all(sum(a * b for a, b in zip(row, solution)) <= 0 for row in rows)


def one_that_reaches(machine, every, steps, floor, tried=8, seconds=600, each=12):
    """A tree of EVERY with a mixture of FLOOR rounds a chunk, the least in any order, or None if none was found in time, which depends on the
    computer; and how many trees were tried. Of those of least depth the TRIED with the lowest bounds are, lowest first."""
    flat = min(map(depth, every))
    placements = [(tree, Placement(machine, tree, steps)) for tree in classes(machine, [t for t in every if depth(t) == flat])]
    bounds = [(tree, placement.relaxed()) for tree, placement in placements if placement.demands]
    best = sorted((b for b in bounds if b[1] is not None and b[1] <= floor), key=lambda b: b[1])[:tried]
    for number, (tree, bound) in enumerate(best):
        print(f"steps {steps}: tree {number}, none of its mixtures below {float(bound):.4f}", file=sys.stderr)
        if SharedLinks(machine, tree, steps).reaches(floor, seconds, each):
            return tree, number + 1
    return None, len(best)


def depth(tree):
    return 0 if isinstance(tree, int) else 1 + max(depth(tree[0]), depth(tree[1]))


def least_whole(machine, every, steps):
    """The least rounds a chunk of an allreduce in STEPS steps and one order, of EVERY tree; a tree that has it; of how many trees the program was solved; and how
    many of them were left out by prices in integers, at prices that left out others, and by their own mixtures."""
    trees = sorted(classes(machine, every), key=depth)  # flat ones are good, and the better the best is, the sooner others are left out
    best, best_tree, known, out, begin = None, None, [], [0, 0, 0], time.monotonic()
    for number, tree in enumerate(trees):
        if number % 500 == 0:
            print(f"steps {steps}: {number} of {len(trees)} trees, best {best}, left out {out}, {time.monotonic() - begin:.0f} s", file=sys.stderr)
        placement = Placement(machine, tree, steps)
        relaxed = placement.relaxed() if placement.demands else None
        if relaxed is None or (best is not None and relaxed >= best):
            out[0] += 1
            continue
        serves = next((i for i, prices in enumerate(known) if placement.cheapest(prices)[1] >= float(best) - 1e-7), None)
        if serves is not None:
            known.insert(0, known.pop(serves))
            out[1] += 1
            continue
        mixture = Mixture(placement, best)
        out[2] += 1
        known = [mixture.prices, *known[:7]]
        if best is None or mixture.least < best:
            best, best_tree = mixture.least, tree
    return best, best_tree, len(trees), out
