#!/usr/bin/env python3
"""Trees of `linear-program --fewest`: that fewer do not reach the rate, whatever their weights, by Z3. TAP.

A tree of weight w loads each of its links with w, so that k trees reach the rate N if their weights sum to N, no link gets
more than its width, and each tree has a link over every cut and as many links as nodes but one. Rates and widths are
scaled to integers. Fewer than k trees are k trees too, one of them split.

fewest-trees.py PROGRAM
"""
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction

MACHINES = {"p3.8xlarge": 2, "p3.16xlarge": 6, "dgx1p": 6, "torus:3x3": 5}
REFUTED = ("p3.8xlarge", "p3.16xlarge")  # with these Z3 is done in seconds


def answer(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, check=True).stdout


def question(links, nodes, rate, k):
    """SMT-LIB: k spanning trees of that rate. LINKS: width by pair."""
    out, pairs, scale = [], sorted(links), rate.denominator
    most = scale * max(links.values())
    full = "=" if sum(links.values()) == rate * (nodes - 1) else ">="
    for t in range(k):
        used = [f"x{t}_{i}" for i in range(len(pairs))]
        out.append(f"(declare-const w{t} Real)(assert (> w{t} 0))(assert (<= w{t} {most}))" + (f"(assert (>= w{t - 1} w{t}))" if t else ""))
        out += [f"(declare-const {x} Bool)(declare-const y{x} Real)(assert (ite {x} (= y{x} w{t}) (= y{x} 0)))" for x in used]
        out += [f"(assert ((_ {bound} {nodes - 1}) {' '.join(used)}))" for bound in ("at-most", "at-least")]
        for cut in range(1, 1 << (nodes - 1)):
            side = cut << 1
            crossing = (x for x, (a, b) in zip(used, pairs) if (side >> a ^ side >> b) & 1)
            out.append(f"(assert (or false {' '.join(crossing)}))")
    out.append(f"(assert (= {rate.numerator} (+ 0 {' '.join(f'w{t}' for t in range(k))})))")
    for i, pair in enumerate(pairs):
        out.append(f"(assert ({full} {scale * links[pair]} (+ 0 {' '.join(f'yx{t}_{i}' for t in range(k))})))")
    return "\n".join(out) + "\n(check-sat)\n"


def ask(text):
    return subprocess.run(["z3", "-in", "-T:100"], input=text, capture_output=True, text=True, check=False).stdout.strip()


number = 0


def ok(good, name, skip=""):
    global number
    number += 1
    print(f"{'' if good else 'not '}ok {number} {name}" + (f" # SKIP {skip}" if skip else ""), flush=True)


print(f"1..{len(MACHINES) + len(REFUTED) + 1}")
for machine, fewest in MACHINES.items():
    told = re.search(r"C\(G\) = \S+, (\d+) trees of weight \d+ in total, rate (\S+)", answer("build", "-t", machine, "-c", "allreduce", "--method",
                                                                                       "linear-program", "--fewest"))
    ok(told and int(told.group(1)) == fewest, f"{machine}: {fewest} trees")
    if machine not in REFUTED:
        continue
    shown = json.loads(answer("topology", "show", machine, "--format", "json"))
    widths = {(min(l["src"], l["dst"]), max(l["src"], l["dst"])): l["bandwidth"] for l in shown["links"]}
    nodes = max(max(pair) for pair in widths) + 1
    for k, expected in ((fewest - 1, "unsat"), (fewest, "sat"))[: 2 if nodes < 5 else 1]:
        name = f"{machine}: {k}, whatever their weights: {expected}"
        if shutil.which("z3"):
            ok(ask(question(widths, nodes, Fraction(told.group(2)), k)) == expected, name)
        else:
            ok(True, name, "no z3")
sys.exit(0)
