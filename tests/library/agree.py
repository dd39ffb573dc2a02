#!/usr/bin/env python3
"""What the library answers through its Python module is what the command line answers. TAP. usage: agree.py SCCL-SYNTH SOURCE LIBRARY"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from fractions import Fraction

program, source, library = map(os.path.abspath, sys.argv[1:4])
os.environ.update(SCCL_SYNTH_LIBRARY=library, SCCL_PATH=source)
sys.path.insert(0, os.path.join(source, "bindings/python"))
import sccl_synth as ss

n = failed = 0


def ok(right, what):
    global n, failed
    n += 1
    failed += not right
    print("ok" if right else "not ok", n, "-", what, flush=True)


def same(ours, theirs, what):
    ok(ours == theirs, what)
    if ours != theirs:
        print(f"# library: {str(ours)[:300]}\n# command: {str(theirs)[:300]}")


def command(*arguments, status=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != status:
        print(f"# exit {done.returncode} of {arguments}: {done.stderr[:300]}")
    return done


def rows(*arguments):
    return [json.loads(line) for line in command(*arguments, "--json").stdout.splitlines()]


def raised(kind, call):
    try:
        call()
    except ss.SynthError as fault:
        return str(fault) if type(fault) is kind else None
    return None


os.chdir(tempfile.mkdtemp())
same(ss.version(), command("--version").stdout.split()[1], "the version")
machines = ["dgx1", "mi300x8", "h100", "torus:3x3", "ring:5", "dgx1@gpus=0,1,4,5", "amd-z52"]
for name in machines:
    machine = ss.Topology(name)
    same(machine.json, command("topology", "show", name, "--format", "json").stdout, f"{name}: its file")
    same(ss.Topology.parse(machine.json).json, machine.json, f"{name}: read again")
    for collective in ["allgather", "all_reduce", "broadcast", "alltoall", "reducescatter"]:
        found, = rows("bounds", "-t", name, "-c", collective)
        same(ss.bounds(machine, collective), (found["steps"], Fraction(found["bandwidth"])), f"{name} {collective}: bounds")

for name, collective in [("ring:5", "allgather"), ("dgx1@gpus=0,1,4,5", "allreduce"), ("ring:4", "broadcast"), ("line:3", "scan")]:
    data, = rows("pareto", "-t", name, "-c", collective, "--fresh")
    frontier = ss.frontier(ss.Topology(name), collective)
    same(frontier.data, data, f"{name} {collective}: the frontier")
    same([tuple(p.cost) for p in frontier], [(p["chunks"], p["steps"], p["rounds"]) for p in data["points"]], "and its points")
    same(frontier.is_complete, not data["open"], "complete")

for name, collective, method in [("dgx1", "allreduce", "ring"), ("mi300x8", "alltoall", "direct"), ("torus:3x3", "allgather", "multitree")]:
    a = ss.build(ss.Topology(name), collective, method)
    command("build", "-t", name, "-c", collective, "--method", method, "-o", "built.json")
    same(a.json, open("built.json").read(), f"{name} {collective} by {method}: the same file")
    a.save("saved.json")
    same(open("saved.json").read(), a.json, "saved")
    a.verify()
    if name != "torus:3x3":
        same([f"{a.simulate(b):.4f}" for b in (1000, 1 << 20)],
             [f"{r['microseconds']:.4f}" for r in rows("simulate", "built.json", "--sizes", f"1000,{1 << 20}")], "simulated")
    program_name = a.lower("ours", types="f32", ops="sum")
    command("lower", "built.json", "--target", "host", "--types", "f32", "--ops", "sum", "-o", "theirs")
    same([open(f"ours/{program_name}.{s}").read() for s in "hc"], [open(f"theirs/{program_name}.{s}").read() for s in "hc"], "and its program")

sizes = [1 << 10, 1 << 20, 1 << 26]
found = ss.best(ss.Topology("mi300x8"), "allreduce", sizes, seconds=4)
theirs = rows("best", "-t", "mi300x8", "-c", "allreduce", "--sizes", ",".join(map(str, sizes)), "--within", 4)
same([r.bytes for r in found], sizes, "best: a row for each size")
for ours, row in zip(found, theirs):
    ok(abs(ours.microseconds - ours.algorithm.simulate(ours.bytes)) < 1e-6, f"{ours.bytes}: its time is that of its algorithm")
    ok(abs(ours.bound_microseconds - row["bound_microseconds"]) < 1e-3, "the bound of the command")
    ok(ours.bound_microseconds <= ours.microseconds * (1 + 1e-9) and abs(ours.microseconds / row["microseconds"] - 1) < 0.05, "and about its time")

# What is wrong is an exception, with the words of the command.
ok("no such topology" in (raised(ss.InputError, lambda: ss.Topology("nothing")) or ""), "a machine that there is not")
ok("no such collective" in (raised(ss.InputError, lambda: ss.bounds(ss.Topology("dgx1"), "allsum")) or ""), "a collective that there is not")
ok(raised(ss.InputError, lambda: ss.Topology.parse("{")) is not None, "no JSON")
ok(raised(ss.InputError, lambda: ss.Topology("a\0b")) is not None, "a text with a NUL")
ok(raised(ss.InputError, lambda: ss.best(ss.Topology("dgx1"), "allgather", [2, 1])) is not None, "sizes that do not ascend")
ok(raised(ss.InputError, lambda: ss.bounds(ss.Topology("dgx1"), "broadcast", root=8)) is not None, "a root that there is not")
ok("out of range" in (raised(ss.InputError, lambda: ss.bounds(ss.Topology("dgx1"), "broadcast", root=1 << 32)) or ""), "a root that C cannot take")
ok(raised(ss.InputError, lambda: ss.best(ss.Topology("dgx1"), "allgather", [1 << 64])) is not None, "a size that C cannot take")
bad = os.path.join(source, "tests/bad/algorithm/verify-not-delivered.json")
ok("not-delivered" in (raised(ss.NoError, ss.Algorithm.open(bad).verify) or ""), "an algorithm that does not deliver")
ok(raised(ss.NoError, lambda: ss.Algorithm.open(bad).lower("bad")) is not None and not os.path.exists("bad"), "is not written as a program")

# Points outlive the frontier's name, and threads wait for each other.
point = ss.frontier(ss.Topology("ring:4"), "allgather")[0]
same(tuple(point.cost), (2, 2, 3), "a point holds its frontier")
answers = []
threads = [threading.Thread(target=lambda: answers.append(ss.bounds(ss.Topology("ring:5"), "allgather"))) for _ in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
same(len(set(answers)), 1, "eight threads get one answer")
print(f"1..{n}")
sys.exit(failed > 0)
