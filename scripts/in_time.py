#!/usr/bin/env python3
"""Tabulates how far what `sccl-synth best` finds is above the lower bound, by how links are shared, and prints a page of Markdown.

usage: in_time.py SCCL-SYNTH [SOURCE [SECONDS]] > docs/evidence/in-time.md

Each command gets SECONDS (10): ten minutes at most. Exit status 1: a time is below its bound."""
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

UNIFORM = ["--alpha", "0.7", "--beta", "4e-5"]
MACHINES = {"ndv2x2": [], "dgx1": [], "dgx2": [], "dgx2x2": [], "torus:4x4": UNIFORM, "dgx-h100*2:ib400": []}
COLLECTIVES = {"allgather": [], "reducescatter": [], "alltoall": [], "broadcast": ["--root", "0"]}
LARGE = [("torus:16x16", "broadcast", UNIFORM)]
SIZES = ["1K", "32K", "1M", "32M", "1G"]


def above(program, machine, collective, sharing, options, seconds, environment):
    """Per cent above the bound, for each size."""
    done = subprocess.run([program, "best", "-t", machine, "-c", collective, "--sizes", ",".join(SIZES), "--start", "dataflow", "--sharing", sharing,
                           "--within", str(seconds), "--json", *options, *COLLECTIVES[collective]], env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{machine} {collective}: {done.stderr}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [100 * (r["microseconds"] / r["bound_microseconds"] - 1) for r in rows]


def main():
    program = str(Path(sys.argv[1]).resolve())
    source = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parent.parent)
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    environment = {**os.environ, "SCCL_PATH": str(source)}
    lines, all_above = [], []
    for machine, collective, options in [(m, c, o) for c in COLLECTIVES for m, o in MACHINES.items()] + LARGE:
        fair, order = (above(program, machine, collective, s, options, seconds, environment) for s in ("fair", "order"))
        all_above += fair + order
        lines.append(f"| {collective} | {machine} | " + " | ".join(f"{f:.1f}, {o:.1f}" for f, o in zip(fair, order)) + " |")
    print(f"""# Schedules in time, above the bound

Printed by `scripts/in_time.py` on {datetime.date.today()}, on two shared and busy cores. In each cell how far the times that `sccl-synth best --start
dataflow --within {seconds:g}` finds are above the [lower bound](../concepts/simulation.md#lower-bounds), in per cent: with `--sharing fair`, and with
`--sharing order`, for which [schedules](../concepts/schedules-in-time.md) are matched as links become free. Sizes are of one rank's input; links
of the tori have 0.7 us and 25 GB/s. In more time large machines get more chunks, and come nearer.

| collective | machine | {' | '.join(SIZES)} |
| --- | --- |{' --- |' * len(SIZES)}""")
    print("\n".join(lines))
    sys.exit(1 if min(all_above) < -1e-3 else 0)


main()
