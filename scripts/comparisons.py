#!/usr/bin/env python3
"""The facts and comparisons of five papers, beside what the program gives.

comparisons.py SCCL-SYNTH SOURCE [--quick | --tables | --curves | --facts] [PAPER...]: prints the tables of docs/evidence/papers.md (for PAPER: multitree,
mxnet, blink, sccl, wang; with --quick those rows that take little time), the list of facts (--facts: that alone), and then the curves of docs/evidence/comparisons.md. Exit
status 1 where a published fact that came out does not any more, where one comes out that has a reason why it cannot, and where a fact has no row."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from papers import blink, curves, facts, multitree, mxnet, rows, sccl, wang  # noqa: E402

PAPERS = [module.paper for module in (multitree, mxnet, blink, sccl, wang)]


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    options = {w for w in sys.argv[1:] if w.startswith("--")}
    keys = words[2:] or [p.key for p in PAPERS]
    if len(words) < 2 or options - {"--quick", "--tables", "--curves", "--facts"} or set(keys) - {p.key for p in PAPERS}:
        sys.exit(__doc__)
    rows.start(*words[:2])
    wrong = facts.unmatched(PAPERS)
    if not options & {"--curves", "--facts"}:
        for paper in PAPERS:
            wrong += paper.table("--quick" in options) if paper.key in keys else []
    if not options & {"--quick", "--curves"} and not words[2:]:
        facts.print_all(PAPERS)
    if not options & {"--quick", "--tables", "--facts"} and not words[2:]:
        wrong += curves.print_all(*words[:2])
    for line in wrong:
        print(f"not so: {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
