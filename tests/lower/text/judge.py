#!/usr/bin/env python3
"""Judges generated programs from their text alone, with no code of the project: what each rank's table says is read, and
shown right or refused.

usage: judge.py [--plant [N]] [--table] [--warps] FILE...      FILE: NAME.c, .cu or .hip as `sccl-synth lower` writes it

For each protocol of a program it shows, for every number of elements and every schedule of ranks and blocks,

- each output chunk is the chunk, or the sum with each operand once, that the collective asks for (docs/reference/formats.md);
- the reductions marked as totals, where averages are divided, are those whose result has the operands of all ranks;
- no race: two accesses to one place, one of them a write, are ordered by flags, packets or barriers; also between calls;
- no deadlock: ranks wait for counters that only grow, so that one schedule that ends stands for all; blocks share nothing;
- places lie inside their buffers, and a chunk is put only where its size fits.

Ranks are played once, with vector clocks (Lamport 1978; Mattern 1989): an access must know of those it conflicts with.
--plant: damages the tables in every way listed below (N per kind and table), and each must be refused. --table: also prints how often
each kind was planted, as Markdown. --warps: as if the moves of packets were shared among warps, as others are; then what a rank hears
through a third may come too late, and its credit must not be rare.
Exit status 0: all hold (and all damage is refused); 1: not.
"""
import copy
import random
import re
import sys

MOVES_MOST, PLACES_MOST = 64, 512


class Refused(Exception):
    pass


def need(ok, why, *args):
    if not ok:
        raise Refused(why % args if args else why)


# ---- reading ----

def strip(text):
    return re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)


def rows_of(text, name):
    m = re.search(r'\b%s\[\](?:\[2\])? = \{(.*?)\n\};' % name, text, re.S)
    need(m, 'there is no table %s', name)
    return [tuple(int(x) for x in re.findall(r'-?\d+', row)) for row in re.findall(r'\{([^{}]*)\}', m.group(1))]


class Move:
    """A copy or reduction: CHUNK, and places as (kind, rank, index), where the rank of one's own input is None, and that of a
    sum of all inputs, or of what all outputs get, ALL."""

    def __init__(self, step, chunk, sources, targets, total=False):
        self.step, self.chunk, self.sources, self.targets, self.total = step, chunk, list(sources), list(targets), total

    def words(self):
        return 4 + 2 * (len(self.sources) + len(self.targets))


class Flags:
    """Offers and signals, or credits and waits, executed at once: [kind, peer, number]."""

    def __init__(self, step, words):
        self.step, self.words_of = step, [list(w) for w in words]


class Moves:
    def __init__(self, step, moves):
        self.step, self.moves = step, list(moves)


class Sync:
    def __init__(self, step):
        self.step = step


ALL = 'all'
PLACES = {'SCCL_INPUT': 1, 'SCCL_INPUT_OF_ALL': 1, 'SCCL_OUTPUT_OF_ALL': 1, 'SCCL_INPUT_OF': 2, 'SCCL_OUTPUT': 2, 'SCCL_SCRATCH': 2, 'SCCL_PACKET': 2}
FLAG_WORDS = {'SCCL_OFFER': 2, 'SCCL_CREDIT': 2, 'SCCL_RARE_OFFER': 2, 'SCCL_RARE_CREDIT': 2, 'SCCL_WAIT': 3, 'SCCL_SIGNAL': 3}


def tokens_of(body):
    """Macros with their arguments, and bare numbers."""
    out = []
    for m in re.finditer(r'(SCCL_[A-Z_]+)(?:\(([^()]*)\))?|(\d+)', body):
        if m.group(3):
            out.append(int(m.group(3)))
        else:
            out.append((m.group(1), [int(x) for x in m.group(2).split(',')] if m.group(2) else []))
    return out


def parse_place(token):
    name, args = token
    need(name in PLACES and len(args) == PLACES[name], 'a place is expected, not %s', name)
    if name == 'SCCL_INPUT':
        return ('input', None, args[0])
    if name.endswith('_OF_ALL'):
        return (name[5:-7].lower(), ALL, args[0])
    return ('input' if name == 'SCCL_INPUT_OF' else name[5:].lower(), args[0], args[1])


def parse_move(tokens, at):
    name, args = tokens[at]
    need(name in ('SCCL_COPY', 'SCCL_REDUCE', 'SCCL_TOTAL'), 'a move is expected, not %s', name)
    sources, targets = (1, args[2]) if name == 'SCCL_COPY' else (args[2], args[3])
    need(targets > 0, 'a move without targets')
    places = [parse_place(t) for t in tokens[at + 1:at + 1 + sources + targets]]
    need(len(places) == sources + targets, 'a move is cut short')
    need(name == 'SCCL_COPY' or sources > 1 or places[0][1] == ALL, 'a reduction of %d sources', sources)
    need(name != 'SCCL_COPY' or places[0][1] != ALL, 'a copy of a sum')
    need(all(p[1] != ALL for p in places[1:sources]), 'a sum of all behind another source')
    return Move(args[0], args[1], places[:sources], places[sources:], name == 'SCCL_TOTAL'), at + 1 + sources + targets


def parse_words(body):
    """The instructions of one rank, and how many words they are."""
    tokens, at, out, words = tokens_of(body), 0, [], 0
    while True:
        need(at < len(tokens) and not isinstance(tokens[at], int), 'the words of a rank do not end')
        name, args = tokens[at]
        at += 1
        if name == 'SCCL_END':
            need(at == len(tokens), 'words behind the end')
            return out, words + 1
        if name == 'SCCL_SYNC':
            out.append(Sync(args[0]))
            words += 1
        elif name == 'SCCL_FLAGS':
            group = []
            for flag, inner in tokens[at:at + args[1]]:
                need(flag in FLAG_WORDS and len(inner) == FLAG_WORDS[flag], 'a flag is expected, not %s', flag)
                rare = flag.startswith('SCCL_RARE_')
                group.append([flag[10 if rare else 5:].lower(), inner[1], inner[2] if len(inner) > 2 else int(rare)])
            need(len(group) == args[1], 'fewer flags than a group says')
            posts = {kind in ('offer', 'signal') for kind, _, _ in group}
            need(len(posts) == 1, 'a group of flags both posts and waits')
            out.append(Flags(args[0], group))
            at += args[1]
            words += 2 + 3 * args[1]
        elif name == 'SCCL_MOVES':
            offsets = tokens[at:at + args[1] + 1]
            need(all(isinstance(o, int) for o in offsets), 'offsets are expected behind SCCL_MOVES')
            at += args[1] + 1
            moves, right = [], [2 + args[1] + 1]
            for _ in range(args[1]):
                move, at = parse_move(tokens, at)
                moves.append(move)
                right.append(right[-1] + move.words())
            need(offsets == right, 'the offsets of moves are %s, not %s', offsets, right)
            out.append(Moves(args[0], moves))
            words += right[-1]
        else:
            raise Refused('no such word: %s' % name)


class Table:
    def __init__(self, ranks, signals, scratch, packets, shared):
        self.ranks, self.signals, self.scratch, self.packets, self.shared = ranks, signals, scratch, packets, shared


class Program:
    def __init__(self, text):
        text = strip(text)
        m = re.search(r'sccl_program_t (\w+) = \{(.*?)\n\};', text, re.S)
        need(m, 'there is no sccl_program_t')
        self.name, body = m.group(1), m.group(2)
        head = re.search(r'SCCL_ABI, "[^"]*", "([a-z]+)", "([^"]*)", (-?\d+),(.*)', body, re.S)
        need(head, 'the program does not say what it is')
        self.target, self.collective, self.root = head.group(1), head.group(2), int(head.group(3))
        numbers = [int(x) for x in re.findall(r'-?\d+', head.group(4).split('{')[0])]
        self.combining, self.ranks, self.chunks, self.n_chunks = bool(numbers[0]), numbers[2], numbers[3], numbers[4]
        self.cuts = rows_of(text, 'cuts')
        self.inputs, self.outputs = rows_of(text, 'inputs'), rows_of(text, 'outputs')
        self.connections = set(rows_of(text, 'connections'))
        counts = re.search(r'(\d+), connections, (\d+), (\d+), input_places, output_places', body)
        need(counts, 'the program does not count its places')
        self.connections = set(rows_of(text, 'connections')[:int(counts.group(1))])
        self.input_places = rows_of(text, 'input_places')[:int(counts.group(2))]
        self.output_places = rows_of(text, 'output_places')[:int(counts.group(3))]
        self.tables = {}
        for what in ('plain', 'packets', 'shared', 'multimem', 'pull'):
            row = re.search(r'\{%s_words, %s_lengths, (\d+), (\d+), (\d+), ([01])\}' % (what, what), body)
            if not row:
                continue
            lengths = [int(x) for x in re.findall(r'\d+', re.search(r'\b%s_lengths\[\] = \{(.*?)\};' % what, text, re.S).group(1))]
            order = re.findall(r'\b%s_(\d+)\b' % what, re.search(r'\b%s_words\[\] = \{(.*?)\};' % what, text, re.S).group(1))
            need(order == [str(r) for r in range(self.ranks)], 'the ranks of %s are out of order', what)
            ranks = []
            for r in range(self.ranks):
                m = re.search(r'\b%s_%d\[\] = \{(.*?)\n\};' % (what, r), text, re.S)
                need(m, 'rank %d has no words', r)
                code, words = parse_words(m.group(1))
                need(words == lengths[r], 'rank %d has %d words, not %d', r, words, lengths[r])
                ranks.append(code)
            self.tables[what] = Table(ranks, int(row.group(1)), int(row.group(2)), int(row.group(3)), row.group(4) == '1')
        need(self.tables, 'there is no table of words')


# ---- what the collective asks for: the rows of "Where a chunk lies" ----

def standard(p):
    """By chunk: its cut, the ranks that have it as input, those that want it, and its block in their outputs."""
    n, c, root = p.ranks, p.chunks, p.root
    everyone = range(n)
    whole = lambda k: (0, 1, k, c)
    gathered = lambda k: (0, 1, k // n, c)
    shared = lambda k: (k % n, n, k // n, c // n)
    kinds = {
        'allgather': (n * c, gathered, lambda k: [k % n], lambda k: everyone, lambda k: k % n),
        'gather': (n * c, gathered, lambda k: [k % n], lambda k: [root], lambda k: k % n),
        'broadcast': (c, whole, lambda k: [root], lambda k: everyone, lambda k: 0),
        'scatter': (c, shared, lambda k: [root], lambda k: [k % n], lambda k: 0),
        'alltoall': (n * c, lambda k: (k // n % n, n, k // (n * n), c // n), lambda k: [k % n], lambda k: [k // n % n], lambda k: k % n),
        'reduce': (c, whole, lambda k: everyone, lambda k: [root], lambda k: 0),
        'reducescatter': (c, shared, lambda k: everyone, lambda k: [k % n], lambda k: 0),
        'allreduce': (c, whole, lambda k: everyone, lambda k: everyone, lambda k: 0),
        'scan': (c, whole, lambda k: everyone, lambda k: everyone, lambda k: 0),
    }
    return kinds.get(p.collective)


def check_places(p):
    need(len(p.cuts) == p.n_chunks, 'there are %d cuts of %d chunks', len(p.cuts), p.n_chunks)
    need(len({(b[1], b[3]) for b in p.cuts}) == 1, 'chunks are cut in several ways, which is not judged')
    need(all(b[0] < b[1] and b[2] < b[3] for b in p.cuts), 'a cut is outside of its buffer')
    rooted = p.collective in ('gather', 'broadcast', 'scatter', 'reduce')
    if not standard(p) or (rooted and p.root < 0):  # custom, or several roots: as the program says
        need(p.input_places and p.output_places, 'nothing comes in or goes out')
        return
    count, cut, has, wants, block = standard(p)
    need(p.n_chunks == count, 'a %s of %d chunks has %d in all, not %d', p.collective, p.chunks, count, p.n_chunks)
    need(p.combining == (p.collective in ('reduce', 'reducescatter', 'allreduce', 'scan')), 'combines, or does not')
    need(p.cuts == [cut(k) for k in range(count)], 'a chunk is cut elsewhere than its number says')
    need({(r, k) for r, k, *_ in p.input_places} == {(r, k) for k in range(count) for r in has(k)}, 'other inputs than a %s has', p.collective)
    need({(r, k) for r, k, *_ in p.output_places} == {(r, k) for k in range(count) for r in wants(k)}, 'other outputs than a %s has', p.collective)
    for r, k, b, _, part, parts in p.output_places:
        need((b, part, parts) == (block(k), cut(k)[2], cut(k)[3]), 'chunk %d lies elsewhere in the output of rank %d', k, r)


def holders_of(p):
    """By chunk: the ranks that have it as input."""
    holders = {}
    for r, k, *_ in p.input_places:
        holders.setdefault(k, set()).add(r)
    return holders


def wanted(p, rank, holders):
    if not p.combining:
        return holders
    return frozenset(r for r in holders if r <= rank) if p.collective == 'scan' else holders


# ---- playing ----

class Play:
    def __init__(self, program, what):
        self.p, self.table, self.packets, self.shared = program, program.tables[what], what == 'packets', program.tables[what].shared
        self.switched, self.pull = what == 'multimem', what == 'pull'
        n = program.ranks
        self.at = [0] * n                      # the next instruction
        self.inner = [0] * n                   # the next move of a group, for packets
        self.clock = [[0] * n for _ in range(n)]
        self.interval = [1] * n                # between barriers
        self.moved = [False] * n               # since the last barrier
        self.moves = [0] * n
        self.places = [0] * n
        self.signalled = {}                    # (from, to): [(number, clock)]
        self.offered = {}                      # (from, to): clock
        self.credited = set()
        self.rare, self.rare_credits = set(), set()  # (sender, reader): offers and credits that packets of each call imply
        self.value = {}                        # place: (chunk, contributions)
        self.wrote, self.read = {}, {}         # place: (rank, time, interval); place: {rank: (time, interval)}
        self.borrowed = {}                     # (owner, reader): when an input was last read by another rank
        self.unread = {}                       # (owner, sender): number of packets that nobody has read
        self.input = {(r, k): (b, part) for r, k, b, _, part, _ in program.input_places}

    def each(self, places):
        """What is at all ranks, at each of them."""
        for kind, rank, index in places:
            need(rank != ALL or self.switched, 'a place at all ranks, in a program for no switch')
            for r in range(self.p.ranks) if rank == ALL else [rank]:
                yield (kind, r, index)

    def where(self, me, place, chunk, target):
        """The place as one that all ranks name alike."""
        kind, rank, index = place
        p, cut = self.p, self.p.cuts[chunk]
        if kind == 'input':
            need(not target, 'rank %d writes its input', me)
            owner = me if rank is None else rank
            need(owner < p.ranks and (rank is None or self.shared), 'rank %d reads the input of rank %d', me, owner)
            need(owner == me or self.clock[me][owner] > 0, 'rank %d reads the input of rank %d without knowing that its call has begun', me, owner)
            need(index < p.inputs[owner][0], 'rank %d reads input block %d of %d', me, index, p.inputs[owner][0])
            need((owner, chunk) in self.input, 'rank %d reads chunk %d from the input of rank %d, which does not have it', me, chunk, owner)
            return ('input', owner, chunk)
        need(rank < p.ranks, 'there is no rank %d', rank)
        if kind == 'packet':
            need(self.packets, 'a packet among flags')
            owner, sender = (rank, me) if target else (me, rank)
            need(index < self.table.packets, 'packet slot %d of %d', index, self.table.packets)
            return ('packet', owner, index, sender)
        need(target or rank == me or self.pull and kind == 'scratch', 'rank %d reads the memory of rank %d', me, rank)
        need(rank == me or not target or not self.pull, 'rank %d writes to rank %d, which loads', me, rank)
        need(rank == me or not self.packets, 'rank %d writes to rank %d without packets', me, rank)
        if kind == 'scratch':
            need(index < self.table.scratch, 'scratch slot %d of %d', index, self.table.scratch)
            return ('scratch', rank, index)
        times, block, blocks = p.outputs[rank]
        need(index < times, 'output block %d of %d', index, times)
        need((block, blocks) == (cut[0], cut[1]), 'chunk %d, of another size, in the output of rank %d', chunk, rank)
        return ('output', rank, index, cut[2])

    def conflict(self, me, access):
        who, when, interval = access
        if who == me:
            return not self.packets and interval == self.interval[me]
        return self.clock[me][who] < when

    def touch(self, me, places, write):
        now = (me, self.clock[me][me], self.interval[me])
        for place in places:
            if place[0] in ('input', 'packet'):
                continue
            last = self.wrote.get(place)
            need(not last or not self.conflict(me, last), 'rank %d %s %s while rank %d may be writing it', me,
                 'writes' if write else 'reads', place, last[0] if last else 0)
            if write:
                for who, (when, interval) in self.read.get(place, {}).items():
                    need(not self.conflict(me, (who, when, interval)), 'rank %d writes %s while rank %d may be reading it', me,
                         place, who)
        return now

    def move(self, me, move):
        """False: it has to wait for a packet."""
        p = self.p
        need(move.chunk < p.n_chunks, 'there is no chunk %d', move.chunk)
        sources = [self.where(me, s, move.chunk, False) for s in self.each(move.sources)]
        targets = [self.where(me, t, move.chunk, True) for t in self.each(move.targets)]
        need(len(set(sources)) == len(sources), 'a place is added twice')
        need(len(set(targets)) == len(targets), 'a place is written twice in a move')
        for s in sources:
            if s[0] == 'packet' and s[:3] not in self.value:
                return False
        contributions = frozenset()
        for s in sources:
            chunk, has = (move.chunk, frozenset([s[1]])) if s[0] == 'input' else self.value.get(s[:3] if s[0] == 'packet' else s, (None, None))
            need(has is not None, 'rank %d reads %s, which nobody has written', me, s)
            need(chunk == move.chunk, 'rank %d reads chunk %s as chunk %d', me, chunk, move.chunk)
            need(not contributions & has, 'chunk %d: a contribution is added twice', move.chunk)
            need(p.combining or len(sources) == 1, 'values are added in a %s', p.collective)
            contributions |= has
            if s[0] == 'packet':
                sent = self.wrote[s[:3]]
                need(sent[0] == s[3], 'rank %d waits for a packet of rank %d, which rank %d sends', me, s[3], sent[0])
                self.clock[me] = [max(a, b) for a, b in zip(self.clock[me], sent[3])]
                need((me, s[3]) not in self.offered, 'rank %d reads a packet of rank %d after offering its slot', me, s[3])
                self.unread[me, s[3]].discard(s[2])
        need(move.total == (len(sources) > 1 and len(contributions) == p.ranks), 'chunk %d is marked as a total, or not marked', move.chunk)
        self.touch(me, sources, False)
        now = self.touch(me, targets, True)  # its own reads come first, and are not noted yet
        for s in sources:
            self.read.setdefault(s, {})[me] = now[1:]
            if s[0] in ('input', 'scratch') and s[1] != me:
                self.borrowed[s[1], me] = now[1]
        for t in targets:
            if t[0] == 'packet':
                need(t[:3] not in self.value, 'packet %s is written twice', t[:3])
                need(t[1] == me or (me, t[1]) in self.credited, 'rank %d sends packets to rank %d without its credit', me, t[1])
                need(t[1] == me or (me, t[1]) in p.connections, 'rank %d and %d are not connected', me, t[1])
                self.value[t[:3]] = (move.chunk, contributions)
                self.wrote[t[:3]] = now + (list(self.clock[me]),)
                self.unread.setdefault((t[1], me), set()).add(t[2])
                continue
            if t[1] != me:
                need((me, t[1]) in p.connections, 'rank %d and %d are not connected', me, t[1])
                # Whatever a rank has done in this call, it did after the end of the one before: no credit of its own is needed.
                need(self.clock[me][t[1]] > 0, 'rank %d writes to rank %d without knowing that its call has begun', me, t[1])
            self.value[t] = (move.chunk, contributions)
            self.wrote[t] = now
            self.read[t] = {}
        return True

    def flag(self, me, kind, peer, number):
        """False: it has to wait."""
        need(peer < self.p.ranks and peer != me, 'rank %d and a flag of rank %d', me, peer)
        if kind == 'offer':
            need((me, peer) not in self.offered, 'rank %d offers twice', me)
            need(not self.moved[me], 'rank %d offers before its threads have met', me)
            self.offered[me, peer] = list(self.clock[me])
            need(self.packets or not number, 'a rare offer without packets')
            if number:
                self.rare.add((peer, me))
        elif kind == 'signal':
            need(not self.packets, 'a signal among packets')
            need(not self.moved[me], 'rank %d signals before its threads have met', me)
            # Where inputs are shared a signal also says that one has been read.
            need((me, peer) in self.p.connections or (self.shared or self.pull) and (peer, me) in self.p.connections,
                 'rank %d signals rank %d, to which nothing goes', me, peer)
            sent = self.signalled.setdefault((me, peer), [])
            need((sent[-1][0] if sent else 0) < number <= self.table.signals, 'signal %d of %d, after others', number, self.table.signals)
            sent.append((number, list(self.clock[me])))
        elif kind == 'credit':
            if not self.packets:  # of this call
                if (peer, me) not in self.offered:
                    return False
                self.clock[me] = [max(a, b) for a, b in zip(self.clock[me], self.offered[peer, me])]
            self.credited.add((me, peer))
            need(self.packets or not number, 'a rare credit without packets')
            if number:
                self.rare_credits.add((me, peer))
        else:
            need(not self.packets, 'a wait among packets')
            sent = [v for k, v in self.signalled.get((peer, me), []) if k >= number]
            if not sent:
                return False
            self.clock[me] = [max(a, b) for a, b in zip(self.clock[me], sent[0])]
        return True

    def step(self, me):
        """Executes what rank ME has next. False: it has to wait, or has ended."""
        code = self.table.ranks[me]
        if self.at[me] == len(code):
            return False
        i = code[self.at[me]]
        if isinstance(i, Sync):
            self.interval[me] += 1
            self.moved[me], self.moves[me], self.places[me] = False, 0, 0
        elif isinstance(i, Flags):
            # All at once: none of a group depends on another.
            for kind, peer, number in i.words_of:
                if kind == 'credit' and not self.packets and (peer, me) not in self.offered:
                    return False
                if kind == 'wait' and not any(k >= number for k, _ in self.signalled.get((peer, me), [])):
                    return False
            self.clock[me][me] += 1
            for word in i.words_of:
                self.flag(me, *word)
        else:
            while self.inner[me] < len(i.moves):
                move = i.moves[self.inner[me]]
                self.clock[me][me] += 1
                if not self.move(me, move):
                    return False
                self.inner[me] += 1
                self.moved[me] = True
                self.moves[me] += 1
                self.places[me] += len(move.sources) + len(move.targets)
                need(self.moves[me] <= MOVES_MOST, 'more than %d moves between two barriers', MOVES_MOST)
                need(self.moves[me] == 1 or self.places[me] <= PLACES_MOST, 'more than %d places between two barriers', PLACES_MOST)
            self.inner[me] = 0
        self.at[me] += 1
        return True

    def run(self):
        p = self.p
        ready = True
        while ready:
            ready = False
            for me in range(p.ranks):
                while self.step(me):
                    ready = True
        for me in range(p.ranks):
            need(self.at[me] == len(self.table.ranks[me]), 'deadlock: rank %d waits for ever at instruction %d', me, self.at[me])
        holders = holders_of(p)
        for rank, chunk, block, _, part, _ in p.output_places:
            got = self.value.get(('output', rank, block, part))
            need(got and got[0] == chunk, 'rank %d does not have chunk %d', rank, chunk)
            want = wanted(p, rank, holders.get(chunk, set()))
            right = got[1] == want if p.combining else got[1] <= want and len(got[1]) == 1
            need(right, 'rank %d has chunk %d of %s, not %s', rank, chunk, sorted(got[1]), sorted(want))
        for place, access in self.wrote.items():  # before its owner returns, or makes the next call
            if place[0] != 'packet' and access[0] != place[1]:
                need(self.clock[place[1]][access[0]] >= access[1], 'rank %d may return while rank %d writes %s', place[1], access[0], place)
        for (owner, reader), when in self.borrowed.items():
            need(self.clock[owner][reader] >= when, 'rank %d may return while rank %d reads its memory', owner, reader)
        if self.packets:
            for (owner, sender), slots in self.unread.items():
                need(not slots, 'rank %d never reads packets of rank %d', owner, sender)
                need(owner == sender or (owner, sender) in self.offered, 'rank %d never offers its slots to rank %d again', owner, sender)
        need(self.rare == self.rare_credits, 'offers are rare where credits are not, or the other way')
        for a, b in self.credited:
            need((b, a) in self.offered, 'rank %d waits for a credit that rank %d never gives', a, b)


class Calls:
    """Three calls with packets in which no packet is empty, so that rare offers are not made and rare credits not awaited. Calls
    alternate between two sets of slots: what is written in the third overwrites what was read in the first, whose reader must be
    known to have ended it. All threads of a block make all moves, in order; or, with WARPS, each move is some warp's, which
    knows what the block had heard by its last barrier, and what the move's sources tell."""

    def __init__(self, program, warps):
        self.p, self.warps = program, warps
        n = program.ranks
        self.code = program.tables['packets'].ranks
        self.at = [[0, 0, 0] for _ in range(n)]   # call, instruction, move of a group
        self.clock = [[0] * n for _ in range(n)]
        self.met = [[0] * n for _ in range(n)]    # the clock at the last barrier
        self.ended = [[None] * n for _ in range(3)]
        self.offered = {}                         # (call, from, to): clock
        self.told = {}                            # (call, place): what its sender, or who wrote it, knew

    @staticmethod
    def join(*clocks):
        return [max(c) for c in zip(*clocks)]

    def move(self, me, call, move):
        known = self.met[me] if self.warps else self.clock[me]
        sources = [('packet', me, s[2]) if s[0] == 'packet' else s for s in move.sources]
        if any(s[0] == 'packet' and (call, s) not in self.told for s in sources):
            return False
        known = self.join(known, *[self.told[call, s] for s in sources if (call, s) in self.told])
        known[me] = self.clock[me][me]
        for t in move.targets:
            if t[0] == 'packet' and t[1] != me and call == 2:
                offer = self.offered.get((0, t[1], me))
                end = offer[t[1]] if offer else self.ended[0][t[1]]
                need(end is not None and known[t[1]] >= end, 'rank %d sends packets of its third call to rank %d, of which it has not '
                     'heard that its first call has ended', me, t[1])
            self.told[call, t] = known
        self.clock[me] = self.join(self.clock[me], known)
        return True

    def flags(self, me, call, words):
        """Those that are not rare. False: it has to wait."""
        for kind, peer, rare in words:
            if kind == 'credit' and not rare and call == 2:
                if (0, peer, me) not in self.offered:
                    return False
                self.clock[me] = self.join(self.clock[me], self.offered[0, peer, me])
                self.met[me] = self.join(self.met[me], self.offered[0, peer, me])  # every warp waits
            if kind == 'offer' and not rare:
                self.offered[call, me, peer] = list(self.clock[me])
        return True

    def step(self, me):
        call, i, inner = self.at[me]
        if call == 3:
            return False
        self.clock[me][me] += 1
        if i == len(self.code[me]):
            self.ended[call][me] = self.clock[me][me]
            self.met[me] = list(self.clock[me])
            self.at[me] = [call + 1, 0, 0]
            return True
        x = self.code[me][i]
        if isinstance(x, Moves) and inner < len(x.moves):
            went = self.move(me, call, x.moves[inner])
            self.at[me][2] += went
            return went
        if isinstance(x, Flags) and not self.flags(me, call, x.words_of):
            return False
        if isinstance(x, Sync):
            self.met[me] = list(self.clock[me])
        self.at[me] = [call, i + 1, 0]
        return True

    def run(self):
        went = True
        while went:
            went = False
            for me in range(self.p.ranks):
                while self.step(me):
                    went = True
        for me in range(self.p.ranks):
            need(self.at[me][0] == 3, 'deadlock: rank %d does not end call %d of three', me, self.at[me][0] + 1)


def judge(program, warps=False):
    check_places(program)
    for what in program.tables:
        try:
            Play(program, what).run()
            if what == 'packets':
                Calls(program, warps).run()
        except Refused as e:
            raise Refused('%s: %s' % (what, e)) from None


# ---- planted faults ----

def flags_in(table, kind):
    return [(r, i, j) for r, code in enumerate(table.ranks) for i, x in enumerate(code) if isinstance(x, Flags)
            for j, w in enumerate(x.words_of) if w[0] == kind]


def moves_in(table, fits=lambda m: True):
    return [(r, i, j) for r, code in enumerate(table.ranks) for i, x in enumerate(code) if isinstance(x, Moves)
            for j, m in enumerate(x.moves) if fits(m)]


def cut_flag(kind):
    def sites(t):
        return flags_in(t, kind)

    def plant(t, s, p):
        r, i, j = s
        del t.ranks[r][i].words_of[j]
        if not t.ranks[r][i].words_of:
            del t.ranks[r][i]
    return sites, plant


def change_flag(kind, change):
    def plant(t, s, p):
        r, i, j = s
        change(t.ranks[r][i].words_of[j], p)
    return lambda t: flags_in(t, kind), plant


def change_move(change, fits=lambda m: True):
    def plant(t, s, p):
        r, i, j = s
        change(t.ranks[r][i].moves[j], p, r)
    return lambda t: moves_in(t, fits), plant


def other_rank(place, p):
    return (place[0], 0 if place[1] == ALL else (place[1] + 1) % p.ranks, place[2])


def set_source(m, k, place):
    m.sources[k] = place


def set_target(m, k, place):
    m.targets[k] = place


def drop_move(t, s, p):
    r, i, j = s
    del t.ranks[r][i].moves[j]
    if not t.ranks[r][i].moves:
        del t.ranks[r][i]


def syncs_before_posts(t):
    """Barriers with a move before and a post directly behind: the only ones that nothing can replace."""
    return [(r, i) for r, code in enumerate(t.ranks) for i, x in enumerate(code) if isinstance(x, Sync) and i + 1 < len(code)
            and isinstance(code[i + 1], Flags) and code[i + 1].words_of[0][0] in ('offer', 'signal') and i and isinstance(code[i - 1], Moves)]


def posts_behind(t):
    """Posts of what is moved directly before their barrier: writes to the peer that no later signal covers, or with packets reads of
    what it sent."""
    last = set(last_signals(t))
    def tells(moves, kind, peer):
        places = [x for m in moves for x in (m.targets if kind == 'signal' else m.sources)]
        return any(x[0] != 'input' and x[1] in (peer, ALL) for x in places)
    return [(r, i) for r, code in enumerate(t.ranks) for i, x in enumerate(code) if isinstance(x, Flags)
            and i >= 2 and isinstance(code[i - 1], Sync) and isinstance(code[i - 2], Moves)
            and any(tells(code[i - 2].moves, kind, peer) for j, (kind, peer, _) in enumerate(x.words_of)
                    if kind == 'offer' or (r, i, j) in last)]


def first_credits(t):
    """Credits behind which a rank writes to that peer before it waits for anything else: later, what it knows may be enough."""
    out = []
    for r, i, j in flags_in(t, 'credit'):
        peer = t.ranks[r][i].words_of[j][1]
        for x in t.ranks[r]:
            if isinstance(x, Flags) and any(w[0] == 'wait' for w in x.words_of):
                break
            if isinstance(x, Moves) and any(y[0] != 'input' and y[1] in (peer, ALL) for m in x.moves for y in m.targets):
                out.append((r, i, j))
                break
    return out


def first_waits(t):
    """Waits of ranks that wait once: what they read next is only then there."""
    waits = flags_in(t, 'wait')
    return [w for w in waits if sum(v[0] == w[0] for v in waits) == 1]


def last_signals(t):
    """What an earlier signal announces, the next one does, too, only later."""
    last = {}
    for r, i, j in flags_in(t, 'signal'):
        last[r, t.ranks[r][i].words_of[j][1]] = (r, i, j)
    return sorted(last.values())


def early_post(t, s, p):
    r, i = s
    t.ranks[r].insert(i - 2, t.ranks[r].pop(i))


def shared_at(m):
    return next((k for k, x in enumerate(m.sources) if x[0] == 'input' and x[1] is not None), None)


def shift(place, by):
    return (place[0], place[1], place[2] + by)


def call_rare(value):
    """A credit and its offer are called rare, or are not."""
    def sites(t):
        return [(r, i, j) for r, i, j in flags_in(t, 'credit') if t.ranks[r][i].words_of[j][2] != value]

    def plant(t, s, p, both):
        r, i, j = s
        word = t.ranks[r][i].words_of[j]
        word[2] = value
        for x in t.ranks[word[1]] if both else []:
            for w in x.words_of if isinstance(x, Flags) else []:
                if w[0] == 'offer' and w[1] == r:
                    w[2] = value
    return sites, plant


# What is damaged, in which tables, where, and how. Each kind is wrong wherever it is planted.
FAULTS = {
    'a signal is left out': ('plain', last_signals, cut_flag('signal')[1]),
    'an offer is left out': ('both', *cut_flag('offer')),
    'a credit is left out': ('both', first_credits, cut_flag('credit')[1]),
    'a credit is called rare, and data do not imply it': ('packets', call_rare(1)[0], lambda t, s, p: call_rare(1)[1](t, s, p, True)),
    'a credit is called rare, and its offer is not': ('packets', call_rare(1)[0], lambda t, s, p: call_rare(1)[1](t, s, p, False)),
    'an offer is called rare, and its credit is not': ('packets', call_rare(0)[0], lambda t, s, p: call_rare(0)[1](t, s, p, False)),
    'a wait is left out': ('plain', first_waits, cut_flag('wait')[1]),
    'a signal goes to another rank': ('plain', last_signals, change_flag('signal', lambda w, p: w.__setitem__(1, (w[1] + 1) % p.ranks))[1]),
    'an offer goes to another rank': ('both', *change_flag('offer', lambda w, p: w.__setitem__(1, (w[1] + 1) % p.ranks))),
    'a wait is for a rank that is not': ('plain', *change_flag('wait', lambda w, p: w.__setitem__(1, p.ranks))),
    'a wait is for a signal that never comes': ('plain', *change_flag('wait', lambda w, p: w.__setitem__(2, w[2] + 1000))),
    'a signal has a number beyond the epoch': ('plain', *change_flag('signal', lambda w, p: w.__setitem__(2, w[2] + 1000))),
    'a signal has number 0': ('plain', *change_flag('signal', lambda w, p: w.__setitem__(2, 0))),
    'a barrier before a post is left out': ('both', syncs_before_posts, lambda t, s, p: t.ranks[s[0]].pop(s[1])),
    'a post comes before the moves it announces': ('both', posts_behind, early_post),
    'a move is left out': ('both', moves_in, drop_move),
    'a move is of another chunk': ('both', *change_move(lambda m, p, r: setattr(m, 'chunk', (m.chunk + 1) % max(p.n_chunks, 2)))),
    'a move is of a chunk that is not': ('both', *change_move(lambda m, p, r: setattr(m, 'chunk', p.n_chunks))),
    'a source is read twice': ('both', *change_move(lambda m, p, r: m.sources.append(m.sources[0]))),
    'a summand is left out': ('both', *change_move(lambda m, p, r: m.sources.pop(), lambda m: len(m.sources) > 1)),
    'a total is not marked, or another sum is': ('both', *change_move(lambda m, p, r: setattr(m, 'total', not m.total), lambda m: len(m.sources) > 1)),
    'a target is left out': ('both', *change_move(lambda m, p, r: m.targets.pop(), lambda m: len(m.targets) > 1)),
    'a target is written twice': ('both', *change_move(lambda m, p, r: m.targets.append(m.targets[0]))),
    'a scratch slot beyond the last is written': ('both', *change_move(lambda m, p, r: set_target(m, 0, shift(m.targets[0], 10**6)),
                                                                    lambda m: m.targets[0][0] == 'scratch')),
    'an output block beyond the last is written': ('both', *change_move(lambda m, p, r: set_target(m, 0, shift(m.targets[0], 10**6)),
                                                                     lambda m: m.targets[0][0] == 'output')),
    'a packet slot beyond the last is read': ('packets', *change_move(lambda m, p, r: set_source(m, 0, shift(m.sources[0], 10**6)),
                                                                   lambda m: m.sources[0][0] == 'packet')),
    'an input block beyond the last is read': ('both', *change_move(lambda m, p, r: set_source(m, 0, shift(m.sources[0], 10**6)),
                                                                 lambda m: m.sources[0][0] == 'input')),
    'the memory of another rank is read': ('stores', *change_move(lambda m, p, r: set_source(m, 0, other_rank(m.sources[0], p)),
                                                               lambda m: m.sources[0][0] in ('scratch', 'output'))),
    'what goes to one rank goes to another': ('plain', *change_move(lambda m, p, r: set_target(m, 0, other_rank(m.targets[0], p)),
                                                                  lambda m: m.targets[0][0] in ('scratch', 'output'))),
    'the input of another rank is read': ('both', *change_move(lambda m, p, r: set_source(m, 0, ('input', (r + 1) % p.ranks, 0)),
                                                                 lambda m: m.sources[0] == ('input', None, 0))),
    'a shared input is read of another rank': ('shared', *change_move(
        lambda m, p, r: set_source(m, shared_at(m), other_rank(m.sources[shared_at(m)], p)), lambda m: shared_at(m) is not None)),
    'one input stands for the sum of all': ('multimem', *change_move(lambda m, p, r: set_source(m, 0, ('input', None, m.sources[0][2])),
                                                                lambda m: m.sources[0][1] == ALL and m.sources[0][0] == 'input')),
    'the sum of all stands for one input': ('multimem', *change_move(lambda m, p, r: set_source(m, 0, ('input', ALL, m.sources[0][2])),
                                                                lambda m: m.sources[0][1] is None)),
    'what goes to all goes to one rank': ('multimem', *change_move(lambda m, p, r: set_target(m, -1, ('output', r, m.targets[-1][2])),
                                                              lambda m: m.targets[-1][1] == ALL)),
    'a place at all ranks is in a program for no switch': ('no switch', *change_move(lambda m, p, r: set_target(m, 0, ('output', ALL, 0)),
                                                                            lambda m: m.targets[0][0] == 'output')),
    'the input is written': ('both', *change_move(lambda m, p, r: set_target(m, 0, ('input', None, 0)))),
    'a packet is awaited of another rank': ('packets', *change_move(lambda m, p, r: set_source(m, 0, other_rank(m.sources[0], p)),
                                                                  lambda m: m.sources[0][0] == 'packet')),
    'a packet goes to another rank': ('packets', *change_move(lambda m, p, r: set_target(m, 0, other_rank(m.targets[0], p)),
                                                            lambda m: m.targets[0][0] == 'packet')),
    'a packet slot is written twice': ('packets', *change_move(lambda m, p, r: m.targets.append(m.targets[0]),
                                                             lambda m: m.targets[0][0] == 'packet')),
}


def whole_faults(p):
    """Damage to what stands beside the tables: what it is, and a function that does it."""
    last, tables = p.output_places[-1], p.tables.values()
    yield 'a chunk is cut elsewhere', lambda q: q.cuts.__setitem__(0, q.cuts[0][:2] + (q.cuts[0][2] + 1, q.cuts[0][3]))
    yield 'an output is not listed', lambda q: q.output_places.pop()
    yield 'an output lies in another block', lambda q: q.output_places.__setitem__(-1, last[:2] + (last[2] + 1,) + last[3:])
    yield 'an output is another rank\'s', lambda q: q.output_places.__setitem__(-1, ((last[0] + 1) % q.ranks,) + last[1:])
    yield 'an input is not listed', lambda q: q.input_places.pop()
    yield 'a connection is not listed', lambda q: q.connections.pop()
    yield 'it says that nothing is added, or that something is', lambda q: setattr(q, 'combining', not q.combining)
    yield 'it is called another collective', lambda q: setattr(q, 'collective', 'allreduce' if q.collective == 'allgather' else 'allgather')
    for field, what in (('scratch', 'scratch slot'), ('packets', 'packet slot'), ('signals', 'signal')):
        if any(getattr(t, field) for t in tables):
            yield 'there is one %s too few' % what, lambda q, field=field: [setattr(t, field, getattr(t, field) - 1) for t in q.tables.values()]


def refuses(program):
    try:
        judge(program)
    except Refused:
        return True
    return False


def plant(text, most, seed, tally):
    """Damages the program in every way, MOST times each; prints what was not refused."""
    pick, good, right = random.Random(seed), True, Program(text)
    for what, (where, sites, damage) in FAULTS.items():
        for name in right.tables:
            if where not in ('both', name) and (where, name) not in (('plain', 'shared'), ('plain', 'multimem'), ('shared', 'multimem'), ('no switch', 'plain'), ('no switch', 'shared'),
                                                             ('no switch', 'pull'), ('plain', 'pull'), ('stores', 'plain'), ('stores', 'shared')):
                continue
            all_sites = sites(right.tables[name])
            for s in pick.sample(all_sites, min(most, len(all_sites))):
                q = copy.deepcopy(right)
                damage(q.tables[name], s, q)
                tally[what] = tally.get(what, 0) + 1
                if not refuses(q):
                    good = False
                    print('NOT REFUSED %s: %s: %s at %s' % (q.name, name, what, s))
    for what, damage in whole_faults(right):
        q = copy.deepcopy(right)
        damage(q)
        tally[what] = tally.get(what, 0) + 1
        if not refuses(q):
            good = False
            print('NOT REFUSED %s: %s' % (q.name, what))
    return good


def main(argv):
    most = 0
    if argv and argv[0] == '--plant':
        argv = argv[1:]
        most = 3
        if argv and argv[0].isdigit():
            most, argv = int(argv[0]), argv[1:]
    table = bool(argv) and argv[0] == '--table'
    argv = argv[1:] if table else argv
    warps = bool(argv) and argv[0] == '--warps'
    argv = argv[1:] if warps else argv
    if not argv:
        print('usage: judge.py [--plant [N]] [--table] [--warps] FILE...', file=sys.stderr)
        return 2
    bad, tally = 0, {}
    for path in argv:
        with open(path, encoding='utf-8') as f:
            text = f.read()
        try:
            judge(Program(text), warps)
        except Refused as e:
            bad += 1
            print('%s: %s' % (path, e))
            continue
        if most and not plant(text, most, path, tally):
            bad += 1
    if table:
        print('| fault | planted |\n| --- | --- |')
        for what in sorted(tally):
            print('| %s | %d |' % (what, tally[what]))
    print('%d programs judged, %d refused' % (len(argv), bad) if not most else
          '%d programs, %d faults of %d kinds planted, %s' % (len(argv), sum(tally.values()), len(tally), 'all refused' if not bad else 'NOT ALL REFUSED'))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
