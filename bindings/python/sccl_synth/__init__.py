"""The sccl-synth synthesizer from Python, over the C library libsccl-synth (sccl-synth/synth.h) by ctypes.

    import sccl_synth as ss

    machine = ss.Topology("dgx1")
    steps, rate = ss.bounds(machine, "allgather")
    for row in ss.best(machine, "allreduce", [1 << 10, 1 << 20], seconds=5):
        print(row.bytes, row.microseconds, row.algorithm.cost)

The library is looked for as $SCCL_SYNTH_LIBRARY, then by the loader's rules. Errors are exceptions: InputError, LimitError
and FailedError, all of them SynthError. An answer of "no" (verify) is NoError.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import operator
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterator, NamedTuple, Optional, Sequence

__all__ = ["Algorithm", "BestRow", "Bounds", "Cost", "FailedError", "Frontier", "InputError", "LimitError", "NoError", "SynthError",
           "Topology", "best", "bounds", "build", "frontier", "search_path", "version"]


class SynthError(Exception):
    """Anything but success; the text is the library's, "WHERE: what is wrong"."""


class NoError(SynthError):
    """The answer is no: an algorithm does not verify."""


class InputError(SynthError, ValueError):
    """An argument or a file is wrong."""


class LimitError(SynthError):
    """A limit of time or memory was reached, or the request is too large."""


class FailedError(SynthError, RuntimeError):
    """A failure of the library or the system."""


_ERRORS = {1: NoError, 2: InputError, 3: LimitError, 4: FailedError}


class Cost(NamedTuple):
    """C chunks of each input, S steps, R rounds: S alpha + R/C L beta."""

    chunks: int
    steps: int
    rounds: int

    @property
    def bandwidth(self) -> Fraction:
        """R/C"""
        return Fraction(self.rounds, self.chunks)


class Bounds(NamedTuple):
    """No algorithm has fewer steps, and none a smaller R/C."""

    steps: int
    bandwidth: Fraction


class _Ratio(ctypes.Structure):
    _fields_ = [("num", c_int64), ("den", c_int64)]


class _Bounds(ctypes.Structure):
    _fields_ = [("steps", c_int32), ("bandwidth", _Ratio)]


class _Cost(ctypes.Structure):
    _fields_ = [("chunks", c_int32), ("steps", c_int32), ("rounds", c_int32)]


class _Search(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("seconds", c_double), ("max_chunks", c_int32), ("most_steps", c_int32)]


class _Row(ctypes.Structure):
    _fields_ = [("bytes", c_int64), ("microseconds", c_double), ("bound_microseconds", c_double), ("algorithm", c_void_p),
                ("method", c_char_p)]


def _load() -> ctypes.CDLL:
    path = os.environ.get("SCCL_SYNTH_LIBRARY")
    for name in [path] if path else ["libsccl-synth.so.0", ctypes.util.find_library("sccl-synth")]:
        try:
            if name:
                return ctypes.CDLL(name)
        except OSError:
            if path:
                raise
    raise OSError("libsccl-synth.so.0 is not found; install it, or set SCCL_SYNTH_LIBRARY to its path")


_lib = _load()
_libc = ctypes.CDLL(None)
_libc.free.argtypes, _libc.free.restype = [c_void_p], None


def _declare(name: str, result: Any, *arguments: Any) -> None:
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, list(arguments)


for _name in ("version", "error_text"):
    _declare(f"sccls_{_name}", c_char_p)
_declare("sccls_search_path", None, c_char_p)
_declare("sccls_topology_open", c_int, c_char_p, POINTER(c_void_p))
_declare("sccls_topology_parse", c_int, c_char_p, POINTER(c_void_p))
_declare("sccls_topology_name", c_char_p, c_void_p)
_declare("sccls_topology_nodes", c_int32, c_void_p)
_declare("sccls_topology_json", c_char_p, c_void_p)
_declare("sccls_algorithm_open", c_int, c_char_p, POINTER(c_void_p))
_declare("sccls_algorithm_parse", c_int, c_char_p, POINTER(c_void_p))
_declare("sccls_build", c_int, c_void_p, c_char_p, c_int32, c_char_p, c_int32, POINTER(c_void_p))
_declare("sccls_algorithm_name", c_char_p, c_void_p)
_declare("sccls_algorithm_cost", _Cost, c_void_p)
_declare("sccls_algorithm_json", c_char_p, c_void_p)
_declare("sccls_algorithm_save", c_int, c_void_p, c_char_p)
_declare("sccls_verify", c_int, c_void_p)
_declare("sccls_simulate", c_int, c_void_p, c_double, POINTER(c_double))
_declare("sccls_lower", c_int, c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, POINTER(c_void_p))
_declare("sccls_bounds", c_int, c_void_p, c_char_p, c_int32, POINTER(_Bounds))
_declare("sccls_frontier", c_int, c_void_p, c_char_p, c_int32, POINTER(_Search), POINTER(c_void_p))
_declare("sccls_frontier_size", c_size_t, c_void_p)
_declare("sccls_frontier_point", c_void_p, c_void_p, c_size_t)
_declare("sccls_frontier_is_complete", c_int, c_void_p)
_declare("sccls_frontier_json", c_char_p, c_void_p)
_declare("sccls_best", c_int, c_void_p, c_char_p, c_int32, POINTER(c_int64), c_size_t, c_double, POINTER(c_void_p))
_declare("sccls_best_size", c_size_t, c_void_p)
_declare("sccls_best_row", c_int, c_void_p, c_size_t, POINTER(_Row))
for _name in ("topology", "algorithm", "frontier", "best"):
    _declare(f"sccls_{_name}_free", None, c_void_p)


def _check(status: int) -> None:
    if status:
        raise _ERRORS.get(status, FailedError)(_lib.sccls_error_text().decode("utf-8", "replace"))


def _text(value: Optional[str]) -> Optional[bytes]:
    if value is not None and "\0" in value:
        raise InputError("a text has a NUL")
    return None if value is None else os.fsencode(value)


def _number(value: int, bits: int = 32) -> int:
    """An integer that C can take: ctypes would cut off what is too large."""
    number = operator.index(value)
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise InputError(f"{number} is out of range")
    return number


def version() -> str:
    """The version of the library."""
    return _lib.sccls_version().decode()


def search_path(folder: Optional[str]) -> None:
    """A folder that is searched first for machines given by name."""
    _lib.sccls_search_path(_text(folder))


class _Object:
    """An object of the library, freed with this one, unless OWNER holds it."""

    _free = ""

    def __init__(self, handle: int, owner: Any = None) -> None:
        self._handle, self._owner = handle, owner

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and self._owner is None and _lib is not None:  # None: Python is ending
            getattr(_lib, self._free)(self._handle)
            self._handle = 0


class Topology(_Object):
    """A machine: a name as `sccl-synth -t` takes it, such as "dgx1", "torus:4x4" or "./mine.json"."""

    _free = "sccls_topology_free"

    def __init__(self, name: str) -> None:
        out = c_void_p()
        _check(_lib.sccls_topology_open(_text(name), byref(out)))
        super().__init__(out.value or 0)

    @classmethod
    def parse(cls, text: str) -> "Topology":
        """From the text of a topology file."""
        out, made = c_void_p(), cls.__new__(cls)
        _check(_lib.sccls_topology_parse(_text(text), byref(out)))
        _Object.__init__(made, out.value or 0)
        return made

    @property
    def name(self) -> str:
        return _lib.sccls_topology_name(self._handle).decode()

    @property
    def nodes(self) -> int:
        return _lib.sccls_topology_nodes(self._handle)

    @property
    def json(self) -> str:
        return _lib.sccls_topology_json(self._handle).decode()

    def __repr__(self) -> str:
        return f"<Topology {self.name}, {self.nodes} nodes>"


class Algorithm(_Object):
    """A schedule."""

    _free = "sccls_algorithm_free"

    @classmethod
    def _of(cls, handle: Optional[int], owner: Any = None) -> "Algorithm":
        made = cls.__new__(cls)
        _Object.__init__(made, handle or 0, owner)
        return made

    @classmethod
    def open(cls, path: str) -> "Algorithm":
        out = c_void_p()
        _check(_lib.sccls_algorithm_open(_text(path), byref(out)))
        return cls._of(out.value)

    @classmethod
    def parse(cls, text: str) -> "Algorithm":
        out = c_void_p()
        _check(_lib.sccls_algorithm_parse(_text(text), byref(out)))
        return cls._of(out.value)

    @property
    def name(self) -> str:
        return _lib.sccls_algorithm_name(self._handle).decode()

    @property
    def cost(self) -> Cost:
        c = _lib.sccls_algorithm_cost(self._handle)
        return Cost(c.chunks, c.steps, c.rounds)

    @property
    def json(self) -> str:
        return _lib.sccls_algorithm_json(self._handle).decode()

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps as in the file: rounds, sends and reduces, each [chunk, src, dst]."""
        return json.loads(self.json)["steps"]

    def save(self, path: str) -> None:
        _check(_lib.sccls_algorithm_save(self._handle, _text(path)))

    def verify(self) -> None:
        """Raises NoError with the place where it is wrong."""
        _check(_lib.sccls_verify(self._handle))

    def simulate(self, size: float) -> float:
        """Microseconds of a call with an input of SIZE bytes per rank."""
        out = c_double()
        _check(_lib.sccls_simulate(self._handle, size, byref(out)))
        return out.value

    def lower(self, folder: str, target: str = "host", types: Optional[str] = None, ops: Optional[str] = None) -> str:
        """Writes the program to FOLDER, and returns its name."""
        out = c_void_p()
        _check(_lib.sccls_lower(self._handle, _text(target), _text(types), _text(ops), _text(folder), byref(out)))
        name = ctypes.string_at(out.value or 0).decode()
        _libc.free(out)
        return name

    def __repr__(self) -> str:
        return f"<Algorithm {self.name}>"


class Frontier(_Object, Sequence[Algorithm]):
    """The Pareto frontier: its points, by ascending number of steps."""

    _free = "sccls_frontier_free"

    def __len__(self) -> int:
        return _lib.sccls_frontier_size(self._handle)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        return Algorithm._of(_lib.sccls_frontier_point(self._handle, i % len(self)), owner=self)

    def __iter__(self) -> Iterator[Algorithm]:
        return (self[i] for i in range(len(self)))

    @property
    def is_complete(self) -> bool:
        """Was no question left open?"""
        return bool(_lib.sccls_frontier_is_complete(self._handle))

    @property
    def data(self) -> dict[str, Any]:
        """As `sccl-synth pareto --json` prints it."""
        return json.loads(_lib.sccls_frontier_json(self._handle))


@dataclass(frozen=True)
class BestRow:
    """The fastest algorithm for a size, and a lower bound on the time of any (0: not known)."""

    bytes: int
    microseconds: float
    bound_microseconds: float
    algorithm: Algorithm
    method: str


class _Best(_Object):
    _free = "sccls_best_free"


def bounds(topology: Topology, collective: str, root: int = 0) -> Bounds:
    out = _Bounds()
    _check(_lib.sccls_bounds(topology._handle, _text(collective), _number(root), byref(out)))
    return Bounds(out.steps, Fraction(out.bandwidth.num, out.bandwidth.den))


def build(topology: Topology, collective: str, method: str, chunks: int = 0, root: int = 0) -> Algorithm:
    """By a method of `sccl-synth build`, such as "ring"; chunks 0: as many as the method takes."""
    out = c_void_p()
    _check(_lib.sccls_build(topology._handle, _text(collective), _number(root), _text(method), _number(chunks), byref(out)))
    return Algorithm._of(out.value)


def frontier(topology: Topology, collective: str, root: int = 0, seconds: float = 0, max_chunks: int = 0, most_steps: int = 0) -> Frontier:
    """By a search; with SECONDS, what was found by then."""
    out = c_void_p()
    options = _Search(ctypes.sizeof(_Search), seconds, _number(max_chunks), _number(most_steps))
    _check(_lib.sccls_frontier(topology._handle, _text(collective), _number(root), byref(options), byref(out)))
    return Frontier(out.value or 0)


def best(topology: Topology, collective: str, sizes: Sequence[int], seconds: float = 10, root: int = 0) -> list[BestRow]:
    """The fastest algorithm that is found within SECONDS for each of the SIZES (bytes of one rank's input, ascending)."""
    out = c_void_p()
    array = (c_int64 * len(sizes))(*(_number(size, 64) for size in sizes))
    _check(_lib.sccls_best(topology._handle, _text(collective), _number(root), array, len(sizes), seconds, byref(out)))
    found, rows = _Best(out.value or 0), []
    for i in range(_lib.sccls_best_size(found._handle)):
        row = _Row()
        _check(_lib.sccls_best_row(found._handle, i, byref(row)))
        rows.append(BestRow(row.bytes, row.microseconds, row.bound_microseconds, Algorithm._of(row.algorithm, owner=found), row.method.decode()))
    return rows
