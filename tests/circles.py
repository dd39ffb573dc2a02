#!/usr/bin/env python3
"""Circles among object files: who needs a symbol of whom, by nm. usage: circles.py BUILD_DIR [CC...]

Prints each set of object files of the libraries and programs that need each other, and the symbols that close the circle; the exit
status is 1 where there is one. With CC, a compiler, it plants a circle first and fails if that is not found.
"""
import os
import subprocess
import sys
import tempfile


def objects(build):
    """Object files by target, a folder that ends in .p; not those of tests."""
    for folder, _, files in os.walk(build):
        if folder.endswith('.p') and 'tests' not in os.path.relpath(folder, build).split(os.sep):
            for name in files:
                if name.endswith(('.c.o', '.cc.o')):
                    yield os.path.join(folder, name)


def symbols(paths):
    """Of each object file the global symbols that it defines, and those that it needs."""
    of = {path: (set(), set()) for path in paths}
    if not paths:
        return of
    for line in subprocess.run(['nm', '-A', '-g', '-P', *paths], capture_output=True, text=True, check=True).stdout.splitlines():
        path, rest = line.split(': ', 1)
        name, kind = rest.split()[:2]
        of[path][kind in 'Uw'].add(name)
    return of


def graph(build):
    """For each object file, those that it needs and the symbols. A target's own definition comes before a
    library's; a program's serve no library, also where it stands before the C library's."""
    of = symbols(sorted(objects(build)))
    own, any_target = {}, {}
    for path, (defined, _) in of.items():
        for name in defined:
            own[os.path.dirname(path), name] = path
            if os.path.basename(os.path.dirname(path)).startswith('lib'):
                any_target.setdefault(name, path)
    edges = {}
    for path, (_, needed) in of.items():
        edges[path] = {}
        for name in sorted(needed):
            to = own.get((os.path.dirname(path), name), any_target.get(name))
            if to and to != path:
                edges[path].setdefault(to, []).append(name)
    return edges


def circles(edges):
    """Strongly connected sets of two or more (Tarjan, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            at, rest = work[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on_stack.add(to)
                    work.append((to, iter(edges[to])))
                    break
                if to in on_stack:
                    low[at] = min(low[at], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    members = stack[stack.index(at):]
                    del stack[len(stack) - len(members):]
                    on_stack.difference_update(members)
                    if len(members) > 1:
                        found.append(sorted(members))
    return found


def planted(compiler, sources):
    """The circles among SOURCES, {name: text}, compiled as one library."""
    with tempfile.TemporaryDirectory() as build:
        folder = os.path.join(build, 'libplanted.a.p')
        os.mkdir(folder)
        for name, text in sources.items():
            path = os.path.join(folder, name)
            with open(path, 'w') as f:
                f.write(text)
            subprocess.run([*compiler, '-c', path, '-o', path + '.o'], check=True)
        return circles(graph(build))


def self_test(compiler):
    chain = {'a.c': 'int b(void); int a(void); int a(void) { return b(); }', 'b.c': 'int c(void); int b(void); int b(void) { return c(); }',
             'c.c': 'int c(void); int c(void) { return 0; }'}
    circle = dict(chain, **{'c.c': 'int a(void); int c(void); int c(void) { return a(); }'})
    if planted(compiler, chain):
        sys.exit('a chain of object files is taken for a circle')
    if [len(members) for members in planted(compiler, circle)] != [3]:
        sys.exit('a planted circle of three object files is not found')


def main():
    build, compiler = sys.argv[1], sys.argv[2:]
    if compiler:
        self_test(compiler)
    edges = graph(build)
    if not edges:
        sys.exit('no object files in ' + build)
    found = circles(edges)
    for members in found:
        print('a circle among', len(members), 'object files:')
        for path in members:
            for to in members:
                if to in edges[path]:
                    print('  ', os.path.relpath(path, build), 'needs', ', '.join(edges[path][to]), 'of', os.path.relpath(to, build))
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
