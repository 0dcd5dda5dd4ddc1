"""The functions of the arithmetic as procedures of a program."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

from dsgec.arithmetic import subset
from dsgec.arithmetic.read import Reader, call_order, called_names
from dsgec.arithmetic.subset import (
    DOUBLE,
    FLOAT,
    ROWS,
    WHOLE,
    Annotations,
    Signature,
    Source,
    signatures,
)
from dsgec.program.ir import Procedure, Program, Real

Arithmetic = Real | Literal["whole"]
"""The arithmetic of doubles, of floats, or of the integers of fixed point."""


@cache
def procedures(arithmetic: Arithmetic) -> Mapping[str, Procedure]:
    """Return the functions of one arithmetic and, in double, their derivatives, by name.

    Each stands after those that it calls. `softmax` is not among them.
    """
    return _integers() if arithmetic == "whole" else _floats(arithmetic == "float")


def with_library(program: Program, arithmetic: Arithmetic) -> Program:
    """Return a program together with the functions of the arithmetic that it calls."""
    known = procedures(arithmetic)
    own = {procedure.name for procedure in program.procedures}
    called = (name for procedure in program.procedures for name in procedure.calls)
    needed = [name for name in dict.fromkeys(called) if name not in own]
    for name in needed:
        needed += [call for call in known[name].calls if call not in needed]
    library = (procedure for name, procedure in known.items() if name in needed)
    return Program(program.tables, (*library, *program.procedures))


@cache
def read_function(text: str, name: str) -> Procedure:
    """Return a function on one row of a source file, which may call those of the arithmetic.

    A `Row` has values of the row, `Columns` values that are written, and `Numbers` are the same for
    all rows; `Lanes` are sums over the rows.
    """
    source = Source.read(text, ROWS)
    known = {
        function: Signature(procedure.parameters, procedure.result.type)
        for function, procedure in procedures("double").items()
        if procedure.result
    }
    return Reader(source, source.functions[name], known).procedure(name)


def _integers() -> dict[str, Procedure]:
    source = _source("integer", WHOLE)
    known = signatures(source)
    return {
        name: Reader(source, node, known).procedure(name) for name, node in source.functions.items()
    }


def _floats(is_single: bool) -> dict[str, Procedure]:
    types = FLOAT if is_single else DOUBLE
    names = ("core", "scalar", "conditions", "single")
    core, scalar, conditions, single = (_source(name, types) for name in names)
    sources = (core, scalar, conditions, single)[: 4 if is_single else 3]
    constants = {**core.constants, **scalar.constants}
    known = signatures(*sources)
    found: dict[str, Procedure] = {}
    calls: dict[str, Iterable[str]] = {}
    for source in sources:
        for name, node in source.functions.items():
            if node.args.vararg:
                calls[name] = called_names(node, known)
                continue
            is_exact = not is_single or source is single or name in single.functions
            reader = Reader(source, node, known, constants, is_exact=is_exact)
            found[name] = reader.procedure(name)
    for source in () if is_single else (scalar, conditions):
        for name, derivative, about in source.derivatives():
            found[name] = Reader(source, derivative, known, constants).procedure(name, about)
    calls |= {name: procedure.calls for name, procedure in found.items()}
    order = call_order([*scalar.functions, *conditions.functions, *found], calls)
    return {name: found[name] for name in order if name in found}


def _source(name: str, types: Annotations) -> Source:
    return Source.read(subset.read_text(name), types)
