#!/usr/bin/env python3
"""A document of all frontier files in a folder, beside the SCCL paper's rows: frontiers.py FOLDER... ROWS > docs/evidence/frontiers.md; what is in
several folders is taken from the first."""
import json
import sys
from fractions import Fraction
from pathlib import Path

FORMAT = "sccl-frontier"
NODES = 8
BACK = {"reducescatter": "allgather", "reduce": "broadcast", "scatter": "gather"}


def paper(path):
    """(machine, kind) -> [(C, S, R)] of the paper's tables."""
    rows = {}
    for line in Path(path).read_text().splitlines():
        word = line.split()
        if len(word) == 7 and not line.startswith("#") and word[6] == "found":
            rows.setdefault((word[0], word[1], int(word[2])), []).append(tuple(int(x) for x in word[3:6]))
    return rows


def frontiers(folder):
    for path in sorted(Path(folder).rglob("frontier*.json")):
        data = json.loads(path.read_text())
        if data.get("format") == FORMAT and data["nodes"] == NODES and isinstance(data["collective"].get("kind"), str):
            yield data


def proof(point):
    return {"bound": "bound", "exhausted": "refutations"}.get(point["proof"], "-") if point["class"] != "none" else "open"


def better(point, rows):
    """What of the paper's the point beats in both costs, or is not among: said of the best of them."""
    s, ratio = point["steps"], Fraction(point["rounds"], point["chunks"])
    same = [(c, t, r) for c, t, r in rows if t <= s]
    if not rows:
        return ""
    if any(t == s and Fraction(r, c) == ratio for c, t, r in rows):
        return "the paper's"
    best = min(same, key=lambda x: Fraction(x[2], x[0]), default=None)
    if best is None:
        return "fewer steps than any of the paper's"
    if ratio < Fraction(best[2], best[0]):
        return "better than ({},{},{})".format(*best)
    return ""


def table(data, rows):
    root = data["collective"].get("root")
    bounds = data["bounds"]
    title = data["collective"]["kind"] + ("" if root is None else f", root {root}")
    state = {"bound": "up to the bandwidth bound", "steps": f"up to {data['last_steps']} step{'s' * (data['last_steps'] != 1)}", "limit": f"up to {data['last_steps']} step{'s' * (data['last_steps'] != 1)}"}[data["ended"]]
    undecided = len(data.get("open", []))
    print(f"**{title}**: S >= {bounds['steps']}, R/C >= {bounds['bandwidth']}; R - S <= {data['k']}, {state}"
          + (f"; {undecided} candidates undecided" if undecided else "") + "\n")
    print("| (C,S,R) | R/C | optimal in | shown by | |\n| --- | --- | --- | --- | --- |")
    for p in data["points"]:
        within = "" if p.get("within", "all") == "all" else f" ({p['within']})"
        print(f"| ({p['chunks']},{p['steps']},{p['rounds']}) | {p['bandwidth']} | {p['class']}{within} | {proof(p)} | {better(p, rows)} |")
    print()


def main():
    rows = paper(sys.argv[-1])
    found, known = {}, set()
    for folder in sys.argv[1:-1]:
        for data in frontiers(folder):
            key = (data["topology"], data["collective"]["kind"], data["collective"].get("root"))
            if key not in known:
                found.setdefault(data["topology"], []).append(data)
            known.add(key)
    whole = sum(not d.get("open") and d["ended"] != "limit" for ds in found.values() for d in ds)
    print("# The frontiers of machines of eight GPUs\n")
    print("Made by `scripts/frontiers.py`, which reads frontier files: those of the catalog, and what `scripts/frontiers` has walked of the other machines")
    print("of 8 GPUs in `topologies/`. Every collective, one root of each class of alike nodes, the class R - S <= k; a question is given up after some")
    print("seconds of wall time, and what then stays undecided is counted. \"shown by\" bound: its")
    print("cost meets a lower bound; refutations: every better candidate of the class was refuted; open: neither. Beside the SCCL paper's tables 4 and 5")
    print("for the machines that it has: its own rows, what is better than they, and what it lacks.\n")
    print(f"{sum(len(d) for d in found.values())} frontiers on {len(found)} machines; {whole} of them are whole.\n")
    for machine in sorted(found):
        print(f"## {machine}\n")
        for data in found[machine]:
            root = data["collective"].get("root") or 0
            kind = data["collective"]["kind"]
            table(data, rows.get((machine, kind, root)) or rows.get((machine, kind, 0)) or [])


if __name__ == "__main__":
    main()
