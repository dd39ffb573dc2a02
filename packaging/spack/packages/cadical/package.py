"""CaDiCaL as the system has it, which Spack's own packages lack: `apt-get install libcadical-dev` or what your system calls it, and in
packages.yaml

    packages:
      cadical:
        buildable: false
        externals:
        - spec: cadical@1.4.1
          prefix: /usr
"""

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Cadical(Package):
    """A SAT solver. This recipe builds nothing: it names an installed one."""

    homepage = "https://github.com/arminbiere/cadical"
    has_code = False

    version("1.4.1")

    def install(self, spec, prefix):
        """An external package is never built."""
        raise InstallError("CaDiCaL is used as the system has it: name it under `externals` in packages.yaml")
