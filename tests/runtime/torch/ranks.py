"""usage: ranks.py SOURCE BUILD PROGRAMS [--time]

Four processes whose tensors go through the backend sccl and through gloo: what comes out must be the same, element by element.
With --time also the median microseconds of both, by turns, as a table. Exit status 77: there is no torch, or not the headers to
compile against."""
import os
import pathlib
import statistics
import subprocess
import sys
import time

RANKS = 4


def call(dist, group, kind, x, reference):
    """The result of one collective of the tensor X; gloo's reducescatter is a part of its allreduce."""
    import torch
    rank, n = dist.get_rank(), x.numel()
    if kind == "allreduce":
        y = x.clone()
        dist.all_reduce(y, group=group)
    elif kind == "broadcast":
        y = x.clone()
        dist.broadcast(y, 1, group=group)
    elif kind == "allgather":
        parts = [torch.empty_like(x) for _ in range(RANKS)]
        dist.all_gather(parts, x, group=group)
        y = torch.cat(parts)
    elif kind == "alltoall":
        y = torch.empty_like(x)
        dist.all_to_all_single(y, x, group=group)
    elif reference:
        y = x.clone()
        dist.all_reduce(y, group=group)
        y = y[rank * n // RANKS:(rank + 1) * n // RANKS].clone()
    else:
        y = torch.empty(n // RANKS, dtype=x.dtype)
        dist.reduce_scatter(y, list(x.chunk(RANKS)), group=group)
    return y


KINDS = ["allreduce", "allgather", "reducescatter", "alltoall", "broadcast"]


def compare(dist, ours, theirs):
    import torch
    rank, compared = dist.get_rank(), 0
    for kind in KINDS:
        for dtype in (torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8):
            for n in (4, 12, 4000, 100004, 8):
                x = ((torch.arange(n) * 7 + rank * 13) % 31).to(dtype)
                a, b = call(dist, ours, kind, x, False), call(dist, theirs, kind, x, True)
                if not torch.equal(a, b):
                    sys.exit(f"rank {rank}: {kind} of {n} {dtype} differs from gloo's")
                compared += 1
    for op, name in ((dist.ReduceOp.MAX, "max"), (dist.ReduceOp.MIN, "min"), (dist.ReduceOp.PRODUCT, "product")):
        x = ((torch.arange(1000) + rank) % 5 + 1).float()
        a, b = x.clone(), x.clone()
        dist.all_reduce(a, op, group=ours)
        dist.all_reduce(b, op, group=theirs)
        if not torch.equal(a, b):
            sys.exit(f"rank {rank}: {name} differs from gloo's")
        compared += 1
    x = ((torch.arange(1000) + rank) % 5).float()  # gloo has no averages; those of four ranks are exact
    a, b = x.clone(), x.clone()
    dist.all_reduce(a, dist.ReduceOp.AVG, group=ours)
    dist.all_reduce(b, group=theirs)
    if not torch.equal(a, b / RANKS):
        sys.exit(f"rank {rank}: the average differs")
    compared += 1
    columns = torch.arange(60.).reshape(6, 10).t()  # not contiguous
    a, b = columns.clone(memory_format=torch.preserve_format), columns.clone(memory_format=torch.preserve_format)
    work = dist.all_reduce(a, group=ours, async_op=True)
    work.wait()
    dist.all_reduce(b, group=theirs)
    if not torch.equal(a, b):
        sys.exit(f"rank {rank}: a tensor that is not contiguous differs")
    dist.barrier(group=ours)
    try:
        dist.reduce(torch.ones(4), 2, group=ours)
        sys.exit("a reduce without a program did not fail")
    except RuntimeError as e:
        if "no program for reduce" not in str(e):
            raise
    if rank == 0:
        print(f"{compared + 1} results equal gloo's")


def measure(dist, ours, theirs):
    import torch
    if dist.get_rank() == 0:
        print("| collective | bytes | gloo us | sccl us | ratio |\n| --- | --- | --- | --- | --- |")
    for kind in KINDS:
        for size in (1 << 10, 1 << 14, 1 << 18, 1 << 22):
            x = torch.ones(size // 4)
            n = max(1, min(50, (1 << 20) // size))
            times = {ours: [], theirs: []}
            for turn in range(8):
                for group in times:
                    dist.barrier(group=theirs)
                    begin = time.perf_counter()
                    for _ in range(n):
                        call(dist, group, kind, x, group is theirs)
                    took = torch.tensor([(time.perf_counter() - begin) / n * 1e6])
                    dist.all_reduce(took, dist.ReduceOp.MAX, group=theirs)
                    if turn:
                        times[group].append(took.item())
            gloo, sccl = statistics.median(times[theirs]), statistics.median(times[ours])
            if dist.get_rank() == 0:
                print(f"| {kind} | {size} | {gloo:.0f} | {sccl:.0f} | {sccl / gloo:.2f} |", flush=True)


def run_rank(source, build, programs, timed):
    sys.path.insert(0, str(pathlib.Path(source) / "runtime" / "torch"))
    import sccl_torch
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    sccl_torch.register(programs, build)
    dist.init_process_group("gloo", init_method="env://")
    ours, theirs = dist.new_group(backend="sccl"), dist.group.WORLD
    compare(dist, ours, theirs)
    if timed:
        measure(dist, ours, theirs)
    dist.barrier()


def main():
    source, build, programs, *more = sys.argv[1:]
    if "RANK" in os.environ:
        run_rank(source, build, programs, more == ["--time"])
        return
    try:
        import torch.distributed
        sys.path.insert(0, str(pathlib.Path(source) / "runtime" / "torch"))
        import sccl_torch
    except ImportError as e:
        print(f"skipped: {e}")
        sys.exit(77)
    places = [pathlib.Path(p) for p in ["/usr/include", *torch.utils.cpp_extension.include_paths()]]
    needed = [["torch/extension.h", "torch/csrc/api/include/torch/extension.h"], ["pybind11/pybind11.h"]]
    if not (torch.distributed.is_available() and all(any((p / n).exists() for p in places for n in names) for names in needed)):
        print("skipped: torch has no distributed part, or there are no headers to compile against")
        sys.exit(77)
    sccl_torch.load(build)  # once, before there are four of us
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    ranks = [subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, "RANK": str(r), "WORLD_SIZE": str(RANKS),
                                                                "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}) for r in range(RANKS)]
    sys.exit(max(abs(r.wait()) for r in ranks))


main()
