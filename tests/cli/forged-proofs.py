#!/usr/bin/env python3
"""Forged proofs, algorithms and frontiers: what one change of a value does not make. Each says something that is false, or says it in a form
that nobody writes, and neither check-proof nor verify may take it: exit status 1 or 2, and soon.

usage: forged-proofs.py SCCL-SYNTH SOURCE   TAP
"""
import copy, hashlib, json, os, pathlib, sys, tempfile

from taps import finish, ok, run

BIG = 2**31 - 1


def refused(what, *arguments):
    status, out, err = run(*arguments)
    ok(what, status in (1, 2), f"exit {status}: {(out + err)[:300]}")


def made(*arguments):
    status, out, err = run(*arguments)
    if status != 0:
        sys.exit(f"Bail out! {arguments}: {out}{err}")


def forged(what, folder, name, change, *commands):
    """CHANGE gets the JSON value of FOLDER/NAME, and changes it or returns the text to write."""
    path = folder / name
    whole = path.read_text()
    value = json.loads(whole)
    text = change(value)
    path.write_text(text if isinstance(text, str) else json.dumps(value))
    for command in commands:
        refused(f"{what}: {' '.join(command)}", *command, str(path))
    path.write_text(whole)


# ---- proofs ----

def refusals(p):
    return {tuple(r["candidate"]): r for r in p["refuted"]}


def set_bound(**members):
    def change(p):
        p["bounds"]["bandwidth"] = members
    return change


def set_timed(at_least, steps, cuts, **more):
    def change(p):
        p["bounds"]["in_steps"] = [dict(steps=steps, at_least=at_least, cuts=[dict(weight=w, until=u) for w, u in cuts], **more)]
    return change


def set_program(at_least, steps, pays, **more):
    def change(p):
        p["bounds"]["programs"] = [dict(steps=steps, at_least=at_least, pays=pays, **more)]
    return change


def circle(p):
    a, b = p["refuted"][:2]
    p["refuted"][:2] = [{"candidate": a["candidate"], "by": "implied", "from": b["candidate"]},
                        {"candidate": b["candidate"], "by": "implied", "from": a["candidate"]}]


def itself(p):
    a = p["refuted"][0]
    p["refuted"][0] = {"candidate": a["candidate"], "by": "implied", "from": a["candidate"]}


def by(word):
    def change(p):
        p["refuted"][0] = {"candidate": p["refuted"][0]["candidate"], "by": word}
    return change


def swap(member):
    def change(p):
        a, b = p["refuted"][0], p["refuted"][1]
        a[member], b[member] = b[member], a[member]
    return change


def found(p):
    """What has an algorithm, said to be refuted as another is."""
    refusal = copy.deepcopy(p["refuted"][-1])
    refusal.update(candidate=[2, 2, 3], order=[])
    p["refuted"].append(refusal)


def found_again(p):
    found(p)
    p["refuted"][-1]["trace"]["file"] = None


def ordered(change):
    def of(p):
        change(p["refuted"][0]["order"])
    return of


def text_of(find, put):
    def change(p):
        text = json.dumps(p)
        assert find in text, find
        return text.replace(find, put, 1)
    return change


PROOFS = [
    ("two that follow from each other", circle), ("one that follows from itself", itself),
    ("below no step bound", by("steps")), ("below no cut", by("cut")), ("below no timed cut", by("timed")),
    ("below no program", by("program")),
    ("halves of what is not composed", by("halves")), ("formulas swapped", swap("formula")), ("traces swapped", swap("trace")),
    ("orders swapped", swap("order")), ("an algorithm's cost with another's trace", found),
    ("an algorithm's cost with a trace that nobody kept", found_again),
    ("a share of what is no allreduce", lambda p: p["refuted"][0].update(by="share")),
    ("chunks that descend", ordered(lambda o: o[0]["chunks"].reverse())),
    ("chunks of two nodes in one class", ordered(lambda o: o[0].update(chunks=[0, 1]))),
    ("chunks in two classes", ordered(lambda o: o.append(o[0]))),
    ("a chunk that is not there", ordered(lambda o: o[0]["chunks"].append(2**24))),
    ("more nodes in an order than there are", ordered(lambda o: o[0].update(nodes=list(range(8)) * 2))),
    ("a bound without a cut", set_bound(at_least="7/6")),
    ("a bound of nodes on no side", set_bound(at_least="7/6", **{"from": [0], "to": [1]})),
    ("a bound of an empty side", set_bound(at_least="7/6", **{"from": [], "to": list(range(8))})),
    ("a bound of two empty sides", set_bound(at_least="7/6", **{"from": [], "to": []})),
    ("a bound of parts of what is no allreduce", set_bound(at_least="7/6", parts=[[n] for n in range(8)])),
    ("a bound of empty parts", set_bound(at_least="7/6", parts=[list(range(8)), []])),
    ("a bound of two cuts", set_bound(at_least="7/6", hops=True, parts=[[0], list(range(1, 8))])),
    ("a bound of hops that are too few", set_bound(at_least="7/6", hops=True)),
    ("a negative bound", set_bound(at_least="-7/6", hops=True)),
    ("a bound over nothing", set_bound(at_least="7/0", hops=True)),
    ("a bound that is large", set_bound(at_least=f"{2**63 - 1}/{2**63 - 2}", hops=True)),
    ("a bound beyond numbers", set_bound(at_least=f"{2**64}/1", hops=True)),
    ("prices of one link, twice", set_bound(at_least="7/6", prices=[[1, 0, 1], [1, 0, 1]])),
    ("prices that are large", set_bound(at_least="7/6", prices=[[n, 0, BIG] for n in (1, 2, 3, 4)] + [[0, n, BIG] for n in (1, 2, 3, 4)])),
    ("a price of no link", set_bound(at_least="7/6", prices=[[0, 5, 1]])),
    ("a price of nothing", set_bound(at_least="7/6", prices=[[1, 0, 0]])),
    ("a price of a limit that is not there", set_bound(at_least="7/6", limit_prices=[[BIG, 1]])),
    ("a timed cut with all inside", set_timed("9", 2, [(1, [2] * 8)])),
    ("a timed cut with all outside", set_timed("9", 2, [(1, [-1] * 8)])),
    ("timed cuts that weigh much", set_timed("9", 2, [(BIG, [2] + [-1] * 7)] * 4000)),
    ("a timed cut without cuts", set_timed("1/1000", 2, [])),
    ("a timed cut beyond its steps", set_timed("1", 2, [(1, [3] + [-1] * 7)])),
    ("a timed cut before the beginning", set_timed("1", 2, [(1, [2] + [-2] * 7)])),
    ("a timed cut of a negative weight", set_timed("1", 2, [(-1, [2] + [-1] * 7)])),
    ("a timed cut of no steps", set_timed("1", 0, [(1, [0] + [-1] * 7)])),
    ("a timed cut with free limits", set_timed("9", 2, [(1, [2] + [-1] * 7)], prices=[[1, BIG, BIG]])),
    ("a program without prices", set_program("1/1000", 2, [[0, 8]])),
    ("a program that pays for nothing", set_program("1/1000", 2, [[1, 8]])),
    ("a program with a price of no link", set_program("1", 2, [[0, 8]], prices=[[1, 0, 5, 1]])),
    ("a program with a price of no limit", set_program("1", 2, [[0, 8]], limit_prices=[[1, BIG, 1]])),
    ("a program with a price beyond its steps", set_program("1", 2, [[0, 8]], prices=[[3, 0, 1, 1]])),
    ("a program with a negative price", set_program("1", 2, [[0, 8]], prices=[[1, 0, 1, -1]])),
    ("a program with a price of a link, twice", set_program("1", 2, [[0, 8]], prices=[[1, 0, 1, 1]] * 2)),
    ("a program with prices that are large", set_program("1", 2, [[2**60, 8]], prices=[[s, a, 1 - a, 2**60] for s in (1, 2) for a in (0, 1)])),
    ("a program of too few pays", set_program("1/1000", 2, [[0, 7]], prices=[[1, 0, 1, 1]])),
    ("a program of many pays", set_program("1/1000", 2, [[1, 2**24]] * 9, prices=[[1, 0, 1, 1]])),
    ("a program of a pay for no chunks", set_program("1/1000", 2, [[0, 8], [BIG, 0]], prices=[[1, 0, 1, 1]])),
    ("a program of no steps", set_program("1/1000", 0, [[0, 8]])),
    ("a program without pays", lambda p: p["bounds"].update(programs=[{"steps": 2, "at_least": "1/1000"}])),
    ("programs of the same steps", lambda p: p["bounds"].update(programs=[dict(steps=2, at_least="0", pays=[[0, 8]])] * 2)),
    ("a member twice", text_of('"refuted": [', '"refuted": [], "refuted": [')),
    ("a list under a name of one's own", text_of('"refuted": [', '"refuted": [], "x-refuted": [')),
    ("NUL in a name", text_of('"frontier": "frontier.json"', '"frontier": "frontier.json\\u0000x"')),
    ("a number with an exponent", text_of('"version": 1', '"version": 1e0')),
    ("a number that is none", text_of('"version": 1', '"version": NaN')),
    ("a frontier above", text_of('"frontier": "frontier.json"', '"frontier": "../allgather/frontier.json"')),
    ("no points", lambda p: p.update(points=[])),
    ("points twice", lambda p: p["points"].extend(p["points"])),
    ("points turned around", lambda p: p["points"].reverse()),
]

TRACES = [
    ("an empty trace", b""), ("the empty clause alone", b"a\x00"), ("a trace that is torn", b"a\x02"),
    ("a number that does not end", b"a" + b"\x80" * 64 + b"\x00"), ("a number that is too large", b"a\xff\xff\xff\xff\x7f\x00"),
    ("variable 0", b"a\x01\x00"), ("zero in two bytes", b"a\x80\x00"), ("a variable that is not there", b"a\xfe\xff\xff\x0f\x00a\x00"),
    ("a clause and its negative", b"a\x02\x00a\x03\x00a\x00"), ("a true clause", b"a\x02\x03\x00a\x00"),
    ("what is not there deleted", b"d\x02\x03\x00a\x00"), ("no line", b"x\x00a\x00"), ("all deleted first", b"d\x00a\x00"),
]


def forge_trace(folder, bytes_):
    digest = hashlib.sha256(bytes_).hexdigest()
    name = f"proofs/{digest[:16]}.drat"
    (folder.parent / "proofs").mkdir(exist_ok=True)
    (folder.parent / name).write_bytes(bytes_)

    def change(p):
        p["refuted"][0]["trace"] = {"solver": "none", "bytes": len(bytes_), "sha256": digest, "file": "../" + name}
    return change


def proofs():
    made("pareto", "-t", "dgx1", "-c", "allgather", "-k", "4", "--fresh", "-o", "f")
    made("prove", "--traces", "f/dgx1/allgather/frontier.json")
    folder = pathlib.Path("f/dgx1/allgather")
    made("check-proof", str(folder / "proofs.json"))
    for what, change in PROOFS:
        forged(what, folder, "proofs.json", change, ["check-proof"])
    for what, bytes_ in TRACES:
        forged(what, folder, "proofs.json", forge_trace(folder, bytes_), ["check-proof"])


# ---- algorithms ----

def optimality(**claims):
    def change(a):
        a["optimality"] = claims
    return change


def sent(change_sends):
    def change(a):
        change_sends(a["steps"])
    return change


def compact(nodes, parts):
    def change(a):
        a["symmetry"] = [{"nodes": nodes, "parts": parts}]
    return change


def drop_root(a):
    """One send of the orbits of all, with a turn that is none of the line's."""
    a["symmetry"] = [{"nodes": [1, 2, 3, 0], "parts": [0]}]
    for step in a["steps"]:
        step["sends"] = [s for s in step["sends"] if s[0] == 0]


ALGORITHMS = [
    ("the best of all, exhausted, with nothing refuted", optimality(**{"class": "pareto", "proof": "exhausted", "class_k": 3, "refuted": []})),
    ("a class that is too large to look at", optimality(**{"class": "pareto", "proof": "exhausted", "class_k": 2**24, "refuted": []})),
    ("refuted is what is no better", optimality(**{"class": "pareto", "proof": "exhausted", "class_k": 3, "refuted": [[1, 9, 9]]})),
    ("the fewest steps", optimality(**{"class": "latency", "proof": "bound"})),
    ("the least rounds", optimality(**{"class": "bandwidth", "proof": "bound"})),
    ("compositions of what is none", optimality(**{"class": "none", "within": "composition"})),
    ("a send that is not held", sent(lambda s: s[0]["sends"].append([0, 2, 3]))),
    ("a send to itself", sent(lambda s: s[0]["sends"].append([0, 0, 0]))),
    ("a send of a chunk beyond", sent(lambda s: s[0]["sends"].append([4, 0, 1]))),
    ("more sends than fit", sent(lambda s: s[0]["sends"].extend([[0, 0, 1]] * 9))),
    ("sums of what does not combine", sent(lambda s: s[0].update(reduces=[[0, 0, 1]]))),
    ("a step without rounds", sent(lambda s: s[0].update(rounds=0))),
    ("a generator of fewer nodes", compact([0, 1, 2], [0])), ("a generator of more parts", compact([0, 1, 2, 3], [0, 1])),
    ("a generator that is none", compact([0, 0, 2, 3], [0])), ("a turn that the machine has not", drop_root),
    ("more generators than may be", lambda a: a.update(symmetry=[{"nodes": [0, 1, 2, 3], "parts": [0]}] * 65)),
    ("a root without one", lambda a: a.update(collective={"kind": "allgather", "root": 0})),
    ("roots of an allgather", lambda a: a.update(collective={"kind": "allgather", "roots": [0]})),
    ("more chunks than there are", lambda a: a.update(global_chunks=8)),
]


def algorithms():
    # (1,4,4) on a line of four: worse than the bounds, 3 steps and 3 rounds a chunk.
    steps = [[[0, 0, 1], [1, 1, 2], [2, 2, 1], [3, 3, 2]], [[1, 1, 0], [1, 2, 3], [2, 1, 0], [2, 2, 3]], [[0, 1, 2], [3, 2, 1]], [[0, 2, 3], [3, 1, 0]]]
    rounds = [1, 2, 1, 1]
    links = [{"src": n, "dst": n + 1, "bandwidth": 1} for n in range(3)]
    a = {"format": "sccl-algorithm", "version": 1, "name": "a", "collective": {"kind": "allgather"}, "chunks": 1, "global_chunks": 4,
         "topology": {"format": "sccl-topology", "version": 1, "name": "m", "nodes": 4, "duplex": True, "links": links},
         "steps": [{"rounds": r, "sends": s} for r, s in zip(rounds, steps)], "cost": {"steps": 4, "rounds": 5, "bandwidth": 5}}
    pathlib.Path("a.json").write_text(json.dumps(a))
    made("verify", "a.json")
    for what, change in ALGORITHMS:
        forged(what, pathlib.Path("."), "a.json", change, ["verify"], ["verify", "--proofs"])


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    proofs()
    algorithms()
finish()
