"""A backend "sccl" of torch.distributed for tensors on CPUs.

    import torch.distributed, sccl_torch
    sccl_torch.register("programs")
    torch.distributed.init_process_group("sccl", init_method=..., rank=..., world_size=...)

"programs" is a folder of generated programs for the host, compiled as shared objects. The C++ part is compiled on the first
use (a minute) and kept in torch's folder of extensions. docs/howto/use-in-torch.md has the commands."""
import os
import pathlib
import subprocess

import torch.distributed
import torch.utils.cpp_extension

HERE = pathlib.Path(__file__).resolve().parent


def _pkg_config(*arguments):
    try:
        return subprocess.run(["pkg-config", *arguments, "sccl"], capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return None


def _places(build):
    """Flags to compile and to link with, and what changes when the library does: of a build folder, or of the installed library."""
    if build:
        library = pathlib.Path(build).resolve() / "runtime" / "libsccl.a"
        return [f"-I{HERE.parent / 'include'}"], [str(library), "-ldl", "-lpthread"], library.stat().st_mtime_ns
    compile_flags, link_flags, version = _pkg_config("--cflags"), _pkg_config("--libs"), _pkg_config("--modversion")
    if compile_flags is None or link_flags is None or not version:
        raise RuntimeError("sccl_torch: pkg-config does not know sccl; install it, or name a build folder by build= or SCCL_BUILD")
    return compile_flags, link_flags, version[0].replace(".", "_")


def load(build=None, verbose=False):
    """Compiles, if need be, and loads the C++ part against the sccl of the folder BUILD (default: $SCCL_BUILD, or the installed one)."""
    compile_flags, link_flags, version = _places(build or os.environ.get("SCCL_BUILD"))
    include = pathlib.Path("/usr/include/torch/csrc/api/include")  # where Debian has torch's headers
    return torch.utils.cpp_extension.load(
        name=f"sccl_torch_backend_{version}", sources=[str(HERE / "backend.cpp")], verbose=verbose,
        extra_cflags=["-std=c++17", "-O1", *compile_flags, *([f"-I{include}"] if include.is_dir() else [])], extra_ldflags=link_flags)


def register(programs, build=None, verbose=False):
    """Makes "sccl" a backend whose groups run the programs of the folder PROGRAMS."""
    extension = load(build, verbose)
    folder = str(pathlib.Path(programs).resolve())
    torch.distributed.Backend.register_backend(
        "sccl", lambda store, rank, size, timeout: extension.create(store, rank, size, timeout, folder))
