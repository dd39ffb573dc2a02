"""What the tables of all papers share: running the program, and rows of published and own numbers."""
import fractions
import functools
import json
import os
import shlex
import subprocess
import sys
import tempfile

KIB, MIB = 1024, 1 << 20
folder = tempfile.TemporaryDirectory()


class Program:
    """The program, the source folder, and the commands of the row at hand."""

    synth = source = None
    commands = []


def start(synth, source):
    Program.synth, Program.source = os.path.abspath(synth), os.path.abspath(source)
    os.environ["SCCL_PATH"] = Program.source


def note(words):
    """Keeps a command as the table prints it: files are FILE, or relative to the source folder."""
    def short(w):
        return "FILE" if w.startswith(folder.name) else w.removeprefix(Program.source + "/")

    Program.commands.append([short(str(w)) for w in words])


@functools.lru_cache(None)
def answer(*words):
    done = subprocess.run([Program.synth, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(words)}: {done.stderr}")
    return done.stdout


def run(*words):
    """The output of a command, which the row's third column names."""
    note(words)
    return answer(*map(str, words))


@functools.lru_cache(None)
def built_at(machine, kind, method, chunks, extra):
    path = f"{folder.name}/{len(os.listdir(folder.name))}.json"
    words = ["build", "-t", machine, "-c", kind, "--method", method, "-o", path, *extra]
    words += ["--root", 0] if kind in ("broadcast", "reduce") and "--root" not in extra else []
    words += ["-C", chunks] if chunks else []
    return path, answer(*map(str, words))


def build(machine, kind, method, chunks=None, *extra):
    """The file of an algorithm. Built once; the row names the command each time."""
    note(["build", "-t", machine, "-c", kind, "--method", method, *extra, *(["-C", chunks] if chunks else [])])
    return built_at(machine, kind, method, chunks, tuple(map(str, extra)))[0]


def said(machine, kind, method, chunks=None, *extra):
    build(machine, kind, method, chunks, *extra)
    return built_at(machine, kind, method, chunks, tuple(map(str, extra)))[1]


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def times(path, sizes, *words):
    """us of one input of each size, in bytes."""
    out = run("simulate", path, "--sizes", ",".join(map(str, sizes)), *words, "--json")
    return [json.loads(line)["microseconds"] for line in out.splitlines()]


def rate(path, size, *words):
    """GB/s: bytes of one input over time."""
    return size / times(path, [size], *words)[0] / 1e3


def by_hand(path, machine, kind, chunks, steps, rounds, verifies=True):
    """Writes an algorithm of STEPS, each sends and reduces, of ROUNDS each, as a file that the program verifies, or refuses."""
    total = rounds * len(steps)
    a = {"format": "sccl-algorithm", "version": 1, "name": "by-hand", "collective": {"kind": kind}, "chunks": chunks,
         "global_chunks": chunks * (machine["nodes"] if kind == "allgather" else 1),
         "topology": machine, "steps": [{"rounds": rounds, "sends": s, "reduces": r} for s, r in steps],
         "cost": {"steps": len(steps), "rounds": total, "bandwidth": str(fractions.Fraction(total, chunks))}}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(a, f)
    if verifies:
        run("verify", path)
    return path


def is_verified(path):
    note(["verify", path])
    return subprocess.run([Program.synth, "verify", path], capture_output=True, check=False).returncode == 0


def cost(path):
    a = load(path)
    return a["chunks"], a["cost"]["steps"], a["cost"]["rounds"]


class Paper:
    def __init__(self, key, title):
        self.key, self.title, self.rows = key, title, []

    def fact(self, item, where, published, why=None, quick=False):
        """
        A row whose function gives (ours, does it hold?). WHY says in a sentence why it does not; a row holds if and only if it has
        none.
        """
        return lambda f: self.rows.append((item, where, published, why, quick, f)) or f

    def not_here(self, item, where, published, why):
        self.rows.append((item, where, published, why, False, None))

    def table(self, quick):
        """Prints the table; returns what is not as it was said to be."""
        wrong, full, lines = [], 0, []
        for item, where, published, why, is_quick, f in self.rows:
            if quick and not is_quick:
                continue
            Program.commands = []
            ours, holds = f() if f else ("-", False)
            if holds == bool(why):
                wrong.append(f"{self.key}: {item}: published {published}, ours {ours}: " +
                             ("comes out, so there is no reason to give" if holds else "does not come out"))
            full += holds
            commands = [shlex.join(c) for c in dict.fromkeys(map(tuple, Program.commands))]
            command = f"`{commands[0]}`" + (f" and {len(commands) - 1} more" if len(commands) > 1 else "") if commands else "-"
            lines.append([item, where, command.replace("|", "\\|"), published, ours, why or "full"])
        print(f"## {self.title}\n\n{full} of {len(lines)} as published.\n")
        print("| item | where | command | published | ours | |\n|" + " --- |" * 6)
        for line in lines:
            print("| " + " | ".join(str(x) for x in line) + " |")
        print(flush=True)
        return wrong


def near(x, y, within):
    return abs(x / y - 1) <= within
