#!/usr/bin/env python3
"""A second opinion on the traces of the catalog: a checker of DRAT that shares no code with the project's (prove/rup.c).

usage: drat.py [--all] [--most BYTES] [--checker PROGRAM] SCCL-SYNTH ALGORITHMS
       drat.py FORMULA TRACE        in DIMACS, in binary DRAT

Takes traces of up to BYTES each (default: 40), or all. PROGRAM (drat.c) is a third checker, called with FORMULA TRACE: it must say the same
of each trace, sound or not; it alone takes those of more than LONG bytes.

The formula of each refutation is what `sccl-synth export --format dimacs` writes; its digest must be that of the certificate. The sum of
a share and the order of chunks are added here, as docs/reference/proofs.md states them. Then each clause that the trace adds must follow
from those before it by reverse unit propagation, and the last must be empty.

Then faults are planted, each of which must be refused: a trace that is cut, has a byte that is no line, deletes what is not there, or
consists of the empty clause alone; a formula that can be satisfied, for which no trace is right. TAP on standard output.
"""
import copy
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile


LONG = 5000  # bytes of a trace that take long here


class Refused(Exception):
    pass


# ---- the checker ----

class Checker:
    """Clauses with two watched literals each; literals that follow from the clauses alone stay true for good."""

    def __init__(self, variables):
        self.value = {}
        self.watches = {}
        self.trail = []
        self.done = 0
        self.by_key = {}
        self.contradiction = False
        self.variables = variables

    def assign(self, literal):
        self.value[literal] = True
        self.value[-literal] = False
        self.trail.append(literal)

    def propagate(self):
        """False: a clause is falsified."""
        value, watches, trail = self.value, self.watches, self.trail
        while self.done < len(trail):
            false = -trail[self.done]
            self.done += 1
            watching = watches.get(false)
            if not watching:
                continue
            kept = []
            for at, clause in enumerate(watching):
                if clause[-1] is None:  # deleted
                    continue
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value.get(first):
                    kept.append(clause)
                    continue
                for i in range(2, len(clause) - 1):
                    literal = clause[i]
                    if value.get(literal) is not False:
                        clause[1], clause[i] = literal, false
                        watches.setdefault(literal, []).append(clause)
                        break
                else:
                    kept.append(clause)
                    if value.get(first) is False:
                        kept.extend(watching[at + 1:])
                        watches[false] = kept
                        return False
                    self.assign(first)
            watches[false] = kept
        return True

    def add(self, literals):
        literals = list(dict.fromkeys(literals))
        key = tuple(sorted(literals))
        if any(-x in literals for x in literals):
            self.by_key.setdefault(key, []).append([None])
            return
        # Those that are not false come first: they are watched.
        literals.sort(key=lambda x: self.value.get(x) is False)
        clause = literals + [True]
        self.by_key.setdefault(key, []).append(clause)
        if not literals or self.value.get(literals[0]) is False:
            self.contradiction = True
        elif len(literals) == 1 or self.value.get(literals[1]) is False:
            if not self.value.get(literals[0]):
                self.assign(literals[0])
                if not self.propagate():
                    self.contradiction = True
        if len(literals) > 1:
            for x in literals[:2]:
                self.watches.setdefault(x, []).append(clause)

    def delete(self, literals):
        same = self.by_key.get(tuple(sorted(set(literals))))
        if not same:
            raise Refused('a clause is deleted that is not there')
        same.pop()[-1] = None

    def follows(self, literals):
        if self.contradiction:
            return True
        before, done = len(self.trail), self.done
        ok = False
        for x in literals:
            if self.value.get(x):
                ok = True
                break
            if self.value.get(x) is None:
                self.assign(-x)
        ok = ok or not self.propagate()
        for x in self.trail[before:]:
            del self.value[x]
            del self.value[-x]
        del self.trail[before:]
        self.done = done
        return ok


def lines_of(trace):
    """Binary DRAT as (is it added?, literals)."""
    at = 0
    while at < len(trace):
        kind = trace[at:at + 1]
        if kind not in (b'a', b'd'):
            raise Refused('byte %d begins no line' % at)
        at += 1
        literals = []
        while True:
            number = shift = 0
            while True:
                if at == len(trace):
                    raise Refused('the trace ends within a line')
                byte = trace[at]
                at += 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            if number == 0:
                break
            if number < 2:
                raise Refused('byte %d: no literal' % at)
            literals.append(-(number >> 1) if number & 1 else number >> 1)
        yield kind == b'a', literals


def check(variables, clauses, trace):
    """Returns how many clauses were shown; raises Refused."""
    c = Checker(variables)
    for clause in clauses:
        c.add(clause)
    shown = 0
    for added, literals in lines_of(trace):
        if any(abs(x) > variables for x in literals):
            raise Refused('a literal of a variable that does not exist')
        if not added:
            c.delete(literals)
            continue
        if not c.follows(literals):
            raise Refused('clause %d of the trace does not follow' % (shown + 1))
        shown += 1
        if not literals:
            return shown
        c.add(literals)
    raise Refused('the trace does not end with the empty clause')


# ---- formulas ----

class Formula:
    def __init__(self, text):
        self.named, self.clauses, self.variables = {}, [], 0
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ['p']:
                self.variables, self.stated = int(words[2]), int(words[3])
            elif words[:1] != ['c']:
                if words[-1] != '0':
                    raise Refused('a clause of the formula does not end')
                self.clauses.append([int(x) for x in words[:-1]])
            elif words[1:2] and words[1] in ('have', 'send') and words[-1].isdigit() and words[2].isdigit():
                self.named[(words[1],) + tuple(int(x) for x in words[2:-1])] = int(words[-1])
        if self.stated != len(self.clauses):
            raise Refused('the formula has another number of clauses than it says')

    def text(self):
        text = 'p cnf %d %d\n' % (self.variables, len(self.clauses))
        return text + ''.join(' '.join(map(str, c + [0])) + '\n' for c in self.clauses)

    def digest(self):
        return hashlib.sha256(self.text().encode()).hexdigest()

    def fresh(self):
        self.variables += 1
        return self.variables

    def say(self, *literals):
        """True and False stand for literals whose value is known."""
        if not any(x is True for x in literals):  # 1 is a variable, and equals True
            self.clauses.append([x for x in literals if x is not False])


def no(x):
    return not x if isinstance(x, bool) else -x


def add_sum(f, numbers, most):
    """Unary sum of literals, in pairs; at most MOST may be true."""
    cap = most + 1
    numbers = [[x] for x in numbers]
    if len(numbers) <= most:
        return
    while len(numbers) > 1:
        then = []
        for i in range(0, len(numbers) - 1, 2):
            x, y = numbers[i], numbers[i + 1]
            z = [f.fresh() for _ in range(min(len(x) + len(y), cap))]
            for a in range(len(x) + 1):
                for b in range(len(y) + 1):
                    if a + b and not (a + b > len(z) and a and b):
                        f.say(-x[a - 1] if a else False, -y[b - 1] if b else False, z[min(a + b, len(z)) - 1])
            then.append(z)
        if len(numbers) % 2:
            then.append(numbers[-1])
        numbers = then
    if len(numbers[0]) > most:
        f.say(-numbers[0][most])


def add_order(f, order, steps):
    """Chunks of a class arrive at the nodes of a list in the order of their numbers."""
    def have(c, n, s):
        known = [t for t in range(steps + 1) if ('have', c, n, t) in f.named]
        if s in known:
            return f.named[('have', c, n, s)]
        return s > known[-1] if known else s == steps

    for a, b in zip(order['chunks'], order['chunks'][1:]):
        same = True
        for n in order['nodes']:
            still = f.fresh() if n != order['nodes'][-1] else True
            for s in range(steps + 1):
                f.say(no(same), no(have(b, n, s)), have(a, n, s))
            for s in range(1, steps + 1):
                f.say(no(same), no(have(a, n, s)), have(a, n, s - 1), no(have(b, n, s)), still)
            f.say(no(same), have(a, n, steps), still)
            same = still


def add_order_of_sends(f, order):
    """Chunks of an allreduce: their sends of the first step, edge by edge, do not increase as a number."""
    edges = sorted(k[2:4] for k in f.named if k[0] == 'send' and k[1] == 0 and k[-1] == 1)
    for a, b in zip(order['chunks'], order['chunks'][1:]):
        same = True
        for u, v in edges:
            first, later, still = f.named[('send', a, u, v, 1)], f.named[('send', b, u, v, 1)], f.fresh()
            f.say(no(same), -later, first)
            f.say(no(same), -later, still)
            f.say(no(same), first, still)
            same = still


def check_order(order, kind, nodes, root):
    """Are the chunks of each class wanted by the same nodes, and at the same nodes before? Built-in collectives only."""
    seen = set()
    for o in order:
        chunks = o['chunks']
        if chunks != sorted(set(chunks)) or seen & set(chunks):
            raise Refused('a chunk is ordered twice, or chunks do not ascend')
        seen |= set(chunks)
        if kind == 'allgather' and len({c % nodes for c in chunks}) > 1:
            raise Refused('chunks of different nodes are ordered')
        # What a node has from the beginning is no place to be ordered at.
        begins = {root} if kind == 'broadcast' else {chunks[0] % nodes} if kind == 'allgather' else set()
        if begins & set(o['nodes']) or len(set(o['nodes'])) != len(o['nodes']) or (kind == 'allreduce' and o['nodes']):
            raise Refused('chunks are ordered at a node that has them')


class Refutation:
    """One of a certificate: its formula, and the trace that refutes it."""

    def __init__(self, program, path, proof, refuted):
        self.program, self.proof, self.refuted, self.path = program, proof, refuted, path
        self.kind = proof['collective']['kind']
        self.chunks, self.steps, self.rounds = refuted['candidate']
        with open(os.path.join(os.path.dirname(path), refuted['trace']['file']), 'rb') as f:
            self.trace = f.read()

    def export(self, folder, rounds):
        machine = os.path.join(folder, 'machine.json')
        with open(machine, 'w') as f:
            json.dump(self.proof['topology'], f)
        share = self.refuted['by'] == 'share'
        command = [self.program, 'export', '--format', 'dimacs', '-t', machine, '-c', self.kind, '-C', str(1 if share else self.chunks),
                   '-S', str(self.steps), '-R', str(rounds)]
        if 'root' in self.proof['collective']:
            command += ['--root', str(self.proof['collective']['root'])]
        f = Formula(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if share:
            t = self.proof['topology']
            links = sum((1 if link.get('directed') else 2) * link.get('bandwidth', 1) for link in t['links'])
            sends = sorted((k[1], k[2], k[3], k[4], v) for k, v in f.named.items() if k[0] == 'send')
            add_sum(f, [s[-1] for s in sends], links * rounds // self.chunks)
        return f

    def formula(self, folder, rounds=None):
        f = self.export(folder, rounds or self.rounds)
        if rounds is None and f.digest() != self.refuted['formula']['sha256']:
            raise Refused('the formula is another than the certificate says')
        if self.kind not in ('allgather', 'broadcast', 'allreduce'):
            raise Refused('order of a %s' % self.kind)
        check_order(self.refuted['order'], self.kind, self.proof['topology']['nodes'], self.proof['collective'].get('root'))
        for o in self.refuted['order']:
            if self.kind == 'allreduce':
                add_order_of_sends(f, o)
            else:
                add_order(f, o, self.steps)
        return f


def refutations(program, algorithms):
    for path in sorted(glob.glob(os.path.join(algorithms, '**', 'proofs*.json'), recursive=True)):
        with open(path) as f:
            proof = json.load(f)
        for refuted in proof.get('refuted', []):
            if 'trace' in refuted and os.path.exists(os.path.join(os.path.dirname(path), refuted['trace'].get('file') or '')) \
                    and refuted['trace'].get('file'):
                yield Refutation(program, path, proof, refuted)


# ---- the test ----

class Checkers:
    """The one above, and the program if there is one."""

    def __init__(self, program, folder):
        self.program, self.files = program, [os.path.join(folder, name) for name in ('formula', 'trace')]

    def check(self, f, trace):
        """Returns how many clauses were shown; raises Refused unless both checkers say the same of a trace that both take."""
        if not self.program:
            return check(f.variables, f.clauses, trace)
        for path, content in zip(self.files, (f.text().encode(), trace)):
            with open(path, 'wb') as file:
                file.write(content)
        answer = subprocess.run([self.program, *self.files], capture_output=True, text=True)
        if answer.returncode not in (0, 1):
            raise SystemExit('%s: status %d: %s' % (self.program, answer.returncode, answer.stderr))
        shown = int(answer.stdout.split()[0]) if answer.returncode == 0 else None
        if len(trace) <= LONG:
            try:
                here = check(f.variables, f.clauses, trace)
            except Refused:
                here = None
            if shown != here:
                raise SystemExit('the checkers differ: %s clauses shown, and %s' % (shown, here))
        if shown is None:
            raise Refused(answer.stdout.strip())
        return shown

    def refuse(self, f, trace):
        try:
            self.check(f, trace)
        except Refused:
            return True
        return False


def without(f):
    """The formula without its clauses."""
    empty = copy.copy(f)
    empty.clauses = []
    return empty


def plant(checkers, f, trace):
    """Faults, as (name, were they refused?)."""
    yield 'the end is cut off', checkers.refuse(f, trace[:trace.rindex(b'a')])
    yield 'the last byte is missing', checkers.refuse(f, trace[:-1])
    yield 'a byte that begins no line', checkers.refuse(f, b'x' + trace)
    yield 'a clause is deleted that is not there', checkers.refuse(f, b'd' + bytes([2, 3, 0]) + trace)
    yield 'a variable that does not exist', checkers.refuse(f, b'a' + bytes([255, 255, 255, 127, 0]) + trace)
    c = Checker(f.variables)
    for clause in f.clauses:
        c.add(clause)
    if not c.contradiction:
        yield 'the empty clause alone', checkers.refuse(f, b'a\0')
        yield 'no clauses but those of the trace', checkers.refuse(without(f), trace)


def main(argv):
    every, most, program = False, 40, None
    while argv and argv[0].startswith('--'):
        if argv[0] == '--all':
            every, argv = True, argv[1:]
        elif argv[0] == '--most' and len(argv) > 1:
            most, argv = int(argv[1]), argv[2:]
        elif argv[0] == '--checker' and len(argv) > 1:
            program, argv = argv[1], argv[2:]
        else:
            break
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not os.path.isdir(argv[1]):
        with open(argv[0]) as f:
            formula = Formula(f.read())
        with open(argv[1], 'rb') as f:
            print('%d clauses shown' % check(formula.variables, formula.clauses, f.read()))
        return 0
    held, shown, wrong, planted, seen = 0, 0, [], {}, set()
    with tempfile.TemporaryDirectory() as folder:
        checkers = Checkers(program, folder)
        # The shortest first, so that a run that is cut off has a bound.
        for r in sorted(refutations(*argv), key=lambda r: len(r.trace)):
            key = (r.refuted['formula']['sha256'], r.refuted['trace']['sha256'], json.dumps(r.refuted['order']), r.refuted['by'])
            if key in seen or (not every and len(r.trace) > most):
                continue
            seen.add(key)
            name = '%s, candidate %s' % (os.path.relpath(r.path, argv[1]), r.refuted['candidate'])
            try:
                if hashlib.sha256(r.trace).hexdigest() != r.refuted['trace']['sha256']:
                    raise Refused('the trace is another than the certificate says')
                f = r.formula(folder)
                shown += checkers.check(f, r.trace)
                held += 1
                if every:
                    print('# %s: %d bytes' % (name, len(r.trace)), flush=True)
            except Refused as e:
                wrong.append(name)
                print('# %s: refused: %s' % (name, e), flush=True)
                continue
            if len(r.trace) > most:
                continue
            faults = list(plant(checkers, f, r.trace))
            # With rounds for every chunk in every step there is an algorithm.
            if r.kind == 'broadcast' and held % 4 == 1:
                enough = r.steps * r.chunks
                faults.append(('a formula that can be satisfied', checkers.refuse(r.formula(folder, enough), r.trace)))
            for what, refused in faults:
                planted.setdefault(what, [0, 0])
                planted[what][0] += 1
                planted[what][1] += refused
    print('%sok 1 - %d traces refute what their certificates say, in %d clauses' % ('' if held and not wrong else 'not ', held, shown))
    n = 1
    for what in sorted(planted):
        n += 1
        print('%sok %d - %s: %d planted, %d refused' % ('' if planted[what][0] == planted[what][1] else 'not ', n, what, *planted[what]))
    print('%sok %d - faults of every kind were planted' % ('' if len(planted) == 8 else 'not ', n + 1))
    print('1..%d' % (n + 1))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
