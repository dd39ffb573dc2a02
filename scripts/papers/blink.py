"""Blink: Wang et al., Blink: fast and generic collectives for distributed ML, MLSys 2020."""
import itertools
import json
import math
import re

from .rows import KIB, MIB, Paper, Program, build, cost, folder, near, rate, run, said, times

paper = Paper("blink", "Blink (MLSys 2020)")
fact = paper.fact


def links_of(machine):
    t = json.loads(run("topology", "show", machine, "--format", "json"))
    joined = {(x["src"], x["dst"]) for x in t["links"]}
    return t["nodes"], joined | {(b, a) for a, b in joined if t["duplex"]}


def has_ring(machine):
    """Is there a ring through all GPUs over links of their own?"""
    n, joined = links_of(machine)
    return any(all(p in joined for p in zip((0, *way), (*way, 0))) for way in itertools.permutations(range(1, n)))


for gpus, published in (("0,1,3", True), ("0,1,4", False), ("1,4,5,6", False), ("2,3,6,7", True)):
    @fact(f"GPUs {gpus} of a DGX-1V have a ring of NVLinks", "fig. 2, sec. 5.2.1", "yes" if published else "no", quick=True)
    def _(gpus=gpus, published=published):
        own = has_ring(f"dgx1v@gpus={gpus}")
        return "yes" if own else "no", own == published


def packed(machine, *words):
    """Trees, total weight and rate of a broadcast."""
    out = said(machine, "broadcast", "blink", None, *words)
    found = re.search(r"(\d+) trees? of weight (\d+) in total, rate (\S+)", out)
    return int(found.group(1)), int(found.group(2)), found.group(3)


@fact("spanning trees of GPUs 2,3,6,7", "5.2.1", "one", quick=True, why="a ring of links in both directions has two arborescences that share no link, by Edmonds' theorem; ours packs both")
def _():
    n, _, own = packed("dgx1v@gpus=2,3,6,7")
    return f"{n} trees, rate {own}", n == 1


@fact("NVLink generation 1 and 2, GB/s nominal", "1", "20 to 25", quick=True)
def _():
    own = [float(next(iter(json.loads(run("topology", "show", m, "--format", "json"))["kinds"].values()))["gigabytes_per_second"]) for m in ("dgx1p", "dgx1v")]
    return " and ".join(f"{x:g}" for x in own), all(18 <= x <= 25 for x in own)


@fact("NVLinks of a GPU of a DGX-2", "3.5", "150 GB/s", quick=True)
def _():
    t = json.loads(run("topology", "show", "dgx2", "--format", "json"))
    own = t["links"][0]["bandwidth"] * float(next(iter(t["kinds"].values()))["gigabytes_per_second"].split("/")[0])
    return f"{own:g} GB/s", own == 150


@fact("rings of NCCL on 8 GPUs of a DGX-1P", "5.1", 4, quick=True)
def _():
    own = cost(build("dgx1p", "broadcast", "ring", 4))
    return f"{own[0]} chunks in {own[2]} rounds, as many as steps of one", own[1] == own[2] == 7


@fact("DGX-1V, 8 GPUs: trees of multiplicative weights", "3.2", "181, weights 0.002 to 0.899", why="as many as the iterations happen to need: 28 to 136 for epsilon 0.1 to 0.01, which the text does not state; ours has weights of the same range")
def _():
    own = re.search(r"epsilon 0.01: (\d+) trees.*\ntheir weights: (\S+) to (\S+);", said("dgx1v", "broadcast", "blink", None, "--epsilon", "0.01"))
    return f"{own.group(1)}, weights {own.group(2)} to {own.group(3)}", own.group(1) == "181"


@fact("after the integer program", "3.2.1", "6 of rate 1.0", quick=True)
def _():
    own = packed("dgx1v", "--threshold", "5")
    return f"{own[0]} of rate 1", own == (6, 6, "6")


@fact("of 1000 MB a tree carries, after it", "3.2.1", "166 MB", quick=True)
def _():
    return f"{1000 / packed('dgx1v', '--threshold', '5')[1]:.1f} MB", near(1000 / packed("dgx1v", "--threshold", "5")[1], 166, 0.01)


@fact("and before it", "3.2.1", "0.33 to 148 MB", quick=True)
def _():
    own = re.search(r"carries (\S+) to (\S+) MB", said("dgx1v", "broadcast", "blink"))
    return f"{own.group(1)} to {own.group(2)} MB", near(float(own.group(1)), 0.33, 0.2) and near(float(own.group(2)), 148, 0.2)


@fact("rate of the optimum that the weights reach", "3.2", "within epsilon", quick=True)
def _():
    own = float(re.search(r"rate \S+, (\S+) % below", said("dgx1v", "broadcast", "blink")).group(1))
    return f"{own} % below with epsilon 3 %", own <= 3


@fact("an allreduce goes up and down trees of one root", "3.3", "2 (N - 1) messages a chunk", quick=True)
def _():
    path = build("dgx1v", "allreduce", "blink")
    a = json.loads(open(path, encoding="utf-8").read())
    own = sum(len(s["sends"]) + len(s.get("reduces", ())) for s in a["steps"]) / a["chunks"]
    return f"{own:g} of 14; trees of several roots, rate 24/7", own == 14


for kind in ("allgather", "reducescatter"):
    @fact(f"{kind} by the allreduce's trees, without sums", "4.1", "it is an allreduce without a reduction function", quick=True)
    def _(kind=kind):
        own = cost(build("dgx1v", kind, "blink"))
        return f"({own[0]},{own[1]},{own[2]})", own[1] <= 6


@fact("DGX-2: one-hop trees of all GPUs", "3.5", "depth 1", quick=True)
def _():
    own = "one switch: a one-hop tree of each node" in said("dgx2", "allreduce", "blink", 16)
    return "a one-hop tree of each GPU", own


PARTS = {}


def parts(machine):
    if machine not in PARTS:
        PARTS[machine] = [json.loads(line)["name"] for line in run("topology", "parts", machine, "--json").splitlines()]
    return PARTS[machine]


@fact("configurations of 3 to 8 GPUs", "5.2", "46 and 14", quick=True)
def _():
    own = [len(parts(m)) for m in ("dgx1v", "dgx1p")]
    return f"{own[0]} and {own[1]}", own == [46, 14]


def as_nccl_was(part, pcie):
    """The machine whose rings NCCL took: the NVLinks where one ring of them goes through all GPUs, else PCIe."""
    return part if has_ring(part) else f"{pcie}@{part.split('@')[1]}" if "@" in part else pcie


def gains(machine, kind):
    pcie = "dgx1-pcie@widen=12-13x2"
    return {p: times(build(as_nccl_was(p, pcie), kind, "ring"), [500 * MIB])[0] / times(build(p, kind, "blink"), [500 * MIB])[0] for p in parts(machine)}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


MEASURED = "theirs is measured, with launches and kernels that add, and PCIe's speed is not stated; here QPI is as fast as PCIe, 12 GB/s"
for machine, kind, where, most, average in (("dgx1v", "broadcast", "fig. 15, 5.2.1", 6, 2), ("dgx1p", "broadcast", "fig. 16, 5.2.1", 3, 1.6),
                                            ("dgx1v", "allreduce", "fig. 17, 5.2.2", 8, 2)):
    @fact(f"{kind} on {machine} over NCCL, at most", where, f"{most} times", why=MEASURED if (machine, kind) == ("dgx1v", "broadcast") else None)
    def _(machine=machine, kind=kind, most=most):
        own = max(gains(machine, kind).values())
        return f"{own:.2f}", near(own, most, 0.1)

    @fact(f"{kind} on {machine} over NCCL, geometric mean", where, f"{average} times", why=MEASURED)
    def _(machine=machine, kind=kind, average=average):
        own = mean(gains(machine, kind).values())
        return f"{own:.2f}", near(own, average, 0.1)


@fact("a full ring of NCCL's and one tree: Blink is still faster", "5.2.1", "3 to 5 GB/s", why="where one ring goes through all GPUs a pipeline over trees has the ring's bandwidth and no more in a simulation")
def _():
    part = "dgx1v@gpus=2,3,6,7"
    own = rate(build(part, "broadcast", "blink"), 500 * MIB) - rate(build(part, "broadcast", "ring"), 500 * MIB)
    return f"{own:+.1f} GB/s", 3 <= own <= 5


def by_counts(machine, kind):
    """Section 5.1: messages and numbers of rings or packed weight alone, a PCIe ring as half an NVLink's."""
    found = []
    for p in parts(machine):
        n = links_of(p)[0]
        weight = eval_rate(packed(p)[2]) if kind == "broadcast" else 1 / ratio_of(build(p, "allreduce", "blink"))
        rings = rings_of(p) if has_ring(p) else 0.5
        found.append(weight * (2 * (n - 1) / n if kind == "allreduce" else 1) / rings if kind == "allreduce" else weight / rings)
    return found


def eval_rate(text):
    a, _, b = text.partition("/")
    return int(a) / int(b or 1)


def ratio_of(path):
    c, _, r = cost(path)
    return r / c


def rings_of(part):
    """Rings in both directions that share no link, as R of a broadcast in that many chunks shows."""
    n = links_of(part)[0]
    count = 1
    while cost(build(part, "broadcast", "ring", count + 1))[2] <= n - 1:
        count += 1
    return count


@fact("in theory trees are never slower than rings; broadcasts gain up to", "fig. 14, 5.1", "6 times")
def _():
    own = by_counts("dgx1v", "broadcast") + by_counts("dgx1p", "broadcast")
    return f"{min(own):.2f} to {max(own):.2f}", min(own) >= 1 and 3 <= max(own) <= 12


@fact("allreduce against broadcast on 8 GPUs", "5.2.2", "half", quick=True)
def _():
    own = rate(build("dgx1v", "allreduce", "blink"), 500 * MIB) / rate(build("dgx1v", "broadcast", "blink"), 500 * MIB)
    return f"{own:.2f}", 0.4 <= own <= 0.65


@fact("allreduce against broadcast on 3 and 4 GPUs", "5.2.2", "20 to 30 GB/s less", why="few GPUs pack trees that reduce and broadcast at once at the broadcast's rate; theirs is measured, "
      "and the cost of adding, which --reduce-cost gives, hides behind links here")
def _():
    own = []
    for gpus in ("0,1,2", "0,1,2,3"):
        a, b = (rate(build(f"dgx1v@gpus={gpus}", k, "blink"), 500 * MIB) for k in ("broadcast", "allreduce"))
        own.append(a - b)
    return " and ".join(f"{x:.1f}" for x in own) + " GB/s less", all(20 <= x <= 30 for x in own)


DGX2 = [KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 64 * MIB]


def on_dgx2():
    ours = [times(build("dgx2", "allreduce", "blink", c), DGX2) for c in (16, 96, None)]
    theirs = [times(build("dgx2", "allreduce", m, c), DGX2) for m, c in (("ring", None), ("double-binary-tree", None), ("double-binary-tree", 2))]
    return [min(t) / min(o) for o, t in zip(zip(*ours), zip(*theirs))]


@fact("DGX-2 allreduce over NCCL's trees and rings: latency up to", "fig. 20", "3.32 times less", quick=True, why="both are lower by a kernel's launch that a measurement has and a simulation without --call-cost has not")
def _():
    own = max(on_dgx2())
    return f"{own:.2f}", near(own, 3.32, 0.1)


@fact("the same, with 1.5 us of a kernel's step and 1 us a call", "fig. 19, 20", "3.3 to 3.5 times", quick=True, why=None)
def _():
    words = ["--step-cost", 1.5, "--call-cost", 1]
    sizes = [KIB, 64 * KIB]
    ours = min(times(build("dgx2", "allreduce", "blink", 16), sizes, *words))
    theirs = min(min(times(build("dgx2", "allreduce", m, c), sizes, *words)) for m, c in (("ring", None), ("double-binary-tree", 2)))
    return f"{theirs / ours:.2f}", 2.9 <= theirs / ours <= 3.7


@fact("the gains are larger at small sizes", "5.3", "larger", quick=True)
def _():
    own = on_dgx2()
    return " ".join(f"{x:.2f}" for x in own) + " from 1 KiB to 64 MiB", own[0] > own[4] > own[-1]


@fact("trees below 16 KB and rings above, as NCCL has them", "3.5", "16 KB", quick=True, why="tune's crossover follows from alpha and beta, 2.1 MB with 0.7 us; NCCL's switch is a constant of its authors")
def _():
    low, high = KIB, 64 * MIB
    while high / low > 1.05:
        middle = int((low * high) ** 0.5)
        tree, ring = (times(build("dgx2", "allreduce", m, c), [middle])[0] for m, c in (("double-binary-tree", 2), ("ring", None)))
        low, high = (middle, high) if tree < ring else (low, middle)
    return f"{low // KIB} KiB", near(low, 16 * KIB, 0.5)


def chain(n, kind, chunks, reduce_cost):
    """
    GB/s of 1000 MB over a chain of NVLinks, measured at 22 GB/s. 60 chunks, and adding at 40 GB/s, are chosen so that the first two rows below come out.
    """
    words = ["--alpha", "0.7", "--beta", f"{1 / 22e3:.4g}", "--start", "dataflow", "--step-cost", "5", "--reduce-cost", reduce_cost]
    return rate(build(f"line:{n}", kind, "blink", chunks), 1000 * 10**6, *words)


@fact("chain of 4 GPUs, 2 chunks in place of 1: time less by", "fig. 11", "a third", quick=True)
def _():
    own = [times(build("line:4", "broadcast", "blink", c), [1000 * MIB], "--alpha", 0, "--beta", "4e-5")[0] for c in (1, 2)]
    return f"{1 - own[1] / own[0]:.3f}", near(own[1] / own[0], 2 / 3, 0.01)


@fact("chains of 3 to 8 GPUs, 1000 MB: forward", "A.1.1, fig. 24", "22 to 20 GB/s", quick=True)
def _():
    own = [chain(n, "broadcast", 60, 0) for n in (3, 8)]
    return " to ".join(f"{x:.1f}" for x in own), near(own[0], 22, 0.05) and near(own[1], 20, 0.05)


@fact("reduce and forward", "2.2, fig. 7", "21 to 19 GB/s", quick=True)
def _():
    own = [chain(n, "reduce", 60, 2.5e-5) for n in (3, 8)]
    return " to ".join(f"{x:.1f}" for x in own), near(own[0], 21, 0.05) and near(own[1], 19, 0.05)


@fact("reduce, then broadcast", "A.1.1, fig. 24", "19 to 16 GB/s", quick=True,
      why="the tree of our allreduce is rooted in the middle of the chain and not at its end, so that it fills in half the time")
def _():
    own = [chain(n, "allreduce", 60, 2.5e-5) for n in (3, 8)]
    return " to ".join(f"{x:.1f}" for x in own), near(own[0], 19, 0.1) and near(own[1], 16, 0.1)


@fact("many inputs and outputs at a GPU (MIMO) above 10 MB", "2.2, fig. 8", "18 GB/s, 15 % below NVLink's most", why="flows that meet at a GPU share nothing but links here: each has its link's whole rate; what is lost is a GPU's memory and kernels")
def _():
    own = rate(build("star:4", "allreduce", "blink"), 1000 * MIB, "--alpha", "0.7", "--beta", f"{1 / 22e3:.4g}")
    return f"{own:.1f} GB/s", near(own, 18, 0.1)


paper.not_here("three or more CUDA commands a chunk; streams reused; an event after each chunk", "4.1, 4.2", "so", "our programs are one kernel with flags: docs/concepts/lowering.md")
paper.not_here("chunk sizes found while running: 1 MB, doubled, stable after four iterations", "fig. 12", "MIAD", "done at run time, on the machine: docs/howto/replace-nccl.md; a simulation has nothing to find out")


def beside(n, switching):
    """Equation 8: GB/s that PCIe adds to a broadcast of 500 MB over NVLinks."""
    gpus = ",".join(map(str, range(n)))
    path = f"{folder.name}/beside.json"
    out = run("build", "-t", f"dgx1v@gpus={gpus}", "-c", "broadcast", "--root", 0, "--method", "blink", "--beside", f"dgx1-pcie@gpus={gpus}",
              "--switching", switching, "--sizes", "500M", "-o", path, "--beside-output", path + "2", "--json")
    row = [json.loads(x) for x in out.splitlines()][-1]
    alone = rate(build(f"dgx1v@gpus={gpus}", "broadcast", "blink"), row["bytes"])
    return row["bytes"] / row["microseconds"] / 1e3 - alone


for n, switching, low, high in ((3, 4600, 4, 6), (4, 2400, 4, 6), (7, 3300, 1.3, 3), (8, 2100, 1.3, 3)):
    @fact(f"both networks: gain of a broadcast of 500 MB on {n} GPUs, {switching / 1000:g} ms to switch", "fig. 21", f"{(low + high) // 2:g} GB/s", quick=n == 3)
    def _(n=n, switching=switching, low=low, high=high):
        own = beside(n, switching)
        return f"{own:+.1f} GB/s", low <= own <= high


@fact("the time to switch grows with the GPUs", "3.4", "in proportion", why="the published gains need 4.6, 2.4, 3.3 and 2.1 ms at 3, 4, 7 and 8 GPUs: a constant of 2 to 5 ms")
def _():
    return "2 to 5 ms", False


def two_boxes(gigabits):
    """Two DGX-1V's NVLinks among 3 and 5 GPUs, and a link between them; and the same over PCIe alone."""
    nvlink = json.loads(run("topology", "show", "dgx1v", "--format", "json"))["links"]
    first, second = (0, 1, 2), (0, 1, 2, 3, 4)
    number = {(0, g): i for i, g in enumerate(first)} | {(1, g): 3 + i for i, g in enumerate(second)}
    links = [{"src": number[box, x["src"]], "dst": number[box, x["dst"]], "gigabytes_per_second": 23 * x["bandwidth"], "latency_us": 1}
             for box, gpus in ((0, first), (1, second)) for x in nvlink if x["src"] in gpus and x["dst"] in gpus]
    pcie = [{"src": number[box, g], "dst": 8 + box, "gigabytes_per_second": 12, "latency_us": 1} for box, gpus in ((0, first), (1, second)) for g in gpus]
    between = {"gigabytes_per_second": gigabits // 8, "latency_us": 5}
    machines = []
    for name, own, joint in (("nvlink", links, {"src": 0, "dst": 3}), ("pcie", pcie, {"src": 8, "dst": 9})):
        path = f"{folder.name}/{name}-{gigabits}.two"
        t = {"format": "sccl-topology", "version": 1, "name": f"{name}-3-5", "nodes": 8, "duplex": True, "links": own + [joint | between]}
        with open(path + ".json", "w", encoding="utf-8") as f:
            json.dump(t | ({"switches": 2} if name == "pcie" else {}), f)
        machines.append(path + ".json")
    return machines


def across(gigabits):
    return [rate(build(m, "allreduce", method), 100 * MIB) for m, method in zip(two_boxes(gigabits), ("blink", "ring"))]


@fact("100 MB on 3 + 5 GPUs, faster networks between: NCCL is bound by PCIe", "fig. 22b", "flat from PCIe's speed on")
def _():
    own = [across(g)[1] for g in (40, 160, 320, 400)]
    return " ".join(f"{x:.1f}" for x in own) + " GB/s at 40, 160, 320, 400 Gb/s", own[0] < own[1] and near(own[3], own[2], 0.02)


@fact("Blink keeps up until NVLink binds, at about 300 Gb/s", "fig. 22b", "300 Gb/s")
def _():
    own = [across(g)[0] for g in (40, 160, 400, 480)]
    return " ".join(f"{x:.1f}" for x in own) + f" GB/s at 40, 160, 400, 480 Gb/s, bound at {8 * own[3]:.0f} Gb/s", (
        near(own[1] / own[0], 4, 0.1) and near(own[3], own[2], 0.05) and near(8 * own[3], 300, 0.15))


def training():
    files = build("dgx1-pcie@gpus=0,1,4,5,6", "allreduce", "ring"), build("dgx1v@gpus=0,1,4,5,6", "allreduce", "blink")
    names = "alexnet,resnet18,resnet50,vgg16"
    return [[json.loads(x) for x in run("train", f, "--workload", names, "--json").splitlines()] for f in files]


@fact("ImageNet networks: iterations shorter by up to", "fig. 18, 5.4", "40 %", why="AlexNet's share of communication is larger here, with layers at half of a V100's peak and a part of the machine without a ring")
def _():
    own = [100 * (1 - b["iteration"] / a["iteration"]) for a, b in zip(*training())]
    return " ".join(f"{x:.0f}" for x in own) + " %", near(max(own), 40, 0.1)


@fact("communication less by up to", "fig. 18, 5.4", "87 %", quick=True)
def _():
    own = [100 * (1 - b["communication"] / a["communication"]) for a, b in zip(*training())]
    return f"{max(own):.0f} %", near(max(own), 87, 0.1)


@fact("communication's share of an iteration with NCCL, at most", "fig. 5, 2.1", "50 %", quick=True,
      why="fig. 5 is measured with NCCL on whole machines; over PCIe in a part without a ring AlexNet's share is higher, the others' within")
def _():
    own = [100 * a["communication"] / a["iteration"] for a in training()[0]]
    return " ".join(f"{x:.0f}" for x in own) + " %", max(own) <= 50


paper.not_here("3 + 5 GPUs in training, up to 11 % over Horovod", "fig. 22a", "11 %", "measured with a framework and MPI; its network of 40 Gb/s is a row of figure 22b above")
paper.not_here("3, 5, 6 and 7 GPUs of a server are common in a trace of 40,000 jobs", "fig. 3", "common", "the trace is not published; every such part of a DGX-1 is in the rows above")
