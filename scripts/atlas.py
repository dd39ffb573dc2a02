#!/usr/bin/env python3
"""The tables of docs/evidence/atlas.md, anew below its marker: atlas.py FOLDER DOCUMENT"""
import json
import re
import sys
from pathlib import Path

MARKER = "<!-- made by scripts/atlas: -->\n"


def points(data):
    """(C,S,R), with * where something better is open."""
    return " ".join("({},{},{}){}".format(p["chunks"], p["steps"], p["rounds"], "*" if p["class"] == "none" else "")
                    for p in data["points"])


def bounds(data):
    return "{}, {}".format(data["bounds"]["steps"], data["bounds"]["bandwidth"])


def frontier(folder, kind, root=""):
    return json.loads(next(folder.glob(f"{kind}/frontier{root}.json")).read_text())


def classes(atlas):
    for folder in sorted(Path(atlas).iterdir(), key=lambda f: (f.name[:5] != "dgx1v", f.name.split("-")[1], next(f.iterdir()).name)):
        machine = next(folder.iterdir())
        yield folder.name, machine


def gpus(machine):
    return machine.name.split("=")[1] if "=" in machine.name else "all"


def roots(machine):
    return sorted(int(re.search(r"root(\d+)", f.name)[1]) for f in machine.glob("broadcast/frontier-root*.json"))


def tables(atlas):
    lines = ["| folder | GPUs | allgather: S ≥, R/C ≥ | (C,S,R) | allreduce: S ≥, R/C ≥ | (C,S,R) |", "| --- | --- | --- | --- | --- | --- |"]
    for name, machine in classes(atlas):
        gather, reduce = frontier(machine, "allgather"), frontier(machine, "allreduce")
        lines.append(f"| {name} | {gpus(machine)} | {bounds(gather)} | {points(gather)} | {bounds(reduce)} | {points(reduce)} |")
    lines += ["", "Broadcast; a root by its place in the list of GPUs, one of each orbit.", "",
              "| GPUs | root | S ≥, R/C ≥ | (C,S,R) |", "| --- | --- | --- | --- |"]
    for name, machine in classes(atlas):
        for root in roots(machine):
            data = frontier(machine, "broadcast", f"-root{root}")
            lines.append(f"| {name[:5]} {gpus(machine)} | {root} | {bounds(data)} | {points(data)} |")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    atlas, document = sys.argv[1:]
    head, marker, _ = Path(document).read_text().partition(MARKER)
    if not marker:
        sys.exit(f"{document}: has no line {MARKER}")
    Path(document).write_text(head + MARKER + "\n" + tables(atlas))


main()
