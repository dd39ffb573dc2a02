#!/usr/bin/env python3
"""Flags and data under a weak memory model: what a reader may see, by all candidate executions of small programs.

The model is the axiomatic one of PTX (Lustig, Sahasrabuddhe, Giroux, ASPLOS 2019), as far as flags need it: weak and strong accesses
with scopes, release and acquire, barriers of a block; the axioms coherence, causality and SC per location. HIP's scopes are the same
by other names. A load that is polled is one whose value decides whether its thread goes on: no store behind it, also of a thread
behind a barrier, is done before (no values out of thin air, with control dependencies). Each program below is what a generated one does around a flag (docs/concepts/flag-protocol.md); the outcome named in it
must be impossible, and possible as soon as one of its faults is planted. TAP.
"""
import itertools
import sys

WEAK, RELAXED, RELEASE, ACQUIRE = 'weak', 'relaxed', 'release', 'acquire'
CTA, GPU, SYS = 'cta', 'gpu', 'sys'


class Event:
    def __init__(self, thread, op, loc, value=None, sem=WEAK, scope=SYS, into=None, polled=False):
        self.thread, self.op, self.loc, self.value, self.sem, self.scope, self.into, self.polled = thread, op, loc, value, sem, scope, into, polled


def store(loc, value, sem=WEAK, scope=SYS):
    return ('W', loc, value, sem, scope, None)


def load(loc, into, sem=WEAK, scope=SYS):
    return ('R', loc, None, sem, scope, into)


def poll(loc, into):
    return ('R', loc, None, RELAXED, SYS, into, True)


def barrier(name):
    return ('B', name, None, WEAK, CTA, None)


def fence(scope=SYS):
    return ('F', None, None, RELEASE, scope, None)


def includes(scope, a, b):
    """Does the scope of thread A include thread B? A thread is (gpu, block, number)."""
    return scope == SYS or a[0] == b[0] and (scope == GPU or a[1] == b[1])


def strong_pair(a, b):
    return a.sem != WEAK and b.sem != WEAK and includes(a.scope, a.thread, b.thread) and includes(b.scope, b.thread, a.thread)


def closure(pairs):
    out = set(pairs)
    while True:
        more = {(a, d) for a, b in out for c, d in out if b == c} - out
        if not more:
            return out
        out |= more


def acyclic(pairs):
    return all(a != b for a, b in closure(pairs))


def executions(threads):
    """Every candidate execution that the axioms allow, as the values that its loads return. THREADS: {thread: [op, ...]}."""
    events, po = [], set()
    for thread, ops in threads.items():
        mine = []
        for op in ops:
            events.append(Event(thread, *op))
            mine.append(len(events) - 1)
        po |= set(itertools.combinations(mine, 2))
    locations = sorted({e.loc for e in events if e.op in 'WR'})
    start = {}
    for loc in locations:  # what is there before
        events.append(Event(('none', 'none', 0), 'W', loc, 0))
        start[loc] = len(events) - 1
    n = range(len(events))
    writes = {loc: [i for i in n if events[i].op == 'W' and events[i].loc == loc and i != start[loc]] for loc in locations}
    reads = [i for i in n if events[i].op == 'R']
    po_loc = {(a, b) for a, b in po if events[a].op in 'WR' and events[b].op in 'WR' and events[a].loc == events[b].loc}

    # Barriers: what is before one in a thread, and behind it in another of the block.
    meets = {(a, d) for x in n for y in n if x != y and events[x].op == events[y].op == 'B' and events[x].loc == events[y].loc
             and events[x].thread[:2] == events[y].thread[:2] for a, b in po if b == x for c, d in po if c == y}

    depends = {(a, b) for a, b in po | meets if events[a].polled and events[b].op == 'W'}

    def releases(w):
        """Where a release pattern that ends in the write W begins."""
        if events[w].sem == RELEASE:
            yield w
        if events[w].sem != WEAK:
            yield from (f for f, x in po if x == w and events[f].op == 'F')

    def acquires(r):
        if events[r].sem == ACQUIRE:
            yield r
        if events[r].sem != WEAK:
            yield from (f for x, f in po if x == r and events[f].op == 'F')

    for sources in itertools.product(*[[start[events[r].loc]] + writes[events[r].loc] for r in reads]):
        rf = {(w, r) for r, w in zip(reads, sources)}
        sync = {(x, y) for w, r in rf if w not in start.values() and strong_pair(events[w], events[r])
                for x in releases(w) for y in acquires(r) if includes(events[x].scope, events[x].thread, events[y].thread)
                and includes(events[y].scope, events[y].thread, events[x].thread)}
        same = {(i, i) for i in n}
        around = {(a, d) for a, b in po | same for c, d in sync if b == c}
        based = closure({(a, d) for a, b in around for c, d in po | same if b == c} | meets)
        based = closure(based | {(a, d) for a, b in based for c, d in po if b == c} | {(a, d) for a, b in po for c, d in based if b == c})
        based |= {(s, i) for s in start.values() for i in n if i not in start.values()}
        observed = {(w, r) for w, r in rf if strong_pair(events[w], events[r])}
        cause = based | {(w, d) for w, r in observed for c, d in based | po_loc if r == c}
        for orders in itertools.product(*[list(itertools.permutations(writes[loc])) for loc in locations]):
            co = {(start[loc], w) for loc in locations for w in writes[loc]}
            for order in orders:
                co |= set(itertools.combinations(order, 2))
            fr = {(r, b) for w, r in rf for a, b in co if a == w}
            if any((b, a) in co for a, b in cause if events[a].op == events[b].op == 'W' and events[a].loc == events[b].loc):
                continue  # coherence
            if any((b, a) in cause for a, b in rf | fr):
                continue  # causality
            strong = {(a, b) for a, b in rf | co | fr if strong_pair(events[a], events[b])}
            if not acyclic(strong | po_loc):
                continue  # SC per location
            if not acyclic(rf | depends):
                continue  # no thin air
            yield {events[r].into: events[w].value for w, r in rf}


def possible(threads, outcome):
    return any(all(e[k] == v for k, v in outcome.items()) for e in executions(threads))


# Threads: a mover and a poster of one block, and those of others. Ranks are GPUs.
A0, A1 = ('a', 0, 0), ('a', 0, 1)
B0, B1 = ('b', 0, 0), ('b', 0, 1)
C0 = ('c', 0, 0)


def signal(wait=ACQUIRE, post=RELEASE, post_scope=SYS, wait_scope=SYS, meet=True, told=True):
    """A mover stores, a poster of its block signals; a poller waits, and so does the warp that reads."""
    threads = {
        A0: [store('x', 1)] + ([barrier('a')] if meet else []),
        A1: ([barrier('a')] if meet else []) + [store('f', 1, post, post_scope)],
        B0: [load('f', 'f', wait, wait_scope)] + ([] if told else [barrier('b')]),
    }
    if told:  # the reader has waited itself, as every warp does
        threads[B0].append(load('x', 'x'))
    else:
        threads[B1] = [barrier('b'), load('x', 'x')]
    return threads, {'f': 1, 'x': 0}


def signal_by_other(meet=True):
    """One thread of a block waits, another reads behind a barrier."""
    threads, outcome = signal(told=False)
    if not meet:
        threads[B1] = [load('x', 'x')]
    return threads, outcome


def signal_by_fences(post_scope=SYS, wait=True, meet=True):
    """As on AMD: relaxed polls and one acquire fence; the post is a fence and a relaxed store."""
    return {
        A0: [store('x', 1)] + ([barrier('a')] if meet else []),
        A1: ([barrier('a')] if meet else []) + [fence(post_scope), store('f', 1, RELAXED)],
        B0: [load('f', 'f', RELAXED)] + ([fence()] if wait else []) + [load('x', 'x')],
    }, {'f': 1, 'x': 0}


def credit(post=RELEASE, wait=ACQUIRE, meet=True):
    """A rank reads its memory, then offers it; the writer that has its credit overwrites. The read must not see that."""
    return {
        A0: [load('x', 'x')] + ([barrier('a')] if meet else []),
        A1: ([barrier('a')] if meet else []) + [store('r', 1, post)],
        B0: [load('r', 'r', wait), store('x', 2)],
    }, {'r': 1, 'x': 2}


def through_a_third(first=ACQUIRE, second=RELEASE, scope=SYS):
    """What rank a wrote is known to c, which heard of it from b alone: lowering leaves out flags that others imply."""
    return {
        A0: [store('x', 1), store('f', 1, RELEASE, scope)],
        B0: [load('f', 'f', first), store('g', 1, second)],
        C0: [load('g', 'g', ACQUIRE), load('x', 'x')],
    }, {'f': 1, 'g': 1, 'x': 0}


def offer_through_a_third(second=RELEASE):
    """A credit that is implied: a offers to b, which signals c, which writes to a."""
    return {
        A0: [load('x', 'x'), store('r', 1, RELEASE)],
        B0: [load('r', 'r', ACQUIRE), store('g', 1, second)],
        C0: [load('g', 'g', ACQUIRE), store('x', 2)],
    }, {'r': 1, 'g': 1, 'x': 2}


def packet(one=True):
    """Data and mark in one store and load: one location. As two, nothing orders them, and strength does not help."""
    if one:
        return {A0: [store('p', 1, RELAXED)], B0: [load('p', 'p', RELAXED), load('p', 'q', RELAXED)]}, {'p': 1, 'q': 0}
    return {A0: [store('d', 1, RELAXED), store('m', 1, RELAXED)], B0: [load('m', 'm', RELAXED), load('d', 'd', RELAXED)]}, {'m': 1, 'd': 0}


def offer_of_packets(meet=True, post=RELEASE):
    """Slots are read by one thread and offered by another; what comes next must not be seen by the read."""
    return {
        A0: [load('p', 'p', RELAXED)] + ([barrier('a')] if meet else []),
        A1: ([barrier('a')] if meet else []) + [store('r', 1, post)],
        B0: [load('r', 'r', ACQUIRE), store('p', 2, RELAXED)],
    }, {'r': 1, 'p': 2}


def line(together=True, ordered=True, meets_first=True, waits=True):
    """A line. Where the hardware keeps it together, its lanes' accesses are one. Else they are two locations, the mark's lane stores
    that behind a fence, after the lanes have met, and each lane of the reader sees the mark itself."""
    if together:
        return {A0: [store('l', 1, RELAXED)], B0: [poll('l', 'l'), load('l', 'q', RELAXED)]}, {'l': 1, 'q': 0}
    met = [barrier('a')]
    mark = (met + [fence()] if meets_first else [fence()] + met) if ordered else met
    return {
        A0: [store('d', 1, RELAXED)] + met,
        A1: mark + [store('m', 1, RELAXED)],
        B0: [poll('m', 'm')] + ([fence()] if waits else []) + [load('d', 'd', RELAXED)],
    }, {'m': 1, 'd': 0}


def credit_of_data(reads=True, meet=True, hears=True):
    """A rank has read its packet x; another thread of it sends the next call's packet y, behind the end of the call. Who has read
    that overwrites x. Nothing is released; the first must not see what the last stores."""
    end = [barrier('a')] if meet else []
    return {
        A0: [poll('x', 'x') if reads else load('x', 'x', RELAXED)] + end,
        A1: end + [store('y', 1, RELAXED)],
        B0: [poll('y', 'y') if hears else load('y', 'y', RELAXED), barrier('b')],
        B1: [barrier('b'), store('x', 2, RELAXED)],
    }, {'y': 1, 'x': 2}


def credit_of_data_through_a_third(hears=True):
    return {
        A0: [poll('x', 'x'), store('y', 1, RELAXED)],
        C0: [poll('y', 'y') if hears else load('y', 'y', RELAXED), store('z', 1, RELAXED)],
        B0: [poll('z', 'z'), store('x', 2, RELAXED)],
    }, {'y': 1, 'z': 1, 'x': 2}


def credit_of_lines(post=True, wait=True):
    """The same with lines as on AMD: each lane that has seen the mark loads data, which the mark does not order by itself. The next
    call's mark is stored behind a fence, and there is one behind its poll."""
    return {
        A0: [load('x', 'x', RELAXED), barrier('a')],
        A1: [barrier('a')] + ([fence()] if post else []) + [store('y', 1, RELAXED)],
        B0: [poll('y', 'y')] + ([fence()] if wait else []) + [store('x', 2, RELAXED)],
    }, {'y': 1, 'x': 2}


def erased(offers=True):
    """Slots are erased once they are read, and then offered, also where data imply the credit: who looks later must not see what
    was sent next, and behind it the erased slot."""
    return {
        A0: [store('x', 9), barrier('a')],
        A1: [barrier('a'), store('y', 1, RELEASE if offers else RELAXED)],
        B0: [load('y', 'y', ACQUIRE) if offers else poll('y', 'y'), store('x', 2, RELAXED)],
        C0: [load('x', 'x', RELAXED), load('x', 'q', RELAXED)],
    }, {'y': 1, 'x': 2, 'q': 9}


TESTS = [
    ('a signal, and a reader that waits itself', signal(), [
        ('the flag is a weak store', signal(post=WEAK)), ('it is relaxed', signal(post=RELAXED)),
        ('it is released to its block alone', signal(post_scope=CTA)), ('it is released to its GPU alone', signal(post_scope=GPU)),
        ('the wait is a weak load', signal(wait=WEAK)), ('it is relaxed', signal(wait=RELAXED)),
        ('it acquires from its GPU alone', signal(wait_scope=GPU)), ('no barrier before the post', signal(meet=False))]),
    ('a signal, and a reader behind a barrier', signal_by_other(), [('no barrier behind the wait', signal_by_other(meet=False))]),
    ('a signal by fences', signal_by_fences(), [
        ('the fence is of its GPU alone', signal_by_fences(post_scope=GPU)), ('no fence behind the wait', signal_by_fences(wait=False)),
        ('no barrier before the post', signal_by_fences(meet=False))]),
    ('an offer, and a writer with its credit', credit(), [
        ('the offer is relaxed', credit(post=RELAXED)), ('the credit is relaxed', credit(wait=RELAXED)),
        ('no barrier before the offer', credit(meet=False))]),
    ('a signal through a third rank', through_a_third(), [
        ('the third waits relaxed', through_a_third(first=RELAXED)), ('the third signals relaxed', through_a_third(second=RELAXED)),
        ('the first releases to its GPU alone', through_a_third(scope=GPU))]),
    ('a credit through a third rank', offer_through_a_third(), [('the third signals relaxed', offer_through_a_third(second=RELAXED))]),
    ('a packet: what was seen stays', packet(), [('data and mark are two stores', packet(one=False))]),
    ('packet slots that are offered again', offer_of_packets(), [
        ('no barrier before the offer', offer_of_packets(meet=False)), ('the offer is relaxed', offer_of_packets(post=RELAXED))]),
    ('a line that the hardware keeps together', line(), [('it comes in parts', line(together=False, ordered=False))]),
    ('a line whose mark follows', line(together=False), [
        ('no fence before the mark', line(together=False, ordered=False)), ('lanes meet behind the fence', line(together=False, meets_first=False)),
        ('no fence behind the mark', line(together=False, waits=False))]),
    ('a credit that data imply', credit_of_data(), [
        ('the value of the packet is not waited for', credit_of_data(reads=False)), ('no barrier between the calls', credit_of_data(meet=False)),
        ('the writer goes on without the packet', credit_of_data(hears=False))]),
    ('a credit that data of a third rank imply', credit_of_data_through_a_third(), [
        ('the third goes on without the packet', credit_of_data_through_a_third(hears=False))]),
    ('a credit that lines imply', credit_of_lines(), [
        ('no fence before the mark', credit_of_lines(post=False)), ('no fence behind the mark', credit_of_lines(wait=False))]),
    ('a slot that is erased, and offered', erased(), [('data imply the credit', erased(offers=False))]),
]


def main():
    n, bad = 0, 0
    for what, (threads, outcome), faults in TESTS:
        n += 1
        good = not possible(threads, outcome)
        # The flag can be seen at all: else nothing was tried.
        flags = {k: v for k, v in outcome.items() if k not in ('x', 'p', 'q', 'd', 'l')}
        good = good and possible(threads, flags)
        bad += not good
        print('%sok %d - %s' % ('' if good else 'not ', n, what))
        for fault, (threads, outcome) in faults:
            n += 1
            found = possible(threads, outcome)
            bad += not found
            print('%sok %d - found: %s: %s' % ('' if found else 'not ', n, what, fault))
    print('1..%d' % n)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
