#!/usr/bin/python3
"""same_order.py SCCL-SYNTH SCRIPTS

Holds scripts/same_order.py, which prices one order of additions, against all its programs solved on machines of four
nodes, against the least R/C without the constraint, and one row of its page; and same_order_whole.py, which prices
allreduces, against all mixtures and a search of all placements. Exit status 77: scipy is missing.
"""

import itertools
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

try:
    import scipy.optimize
except ImportError:
    print("python3-scipy is missing")
    sys.exit(77)

PROGRAM, SCRIPTS = sys.argv[1:]
sys.dont_write_bytecode = True  # beside the script
sys.path.insert(0, SCRIPTS)
import same_order
import same_order_whole

failed = 0


def check(what, right):
    global failed
    failed += not right
    print("ok" if right else "not ok", "-", what)


def free_rates(name, kind):
    done = subprocess.run([PROGRAM, "bounds", "-t", name, "-c", kind, "--json"], capture_output=True, text=True, check=True)
    bounds = json.loads(done.stdout)
    rates = {row["steps"]: Fraction(row["bandwidth"]) for row in bounds.get("in_steps", [])}
    return {**rates, None: Fraction(bounds["bandwidth"])}


# R/C in one order, where it is more than without. In a reduce of two steps on a ring of four, node 2's part arrives by one
# neighbour or the other, and is added to that neighbour's part there, or to the root's.
MORE = {("ring:4", "reduce", 2): Fraction(4, 3), ("ring:4", "reduce", None): Fraction(3, 5), ("ring:4", "reducescatter", None): Fraction(1, 2)}


def all_of(trees):
    return same_order.numpy.ones(trees.count, dtype=bool)


def check_machine(name, kind, all_steps):
    machine = same_order.Machine(PROGRAM, name)
    trees = same_order.Trees(machine.n)
    ends = list(range(machine.n)) if kind == "reducescatter" else [0]
    free = free_rates(name, kind)
    for steps in all_steps:
        what = f"{name} {kind} in {steps or 'any'} steps"
        least, tree, candidates, solved = same_order.least_rate(machine, ends, steps, trees, 0)
        network = same_order.Network(machine, steps)
        every = all_of(trees)
        possible = same_order.least_costs(network, [0] * len(network.limits), trees, ends, every) < same_order.FAR
        programs = [same_order.Solved(network, trees.nested(trees.first + i), ends) for i in range(trees.count) if possible[i]]
        check(f"{what}: {least} is the least of all {len(programs)} programs", abs(min(p.value for p in programs) - least) < 1e-9)
        check(f"{what}: not all had to be solved", candidates == len(programs) and solved < candidates)
        proved = True
        for p in programs:
            costs = same_order.least_costs(network, p.prices.tolist(), trees, ends, every)[possible]
            proved &= all(cost <= q.value * p.capacity * (1 + 1e-9) for cost, q in zip(costs, programs))
        check(f"{what}: no prices show more than a program reaches", proved)
        if steps in free:
            check(f"{what}: {least} beside {free[steps]} without", least / len(ends) == MORE.get((name, kind, steps), free[steps]))


def nodes_of(tree):
    return [tree] if isinstance(tree, int) else nodes_of(tree[0]) + nodes_of(tree[1])


trees = same_order.Trees(5)
every = trees.every()
check("105 ways to add five, each once", len(set(every)) == trees.count == 105 and all(sorted(nodes_of(t)) == list(range(5)) for t in every))
check("text as verify's", same_order.text_of(((0, 1), (2, 3))) == "0 + 1 + (2 + 3)")
line = same_order.Network(same_order.Machine(PROGRAM, "line:4"), 2)
trees = same_order.Trees(4)
check("no sum gets from one end of a line of four to the other in two steps",
      (same_order.least_costs(line, [0] * len(line.limits), trees, [0], all_of(trees)) >= same_order.FAR).all())
check_machine("line:4", "reduce", [3, 4, None])
check_machine("ring:4", "reduce", [2, None])
check_machine("ring:4", "reducescatter", [None])
check_machine("switch:4", "reduce", [1, 2])


def with_sums(tree, has):
    """A set of parts of TREE, and all sums that can be made of them."""
    if isinstance(tree, int) or tree in has:
        return has
    has = with_sums(tree[1], with_sums(tree[0], has))
    return has | {tree} if tree[0] in has and tree[1] in has else has


def least_paid(machine, tree, prices):
    """What a cheapest placement of one chunk in two steps pays, of all: any inputs are sent in the first step, and then each node receives the
    cheapest parts that its sum needs."""
    links, least = machine.links, None
    for first in itertools.product([False, True], repeat=len(links)):
        has = [with_sums(tree, {v} | {a for send, (a, b) in zip(first, links) if send and b == v}) for v in range(machine.n)]
        paid = sum(price for send, price in zip(first, prices) if send)
        for v in range(machine.n):
            offers = [(prices[len(links) + i], part) for i, (a, b) in enumerate(links) if b == v for part in has[a] - has[v]]
            ways = [sum(price for price, _ in some) for n in range(len(offers) + 1) for some in itertools.combinations(offers, n)
                    if tree in with_sums(tree, has[v] | {part for _, part in some})]
            paid += min(ways, default=same_order.FAR)
        least = paid if least is None else min(least, paid)
    return least


def check_whole(name, steps, known):
    machine = same_order.Machine(PROGRAM, name)
    trees = same_order.Trees(machine.n).every()
    placements = [same_order_whole.Placement(machine, tree, steps) for tree in trees]
    possible = [p for p in placements if p.demands]
    least, tree, classes, left_out = same_order_whole.least_whole(machine, trees, steps)
    mixtures = [same_order_whole.Mixture(p) for p in possible]
    what = f"{name} allreduce in {steps} steps"
    check(f"{what}: {least} is the least of all {len(mixtures)} mixtures", least == min(m.least for m in mixtures) == known)
    check(f"{what}: mixtures meet their bounds, and no bound without whole placements is above",
          all(abs(m.least - m.bound) < 1e-6 and p.relaxed() <= m.least for p, m in zip(possible, mixtures)))
    check(f"{what}: {classes} of {len(placements)} trees are asked, each is left out once", classes < len(placements) and sum(left_out) == classes)


check_whole("complete:3", 1, 1)
check_whole("complete:4", 2, Fraction(1, 2))
check_whole("ring:4", 2, Fraction(4, 3))  # 1 without the constraint
check_whole("line:3", 2, 2)
ring, numbers = same_order.Machine(PROGRAM, "ring:4"), random.Random(1)
for tree in [((0, 1), (2, 3)), ((0, 2), (1, 3)), (((0, 1), 2), 3)]:
    for prices in ([1] * 16, [numbers.randint(0, 9) for _ in range(16)]):
        load, bound = same_order_whole.Placement(ring, tree, 2).cheapest(same_order.numpy.array(prices))
        paid = int(load @ prices)
        check(f"{same_order.text_of(tree)}: a cheapest placement pays {paid}", paid == least_paid(ring, tree, prices) and abs(bound - paid) < 1e-6)


def check_reaching(name, steps, least):
    machine = same_order.Machine(PROGRAM, name)
    trees = same_order.Trees(machine.n).every()
    tree, _ = same_order_whole.one_that_reaches(machine, trees, steps, least, seconds=120)
    below, _ = same_order_whole.one_that_reaches(machine, trees, steps, least * Fraction(99, 100), tried=1, seconds=1)
    check(f"{name} allreduce in {steps} steps: {least} is reached, and no less", tree and not below)


check_reaching("complete:4", 2, Fraction(1, 2))
check_reaching("ring:4", 2, Fraction(4, 3))
solve_exactly = same_order_whole.solve_exactly
check("equations with one solution", solve_exactly([[1, 1], [1, -2], [2, -1]], [1, 0, 1]) == [Fraction(2, 3), Fraction(1, 3)])
check("equations with none, and with many", solve_exactly([[1, 1], [1, 1]], [1, 2]) is solve_exactly([[1, 1], [2, 2]], [1, 2]) is None)
halves = same_order_whole.SharedLinks(same_order.Machine(PROGRAM, "complete:2"), (0, 1), 1)
halves.loads = [halves.shared(halves.placement.cheapest(same_order.numpy.ones(2))[0])]
check("a mixture is refused that needs more rounds", halves.is_exact([1, 1], 1) and not halves.is_exact([1, 1], Fraction(1, 2)))
ring_tree = ((0, 2), (1, 3))
symmetric = same_order_whole.SharedLinks(ring, ring_tree, 2)
load = symmetric.placement.cheapest(same_order.numpy.arange(16))[0]
images = same_order.numpy.zeros(16, dtype=int)
for of in same_order_whole.automorphisms(ring):
    if same_order_whole.ordered(same_order_whole.image(ring_tree, of))[0] == ring_tree:
        for i, times in enumerate(load):
            a, b = ring.links[i % 8]
            images[i // 8 * 8 + ring.links.index((of[a], of[b]))] += times
check("what images do to the links", len(symmetric.images) > 1 and (symmetric.shared(load) == images).all())
script = str(Path(SCRIPTS) / "same_order.py")
row = subprocess.run([sys.executable, script, PROGRAM, "dgx-h100", "reduce", "2"], capture_output=True, text=True).stdout
check(f"a row: {row.strip()}", row.startswith("| dgx-h100 | reduce | 2 | 7/72 | 7/72 | none |"))
sys.exit(1 if failed else 0)
