"""Emit the sources of a Python package: the Python around a C extension, and the C."""

from dataclasses import dataclass

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.source import c_source, integer_source
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.tape import Step, Tape, tape
from dsgec.export.targets.c.emit import TYPES
from dsgec.export.targets.c.fixed import fixed_view
from dsgec.export.targets.c.stream import CStream
from dsgec.export.view import TemplateView
from dsgec.rendering import Code, render

_ROWS = (64, 32)
_BYTES_OF_BLOCK = 48 << 10
_BYTES_OF_STACK = 60 << 10  # for a block; parts and frames take less than 4 KB more
_BYTES_OF_ROW = 8 << 10  # of a row that is copied to the stack
_ALIGNMENT = 64
_VECTORS = {1: 4, 2: 4, 3: 2, 4: 2, 5: 2, 6: 2}  # per tile, which fits into 16 registers
_SIZES = {"double": 8, "float": 4}
_NUMPY_TYPES = {"double": "float64", "float": "float32"}
_OPERATORS = {"add": "x + y", "sub": "x - y", "mul": "x * y", "quotient": "x / y", "neg": "-x"}
_PARTS = {"sig": "sig_parts"}  # functions in several loops, and their sections
_ARITY = {f.symbol: f.arity or 0 for f in ALL_FUNCTIONS.values()}

_BY = {
    "outputs": {"run": Code("_run"), "passed": Code("")},
    "sums": {"run": Code("_run_sums"), "passed": Code(", _run_sums")},
}
"""The function that a row is run by, and the argument that passes it on, in the Python."""


@dataclass(frozen=True, slots=True)
class Level:
    """An instruction set, with the rows of a block and the bytes of a vector."""

    name: str
    rows: int
    width: int
    feature: str = ""


@dataclass(frozen=True, slots=True)
class CFunction:
    """An operation other than a sum, as a loop over rows."""

    name: Code
    code: Code
    expression: Code
    arity: int
    in_parts: bool  # in several loops, one after the other


@dataclass(frozen=True, slots=True)
class TableStep:
    """A step in the table of the C."""

    operation: Code
    to: int
    a: int
    b: int
    weight: int  # of a function of three arguments, the third


@dataclass(frozen=True, slots=True)
class Kernel:
    """The view of a tape for the templates."""

    real: Code
    largest: Code
    rows: int
    slots: int
    levels: tuple[Level, ...]
    inputs: tuple[tuple[int, int], ...]
    constants: tuple[tuple[Code, int], ...]
    functions: tuple[CFunction, ...]
    steps: tuple[TableStep, ...]
    sources: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[Code, ...], ...]
    outputs: tuple[int, ...]
    sums: tuple[int, ...]  # the slots that the class is chosen by, if not the outputs
    tiles: tuple[tuple[int, int], ...]  # sums of the same columns and vectors of rows per tile
    all_required: bool
    scratch: int  # floats lent by the caller, if a block is too large for the stack
    has_parts: bool
    is_single: bool  # two classes and one output, in double precision
    packed: str  # the format of a row for struct
    reals: str  # the types in cffi of an array and of a row; the type in numpy
    row: str
    dtype: str


def emit_cffi(artefact: Artefact) -> tuple[SourceFile, ...]:
    """Return `name/__init__.py`, and the C and declarations of `name/_name.abi3.so`."""
    if artefact.number_format.fixed:
        return _emit_fixed(artefact)
    m = TemplateView(artefact)
    tape_ = tape(artefact.network)
    symbols = {_PARTS.get(step.operation, step.operation) for step in tape_.steps}
    symbols -= {"sum", *_OPERATORS}
    kernel = _kernel(artefact, m, tape_)
    name = artefact.name
    arithmetic = Code(c_source(symbols, artefact.dtype, hosted=True))
    stream = CStream(m.stream, name, has_rows=False) if m.stream else None
    around = FloatCffi(stream)
    if stream:
        arithmetic = Code(arithmetic + integer_source("c", stream.functions, guarded=False))
    c = render("cffi/module.c.j2", m=m, k=kernel, c=around, arithmetic=arithmetic)
    return (
        SourceFile(
            f"{name}/__init__.py",
            render("cffi/module.py.j2", m=m, k=kernel, by=_BY, **_BY["outputs"]),
        ),
        SourceFile(f"{name}/_{name}.c", c),
        SourceFile(f"{name}/_{name}.h", render("cffi/module.h.j2", m=m, k=kernel, c=around)),
    )


@dataclass(frozen=True, slots=True)
class FloatCffi:
    """The view of what is as in the target c: the stream of a signal, if there is one."""

    stream: CStream | None


@dataclass(frozen=True, slots=True)
class FixedKernel:
    """The view for the Python around integers; rows and results are doubles."""

    row: str
    numbers: str  # the type of an array of integers
    real: Code
    reals: str = "double[]"
    dtype: str = "float64"
    is_single: bool = False
    scratch: int = 0
    sums: tuple[int, ...] = ()


def _emit_fixed(artefact: Artefact) -> tuple[SourceFile, ...]:
    c, arithmetic = fixed_view(artefact)
    m, name = c.m, artefact.name
    kernel = FixedKernel(f"double[{m.results}]", f"{c.number}[]", Code("double"))
    source = render("cffi/fixed.c.j2", m=m, c=c, arithmetic=arithmetic)
    return (
        SourceFile(
            f"{name}/__init__.py",
            render("cffi/module.py.j2", m=m, k=kernel, by=_BY, **_BY["outputs"]),
        ),
        SourceFile(f"{name}/_{name}.c", source),
        SourceFile(f"{name}/_{name}.h", render("cffi/module.h.j2", m=m, k=kernel, c=c)),
    )


def _kernel(artefact: Artefact, m: TemplateView, tape_: Tape) -> Kernel:
    names = sorted({step.operation for step in tape_.steps} - {"sum"})
    rows = _rows(tape_.slots * _SIZES[artefact.dtype])
    sums = [step for step in tape_.steps if step.operation == "sum"]
    kind, size = TYPES[artefact.dtype], _SIZES[artefact.dtype]
    block = tape_.slots * rows
    scratch = block + _ALIGNMENT // size if block * size > _BYTES_OF_STACK else 0

    def literal(value: float) -> Code:
        return kind.literal(value)

    sources = list(dict.fromkeys(step.sources for step in sums))
    return Kernel(
        real=Code(artefact.dtype),
        largest=Code(kind.largest),
        rows=rows,
        slots=tape_.slots,
        levels=(
            Level("row", 1, 0),
            Level("any", rows, 16),
            Level("avx2", rows, 32, "avx2"),
            Level("avx512", rows, 64, "avx512f"),
        ),
        inputs=tape_.inputs,
        constants=tuple((literal(value), slot) for value, slot in tape_.constants),
        functions=tuple(map(_function, names)),
        steps=tuple(_entries(tape_.steps, sources)),
        sources=tuple(sources),
        weights=tuple(tuple(literal(w) for row in step.weights for w in row) for step in sums),
        outputs=tape_.outputs,
        sums=tape_.sums if m.by_sums else (),
        tiles=tuple((count, _VECTORS[count]) for count in sorted({step.count for step in sums})),
        all_required=len(m.required) == m.inputs > 0,
        scratch=scratch,
        has_parts=any(name in _PARTS for name in names),
        is_single=m.class_count == 2
        and m.outputs == 1
        and artefact.dtype == "double"
        and not scratch
        and 0 < m.inputs * size <= _BYTES_OF_ROW,
        packed=f"{m.inputs}d",
        reals=f"{artefact.dtype}[]",
        row=f"{artefact.dtype}[{m.results}]",
        dtype=_NUMPY_TYPES[artefact.dtype],
    )


def _rows(bytes_of_row: int) -> int:
    """Return the rows per block, so that it fits into the nearest cache."""
    fitting = (rows for rows in _ROWS if rows * bytes_of_row <= _BYTES_OF_BLOCK)
    return next(fitting, _ROWS[-1])


def _function(name: str) -> CFunction:
    arity = _ARITY.get(name, 1) if name not in _OPERATORS or name == "neg" else 2
    arguments = ", ".join("xyz"[:arity])
    expression = _OPERATORS.get(name, f"dsgec_{name}({arguments})")
    return CFunction(
        Code(f"each_{name}"), Code(name.upper()), Code(expression), arity, name in _PARTS
    )


def _entries(steps: tuple[Step, ...], sources: list[tuple[int, ...]]) -> list[TableStep]:
    starts = {}
    start = 0
    for row in sources:
        starts[row] = start
        start += len(row)
    entries = []
    weight = 0
    for step in steps:
        if step.operation == "sum":
            operation = Code(f"SUM_{step.count}")
            entries.append(
                TableStep(operation, step.to, starts[step.sources], len(step.sources), weight)
            )
            weight += step.count * len(step.sources)
        else:
            repeats = (step.count,) if len(step.sources) == 1 else ()
            a, b, c = (*step.sources, *repeats, 0)[:3]
            entries.append(TableStep(Code(step.operation.upper()), step.to, a, b, c))
    return entries
