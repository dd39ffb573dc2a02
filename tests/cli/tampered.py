#!/usr/bin/env python3
"""Tampered catalogs: small frontiers with their proofs and algorithms, and in each file, one after the other, every value changed,
every member and element left out or doubled, and every file replaced by each of the others. `verify --proofs` must refuse each with
exit status 1 or 2, unless what the file says then is still true: HARMLESS below says which changes these are, and why.

usage: tampered.py SCCL-SYNTH SOURCE [EVERY]   TAP; of the changes one in EVERY is tried (1: all)
"""
import copy, json, os, pathlib, subprocess, sys, tempfile, zlib
from fractions import Fraction

PROGRAM, SOURCE = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
EVERY = int(sys.argv[3]) if len(sys.argv) > 3 else 1
ENV = dict(os.environ, SCCL_PATH=SOURCE, LC_ALL="C")

HALO = {"format": "sccl-collective", "version": 1, "name": "halo", "nodes": 4,
        "pre": [[0, 0], [1, 1], [2, 2], [3, 3]], "post": [[0, 1], [1, 2], [2, 3], [3, 0]]}
TURNED = dict(HALO, post=[[0, 3], [1, 0], [2, 1], [3, 2]])


def square(*links):
    return {"format": "sccl-topology", "version": 1, "name": "m", "nodes": 4, "duplex": True,
            "links": [{"src": a, "dst": b, "bandwidth": 1} for a, b in links]}


FILES = {"halo.json": HALO, "turned.json": TURNED, "m.json": square((0, 1), (1, 2), (2, 3), (0, 3)),
         "n.json": square((0, 2), (1, 2), (1, 3), (0, 3))}

# Name, what pareto is asked, what prove is asked (None: there are no certificates for such).
FAMILIES = [
    ("gather", "-t line:3 -c gather --root 1 -k 4", ""),
    ("roots", "-t ring:4 -c broadcast --root 0,2 -k 4", ""),
    ("other-roots", "-t ring:4 -c broadcast --root 1,3 -k 4", ""),
    ("scatter", "-t ring:4 -c scatter --root 0,1 -k 1", ""),
    ("halo", "-t ring:4 -c ./halo.json -k 2", ""),
    ("turned", "-t ring:4 -c ./turned.json -k 2", ""),
    ("sums", "-t ./m.json -c allreduce -k 2", "--traces"),
    ("other-sums", "-t ./n.json -c allreduce -k 2", "--traces"),
    ("direct", "-t line:3 -c allreduce --within direct -k 1", ""),
    ("composed", "-t line:3 -c allreduce --within composition -k 2", ""),
    ("traced", "-t amd-z52@gpus=0,1,2,3 -c allgather -k 2 --fresh", "--traces"),
    ("few-chunks", "-t ring:4 -c ./halo.json -k 4 --max-chunks 2", ""),
    ("exchange", "-t star:4 -c alltoall -k 1 --max-steps 2", ""),
    ("least", "-t switch:3 -c broadcast --max-steps 3", ""),
    ("least-turned", "-t line:3 -c reducescatter", ""),
    ("least-sums", "-t line:3 -c allreduce --max-steps 4", ""),
    ("least-composed", "-t line:3 -c allreduce --within composition", ""),
    ("least-few", "-t line:4 -c broadcast --root 0,1 --max-steps 5 --max-chunks 2", ""),
    ("least-exchange", "-t star:4 -c alltoall", ""),
    ("pipeline", "-t ring:4 -c allgather --pipeline 1", None),
    ("memory", "-t ring:4 -c alltoall --extra-memory 1 -k 1", None),
]


def run(*words, cwd, stdout=subprocess.PIPE):
    done = subprocess.run([PROGRAM, *words], cwd=cwd, env=ENV, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT,
                          text=True, timeout=120)
    return done.returncode, done.stdout


def make(work):
    for name, content in FILES.items():
        (work / name).write_text(json.dumps(content))
    for name, question, proof in FAMILIES:
        status, out = run("pareto", *question.split(), "-o", name, cwd=work)
        assert status == 0, (name, out)
        if proof is not None:
            for frontier in sorted((work / name).rglob("frontier*.json")):
                status, out = run("prove", *proof.split(), str(frontier.relative_to(work)), cwd=work)
                assert status == 0, (name, out)


def judged(name, work):
    proofs = [p for n, _, p in FAMILIES if n == name][0]
    return run("verify", *(["--proofs"] if proofs is not None else []), name, cwd=work)


# ---- changes ----

WORDS = [["all", "composition", "one-value"], ["bound", "steps", "limit"], ["none", "latency", "bandwidth", "both", "pareto"],
         ["bound", "exhausted"], ["steps", "cut", "timed", "program", "trace", "implied", "share", "halves"], ["steps", "cut", "refusals"],
         ["broadcast", "reduce", "gather", "scatter"], ["allgather", "reducescatter", "alltoall", "allreduce", "scan"]]


def other_values(value):
    """Others of its kind."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        for other in (value + 1, value - 1, 0, 2 * value + 7):
            if other != value:
                yield other
    elif isinstance(value, str):
        near = {w for words in WORDS if value in words for w in words if w != value}
        if value.replace("/", "").isdigit():
            n, _, d = value.partition("/")
            d = int(d or 1)
            near |= {f"{int(n) * 2 + 1}/{d * 2}", f"{int(n) * 2 - 1}/{d * 2}", "0", "1000"}
        yield from sorted(near)
        yield value + "x"
        if len(value) == 64:
            yield "0" * 64
    elif value is None:
        yield "bound"


def changes(value, path=()):
    """(path, what, function that changes a copy in place given its parent and key) of all that can be changed below."""
    if isinstance(value, dict):
        for key in value:
            yield path + (key,), "left out", lambda parent, key: parent.pop(key)
            yield from changes(value[key], path + (key,))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield path + (i,), "left out", lambda parent, key: parent.pop(key)
            yield path + (i,), "doubled", lambda parent, key: parent.insert(key, copy.deepcopy(parent[key]))
            if i:
                def swap(parent, key):
                    parent[key - 1], parent[key] = parent[key], parent[key - 1]
                yield path + (i,), "swapped", swap
            yield from changes(value[i], path + (i,))
    if not isinstance(value, (dict, list)):
        for other in other_values(value):
            def put(parent, key, other=other):
                parent[key] = other
            yield path, f"{json.dumps(value)} to {json.dumps(other)}", put


def changed(document, path, change):
    out = copy.deepcopy(document)
    parent = out
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return out


# ---- what stays true ----

# Lists that are sets, and texts that claim nothing.
SETS = {"sends", "reduces", "links", "limits", "edges", "pre", "post", "from", "to", "parts", "prices", "limit_prices", "cuts", "by"}
TEXTS = {"made_by", "solver"}


def meaning(value, proof, key=None):
    """Equal where nothing but the order of sets and such texts differ."""
    if isinstance(value, dict):
        silent = TEXTS | ({"name"} if value.get("format") == "sccl-algorithm" else set())
        return {k: meaning(v, proof, k) for k, v in value.items()
                if k not in silent and v not in ([], False) and (k, v) != ("within", "all")}
    if isinstance(value, list):
        inner = [meaning(v, proof) for v in value]
        if key in SETS or (proof and key in {"refuted", "in_steps", "programs"}):
            return sorted(inner if not proof else {json.dumps(v): v for v in inner}.values(), key=json.dumps)
        return inner
    return value


def candidates(f, nodes, within):
    """The class of a frontier file: all (C, S, R) that would beat its points. Without k its values say that there are none."""
    if f["k"] is None:
        return set()
    bound = Fraction(f["bounds"]["bandwidth"])
    blocks = f["kind"] in ("scatter", "alltoall", "reducescatter") or within == "composition"
    unit, best, out = nodes if blocks else 1, None, set()
    for s in range(max(f["bounds"]["steps"], 1), f["last_steps"] + 1):
        for p in f["points"]:
            if p["steps"] == s:
                best = Fraction(p["rounds"], p["chunks"])
        for r in range(s, s + f["k"] + 1):
            for c in range(unit, min(int(r / bound), f.get("max_chunks", 1 << 24)) + 1, unit):
                if best is None or Fraction(r, c) < best:
                    out.add((c, s, r))
    return out


def classes(f):
    for part in (f, f.get("composition")):
        if part:
            within = f["within"] if part is f else "composition"
            yield part, candidates(dict(part, kind=f["collective"]["kind"]), f["nodes"], within)


def lists_are_whole(f):
    return all({tuple(c) for c in part["refuted"] + part["open"]} == whole for part, whole in classes(f))


def claims(proof):
    """What a proof says is so, without why."""
    out = copy.deepcopy(proof)
    for side in [out] + out.get("composition", {}).get("halves", []):
        side["refuted"] = sorted({json.dumps(r["candidate"]) for r in side["refuted"]})
        side["bounds"]["bandwidth"] = side["bounds"]["bandwidth"]["at_least"]
        for key in ("in_steps", "programs"):
            side["bounds"][key] = {b["steps"]: b["at_least"] for b in side["bounds"].get(key, [])}
    return out


def shows_less(document, after):
    """All that it says is said by the first, and counted there or not at all."""
    a, b = claims(document), claims(after)
    for x, y in zip([a] + a.get("composition", {}).get("halves", []), [b] + b.get("composition", {}).get("halves", [])):
        for key in ("in_steps", "programs"):
            for steps, least in list(y["bounds"][key].items()):
                if Fraction(least) <= Fraction(x["bounds"][key].get(steps, "0")):
                    x["bounds"][key].pop(steps, None)
                    y["bounds"][key].pop(steps)
            x["bounds"][key] = y["bounds"][key]
        x["refuted"], y["refuted"] = [], sorted(set(y["refuted"]) - set(x["refuted"]))
    return meaning(a, True) == meaning(b, True)


# Bounds of a proof of which its frontier says nothing: a lower one is true as well.
BESIDE = {"direct": ("composition", "halves"), "composed": ("bounds",), "least-composed": ("bounds",)}


def is_lower(name, path, document, after):
    if path[-1] not in ("steps", "at_least") or path[:len(BESIDE.get(name, ()))] != BESIDE.get(name):
        return False
    was, now = document, after
    for key in path:
        was, now = was[key], now.get(key) if isinstance(now, dict) else now[key]
    return now is not None and Fraction(now) < Fraction(was)


def is_harmless(name, kind, path, document, after, proved):
    """Why what the file says is still true, if it is accepted."""
    if kind == "proof" and is_lower(name, path, document, after):
        return "a lower bound of what the frontier says nothing of"
    if meaning(document, kind == "proof") == meaning(after, kind == "proof"):
        return "the same in another order, or a text that claims nothing"
    if kind == "algorithm" and path[0] == "steps":
        return "another schedule of the same cost, which is played"
    if kind == "algorithm" and path[0] == "topology" and not proved:
        return "the only file that holds the machine, and the bounds, which are counted, are the same"
    if kind == "frontier" and document["k"] is None and path[-1] == "max_chunks":
        return "the values are of any number of chunks"
    if kind == "frontier" and document["k"] is None and path[0] == "values" and path[-1] == "root" and "root" not in after["values"][path[1]]:
        return "of no root in particular"
    if kind == "frontier" and document["k"] is not None and path[-1] in ("k", "last_steps", "max_chunks") and lists_are_whole(after):
        return "the class is the same"
    if kind == "frontier" and path == ("composition",) and all(p["within"] != "composition" for p in after["points"]):
        return "nothing is said of compositions"
    if kind == "proof" and shows_less(document, after):
        return "the same is said, or less, and another reason or cut that shows it holds too"
    return None


def tried(label):
    return zlib.crc32(label.encode()) % EVERY == 0


def kind_of(document):
    return document["format"].removeprefix("sccl-")


class Tally:
    def __init__(self):
        self.n, self.wrong = 0, []

    def take(self, label, status, out, harmless):
        self.n += 1
        if status in (1, 2) or (status == 0 and harmless):
            return
        self.wrong.append(f"{label}: exit {status}")
        print(f"# {label}: exit {status}")


def tamper_values(name, work, files, tally, proved):
    for file in files:
        original = file.read_text()
        document = json.loads(original)
        for path, what, change in changes(document):
            label = f"{file.relative_to(work)}: {'.'.join(map(str, path))}: {what}"
            if not tried(label):
                continue
            after = changed(document, path, change)
            if after == document:
                continue
            file.write_text(json.dumps(after))
            status, out = judged(name, work)
            harmless = status == 0 and is_harmless(name, kind_of(document), path, document, after, proved)
            tally.take(label, status, out, harmless)
        file.write_text(original)


def is_right_alone(document):
    """An algorithm, or a frontier without points, which holds its machine."""
    return kind_of(document) == "algorithm" or (kind_of(document) == "frontier" and not document["points"])


def tamper_files(name, work, files, others, tally, proved):
    """Each file gone, and each in the place of another. Nothing needs a frontier that nothing proves, or an algorithm in its place."""
    for file in files:
        original = file.read_text()
        file.unlink()
        status, out = judged(name, work)
        is_needless = kind_of(json.loads(original)) == "frontier" and not proved
        tally.take(f"{file.relative_to(work)}: gone", status, out, is_needless)
        for other in others:
            label = f"{file.relative_to(work)}: {other.relative_to(work)} in its place"
            content = other.read_text() if other != file else original
            if content == original or (other not in files and not tried(label)):
                continue
            file.write_text(content)
            status, out = judged(name, work)
            tally.take(label, status, out, is_needless and is_right_alone(json.loads(content)))
        file.write_text(original)


def forge(f, points):
    """The frontier F with these points alone, whole by all that it lists, and what else it then says."""
    out = copy.deepcopy(f)
    out["points"] = points
    out["refuted"] = sorted(map(list, next(classes(out))[1]), key=lambda c: (c[1], Fraction(c[2], c[0]), c[0]))
    best = [Fraction(p["bandwidth"]) for p in points if p["steps"] <= f["last_steps"]]
    out["ended"] = "bound" if best and best[-1] == Fraction(f["bounds"]["bandwidth"]) else "steps"
    return out


def beaten_by(refuted, point):
    cost = Fraction(point["rounds"], point["chunks"])
    return [c for c in refuted if c[1] <= point["steps"] and
            (Fraction(c[2], c[0]) < cost or (Fraction(c[2], c[0]) == cost and c[1] < point["steps"]))]


def tamper_points(name, work, files, tally):
    """A point left out of all files, and what it beat said to be refuted, for each reason that needs no trace."""
    by_kind = {k: [f for f in files if kind_of(json.loads(f.read_text())) == k] for k in ("frontier", "proof", "algorithm")}
    originals = {f: f.read_text() for f in files}
    if not by_kind["proof"]:
        return
    frontier, proof = by_kind["frontier"][0], by_kind["proof"][0]
    f, p = json.loads(originals[frontier]), json.loads(originals[proof])
    for i in range(len(f["points"])):
        forged = forge(f, f["points"][:i] + f["points"][i + 1:])
        new = [c for c in forged["refuted"] if c not in f["refuted"]]
        for reason in ("cut", "steps", "timed", "program", "implied"):
            told = copy.deepcopy(p)
            told["points"] = [x for x in told["points"] if x["point"][:2] != [f["points"][i]["chunks"], f["points"][i]["steps"]]]
            for c in new:
                leans = [r["candidate"] for r in p["refuted"] if r["by"] != "implied"] or [c]
                told["refuted"].append({"candidate": c, "by": reason} | ({"from": leans[0]} if reason == "implied" else {}))
            frontier.write_text(json.dumps(forged))
            proof.write_text(json.dumps(told))
            for file in by_kind["algorithm"]:
                a = json.loads(originals[file])
                mine = [q for q in forged["points"] if q["file"] == file.name]
                if mine and a["optimality"]["proof"] == "exhausted" and mine[0].get("within") != "composition":
                    a["optimality"]["refuted"] = beaten_by(forged["refuted"], mine[0])
                    file.write_text(json.dumps(a))
            status, out = judged(name, work)
            tally.take(f"{name}: point {i} forgotten, and what it beat refuted by {reason}", status, out, not new)
            for file, text in originals.items():
                file.write_text(text)


def tamper_bounds(name, work, files, tally):
    """Other bounds, in all files at once."""
    originals = {f: f.read_text() for f in files}
    for key, change in [("steps", lambda s: s + 1), ("steps", lambda s: s - 1), ("bandwidth", lambda b: str(Fraction(b) * 2)),
                        ("bandwidth", lambda b: str(Fraction(b) / 2))]:
        for file in files:
            d = json.loads(originals[file])
            for part in (d, d.get("composition", {})):
                b = part.get("bounds")
                if b and key == "bandwidth" and isinstance(b[key], dict):
                    b[key]["at_least"] = change(b[key]["at_least"])
                elif b:
                    b[key] = change(b[key])
            file.write_text(json.dumps(d))
        status, out = judged(name, work)
        tally.take(f"{name}: other {key} everywhere", status, out, None)
    for file, text in originals.items():
        file.write_text(text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make(work)
        everything = {n: sorted(f for f in (work / n).rglob("*.json")) for n, _, _ in FAMILIES}
        others = [f for files in everything.values() for f in files]
        n, failed = 0, False
        for name, _, proof in FAMILIES:
            files = everything[name]
            status, out = judged(name, work)
            tally = Tally()
            tamper_values(name, work, files, tally, proof is not None)
            tamper_files(name, work, files, others, tally, proof is not None)
            tamper_points(name, work, files, tally)
            tamper_bounds(name, work, files, tally)
            print(f"{'not ok' if status else 'ok'} {n + 1} - {name} as it is")
            print(f"{'not ok' if tally.wrong else 'ok'} {n + 2} - {name}: of {tally.n} changes {len(tally.wrong)} were accepted", flush=True)
            n, failed = n + 2, failed or tally.wrong or status
        print(f"1..{n}")
        sys.exit(1 if failed else 0)


main()
