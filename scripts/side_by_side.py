#!/usr/bin/env python3
"""All methods side by side: side_by_side.py SCCL-SYNTH SOURCE prints the tables of docs/evidence/methods.md, as the program builds them now."""
import fractions
import json
import os
import re
import subprocess
import sys

if len(sys.argv) != 3:
    sys.exit(__doc__)
synth = os.path.abspath(sys.argv[1])
os.environ.setdefault("SCCL_PATH", os.path.abspath(sys.argv[2]))
MACHINES = ["dgx1", "dgx1p", "dgx-a100", "mi250x-frontier", "torus:8x8", "mesh:4x4", "hypercube:4", "bigraph:4x8", "p2.16xlarge"]


def methods():
    text = subprocess.run([synth, "build", "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z0-9-]+)  +\S", text.split("\nMethods:\n")[1], re.MULTILINE)


def build(machine, kind, method):
    """What the method makes of it, None where it refuses."""
    root = ["--root", "0"] if kind == "broadcast" else []
    done = subprocess.run([synth, "build", "-t", machine, "-c", kind, "--method", method, *root, "--json"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        sys.exit(f"{method}, {kind} on {machine}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def cell(row, triple):
    if not row:
        return "-"
    gap = fractions.Fraction(row["bandwidth"]) / fractions.Fraction(row["bound_bandwidth"])
    cost = f"({row['chunks']},{row['steps']},{row['rounds']})" if triple else str(row["steps"])
    return f"{cost} / {float(gap):.2f}"


def table(kind, triple=False):
    made = {machine: {m: build(machine, kind, m) for m in methods()} for machine in MACHINES}
    used = [m for m in methods() if any(made[machine][m] for machine in MACHINES)]
    print("| machine | " + " | ".join(used) + " |\n| --- |" + " --- |" * len(used))
    for machine in MACHINES:
        print(f"| {machine} | " + " | ".join(cell(made[machine][m], triple) for m in used) + " |")


for title, kind, triple in [("Allgather, steps / how many times the bound on R/C", "allgather", False),
                            ("Allreduce, (C,S,R) / how many times the bound", "allreduce", True),
                            ("Broadcast from node 0, steps / how many times the bound", "broadcast", False),
                            ("Alltoall, the same", "alltoall", False)]:
    print(f"{title}:\n")
    table(kind, triple)
    print(flush=True)
