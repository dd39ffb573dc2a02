"""MXNet: the proposal of tree all-reduce for its key-value store, 2018."""
import json
import re

from .rows import KIB, MIB, Paper, Program, build, load, run, said, times

paper = Paper("mxnet", "MXNet's trees (proposal, 2018)")
fact = paper.fact


def layers(name):
    return [x["parameters"] for x in load(f"{Program.source}/workloads/{name}.json")["layers"]]


@fact("links of p3.16xlarge: double, single NVLink", "links", "50 and 25 GB/s", quick=True)
def _():
    t = json.loads(run("topology", "show", "p3.16xlarge", "--format", "json"))
    own = sorted({x["bandwidth"] * float(t["kinds"][x["kind"]]["gigabytes_per_second"]) for x in t["links"]}, reverse=True)
    return " and ".join(f"{x:g}" for x in own), own == [50, 25]


@fact("PCIe through a CPU", "links", "10 GB/s", quick=True)
def _():
    t = json.loads(run("topology", "show", "dgx1-pcie", "--format", "json"))
    slow = min(x["bandwidth"] * float(t["kinds"][x["kind"]]["gigabytes_per_second"]) for x in t["links"] if x["kind"] == "pcie3" and x["src"] >= 8)
    return f"{slow:g} GB/s between a switch and a processor", 8 <= slow <= 12


@fact("matrix of p3.16xlarge: double, single links", "matrix", "3, 2", quick=True)
def _():
    own = re.search("links weigh (.*)", said("p3.16xlarge", "allreduce", "kernighan-lin")).group(1)
    return own, own == "2 3"


@fact("PCIe weighs 1, where NVLinks do not join all", "matrix", "1", quick=True)
def _():
    own = re.search("links weigh (.*)", said("a100-pcie-pairs", "allreduce", "kernighan-lin")).group(1)
    return own, own.startswith("1 ")


@fact("what a tree has used weighs less for the next", "MXNET_KVSTORE_TREE_LINK_USAGE_PENALTY", "0.7", quick=True)
def _():
    plain, same, other = (load(build("p3.16xlarge", "allreduce", "kernighan-lin", None, *w))["steps"]
                          for w in ((), ("--tree-link-usage-penalty", "0.7"), ("--tree-link-usage-penalty", "1")))
    return "0.7 without the option, other trees with 1", plain == same != other


@fact("search in place of clusters", "MXNET_KVSTORE_TREE_BACKTRACK", "all trees by search", quick=True)
def _():
    own = re.search("(.*) by search", said("p3.16xlarge", "allreduce", "kernighan-lin", None, "--tree-backtrack")).group(1)
    return own, own == "0 trees by clustering, 8"


@fact("one tree below, all trees from 10,000,000 elements", "MXNET_KVSTORE_TREE_ARRAY_BOUND", "10M", quick=True)
def _():
    own = [re.search(r"-c(\d+)-", said("p3.16xlarge", "allreduce", "kernighan-lin", None, "--tree-array-bound", 10**7, "--bytes", b)).group(1)
           for b in (4 * 10**7 - 4, 4 * 10**7)]
    return f"C = {own[0]} and {own[1]}", int(own[0]) < int(own[1])


def switch_over(*words):
    return int(re.search(r"one tree up to (\d+)", said("p3.16xlarge", "allreduce", "kernighan-lin", None, "--bytes", "1M", *words)).group(1))


@fact("VGG-16: multi-tree better than one tree beyond", "fig. 7", "1M to 10M floats, 4 to 40 MB",
      why="by links alone many trees win once the bytes that they save pay for one more step; at 4 MB that step costs 0.8 ms, which is MXNet's engine and not a link: 14 operations for each of seven more trees, at 9 us each")
def _():
    own = switch_over()
    return f"{own} bytes", 4e6 <= own <= 4e7


@fact("the same if each of a tree's 14 copies and sums costs 9 us of the engine", "fig. 7", "4 to 40 MB", quick=True)
def _():
    own = switch_over("--alpha", 0.7 + 7 * 14 * 9)
    return f"{own / 1e6:.1f} MB", 4e6 <= own <= 4e7


@fact("arrays of VGG-16: fewer than 32, the largest above 10M floats", "fig. 2", "yes", quick=True)
def _():
    own = layers("vgg16")
    return f"{len(own)} layers with weights and biases, {max(own) / 1e6:.0f}M", len(own) < 32 and max(own) > 10**7


@fact("arrays of ResNet-50: at most 2M floats", "fig. 2", "2M", quick=True)
def _():
    own = max(layers("resnet50"))
    return f"{own / 1e6:.2f}M", own < 2.5e6


@fact("arrays of ResNet-50: over 157 push-pulls", "fig. 2", "157", quick=True)
def _():
    own = 3 * (len(layers("resnet50")) - 1) + 2
    return f"{own}: three of each convolution with its normalisation, two of the last layer", own > 157


def repeated(method, size, calls):
    """us a call of the networks' arrays, with 20 us to launch and the costs of a kernel's step."""
    return times(build("p3.16xlarge", "allreduce", method), [size], "--calls", calls, "--call-cost", 20, "--step-cost", "cuda")[0]


@fact("small arrays: a parameter server is faster than NCCL, large ones the reverse", "fig. 2", "yes", quick=True)
def _():
    small, large = ([repeated(m, s, 50) for m in ("direct", "ring")] for s in (64 * KIB, 64 * MIB))
    return f"64 KiB {small[0]:.0f} and {small[1]:.0f} us, 64 MiB {large[0]:.0f} and {large[1]:.0f} us", small[0] < small[1] and large[0] > large[1]


@fact("1, 50, 150 calls before a wait: a call gets cheaper, and then no more", "fig. 2", "yes", quick=True)
def _():
    own = [repeated("ring", 64 * KIB, n) for n in (1, 50, 150)]
    return " ".join(f"{x:.1f}" for x in own) + " us", own[0] > 1.1 * own[1] and abs(own[2] / own[1] - 1) < 0.05


paper.not_here("fp32 against fp16", "fig. 8", "curves", "both are the same schedules, of half as many bytes; how much faster a GPU computes in 16 bits is not a property of the network")
paper.not_here("copies into temporary buffers", "fig. 2", "under 1 % of the time", "a profile of MXNet's engine, which has no counterpart in a schedule")


@fact("reduce to GPU 5 in 3 steps", "fig. 6", "3", quick=True)
def _():
    own = max(int(d) for d in re.findall(r"x root 5, depth (\d+)", said("p3.16xlarge", "allreduce", "kernighan-lin")))
    return own, own == 3


@fact("its last hops", "fig. 6", "1>5, 7>5, 4>5, with 3>7 before", why="links of weight 22 join the figure's halves 1,3,5,7 and 0,2,4,6, and one exchange makes that 20, so that no run of Kernighan and Lin ends there: the figure illustrates steps and is no output of the algorithm")
def _():
    tree = re.search(r"x root 5, depth \d+: (.*)", said("p3.16xlarge", "allreduce", "kernighan-lin")).group(1)
    return " ".join(x for x in tree.split() if x.startswith("5>")), "7>3" in tree.split()


@fact("6 GPUs get stuck sometimes", "algorithm", "search in place of clusters", quick=True)
def _():
    parts = [json.loads(line)["name"] for line in run("topology", "parts", "p3.16xlarge", "--json").splitlines()]
    six = [p for p in parts if p.count(",") == 5]
    searched = sum(int(re.search(r"(\d+) by search", said(p, "allreduce", "kernighan-lin")).group(1)) for p in six)
    return f"{searched} trees of {6 * len(six)} by search", searched > 0
