"""Wang, Li, Liberty, Smola: Optimal message scheduling for aggregation, SysML 2018."""
import json
import re

from .rows import MIB, Paper, build, by_hand, cost, folder, is_verified, near, run, said, times

paper = Paper("wang", "Optimal message scheduling (SysML 2018)")
fact = paper.fact
TERMS = ("the slowest link", "the best single tree", "C(G)", "all links")


def lemma(machine):
    out = said(machine, "allreduce", "linear-program")
    return re.search(r"lemma 2.1: the slowest link (\S+) >= the best single tree (\S+) >= C\(G\) (\S+) >= all links (\S+)", out).groups()


for machine, terms in (("p3.16xlarge", ("1", "1/2", "7/24", "7/24")), ("p3.8xlarge", ("1", "1/2", "1/3", "1/3"))):
    for i, name in enumerate(TERMS):
        @fact(f"lemma 2.1 on {machine}: {name}, with one link = 1", "sec. 2", terms[i], quick=True)
        def _(machine=machine, terms=terms, i=i):
            own = lemma(machine)[i]
            return own, own == terms[i]


@fact("8 chains over a ring of the dual links in place of one: time x 7/8", "sec. 2", "7/16", quick=True)
def _():
    c, _, r = cost(build("ring:8", "allreduce", "ring"))
    return f"{r}/{c} over links of one unit, half of that over dual ones", r / c / 2 == 7 / 16


@fact("p3.16xlarge's dual links make a chain of all GPUs", "sec. 2", "7 6 3 2 0 1 4 5 in the paper's numbering", quick=True)
def _():
    t = json.loads(run("topology", "show", "p3.16xlarge", "--format", "json"))
    dual = [(x["src"], x["dst"]) for x in t["links"] if x["bandwidth"] == 2]
    ends = [sum(v in pair for pair in dual) for v in range(8)]
    return f"{len(dual)} dual links, {min(ends)} to {max(ends)} at each GPU", len(dual) >= 7 and min(ends) >= 1


for machine, n in (("p3.8xlarge", 2), ("p3.16xlarge", 6)):
    @fact(f"patterns of an optimal schedule on {machine}", "sec. 3, fig. 2", 2, quick=True,
          why=None if n == 2 else "six trees are the fewest that reach C(G): Z3 refutes five of any weights (tests/cli/fewest-trees.py), so that a pattern of "
          "the figure must be several trees")
    def _(machine=machine):
        trees = int(re.search(r"C\(G\) = \S+, (\d+) tree", said(machine, "allreduce", "linear-program", None, "--fewest")).group(1))
        return f"{trees} trees", trees == 2


def used(machine):
    """The fractions of time for which groups of links are used."""
    out = said(machine, "allreduce", "linear-program")
    return re.findall(r"at ([0-9/]+)", re.search(r"use of links:(.*)", out).group(1))


@fact("loads inside cards, between cards, in the centre of p2.16xlarge", "sec. 3", "15:14:8", quick=True)
def _():
    own = used("p2.16xlarge")
    return " ".join(own) + " of 15/8", own == ["1", "14/15", "8/15"]


@fact("loads on p2.8xlarge", "sec. 3", "7:6", quick=True)
def _():
    own = used("p2.8xlarge")
    return " ".join(own) + " of 7/4", own == ["1", "6/7"]


def components(rounds, waves=8):
    """
    A tree of each GPU of p2.16xlarge: across the centre, to every second card, to every card, and in the cards. Its four steps are those of four
    waves, one a stage behind the other.
    """
    machine = json.loads(run("topology", "show", "p2.16xlarge", "--format", "json"))
    steps = [([], []) for _ in range(waves + 3)]
    for wave in range(waves):
        for root in range(16):
            has = [root]
            for step, far in enumerate((8, 4, 2, 1)):
                steps[wave + step][0].extend([wave * 16 + root, v, v ^ far] for v in has)
                has += [v ^ far for v in has]
    return by_hand(f"{folder.name}/components-{rounds}.json", machine, "allgather", waves, steps, rounds, verifies=False)


@fact("a schedule of p2.16xlarge: 16 components in 4 steps, interleaved in 4 stages", "fig. 4", "a stage takes what its fullest links carry, 15", quick=True)
def _():
    own = [is_verified(components(rounds)) for rounds in (15, 14)]
    return f"a stage of 15 rounds is {'' if own[0] else 'not '}verified, one of 14 is {'' if own[1] else 'not'}", own == [True, False]


paper.not_here("column generation, or a separation oracle", "-", "none", "the paper has neither; the program's own method solves the linear program by "
               "column generation, and docs/reference/methods.md says that this is not the paper's")


def three(machine):
    """us of 240 MiB, ResNet-152's gradients: trees, a parameter server, a ring."""
    return [times(build(machine, "allreduce", m), [240 * MIB])[0] for m in ("linear-program", "direct", "ring")]


for machine, published in (("p3.8xlarge", "4 GPUs: as good as a parameter server, better than the ring"), ("p2.8xlarge", "8 GPUs: the same")):
    @fact(f"ResNet-152 on {machine}: trees against parameter server, ring", "fig. 3", published, quick=machine == "p3.8xlarge",
          why=None if machine == "p3.8xlarge" else "at C(G) a pipeline over trees of few chunks takes 6 % more than the bound, which a ring over PCIe meets, so that trees cannot be faster")
    def _(machine=machine):
        tree, server, ring = three(machine)
        return " / ".join(f"{x / 1e3:.2f}" for x in (tree, server, ring)) + " ms", tree <= server * 1.02 and tree < ring


@fact("with all GPUs the parameter server saturates", "fig. 3", "it does", quick=True)
def _():
    tree, server, _ = three("p3.16xlarge")
    return f"{server / tree:.1f} times the time of trees on p3.16xlarge", server > 1.5 * tree


for machine, half, published in (("p3.16xlarge", "p3.8xlarge", 13), ("p2.16xlarge", "p2.8xlarge", 20)):
    @fact(f"what trees lose from {half} to {machine}", "fig. 3", f"{published} %", quick=machine == "p3.16xlarge",
          why="theirs is measured, with launches and reduction kernels; here twice as many GPUs change nothing but the bound"
          if machine == "p3.16xlarge" else "of the measured loss 7 % is that of the bound, 15/8 in place of 7/4")
    def _(machine=machine, half=half, published=published):
        own = 100 * (three(machine)[0] / three(half)[0] - 1)
        return f"{own:.0f} %", near(own, published, 0.2) if own > 0 else False
