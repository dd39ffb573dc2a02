#!/usr/bin/env python3
"""Loads the recipes for Spack with stand-ins for Spack's own modules, and compares them with the build. usage: spack.py SOURCE

What is checked: the recipes load; the version is the project's; every option that is passed is one of meson_options.txt; what
meson.build needs is depended on; what Spack's own packages lack has a recipe here. Prints TAP.
"""
import glob
import importlib.util
import os
import re
import sys
import types

# What meson.build calls a dependency, and the package of Spack that has it.
PACKAGES = {'z3': 'z3', 'jansson': 'jansson', 'clp': 'clp', 'nauty': 'nauty', 'flint': 'flint', 'gmp': 'gmp', 'cadical': 'cadical',
            'hwloc': 'hwloc', 'libxml-2.0': 'libxml2', 'yaml-0.1': 'libyaml', 'mpi': 'mpi'}
NOT_PACKAGES = {'threads', 'm', 'stdc++', 'rt', 'dl', 'util', 'criterion', 'cuda'}
count = failed = 0
sys.dont_write_bytecode = True


def check(right, what):
    global count, failed
    count += 1
    failed += not right
    print(f"{'ok' if right else 'not ok'} {count} - {what}")


def load(path):
    """The class of a recipe, with what its directives said: (name, arguments, keywords)."""
    said = []
    package = types.ModuleType('spack.package')
    for name in ('version', 'variant', 'depends_on', 'license', 'maintainers'):
        setattr(package, name, lambda *a, name=name, **k: said.append((name, a, k)))
    package.InstallError = RuntimeError
    modules = {'spack': types.ModuleType('spack'), 'spack.package': package}
    for system, base in (('meson', 'MesonPackage'), ('generic', 'Package')):
        name = 'spack_repo.builtin.build_systems.' + system
        modules[name] = types.ModuleType(name)
        setattr(modules[name], base, type(base, (), {}))
    for name in ('spack_repo', 'spack_repo.builtin', 'spack_repo.builtin.build_systems'):
        modules[name] = types.ModuleType(name)
    sys.modules.update(modules)
    spec = importlib.util.spec_from_file_location('recipe', path)
    recipe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    classes = [c for c in vars(recipe).values() if isinstance(c, type) and c.__module__ == 'recipe']
    return classes[0], said


def main():
    source = sys.argv[1]
    build, options = (open(os.path.join(source, name)).read() for name in ('meson.build', 'meson_options.txt'))
    recipes = {os.path.basename(os.path.dirname(p)): load(p) for p in glob.glob(os.path.join(source, 'packaging/spack/packages/*/package.py'))}
    check(set(recipes) == {'sccl_synth', 'cadical'}, 'two recipes load')
    ours, said = recipes['sccl_synth']
    check(ours.__name__ == 'ScclSynth', 'the class has the name of the package')
    check([a[0] for name, a, _ in said if name == 'version'] == re.findall(r"version: '([^']*)',\n  license", build), 'the version of the project')
    for spec in ('', '+mpi', '+hwloc', '+mpi+hwloc'):
        package = ours()
        package.spec = spec
        given = dict(a[2:].split('=') for a in package.meson_args())
        check(all(f"option('{k}'," in options for k in given), f'options of the build, with "{spec}"')
        check(given['mpi'] == ('enabled' if '+mpi' in spec else 'disabled'), 'mpi as the variant says')
    depends = {re.split('[@+~]', a[0])[0] for name, a, _ in said if name == 'depends_on'}
    needed = set(re.findall(r"(?:dependency|find_library)\('([^']+)'", build)) - NOT_PACKAGES
    for name in sorted(needed):
        check(PACKAGES.get(name) in depends, f'{name} is depended on')
    cadical, _ = recipes['cadical']
    try:
        cadical().install(None, None)
        check(False, 'CaDiCaL is not built')
    except RuntimeError as e:
        check('externals' in str(e), 'CaDiCaL is not built')
    print(f'1..{count}')
    return failed > 0


sys.exit(main())
