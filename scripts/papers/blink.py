"""Blink: Wang et al., Blink: fast and generic collectives for distributed ML, MLSys 2020."""
import itertools
import json
import math
import re

from .rows import KIB, MIB, Paper, Program, build, by_hand, cost, folder, near, rate, run, said, times

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


PARTS = {}


def parts(machine):
    if machine not in PARTS:
        PARTS[machine] = [json.loads(line)["name"] for line in run("topology", "parts", machine, "--json").splitlines()]
    return PARTS[machine]


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


@fact("6 GPUs of a DGX-1P: rings of NVLinks", "fig. 4", "2 rings, other links are dropped", quick=True)
def _():
    six = [p for p in parts("dgx1p") if p.count(",") == 5 and has_ring(p)]
    found = {p: (re.search(r"(\d+) rings?", said(p, "broadcast", "ring")), len(links_of(p)[1])) for p in six}
    own = [p for p, (rings, links) in found.items() if rings and int(rings.group(1)) == 2 and links > 12]
    return f"{len(own)} of {len(six)} such parts have 2 rings of 6 links and links beside them", len(own) > 0


@fact("DGX-1V, 8 GPUs: trees of multiplicative weights", "3.2", "181, weights 0.002 to 0.899", why="as many as the iterations happen to need: 28 to 136 for epsilon 0.1 to 0.01; the text does not state its epsilon, and the range of weights follows from it")
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


MEASURED = "theirs is measured, with launches and reduction kernels, over a PCIe whose speed is not stated; here PCIe and QPI have 12 GB/s"
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


@fact("a full ring of NCCL's and one tree: Blink is still faster", "5.2.1", "3 to 5 GB/s",
      why="ours packs two trees there, where the published Blink finds one")
def _():
    part = "dgx1v@gpus=2,3,6,7"
    own = rate(build(part, "broadcast", "blink"), 500 * MIB) - rate(build(part, "broadcast", "ring"), 500 * MIB)
    return f"{own:+.1f} GB/s", 3 <= own <= 5


def by_counts(machine, kind):
    """Section 5.1: messages and numbers of rings or packed weight alone, a PCIe ring as half an NVLink's."""
    found = []
    for p in parts(machine):
        n = links_of(p)[0]
        weight = eval_rate(re.search(r"rate (\S+) of the", said(p, kind, "blink")).group(1))
        rings = rings_of(p) if has_ring(p) else 0.5
        found.append(weight * (2 * (n - 1) / n if kind == "allreduce" else 1) / rings if kind == "allreduce" else weight / rings)
    return found


def eval_rate(text):
    a, _, b = text.partition("/")
    return int(a) / int(b or 1)


def rings_of(part):
    """Rings in both directions that share no link, as R of a broadcast in that many chunks shows."""
    n = links_of(part)[0]
    count = 1
    while cost(build(part, "broadcast", "ring", count + 1))[2] <= n - 1:
        count += 1
    return count


for kind, published, least in (("broadcast", "6 times", 3), ("allreduce", "6 times", 5)):
    @fact(f"in theory trees are never slower than rings; {kind}s gain up to", "fig. 14, 5.1", published)
    def _(kind=kind, least=least):
        own = by_counts("dgx1v", kind) + by_counts("dgx1p", kind)
        return f"{min(own):.2f} to {max(own):.2f}", min(own) >= 0.999 and least <= max(own) <= 6.6


@fact("allreduce against broadcast on 8 GPUs", "5.2.2", "half", quick=True)
def _():
    own = rate(build("dgx1v", "allreduce", "blink"), 500 * MIB) / rate(build("dgx1v", "broadcast", "blink"), 500 * MIB)
    return f"{own:.2f}", 0.4 <= own <= 0.65


@fact("allreduce against broadcast on 3 and 4 GPUs", "5.2.2", "20 to 30 GB/s less", why="trees that reduce and trees that broadcast run at once here, at nearly the broadcast's rate; theirs is measured, "
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


@fact("DGX-2 allreduce over NCCL's trees and rings, up to; 1.5 us a kernel's step, 1 us a call", "fig. 19, 20", "3.32 times in latency, 3.5 in throughput", quick=True)
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


@fact("trees below 16 KB and rings above, as NCCL has them", "3.5", "16 KB", quick=True, why="the crossover here follows from alpha and beta alone; NCCL's is a constant that its authors chose from measurements")
def _():
    low, high = KIB, 64 * MIB
    while high / low > 1.05:
        middle = int((low * high) ** 0.5)
        tree, ring = (times(build("dgx2", "allreduce", m, c), [middle])[0] for m, c in (("double-binary-tree", 2), ("ring", None)))
        low, high = (middle, high) if tree < ring else (low, middle)
    return f"{low // KIB} KiB", near(low, 16 * KIB, 0.5)


CHAIN = ["--alpha", "0.7", "--beta", f"{1 / 22e3:.4g}", "--start", "dataflow", "--step-cost", "5"]


def chain(n, kind, chunks, reduce_cost):
    """
    GB/s of 1000 MB over a chain of NVLinks, measured at 22 GB/s. 60 chunks, and adding at 40 GB/s, are chosen so that the first two rows below come out.
    """
    return rate(build(f"line:{n}", kind, "blink", chunks), 1000 * 10**6, *CHAIN, "--reduce-cost", reduce_cost)


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


def up_and_down(n, chunks):
    """An allreduce over a chain whose sums are made at its end, as Blink measures it: reduced towards node 0, then broadcast back."""
    steps = [([], []) for _ in range(chunks + 2 * (n - 1) - 1)]
    for c in range(chunks):
        for k in range(n - 1):
            steps[c + k][1].append([c, n - 1 - k, n - 2 - k])
            steps[c + n - 1 + k][0].append([c, k, k + 1])
    machine = json.loads(run("topology", "show", f"line:{n}", "--format", "json"))
    return by_hand(f"{folder.name}/chain-{n}.json", machine, "allreduce", chunks, steps, 1)


@fact("reduce, then broadcast", "A.1.1, fig. 24", "19 to 16 GB/s", quick=True)
def _():
    own = [rate(up_and_down(n, 60), 1000 * 10**6, *CHAIN, "--reduce-cost", 2.5e-5) for n in (3, 8)]
    return " to ".join(f"{x:.1f}" for x in own), near(own[0], 19, 0.1) and near(own[1], 16, 0.1)


def fan(kind, size, reduce_cost):
    """GB/s of three GPUs into one that passes their sum on, or the other way."""
    links = [{"src": v, "dst": 3, "bandwidth": 1} for v in (0, 1, 2, 4)]
    path = f"{folder.name}/fan.topology"
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"format": "sccl-topology", "version": 1, "name": "fan", "nodes": 5, "duplex": True, "links": links}, f)
    return rate(build(path, kind, "blink", 60, "--root", 4), size, *CHAIN, "--reduce-cost", reduce_cost)


@fact("fan-out to three GPUs, forward, above 50 MB", "A.1.2", "near the peak of 22 GB/s", quick=True)
def _():
    own = [fan("broadcast", size, 0) for size in (50 * 10**6, 1000 * 10**6)]
    return " and ".join(f"{x:.1f}" for x in own) + " GB/s at 50 and 1000 MB", own[1] > own[0] > 0.8 * 22 and own[1] > 0.95 * 22


@fact("fan-in from three GPUs, reduce and forward", "A.1.2", "1 to 2 GB/s less", quick=True,
      why="adding hides behind links here but for the last chunk; three inputs that are added at once share a GPU's kernels and memory, which a simulation of links does not have")
def _():
    own = fan("broadcast", 1000 * 10**6, 0) - fan("reduce", 1000 * 10**6, 2.5e-5)
    return f"{own:.1f} GB/s less", 1 <= own <= 2


@fact("many inputs and outputs at a GPU (MIMO), and chains that meet there (MCA), above 10 MB", "2.2, fig. 8", "18 GB/s, 15 % below NVLink's most", why="flows that meet at a GPU share nothing but links here: each has its link's whole rate; what is lost is a GPU's memory and kernels")
def _():
    own = rate(build("star:4", "allreduce", "blink"), 1000 * MIB, "--alpha", "0.7", "--beta", f"{1 / 22e3:.4g}")
    return f"{own:.1f} GB/s", near(own, 18, 0.1)


paper.not_here("three or more CUDA commands a chunk; streams reused; an event after each chunk", "4.1, 4.2", "so", "a choice of implementation without a number: our programs are one kernel with flags (docs/concepts/lowering.md)")
def adapted(size, commands):
    """Chunks of 1 MB, doubled as long as a broadcast over 4 GPUs gets faster; MB after each iteration. A chunk keeps its stream busy for COMMANDS us more."""
    found, last = [], None
    for mib in (1 << i for i in range(10)):
        path = build("line:4", "broadcast", "blink", max(1, size // (mib * MIB)))
        now = times(path, [size], *CHAIN[:-2], "--head", int(commands * 22e3))[0]
        if last and now > last:
            return found
        found, last = found + [mib], now
    return found


@fact("chunks begin at 1 MB, double, and are stable after", "fig. 12", "four iterations", quick=True)
def _():
    own = adapted(500 * MIB, 3 * 7)
    return f"{' '.join(map(str, own))} MB, three commands of 7 us a chunk", len(own) == 4


paper.not_here("the same while a job runs", "fig. 12", "MIAD", "a simulation has no running job: the drop-in library adapts the chunks of kernels, packets and copies in a job's first calls (SCCL_NCCL_ADAPT=1), which tests/runtime/nccl/nccl.sh runs without a GPU")


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


@fact("the time to switch grows with the GPUs", "3.4", "in proportion", why="the times that explain the published gains are 4.6, 2.4, 3.3 and 2.1 ms at 3, 4, 7 and 8 GPUs, which do not grow")
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
      why="fig. 5 is measured with NCCL on whole machines; here NCCL falls back to PCIe on a part without a ring, where AlexNet's share is higher; those of the others are below 50 %")
def _():
    own = [100 * a["communication"] / a["iteration"] for a in training()[0]]
    return " ".join(f"{x:.0f}" for x in own) + " %", max(own) <= 50


def over_parts():
    """ImageNet networks on every part of a DGX-1V: what NCCL's rings, and Blink, take."""
    names, pairs = "alexnet,resnet18,resnet50,vgg16", []
    for p in parts("dgx1v"):
        files = build(as_nccl_was(p, "dgx1-pcie@widen=12-13x2"), "allreduce", "ring"), build(p, "allreduce", "blink")
        pairs += zip(*([json.loads(x) for x in run("train", f, "--workload", names, "--json").splitlines()] for f in files))
    return pairs


for key, published in (("iteration", 6.3), ("communication", 31)):
    @fact(f"{'iterations' if key == 'iteration' else 'communication'} less, geometric mean over parts and networks", "fig. 18, 5.4", f"{published} %",
          why="theirs is a mean over the parts that they ran, with launches and kernels; of all 46 parts half have no ring and gain most, as in figure 17")
    def _(key=key, published=published):
        own = 100 * (1 - 1 / mean([a[key] / b[key] for a, b in over_parts()]))
        return f"{own:.1f} %", near(own, published, 0.3)


@fact("communication less, as the introduction gives its mean, within 30 %", "1", "51 %")
def _():
    own = 100 * (1 - 1 / mean([a["communication"] / b["communication"] for a, b in over_parts()]))
    return f"{own:.1f} %", near(own, 51, 0.3)


# NICs of 100 Gb/s, half an NVLink.
for name, network in (("a GPU", "ib100"), ("a box", "1xib100")):
    @fact(f"3 + 5 GPUs, a NIC {name}: trees inside boxes, joined by one hop", "fig. 10", "one hop across, no tree slower than its NIC", quick=True)
    def _(network=network):
        out = said(f"dgx1v*2:{network}@gpus=0,1,2,8,9,10,11,12", "allreduce", "blink")
        trees = re.findall(r"x root \d+, depth \d+: (.*)", out)
        across = [sum((int(a) < 3) != (int(b) < 3) for a, b in (hop.split(">") for hop in t.split())) for t in trees]
        rate_, cut = re.search(r"rate (\S+) of the cut's (\S+)", out).groups()
        return f"{len(trees)} tree{'s'[:len(trees) > 1]}, {max(across)} hop across each, rate {rate_} of the cut's {cut}", set(across) == {1} and rate_ == cut


paper.not_here("3 + 5 GPUs in training, up to 11 % over Horovod", "fig. 22a", "11 %", "measured with a framework and MPI; its network of 40 Gb/s is a row of figure 22b above")
paper.not_here("3, 5, 6 and 7 GPUs of a server are common in a trace of 40,000 jobs", "fig. 3", "common", "the trace is not published; every such part of a DGX-1 is in the rows above")
