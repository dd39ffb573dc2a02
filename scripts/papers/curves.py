"""Curves of the papers, simulated over sizes and machines: docs/evidence/comparisons.md."""
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

KIB, MIB = 1024, 1 << 20
synth = source = None
folder = tempfile.TemporaryDirectory()
wrong = []

# 16 GB/s and 150 ns a link; packets of 256 bytes with a head flit of 16, or one head a message.
MULTITREE = ["--alpha", "0.15", "--beta", "6.25e-5", "--head", "16"]
PACKETS = MULTITREE + ["--packet", "256"]


def run(*words):
    done = subprocess.run([synth, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def rows(*words):
    return [json.loads(line) for line in run(*words, "--json").splitlines()]


def build(machine, kind, method, chunks=None):
    path = f"{folder.name}/{machine}-{kind}-{method}-{chunks}.json"
    if not os.path.exists(path):
        roots = ["--root", 0] if kind == "broadcast" else []
        run("build", "-t", machine, "-c", kind, "--method", method, "-o", path, *roots, *(["-C", chunks] if chunks else []))
    return path


def times(path, sizes, *words):
    """us at each of the sizes, in bytes."""
    return [r["microseconds"] for r in rows("simulate", path, "--sizes", ",".join(map(str, sizes)), *words)]


def check(is_so, what):
    if not is_so:
        wrong.append(what)


def table(head, lines):
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for line in lines:
        print("| " + " | ".join(str(x) for x in line) + " |")
    print()


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def size_text(n):
    return f"{n // MIB}M" if n % MIB == 0 else f"{n // KIB}K" if n % KIB == 0 else str(n)


def sccl():
    sizes = [4**i * KIB for i in range(10)]
    for kind, base, names in (
        ("allgather", "ring", ["c1-s2-r2", "c2-s2-r3", "c3-s4-r4", "c6-s3-r7", "c6-s7-r7"]),
        ("allreduce", "ring", ["c8-s4-r4", "c16-s4-r6", "c48-s6-r14", "c48-s14-r14"]),
        ("alltoall", "direct", ["c8-s2-r3", "c24-s2-r8", "c24-s8-r8"]),
    ):
        reference = times(build("dgx1", kind, base), sizes)
        lines = []
        for name in names:
            own = times(f"{source}/algorithms/dgx1/{kind}/{name}.json", sizes)
            lines.append([name.replace("c", "(").replace("-s", ",").replace("-r", ",") + ")"] + [f"{r / t:.2f}" for r, t in zip(reference, own)])
        print(f"{kind} on dgx1, speed-up over `{base}`:\n")
        table(["(C,S,R)"] + [size_text(s) for s in sizes], lines)
    hand_over()


def hand_over():
    """The size from which on (6,7,7) is no slower than (1,2,2)."""
    few, wide = (f"{source}/algorithms/dgx1/allgather/{n}.json" for n in ("c1-s2-r2", "c6-s7-r7"))
    lines = []
    for alpha in (0.7, 2, 5, 10):
        low, high = 1, 1 << 30
        while high - low > 1:
            middle = (low + high) // 2
            a, b = (times(f, [middle], "--alpha", alpha)[0] for f in (few, wide))
            low, high = (middle, high) if a < b else (low, middle)
        model = 6 * alpha * 25000
        check(abs(high / model - 1) < 0.01, f"(1,2,2) hands over at {high}, the model says {model}")
        lines.append([alpha, high, f"{model:.0f}"])
    print("allgather on dgx1, bytes of one input from which on (6,7,7) is faster than (1,2,2):\n")
    table(["α, µs", "simulated", "6 α / β"], lines)


def tori():
    """Figure 10: 375 N KiB; figure 9: sizes on 4x4 and 8x8."""
    methods = [("ring, one direction (`-C N`)", "ring", 1), ("2d-ring, one order, one direction (`-C N`)", "2d-ring", 1),
               ("2d-ring, both orders, one direction (`-C 2N`)", "2d-ring", 2),
               ("ring, all links", "ring", None), ("2d-ring, all links", "2d-ring", None),
               ("double-binary-tree, one chunk per tree (`-C 2`)", "double-binary-tree", 0), ("double-binary-tree, pipelined", "double-binary-tree", None),
               ("halving-doubling", "halving-doubling", None), ("multitree", "multitree", None)]
    found, lines = {}, []
    for name, method, one in methods:
        line = [name]
        for side in (4, 8, 16):
            n = side * side
            path = build(f"torus:{side}x{side}", "allreduce", method, None if one is None else one * n or 2)
            found[name, side] = times(path, [375 * n * KIB], *PACKETS)[0]
            line.append(f"{found[name, side]:.0f}")
        lines.append(line)
    message = {s: times(build(f"torus:{s}x{s}", "allreduce", "multitree"), [375 * s * s * KIB], *MULTITREE)[0] for s in (4, 8, 16)}
    lines.append(["multitree, message-based"] + [f"{message[s]:.0f}" for s in (4, 8, 16)])
    print("Allreduce of 375 N KiB on N nodes, µs:\n")
    table(["", "torus:4x4", "torus:8x8", "torus:16x16"], lines)
    facts(found, message)
    by_size(methods)


def facts(found, message):
    tree = {s: found["multitree", s] for s in (4, 8, 16)}
    gain = tree[16] / message[16] - 1
    ratio = {name: found[name, 16] / message[16] for name, _ in found}
    one, two = ratio["ring, one direction (`-C N`)"], ratio["2d-ring, one order, one direction (`-C N`)"]
    flat = ratio["double-binary-tree, one chunk per tree (`-C 2`)"]
    check(one >= 3, "3x over ring")
    check(two >= 1.4, "1.4x over 2d-ring")
    check(0.055 < gain < 0.065, "6 % from message-based flow control")
    check(flat >= max(one, two), "double-binary-tree worst")
    print("At 256 nodes:\n")
    table(["", "published", "ours"], [
        ["multitree, message-based, over ring", "3", f"{one:.2f}; over ring with all links {ratio['ring, all links']:.2f}"],
        ["over 2d-ring", "1.4", f"{two:.2f}; over 2d-ring in both orders {ratio['2d-ring, both orders, one direction (`-C 2N`)']:.2f}, with all links {ratio['2d-ring, all links']:.2f}"],
        ["gain by message-based flow control", "6 %", f"{100 * gain:.1f} %"],
        ["double-binary-tree", "worst", f"{flat:.0f} times multitree with one chunk per tree; pipelined "
         f"{ratio['double-binary-tree, pipelined']:.2f} times"]])


def by_size(methods):
    sizes = [32 * KIB * 8**i for i in range(5)]
    for side in (4, 8):
        lines = []
        for name, method, one in methods:
            path = build(f"torus:{side}x{side}", "allreduce", method, None if one is None else one * side * side or 2)
            lines.append([name] + [f"{s / t / 1e3:.2f}" for s, t in zip(sizes, times(path, sizes, *PACKETS))])
        own = times(build(f"torus:{side}x{side}", "allreduce", "multitree"), sizes, *MULTITREE)
        lines.append(["multitree, message-based"] + [f"{s / t / 1e3:.2f}" for s, t in zip(sizes, own)])
        print(f"Allreduce on torus:{side}x{side}, GB/s (bytes of one input over time):\n")
        table([""] + [size_text(s) for s in sizes], lines)


def has_ring(machine):
    """Is there a ring through all GPUs over links of their own?"""
    t = json.loads(run("topology", "show", machine, "--format", "json"))
    joined = {(x["src"], x["dst"]) for x in t["links"]}
    joined |= {(b, a) for a, b in joined if t["duplex"]}
    return any(all(pair in joined for pair in zip((0, *way), (*way, 0))) for way in itertools.permutations(range(1, t["nodes"])))


def as_nccl_was(part, pcie):
    """The machine whose rings NCCL took: the NVLinks where one ring of them goes through all GPUs, else PCIe."""
    return part if has_ring(part) else f"{pcie}@{part.split('@')[1]}"


BASES = [("`ring` over NVLink, back and forth where there is none", None), ("NCCL of that time", "dgx1-pcie"),
         ("the same, QPI as fast as PCIe", "dgx1-pcie@widen=12-13x2")]


def blink():
    lines, most, on_pcie = [], {}, {}
    for machine in ("dgx1v", "dgx1p"):
        parts = [json.loads(line)["name"] for line in run("topology", "parts", machine, "--json").splitlines()]
        for kind, (name, pcie) in itertools.product(("broadcast", "allreduce"), BASES):
            base = {p: as_nccl_was(p, pcie) if pcie else p for p in parts}
            ratios = {p: blink_gain(base[p], p, kind) for p in parts}
            best = max(ratios, key=ratios.get)
            most[machine, kind, pcie], on_pcie[machine] = ratios[best], sum(base[p] != p for p in parts)
            lines.append([machine, kind, name, f"{mean(ratios.values()):.2f}", f"{min(ratios.values()):.2f}", f"{ratios[best]:.2f}", best])
    print("`blink` over rings, 512 MiB, every connected part of 3 or more GPUs, 46 of dgx1v and 14 of dgx1p, of which "
          f"{on_pcie['dgx1v']} and {on_pcie['dgx1p']} have no ring of NVLinks:\n")
    table(["machine", "collective", "over", "geometric mean", "least", "most", "there"], lines)
    check(most["dgx1v", "allreduce", "dgx1-pcie"] >= 8, "up to 8 times NCCL")
    check(most["dgx1v", "allreduce", None] < 8, "rings over NVLink alone are not what Blink was compared with")
    check(2 <= most["dgx1p", "allreduce", "dgx1-pcie"] < most["dgx1v", "allreduce", "dgx1-pcie"], "DGX-1V gains more than DGX-1P")


def blink_gain(base, part, kind):
    (ring,), (own,) = times(build(base, kind, "ring"), [512 * MIB]), times(build(part, kind, "blink"), [512 * MIB])
    return ring / own


def both_networks():
    """Equation 8: what PCIe adds to the NVLinks, where `build --beside` says how to split, and both are simulated with their shares."""
    lines, files = [], [f"{folder.name}/beside-{n}.json" for n in range(2)]
    for n in range(3, 9):
        gpus, line = ",".join(map(str, range(n))), [n]
        for switching in (0, 1000, 5000):
            rates, row = rows("build", "-t", f"dgx1v@gpus={gpus}", "-c", "broadcast", "--root", 0, "--method", "blink", "--beside", f"dgx1-pcie@gpus={gpus}",
                              "--switching", switching, "--sizes", "500M", "-o", files[0], "--beside-output", files[1])[-2:]
            ends = [times(f, [share])[0] + wait if share else 0 for f, share, wait in zip(files, row["shares"], (0, switching))]
            alone = times(files[0], [row["bytes"]])[0]
            if not switching:
                line += [f"{x:.1f}" for x in rates["gigabytes_per_second"]]
                check(max(ends) < alone, f"PCIe beside the NVLinks of {n} GPUs")
            check(abs(max(ends) / row["microseconds"] - 1) < 0.03, f"{n} GPUs: both end after {ends} us, not {row['microseconds']}")
            line.append(f"{(row['bytes'] / max(ends) - row['bytes'] / alone) / 1e3 + 0:+.1f}")
        lines.append(line)
    print("Broadcast of 500 MiB by `blink` over dgx1v and dgx1-pcie at once, GB/s:\n")
    table(["GPUs", "NVLink", "PCIe", "gained, no switching time", "1 ms to switch", "5 ms"], lines)


NETWORKS = ["alexnet", "googlenet", "resnet18", "resnet50", "vgg16", "transformer"]


def training(machine, base, other, chunks, words, words_other, base_machine=None):
    """Of each network: communication of BASE over OTHER's, and what an iteration loses with it. The most that one loses, in %."""
    files = build(base_machine or machine, "allreduce", base, chunks), build(machine, "allreduce", other)
    names = ",".join(NETWORKS)
    lines, ratios, most = [], [], 0
    for a, b in zip(rows("train", files[0], "--workload", names, *words), rows("train", files[1], "--workload", names, *words_other)):
        ratios.append(a["communication"] / b["communication"])
        less = [100 * (1 - b[k] / a[k]) for k in ("iteration", "overlapped_iteration")]
        most = max(most, less[0])
        lines.append([a["workload"], f"{a['communication'] / 1e3:.2f}", f"{b['communication'] / 1e3:.2f}", f"{ratios[-1]:.2f}",
                      f"{100 * a['communication'] / a['iteration']:.1f} %", *(f"{round(x, 1) + 0:.1f} %" for x in less)])
    lines.append(["geometric mean", "", "", f"{mean(ratios):.2f}", "", "", ""])
    table(["", f"`{base}`, ms", f"`{other}`, ms", "speed-up", f"share of an iteration, `{base}`", "iteration is shorter by", "overlapped"], lines)
    return most


def large():
    lines = []
    for method in ("multitree", "2d-ring"):
        path = build("torus:32x32", "allreduce", method)
        for how in ([], ["--start", "dataflow"]):
            begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            taken = times(path, [375 * KIB * 1024], *PACKETS, *how)[0]
            spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
            sends = json.load(open(path, encoding="utf-8"))["steps"]
            count = sum(len(s.get("sends", ())) + len(s.get("reduces", ())) for s in sends)
            lines.append([method, " ".join(how) or "--start steps", count, f"{taken:.0f}", f"{spent:.1f}"])
    print("Allreduce on torus:32x32, 1024 nodes, 375 MiB; reading and verifying the file included:\n")
    table(["", "", "messages", "simulated µs", "CPU seconds"], lines)


def print_all(program, tree):
    """Prints all curves; returns what does not come out any more."""
    global synth, source
    synth, source = os.path.abspath(program), os.path.abspath(tree)
    sccl()
    tori()
    blink()
    both_networks()
    print("Training on torus:8x8, one ring in one direction against message-based MultiTree:\n")
    training("torus:8x8", "ring", "multitree", 64, PACKETS, MULTITREE)
    print("Against 2d-ring, one order, one direction:\n")
    training("torus:8x8", "2d-ring", "multitree", 64, PACKETS, MULTITREE)
    print("Training on dgx1v@gpus=0,1,4,5,6, a part that one ring does not serve well:\n")
    training("dgx1v@gpus=0,1,4,5,6", "ring", "blink", None, [], [])
    print("The same over NCCL of that time, which uses PCIe there:\n")
    shorter = training("dgx1v@gpus=0,1,4,5,6", "ring", "blink", None, [], [], "dgx1-pcie@gpus=0,1,4,5,6")
    check(shorter >= 30, f"iterations up to 40 % shorter: {shorter:.1f} %")
    large()
    return wrong
