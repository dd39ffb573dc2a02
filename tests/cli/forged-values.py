#!/usr/bin/env python3
"""Forged frontiers without k and their certificates: each kind of forgery once, in all the files that it takes to make
them agree. `verify --proofs` of the folder and check-proof of the certificate must refuse each with exit status 1 or 2,
in lines of which one gives the reason. Files that nobody touched pass.

usage: forged-values.py SCCL-SYNTH SOURCE   TAP
"""
import copy, json, os, pathlib, re, shutil, sys, tempfile
from fractions import Fraction

from taps import finish, ok, run

BIG = 2**60 + 1


class Files:
    """The files of one collective as JSON: the frontier f, its certificate p, the algorithms of its points."""

    def __init__(self, folder, roots=""):
        self.folder, self.roots = pathlib.Path(folder), roots
        self.f, self.p = self.read(f"frontier{roots}.json"), self.read(f"proofs{roots}.json")
        self.algorithms = {q["file"]: self.read(q["file"]) for part in self.parts() for q in part["points"]}

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def parts(self):
        return [part for part in (self.f, self.f.get("composition")) if part]

    def write(self):
        own = {f"frontier{self.roots}.json": self.f, f"proofs{self.roots}.json": self.p}
        for name, content in {**own, **self.algorithms}.items():
            (self.folder / name).write_text(json.dumps(content))

    # ---- what is changed ----

    def program(self, steps, half=None):
        return next(p for p in self.programs(half) if p["steps"] == steps)

    def programs(self, half=None):
        return (self.p if half is None else self.p["composition"]["halves"][half])["bounds"]["programs"]

    def value(self, steps, part=None):
        return next(v for v in (part or self.f)["values"] if v["steps"] == steps)

    def points(self, steps):
        return [q for part in self.parts() for q in part["points"] if q["steps"] == steps]

    def say(self, steps, value, key="value", part=None):
        """What is stated of a number of steps, in the list and beside its points."""
        for of in [self.value(steps, part)] + self.points(steps):
            of.pop("value", None), of.pop("at_least", None)
            of[key] = value

    def claim(self, steps, **optimality):
        """Of the point of so many steps: in its algorithm, the frontier and the certificate."""
        for q in self.points(steps):
            q.update({"class": optimality["class"], "proof": optimality.get("proof")})
            self.algorithms[q["file"]]["optimality"] = optimality
        for q in self.p["points"]:
            if q["point"][1] == steps:
                q["by"] = ["program"] if "proof" in optimality else []


# ---- certificates ----

def price(steps, at, by):
    def change(x):
        x.program(steps)["limit_prices"][at][-1] += by
    return change


def program(steps, half=None, **members):
    def change(x):
        x.program(steps, half).update(members)
    return change


def more_prices(steps, key, *prices):
    def change(x):
        x.program(steps).setdefault(key, []).extend(map(list, prices))
    return change


def no_program(steps, half=None):
    def change(x):
        x.programs(half).remove(x.program(steps, half))
    return change


def twice(x):
    x.programs().append(copy.deepcopy(x.programs()[0]))


def exchanged(key):
    def change(x):
        a, b = x.program(2), x.program(3)
        a[key], b[key] = b[key], a[key]
    return change


def other_steps(x):
    """What is shown of two steps, said of three."""
    x.programs().remove(x.program(3))
    x.program(2).update(steps=3)


def other_halves(x):
    a, b = x.p["composition"]["halves"]
    a["bounds"]["programs"], b["bounds"]["programs"] = b["bounds"]["programs"], a["bounds"]["programs"]


def other_halves_costs(x):
    a, b = x.program(2, 0), x.program(2, 1)
    for key in ("prices", "pays"):
        a[key], b[key] = b[key], a[key]
    a["at_least"] = b["at_least"]


def no_root(x):
    del x.program(3)["root"]


def half_bound(x):
    x.p["composition"]["halves"][0]["bounds"]["steps"] += 1


def by(steps, *reasons):
    def change(x):
        next(q for q in x.p["points"] if q["point"][1] == steps)["by"] = list(reasons)
    return change


def uncertified_point(x):
    del x.p["points"][1]


def wider_in_proof(x):
    x.p["topology"]["links"][0]["bandwidth"] += 1


def wider_everywhere(x):
    """What is then possible is cheaper than what is said to be the least."""
    for holder in (x.p, *x.algorithms.values()):
        for link in holder["topology"]["links"]:
            link["bandwidth"] *= 2


def sum_in_proof(x):
    x.p["collective"]["kind"] = "reduce"


def of_root(source):
    """The certificate of another root, under this frontier's name."""
    def change(x):
        other = Files(x.folder, source)
        x.p = dict(other.p, frontier=x.p["frontier"], collective=x.p["collective"], points=x.p["points"])
    return change


def programs_of_root(source):
    def change(x):
        x.p["bounds"]["programs"] = Files(x.folder, source).programs()
    return change


def of_root_as_it_is(source):
    def change(x):
        x.p = Files(x.folder, source).p
    return change


def of_machine(folder, roots):
    """The network of another machine, and its certificate, under this one's name."""
    def change(x):
        x.p = dict(Files(folder, roots).p, points=x.p["points"])
        x.p["topology"]["name"] = next(iter(x.algorithms.values()))["topology"]["name"]
    return change


# ---- patterns ----

def patterns(**members):
    def change(x):
        x.program(4)["patterns"].update(members)
    return change


def no_symmetry(x):
    """A permutation of the nodes that does not keep the links."""
    x.program(4)["patterns"]["symmetries"][0] = [1, 0, 2, 3, 4, 5]


def fewer_symmetries(x):
    x.program(4)["patterns"]["symmetries"].pop()


def cheaper_link(x):
    x.program(4)["prices"].pop()


def dearer_link(x):
    x.program(4)["prices"][0][-1] += 1


def other_formula(x):
    x.program(4)["patterns"]["formula"]["sha256"] = "0" * 64


def fewer_steps(x):
    """What patterns of four steps pay, said of three."""
    p = x.program(4)
    p["steps"], p["prices"] = 3, [q for q in p["prices"] if q[0] < 4]


def within_all(x):
    """Said of all algorithms."""
    del x.value(4)["within"]


def claimed_of_all(x):
    x.claim(4, **{"class": "pareto", "proof": "program", "within": "all"})
    for q in x.points(4):
        q["within"] = "all"


# ---- frontiers ----

def say(steps, value, key="value", then=None):
    def change(x):
        x.say(steps, value, key)
        if then:
            then(x)
    return change


def say_composed(steps, value, key="value"):
    def change(x):
        x.say(steps, value, key, x.f["composition"])
    return change


def claim(steps, **optimality):
    def change(x):
        x.claim(steps, **optimality)
    return change


def root_of(steps, root):
    def change(x):
        x.value(steps)["root"] = root
    return change


def no_value(steps):
    def change(x):
        x.f["values"].remove(x.value(steps))
    return change


def value_alone(steps, value):
    def change(x):
        x.value(steps)["value"] = value
    return change


def value_of_more_steps(x):
    x.f["last_steps"] += 1
    x.f["values"].append({"steps": x.f["last_steps"], "at_least": x.f["values"][-1]["value"]})


def forgotten(x):
    forgotten_in_frontier(x)
    x.p["points"] = [q for q in x.p["points"] if q["point"][1] != 3]


def forgotten_in_frontier(x):
    x.f["points"] = [q for q in x.f["points"] if q["steps"] != 3]


def point_twice(x):
    x.f["points"].insert(1, x.f["points"][0])
    x.p["points"].insert(1, x.p["points"][0])


def points_exchanged(x):
    for points in (x.f["points"], x.p["points"]):
        points[0], points[1] = points[1], points[0]


def fewer_rounds(x):
    """R/C below the value: what is sent does not fit then."""
    q = x.points(5)[0]
    a = x.algorithms[q["file"]]
    rounds = q["rounds"] - 1
    cost = str(Fraction(rounds, q["chunks"]))
    a["steps"][-1]["rounds"] -= 1
    a["cost"].update(rounds=rounds, bandwidth=cost)
    q.update(rounds=rounds, bandwidth=cost)
    next(r for r in x.p["points"] if r["point"][1] == 5)["point"][2] = rounds
    x.say(5, cost)
    x.program(5)["at_least"] = cost


# Folder and roots in the files' names, what is wrong, the change, what a line must say.
SWITCH, BROADCAST, ALLREDUCE = ("switch:4/broadcast", "-root0"), ("dgx1/broadcast", "-root1"), ("dgx1/allreduce", "")
PATTERNS = "ring:6/allreduce", ""  # of four steps: a value that patterns show
FEW = "few/dgx1/broadcast", "-root1"  # of few chunks: a point is above its value
FORGERIES = [
    (SWITCH, "a price is lower", price(3, 0, -1), "can pay 8, which is less than 9"),
    (SWITCH, "a price is higher", price(3, 0, 1), "that is 9/8"),
    (SWITCH, "a price is beyond numbers", price(3, 0, BIG), "must be"),
    (SWITCH, "pays are higher", program(3, pays=[[10, 1]]), "can pay 9, which is less than 10"),
    (SWITCH, "pays are lower", program(3, pays=[[8, 1]]), "that is 8/7"),
    (SWITCH, "pays of more chunks than there are", program(3, pays=[[9, 2]]), "what 2 kinds of chunks pay, and there are 1"),
    (SWITCH, "pays of no chunks", program(3, pays=[]), "what 0 kinds of chunks pay, and there are 1"),
    (SWITCH, "at_least is higher", program(3, at_least="10/7"), "that is 9/7"),
    (SWITCH, "at_least is lower", program(3, at_least="8/7"), "nothing shows that R/C is at least 9/7 in 3 steps"),
    (SWITCH, "a program is said to be of more steps", other_steps, "can pay 0"),
    (SWITCH, "a program is gone", no_program(3), "nothing shows that R/C is at least 9/7 in 3 steps"),
    (SWITCH, "a program is there twice", twice, "5 steps are there twice"),
    (SWITCH, "the prices of two programs exchanged", exchanged("limit_prices"), "must be"),
    (SWITCH, "the bounds of two programs exchanged", exchanged("at_least"), "that is 9/7"),
    (SWITCH, "a price of a limit that is not there", more_prices(3, "limit_prices", [1, 8, 1]), "limit"),
    (SWITCH, "a price of a limit twice in a step", more_prices(3, "limit_prices", [1, 0, 7]),
     "two prices of the same edge or limit"),
    (SWITCH, "a price in step 0", more_prices(3, "limit_prices", [0, 1, 1]), "must be"),
    (SWITCH, "a price beyond the steps", more_prices(3, "limit_prices", [4, 1, 1]), "must be"),
    (SWITCH, "a price of a limit without a step", more_prices(3, "limit_prices", [1, 1]), "must be"),
    (SWITCH, "a root of what is no allreduce", program(3, root=0), "has a root"),
    (BROADCAST, "a price of a link that is not there", more_prices(3, "prices", [1, 1, 6, 1]), "no edge|not.*edge|edge"),
    (BROADCAST, "a price of a link to itself", more_prices(3, "prices", [1, 1, 1, 1]), "edge"),
    (BROADCAST, "the certificate of another root", of_root_as_it_is("-root0"),
     "not for a frontier called|proofs of this frontier are in"),
    (BROADCAST, "the certificate of another root under this one's name", of_root("-root0"), "the cut of the broadcast shows 0"),
    (BROADCAST, "the programs of another root", programs_of_root("-root0"), "can pay"),
    (BROADCAST, "another collective in the certificate", sum_in_proof, "another machine or collective|can pay|cut|bound"),
    (BROADCAST, "a link is wider in the certificate", wider_in_proof, "another machine or collective|cut|that is"),
    (BROADCAST, "all links are wider in all files", wider_everywhere,
     "another machine than the one of this name|the cut of the broadcast shows 1/12"),
    (SWITCH, "the network of another machine in the certificate", of_machine("star:4/broadcast", "-root0"),
     "another machine or collective"),
    (ALLREDUCE, "the programs of the halves exchanged", other_halves, "that is 3/16"),
    (ALLREDUCE, "the prices of the halves exchanged with what they show", other_halves_costs, "that is 3/16"),
    (ALLREDUCE, "a half without its program", no_program(2, 0), "nothing shows that R/C is at least 3/8 in 4 steps"),
    (ALLREDUCE, "a half that shows less", program(2, 1, at_least="4/3"), "nothing shows that R/C is at least 3/8 in 4 steps"),
    (ALLREDUCE, "a half that shows more", program(2, 1, at_least="2"), "that is 3/2"),
    (ALLREDUCE, "runs of pays in another order", program(2, 0, pays=[[1, 2], [2, 1], [2, 1], [1, 1], [2, 2], [1, 1]]),
     "can pay 1, which is less than 2"),
    (ALLREDUCE, "a half of more steps", half_bound, "the step bound of reducescatter is 2, not 3"),
    (ALLREDUCE, "a program of another root", program(3, root=7), "can pay"),
    (ALLREDUCE, "a program without its root", no_root, "has no root"),
    (ALLREDUCE, "a program of a root that is not there", program(3, root=8), "must be"),
    (PATTERNS, "patterns pay more", program(4, pays=[[15, 1]]), "formula is a different one"),
    (PATTERNS, "patterns pay less", program(4, pays=[[13, 1]]), "more than a pattern pays"),
    (PATTERNS, "patterns pay twice", program(4, pays=[[14, 2]]), "more than what one pattern pays"),
    (PATTERNS, "patterns show more", program(4, at_least="5/4"), "more than a pattern pays"),
    (PATTERNS, "patterns show less", program(4, at_least="1"), "nothing shows that R/C is at least 7/6 in 4 steps"),
    (PATTERNS, "a permutation that is no symmetry", no_symmetry, "does not keep links and prices"),
    (PATTERNS, "a symmetry is left out", fewer_symmetries, "formula is a different one"),
    (PATTERNS, "a symmetry of too few nodes", patterns(symmetries=[[0, 1]]), "must be a permutation of the 6 nodes"),
    (PATTERNS, "patterns that are not mirrored", patterns(mirrored=False), "formula is a different one"),
    (PATTERNS, "patterns said to be gossips", patterns(gossip=True), "formula is a different one"),
    (PATTERNS, "a link is free in the last step", cheaper_link, "not the same backwards"),
    (PATTERNS, "a link costs more", dearer_link, "more than a pattern pays|not the same backwards"),
    (PATTERNS, "patterns of other formulas", other_formula, "formula is a different one"),
    (PATTERNS, "patterns with orders of chunks", patterns(order=[{"nodes": [], "chunks": [0]}]), "has no order"),
    (PATTERNS, "patterns with a root", program(4, root=0), "without a root"),
    (PATTERNS, "patterns of fewer steps", fewer_steps, "different one|nothing shows"),
    (PATTERNS, "patterns are gone", no_program(4), "nothing shows that R/C is at least 7/6 in 4 steps"),
    (PATTERNS, "a value by patterns said of all algorithms", within_all,
     "nothing shows that R/C is at least 7/6 in 4 steps|claims something other"),
    (PATTERNS, "a point by patterns said to be the best of all algorithms", claimed_of_all, "claims something other|no program shows"),
    (SWITCH, "a point by a cut", by(3, "cut"), "its points, or how they are proved"),
    (SWITCH, "a point by no reason", by(3), "its points, or how they are proved"),
    (SWITCH, "a point by one more reason", by(3, "program", "refusals"), "its points, or how they are proved"),
    (SWITCH, "a point that the certificate does not have", uncertified_point, "its points, or how they are proved"),
    (SWITCH, "a point that the frontier does not have", forgotten_in_frontier, "its points, or how they are proved"),
    (SWITCH, "a point twice", point_twice, "does not improve|before it"),
    (SWITCH, "points exchanged", points_exchanged, "does not improve|before it"),
    (SWITCH, "a value is higher, and its point says so", say(3, "10/7"), "is below the value 10/7 of its steps"),
    (SWITCH, "a value is higher in the list alone", value_alone(3, "10/7"), "contradicts the value of 3 steps"),
    (SWITCH, "a value is lower, and all else what follows from it", say(3, "5/4", then=claim(3, **{"class": "none"})),
     "R/C is at least 9/7 in 3 steps, so that 5/4 is not attained"),
    (SWITCH, "a value is lower, and its point still the best", say(3, "5/4"), "claims something other than the values imply"),
    (SWITCH, "a value is left out", no_value(5), "must be those of all steps"),
    (SWITCH, "a value of one more step", value_of_more_steps, "nothing shows that R/C is at least 15/13 in 6 steps"),
    (SWITCH, "fewer rounds than are needed, and a value that permits them", fewer_rounds, "rounds|can carry|carries|capacity"),
    (ALLREDUCE, "a value of a root that is not there", root_of(3, 8), r"values\[1\].root: must be"),
    (ALLREDUCE, "a value of another root", root_of(3, 4), "no program from root 4 shows that R/C is at least 1/2 in 3 steps"),
    (ALLREDUCE, "a point is forgotten in all files", forgotten, "the value 1/2 of 3 steps is attained by no point"),
    (ALLREDUCE, "a value of a composition is higher", say_composed(4, "1/2"), "is below the value 1/2 of its steps"),
    (FEW, "a point above the value is said to be at it", claim(3, **{"class": "pareto", "proof": "program", "within": "all"}),
     "claims something other than the values imply"),
]


def refusals(out, err):
    return [line for line in (out + err).splitlines() if ": ok" not in line]


def forged(where, what, change, wanted):
    folder, roots = where
    kept = pathlib.Path("kept")
    shutil.copytree(folder, kept)
    files = Files(folder, roots)
    change(files)
    files.write()
    for words in (("verify", "--proofs", folder), ("check-proof", f"{folder}/proofs{roots}.json")):
        status, out, err = run(*words)
        lines = refusals(out, err)
        ok(f"{folder}{roots}: {what}: {words[0]}", status in (1, 2) and any(re.search(wanted, line) for line in lines),
           f"exit {status}, expected /{wanted}/:\n" + "\n".join(lines))
    shutil.rmtree(folder)
    kept.rename(folder)


def made(*arguments):
    status, out, err = run(*arguments)
    if status != 0:
        sys.exit(f"Bail out! {arguments}: {out}{err}")


def make():
    for question in ("-t switch:4 -c broadcast", "-t star:4 -c broadcast", "-t dgx1 -c broadcast --root 0 --max-steps 3",
                     "-t dgx1 -c broadcast --root 1 --max-steps 4", "-t dgx1 -c allreduce", "-t ring:6 -c allreduce --max-steps 4"):
        made("pareto", *question.split(), "--fresh", "-o", ".")
    made("pareto", *"-t dgx1 -c broadcast --root 1 --max-steps 3 --max-chunks 12 --fresh -o few".split())
    (pathlib.Path(PATTERNS[0]) / "proofs.json").unlink()
    made("prove", f"{PATTERNS[0]}/frontier.json")  # anew, as where it is lost
    for folder, roots in (SWITCH, BROADCAST, ALLREDUCE, PATTERNS, FEW):
        Files(folder, roots).write()
        for words in (("verify", "--proofs", folder), ("check-proof", f"{folder}/proofs{roots}.json")):
            status, out, err = run(*words)
            ok(f"{folder}{roots} as it is: {words[0]}", status == 0 and not err, out + err)


def algorithms_alone():
    """A claim of an algorithm file needs the certificate beside it."""
    folder = pathlib.Path("alone")
    folder.mkdir()
    name = Files(*SWITCH).points(2)[0]["file"]
    for file in (name, "proofs-root0.json"):
        shutil.copy(pathlib.Path(SWITCH[0]) / file, folder)
    point = folder / name
    status, out, err = run("verify", "--proofs", point)
    ok("an algorithm beside its certificate", status == 0, out + err)
    a = json.loads(point.read_text())
    a["steps"][-1]["rounds"] += 1
    a["cost"]["rounds"] += 1
    a["cost"]["bandwidth"] = str(Fraction(a["cost"]["rounds"], a["chunks"]))
    point.write_text(json.dumps(a))
    status, out, err = run("verify", "--proofs", point)
    ok("an algorithm above the value that says it is the best", status == 1 and "no program shows" in out,
       f"exit {status}: {out}{err}")
    shutil.copy(pathlib.Path(SWITCH[0]) / point.name, folder)
    (folder / "proofs-root0.json").unlink()
    status, out, err = run("verify", "--proofs", point)
    ok("an algorithm without its certificate", status in (1, 2) and "there are no proofs" in out + err,
       f"exit {status}: {out}{err}")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    make()
    for where, what, change, wanted in FORGERIES:
        forged(where, what, change, wanted)
    algorithms_alone()
finish()
