"""A Spack recipe, for Spack 1.0 or later. `spack repo add packaging/spack`, then `spack install sccl-synth`; `url` is the tarball that
scripts/release makes. CaDiCaL is not among Spack's packages: packages/cadical says how an installed one is used."""

from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class ScclSynth(MesonPackage):
    """Synthesizes provably optimal collective communication algorithms for the links of a machine, and turns them into
    programs in CUDA, HIP or C."""

    url = "file:///tmp/sccl-synth-0.1.0.tar.xz"

    license("MIT")

    version("0.1.0")

    variant("mpi", default=False, description="Searches spread over hosts")
    variant("hwloc", default=True, description="Detect the accelerators of a computer")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("meson@1:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("z3@4.8:")
    depends_on("cadical")
    depends_on("nauty@2.8:")
    depends_on("clp@1.17:")
    depends_on("flint")
    depends_on("gmp")
    depends_on("jansson@2.13:")
    depends_on("libxml2")
    depends_on("libyaml")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.9:", type=("build", "run"))

    def meson_args(self):
        """The suite of tests is not part of an installation."""
        return [
            "-Dtests=disabled",
            "-Dlibxml2=enabled",
            "-Dlibyaml=enabled",
            f"-Dmpi={'enabled' if '+mpi' in self.spec else 'disabled'}",
            f"-Dhwloc={'enabled' if '+hwloc' in self.spec else 'disabled'}",
            "-Dcuda=disabled",
            "-Dhip=disabled",
        ]
