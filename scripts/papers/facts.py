"""
Every number and comparison that the five papers state, and where it is looked at: the beginnings of the items of rows, or why no row can be. Each
row belongs to a fact, so that neither list can grow without the other, and each number of a fact is in one of its rows; `comparisons.py --facts`
checks it.
"""
import re

NAMED = "a name or a version, not a result"
SET_UP = "the set-up of measurements, which is in the rows"

FACTS = {
    "multitree": [
        ("2x2 mesh: 2 time steps, 4 with the reduce-scatter; the ring needs one more", ["steps of an allgather on a 2x2", "one ring on it"]),
        ("figure 5's four tables", ["tables of the 2x2 mesh"]),
        ("at most two entries a node; 64 nodes: 128 of 200 bits, 3.2 KB", ["rows of a node's table"]),
        ("as many children as the interface has links: 4 on a torus", ["children of an entry"]),
        ("fat tree, BiGraph: as many steps as RING", ["MultiTree and RING take the same number of steps on fat-tree", "MultiTree and RING take the same number of steps on bigraph",
                                                       "MultiTree and RING take the same number of steps on switch"]),
        ("on a DGX-2 Blink's one-hop trees", ["on a DGX-2 its trees"]),
        ("its trees serve an alltoall", ["its trees serve"]),
        ("complexity O(V^2 E)", ["complexity"]),
        ("RING uses 25 % of the links of a 4x4 torus", ["links that RING uses"]),
        ("2D-RING sends 2N(N - 1), flat rings N^2 - 1", ["data that flat rings"]),
        ("2D-RING: whole rings along each side, over all links: 20.1, 17.2, 16.06 GB/s", ["bandwidth of 2D-RING"]),
        ("2D-RING on meshes: worse than RING on 8x8, better on 4x4", ["2D-RING on a 4x4 mesh", "and worse on 8x8"]),
        ("DBTREE sends in even and odd steps", ["a node never sends or receives in both"]),
        ("heads of flits: 25 to 6.25 % of payloads of 64 to 256", ["overhead of heads"]),
        ("message-based flow control: 6 %", ["gain of message-based", "at large sizes both use"]),
        ("buffers of 318 flits hide what is on the way", ["buffers of 318"]),
        ("steps' times are estimated, no barrier, NOP stalls", ["steps are estimated", "256 nodes: what ports cost"]),
        ("16 PEs of 32 x 32 at 1 GHz, 32.768 Tflop/s, output stationary", ["peak of an accelerator", "layers on output-stationary"]),
        ("flit codes and source routes", ["codes of flits"]),
        ("figure 9: axes at 30, 20, 14, 12 and 10 GB/s of eight networks; the 8x8 torus between 17.2 and 22", ["largest bandwidth on", "torus:8x8: between"]),
        ("MultiTree is best at every size on tori and meshes, DBTREE worst", ["MultiTree is the fastest at every size", "DBTREE is the slowest on"]),
        ("fat tree, BiGraph: better than RING at small sizes, equal at large", ["MultiTree against RING on"]),
        ("BiGraph: HDRM has fewer steps and is slower at small sizes, equal at large", ["HDRM has fewer", "HDRM is slower"]),
        ("DBTREE against RING on fat trees; the break-even moves right", ["DBTREE is better than RING", "their break-even"]),
        ("375 N KiB, 16 to 256 nodes: time is linear in N", ["375 N KiB", "and MultiTree's"]),
        ("256 nodes: 3 times RING, 1.4 times 2D-RING, so that these differ by 2.14", ["256 nodes: RING against", "256 nodes: MultiTree, message-based"]),
        ("RING's communication is 30 to 88 % of an iteration, AlexNet's little", ["share of RING's communication", "but AlexNet's"]),
        ("all-reduce 2.2 and 1.51 times, message-based 2.3 and 1.56", ["all-reduce, "]),
        ("iterations: CNNs 1.34 and 1.15 times, communication-bound 1.81 and 1.3", ["iterations of "]),
        ("overlapped: CNNs 1.1 times and equal, communication-bound 2 and 1.37 times", ["overlapped, "]),
        ("sizes of 32 KiB to 64 MiB; 150 ns, 16 GB/s, 16 samples", SET_UP),
    ],
    "mxnet": [
        ("50, 25 and 10 GB/s", ["links of p3.16xlarge", "PCIe through a CPU"]),
        ("matrix 3, 2; PCIe 1", ["matrix of p3.16xlarge", "PCIe weighs 1"]),
        ("penalty 0.7", ["what a tree has used"]),
        ("backtracking; 6 GPUs get stuck", ["search in place", "6 GPUs get stuck"]),
        ("array bound 10M; VGG-16: many trees from 4 to 40 MB on", ["one tree below", "VGG-16: multi-tree", "the same if each of a tree's"]),
        ("157 push-pulls of at most 2M floats; fewer than 32 above 10M", ["arrays of"]),
        ("parameter server against NCCL; 1, 50, 150 push-pulls", ["small arrays", "1, 50, 150 calls"]),
        ("fp32 and fp16", ["fp32"]),
        ("copies are under 1 % of the time", ["copies into"]),
        ("figure 6's tree: GPU 5 in 3 steps, 1>5, 7>5, 4>5, 3>7 before", ["reduce to GPU 5", "its last hops"]),
    ],
    "blink": [
        ("NVLink 20 to 25 GB/s; a DGX-2 GPU 150 GB/s", ["NVLink generation", "NVLinks of a GPU"]),
        ("NCCL v2.4.2, p3.16xlarge", NAMED),
        ("rings of GPUs 0,1,3 and 2,3,6,7, none of 0,1,4 and 1,4,5,6; one tree there", ["GPUs ", "spanning trees of GPUs"]),
        ("6 GPUs of a DGX-1P have two rings, 8 have four", ["6 GPUs of a DGX-1P", "rings of NCCL on 8"]),
        ("a trace of 40,000 jobs: 3, 5, 6, 7 GPUs are common", ["3, 5, 6 and 7 GPUs"]),
        ("181 trees, weights 0.002 to 0.899; 6 of 1.0; 166 MB, before 0.33 to 148", ["DGX-1V, 8 GPUs: trees", "after the integer", "of 1000 MB", "and before it"]),
        ("within epsilon of the optimum", ["rate of the optimum"]),
        ("O(ln m / eps^2) iterations of O(m)", "a bound on operations; how many trees come of them is a row"),
        ("allreduce: trees of one root, 2 (N - 1) messages", ["an allreduce goes up"]),
        ("allgather is an allreduce without a reduction", ["allgather by", "reducescatter by"]),
        ("DGX-2: one-hop trees", ["DGX-2: one-hop"]),
        ("equation 8: split over both; 500 MB: +5 GB/s at 3 and 4 GPUs, +2 at 7 and 8", ["both networks: gain", "the time to switch"]),
        ("figure 11: on 4 GPUs 2 chunks in place of 1 take a third less", ["chain of 4 GPUs"]),
        ("three commands a chunk; streams, events", ["three or more CUDA"]),
        ("MIAD: 1 MB, doubled, stable after four iterations", ["chunks begin at", "the same while a job"]),
        ("chains of 3 to 8 GPUs, 1000 MB: 22 to 20, 21 to 19, 19 to 16 GB/s", ["chains of 3 to 8", "reduce and forward", "reduce, then"]),
        ("MIMO and MCA 18 GB/s, 15 % below the most, above 10 MB; fans, above 50 MB, near the peak, 1 to 2 less with sums", ["many inputs", "fan-out", "fan-in"]),
        ("46 and 14 configurations", ["configurations of"]),
        ("figure 14: never slower, up to 6 times", ["in theory"]),
        ("figures 15 to 17: 6, 3, 8 times at most; 2, 1.6, 2 on average", ["broadcast on dgx1v", "broadcast on dgx1p", "allreduce on dgx1v"]),
        ("one tree is 3 to 5 GB/s faster than a full ring", ["a full ring"]),
        ("allreduce against broadcast: 20 to 30 GB/s less, half on 8", ["allreduce against broadcast"]),
        ("DGX-2: up to 3.32 times lower latency, 3.5 times the rate, more at small sizes", ["DGX-2 allreduce", "the gains are larger"]),
        ("NCCL's switch from trees to rings at 16 KB", ["trees below 16 KB"]),
        ("communication up to 50 % with NCCL", ["communication's share"]),
        ("iterations 40 % shorter, 6.3 % on average; communication 87 % and 31 % less, 51 % in the introduction", ["ImageNet networks", "communication less by", "iterations less", "communication less, geometric", "communication less, as"]),
        ("3 + 5 GPUs: 11 % in training; 100 MB: NVLink binds at 300 Gb/s", ["3 + 5 GPUs in training", "100 MB on 3 + 5", "Blink keeps up"]),
        ("3 + 5 GPUs in three phases, one hop across", ["3 + 5 GPUs, a NIC"]),
    ],
    "sccl": [
        ("tables 4 and 5, all rows; 133.7 s for alltoall (24,8,8)", [f"{kind} on " for kind in ("allgather", "allreduce", "broadcast", "gather", "alltoall")] + ["alltoall (24,8,8)", "seconds of synthesis"]),
        ("table 3: NCCL's (6,7,7), (48,7,7), (48,14,14)", ["NCCL's"]),
        ("the naive encoding does not finish alltoall (24,8,8) in 60 minutes; theirs 133.7 s", ["a Boolean for each", "and does not answer"]),
        ("figure 4: few steps at small sizes; (6,7,7), drawn twice", ["few steps against", "(6,7,7) drawn"]),
        ("allreduces; with switching always ahead of NCCL", ["allreduce, with"]),
        ("figure 6: (1,4,4) at small sizes, (2,7,7) at large ones; against RCCL", ["allgather on Z52", "faster than RCCL"]),
        ("copy engines 10 %, push 10 %; flags, fences, 128 bits", ["copy engines", "one flag"]),
        ("150 GB/s of NVLink, 14 of PCIe", ["NVLink of a GPU", "PCIe of a GPU"]),
        ("Z52: 27 and 33 GB/s, islands of GPUs 1 and 5, xGMI path 2-0-3, a socket's limit", ["Z52: "]),
        ("Megatron 8.3 B: 30 % in allreduces of 10 to 100 MB", ["Megatron"]),
        ("NCCL 2.7.8, RCCL 3.5.0, NCCL_PROTO=Simple", NAMED),
        ("only 0-synchronous algorithms were made into code", "a choice of what to implement; all of the tables' algorithms are run here by the tests"),
    ],
    "wang": [
        ("lemma 2.1 on p3.16xlarge and p3.8xlarge: 1/2, 7/24, 1/3", ["lemma 2.1"]),
        ("the best single tree, 7 6 3 2 0 1 4 5; 8 chains take 7/8 of it, 7/16", ["8 chains", "p3.16xlarge's dual"]),
        ("2 patterns each", ["patterns of"]),
        ("p2.16xlarge 15:14:8, p2.8xlarge 7:6", ["loads "]),
        ("16 components, 4 steps, 4 stages, of 15 units", ["a schedule of p2.16xlarge"]),
        ("no column generation", ["column generation"]),
        ("figure 3: 4 GPUs of p3.8xlarge, 8 of p2.8xlarge; with all GPUs 13 % and 20 % lost", ["ResNet-152 on", "with all GPUs", "what trees lose"]),
    ],
}


def numbers(text):
    return set(re.findall(r"\d+(?:\.\d+)?", text.replace(",000", "000")))


def unmatched(papers):
    """What is wrong with the list: facts of rows that are not, or that lack a number of the fact, and rows of no fact."""
    wrong = []
    for p in papers:
        items, found = [r[0] for r in p.rows], set()
        for fact, rows in FACTS[p.key]:
            for start in rows if isinstance(rows, list) else []:
                of = {x for x in items if x.startswith(start)}
                found |= of
                wrong += [] if of else [f"{p.key}: {fact}: no row begins with \"{start}\""]
            wrong += [] if rows else [f"{p.key}: {fact}: neither a row nor a reason"]
            if isinstance(rows, list):
                told = " ".join(" ".join(map(str, r[:4])) for r in p.rows if r[0].startswith(tuple(rows)))
                wrong += [f"{p.key}: {fact}: no row of it has {n}" for n in sorted(numbers(fact) - numbers(told))]
        wrong += [f"{p.key}: row \"{x}\" is of no fact of scripts/papers/facts.py" for x in items if x not in found]
    return wrong


def print_all(papers):
    print("## Facts and their rows\n\nA fact has rows above, by the beginnings of their items, or a reason why it has none.\n\n| paper | fact | rows |\n" + "| --- " * 3 + "|")
    for p in papers:
        for fact, rows in FACTS[p.key]:
            print(f"| {p.title.split(' (', 1)[0]} | {fact} | " + (", ".join(f"{x.strip()} ..." for x in rows) if isinstance(rows, list) else f"none: {rows}") + " |")
    print()
