"""SCCL: Cai et al., Synthesizing Optimal Collective Algorithms, PPoPP 2021."""
import glob
import json
import subprocess

from .rows import KIB, MIB, Paper, Program, build, cost, load, note, run, times

paper = Paper("sccl", "SCCL (PPoPP 2021)")
fact = paper.fact

# Table 4: DGX-1; table 5: Z52 as a ring; table 3: what NCCL does.
TABLES = {
    "dgx1": {
        "allgather": "1,2,2 2,3,3 3,4,4 4,5,5 5,6,6 6,7,7 6,3,7 2,2,3",
        "allreduce": "8,4,4 16,6,6 24,8,8 32,10,10 40,12,12 48,14,14 48,6,14 16,4,6",
        "broadcast": "2,2,2 6,3,3 12,4,4 18,5,5 6,3,5",
        "gather": "1,2,2 2,3,3 3,4,4 4,5,5 5,6,6 6,7,7 6,3,7 2,2,3",
        "alltoall": "8,3,3 8,2,3 24,8,8 24,2,8",
    },
    "amd-z52": {
        "allgather": "1,4,4 2,7,7 2,4,7",
        "allreduce": "8,8,8 16,14,14 16,8,14",
        "broadcast": "2,4,4 4,5,5 6,6,6 8,7,7 10,8,8",
        "gather": "1,4,4 2,4,7",
        "alltoall": "8,4,8",
    },
}


def rows_of(machine, kind):
    return [tuple(map(int, x.split(","))) for x in TABLES[machine][kind].split()]


for machine, number in (("dgx1", 4), ("amd-z52", 5)):
    for kind in TABLES[machine]:
        @fact(f"{kind} on {machine}: every (C,S,R) of the table is found and verified", f"table {number}",
              " ".join(f"({x})" for x in TABLES[machine][kind].split()), quick=machine == "amd-z52")
        def _(machine=machine, kind=kind):
            files = glob.glob(f"{Program.source}/algorithms/{machine}/{kind}/c*.json")
            have = {cost(f): f for f in files}
            missing = [x for x in rows_of(machine, kind) if x not in have]
            found = []
            for c, s, r in missing:
                words = ["solve", "-t", machine, "-c", kind, "-C", c, "-S", s, "-R", r, "-o", "/dev/null"]
                words += ["--root", 0] if kind in ("broadcast", "gather") else []
                found.append(run(*words).startswith("found"))
            run("verify", *(have[x] for x in rows_of(machine, kind) if x in have))
            return f"all {len(rows_of(machine, kind))}", all(found)


for kind, method, published in (("allgather", "ring", (6, 7, 7)), ("reducescatter", "ring", (48, 7, 7)), ("allreduce", "ring", (48, 14, 14))):
    @fact(f"NCCL's {kind} on dgx1", "table 3", published, quick=True)
    def _(kind=kind, method=method, published=published):
        own = cost(build("dgx1", kind, method))
        return own, own == published


@fact("NCCL's broadcast and reduce on dgx1: m waves along the rings", "table 3", "(6m, 6 + m, 6 + m)", quick=True)
def _():
    own = [cost(build("dgx1", kind, "ring", 6 * m)) for kind in ("broadcast", "reduce") for m in (1, 4)]
    return " ".join(map(str, own)), all(x == (6 * m, 6 + m, 6 + m) for x, m in zip(own, (1, 4, 1, 4)))


def engine(name, kind, chunks, steps, rounds, seconds):
    """found, refuted or gave up, in the program's words."""
    words = ["solve", "-t", "dgx1", "-c", kind, "-C", chunks, "-S", steps, "-R", rounds, "--engine", name, "--timeout", seconds, "-o", "/dev/null"]
    note(words)
    done = subprocess.run([Program.synth, *map(str, words)], capture_output=True, text=True, check=False)
    return done.stdout.split()[0] if done.returncode == 0 else "none"


@fact("a Boolean for each chunk, edge and step answers small questions", "5.4.3", "it does", quick=True)
def _():
    own = engine("naive", "allgather", 2, 2, 3, 60)
    return own, own == "found"


@fact("and does not answer alltoall (24,8,8) in 60 minutes; theirs takes 133.7 s", "5.4.3", "no answer",
      why="Z3 gets the sums of Booleans as cardinality constraints here and answers in 10 s of one core; as sums of integers, as they were, it gave no answer in 90 s")
def _():
    own = engine("naive", "alltoall", 24, 8, 8, 600)
    return own, own == "none"


@fact("alltoall (24,8,8), which took 133.7 s", "table 4", "found", quick=True)
def _():
    own = engine("bits", "alltoall", 24, 8, 8, 60)
    return f"{own} in less than 60 s by the engine bits", own == "found"


SIZES = [1 * KIB, 16 * KIB, 256 * KIB, 4 * MIB, 64 * MIB, 256 * MIB]
# A step of a kernel of several steps waits for flags of other GPUs; NCCL's ring has them in its data's path (docs/concepts/simulation.md, step costs).
# Copies by push, or by copy engines, have up to 10 % more bandwidth than NCCL's pulls (section 4).
OURS, NCCL = ["--step-cost", "5"], ["--step-cost", "2.8", "--beta", "4.4e-5"]


def dgx1(kind, name):
    return f"{Program.source}/algorithms/dgx1/{kind}/{name}.json"


@fact("allgather on DGX-1: few steps win at small sizes, (6,7,7) at large ones, NCCL is never ahead", "fig. 4", "so", quick=True)
def _():
    few, wide, nccl = (times(f, SIZES, *w) for f, w in ((dgx1("allgather", "c1-s2-r2"), OURS), (dgx1("allgather", "c6-s7-r7"), OURS), (build("dgx1", "allgather", "ring"), NCCL)))
    best = ["(1,2,2)" if a == min(a, b) else "(6,7,7)" for a, b in zip(few, wide)]
    ahead = sum(c < min(a, b) for a, b, c in zip(few, wide, nccl))
    return f"{best[0]} at 1 KiB, {best[-1]} at 256 MiB, NCCL ahead at {ahead} of {len(SIZES)} sizes", (best[0], best[-1], ahead) == ("(1,2,2)", "(6,7,7)", 0)


@fact("allreduce on DGX-1: the 1-chunk algorithm at small sizes, NCCL at middle ones, (6,7,7) at large ones", "fig. 5", "so", quick=True)
def _():
    sizes = [KIB << i for i in range(0, 20)]
    all_times = {"(1,2,2)": times(dgx1("allreduce", "c8-s4-r4"), sizes, *OURS), "(6,7,7)": times(dgx1("allreduce", "c48-s14-r14"), sizes, *OURS),
                 "NCCL": times(build("dgx1", "allreduce", "ring"), sizes, *NCCL)}
    best = [min(all_times, key=lambda n, i=i: all_times[n][i]) for i in range(len(sizes))]
    order = [b for i, b in enumerate(best) if i == 0 or b != best[i - 1]]
    ends = [f"{sizes[i] // KIB}K" for i in range(1, len(best)) if best[i] != best[i - 1]]
    return f"{', '.join(order)}; from {' and '.join(ends)} on", order == ["(1,2,2)", "NCCL", "(6,7,7)"]


def z52():
    sizes = [KIB << (2 * i) for i in range(10)]
    rccl = build("amd-z52", "allgather", "ring")
    path = f"{Program.source}/algorithms/amd-z52/allgather"
    return sizes, times(f"{path}/c1-s4-r4.json", sizes), times(f"{path}/c2-s7-r7.json", sizes), times(rccl, sizes)


@fact("allgather on Z52: (1,4,4) at small sizes, (2,7,7) at large ones", "fig. 6", "so", quick=True)
def _():
    _, few, wide, _ = z52()
    return f"{few[0]:.2f} against {wide[0]:.2f} us at 1 KiB, {few[-1]:.0f} against {wide[-1]:.0f} at 256 MiB", few[0] < wide[0] and wide[-1] < few[-1]


@fact("faster than RCCL at large sizes, slower at middle and small ones", "fig. 6", "faster; slower",
      why="(2,7,7) is RCCL's ring step by step, so that only the two implementations differ, and a simulation has neither")
def _():
    _, _, wide, rccl = z52()
    return f"{rccl[-1] / wide[-1]:.2f} times at 256 MiB, {rccl[0] / wide[0]:.2f} at 1 KiB", rccl[-1] > 1.02 * wide[-1] and rccl[0] < wide[0]


@fact("allreduce, with (48,6,14) too: by switching SCCL is always ahead of NCCL", "5.3", "always", quick=True)
def _():
    sizes = [KIB << i for i in range(0, 20)]
    ours = [times(dgx1("allreduce", n), sizes, *OURS) for n in ("c8-s4-r4", "c16-s4-r6", "c48-s6-r14", "c48-s14-r14")]
    nccl = times(build("dgx1", "allreduce", "ring"), sizes, *NCCL)
    ahead = sum(c < min(column) for c, *column in zip(nccl, *ours))
    return f"NCCL ahead at {ahead} of {len(sizes)} sizes", ahead == 0


@fact("few steps against NCCL at 1 KiB, allgather", "fig. 4", "faster", quick=True)
def _():
    own = times(build("dgx1", "allgather", "ring"), [KIB], *NCCL)[0] / times(dgx1("allgather", "c1-s2-r2"), [KIB], *OURS)[0]
    return f"{own:.2f} times as fast", own > 1


paper.not_here("(6,7,7) drawn twice, as kernels and as cudaMemcpy", "fig. 4", "two curves", "what copy engines and kernels reach is measured on a GPU: `tests/gpu`")
paper.not_here("copy engines have 10 % more bandwidth than kernels; push up to 10 % more than pull", "4", "10 %", "measured on a GPU; rows above take it as given")
paper.not_here("one flag a chunk and connection, a fence before it, 128 bits a thread", "4", "so", "a choice of implementation without a number; ours is in docs/concepts/lowering.md")


@fact("PCIe of a GPU of DGX-1", "5.1.1", "about 14 GB/s", quick=True)
def _():
    t = json.loads(run("topology", "show", "dgx1-pcie", "--format", "json"))
    own = next(x["bandwidth"] for x in t["links"] if 0 in (x["src"], x["dst"])) * float(t["kinds"]["pcie3"]["gigabytes_per_second"])
    return f"{own:g} GB/s", 11 <= own <= 16


@fact("NVLink of a GPU of DGX-1", "5.1.1", "150 GB/s", quick=True)
def _():
    t = json.loads(run("topology", "show", "dgx1", "--format", "json"))
    own = sum(x["bandwidth"] for x in t["links"] if 0 in (x["src"], x["dst"])) * float(t["kinds"]["nvlink2"]["gigabytes_per_second"])
    return f"{own:g} GB/s", own == 150


@fact("Z52: PCIe and xGMI as measured", "5.1.2", "27 and 33 GB/s", quick=True)
def _():
    t = json.loads(run("topology", "show", "amd-z52-pcie", "--format", "json"))
    own = [next(x["bandwidth"] for x in t["links"] if x["kind"] == k) * float(t["kinds"][k]["gigabytes_per_second"]) for k in ("pcie4", "xgmi")]
    return " and ".join(f"{x:g}" for x in own), own == [27, 33]


@fact("Z52: GPUs 1 and 5 reach their sockets by PCIe alone; xGMI path 2-0-3", "5.2.2, fig. 3", "so", quick=True)
def _():
    t = json.loads(run("topology", "show", "amd-z52-pcie", "--format", "json"))
    pcie = {(x["src"], x["dst"]) for x in t["links"] if x["kind"] == "pcie4"}
    xgmi = {(x["src"], x["dst"]) for x in t["links"] if x["kind"] == "xgmi"}
    return f"PCIe {sorted(pcie)}", pcie == {(0, 1), (1, 2), (1, 3), (4, 5), (5, 6), (5, 7)} and {(0, 2), (0, 3)} <= xgmi


@fact("Z52: (2,7,7) with one transfer at a time over a socket's PCIe", "5.2.2, table 5", "R/C = 7/2 in 7 steps",
      why="that limit with links of one unit makes R/C at least 4.04 in 7 steps, so table 5 is that of a ring of 8, as `amd-z52` is", quick=True)
def _():
    machine = f"{Program.source}/topologies/amd-z52-pcie.json"
    t = load(machine)
    for x in t["links"] + t["limits"]:
        x["bandwidth"] = 1
    path = f"{build('ring:4', 'allgather', 'ring')}.z52"
    with open(path, "w", encoding="utf-8") as f:
        json.dump(t, f)
    out = run("bounds", "-t", f"{path}", "-c", "allgather")
    return out.splitlines()[-1].strip(), "7/2" in out


paper.not_here("Megatron-LM spends 30 % of its time in allreduces of 10 to 100 MB", "1", "30 %", "a statement about a training run of 8.3 billion parameters that is not described further")
paper.not_here("seconds of synthesis, Z3 of the time", "tables 4, 5", "0.1 to 133.7 s", "on another computer and by another engine; `meson test --benchmark lia` compares engines on one")
