"""The program of a stream as exports print it: samples are limited, and features become a row.

- `stream_limit(sample, q)` limits a sample; it returns 1 if the sample is missing, otherwise 0.
- `stream_first`, `stream_following` and `stream_features` are those of `dsgec.signal.stream`.
- `stream_row(f, x)`, in fixed point, makes the integers of the network's columns of the features.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dsgec.export.fixed.ir import Format, largest
from dsgec.program.ir import (
    LIMITS,
    ArrayParameter,
    Binary,
    Branch,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Loop,
    Number,
    Perform,
    Procedure,
    Program,
    Select,
    Store,
    Type,
    Update,
    Variable,
    narrowest,
    rewrite,
)
from dsgec.signal.description import Signal
from dsgec.signal.stream import MISSING, largest_sample

PREFIX = "stream_"
_I, _V, _LACKS, _SHIFT = (Variable(name) for name in ("i", "v", "lacks", "shift"))
_Q = Variable("q")
_IN_ASCII = {"²": "^2", "−": "-", "·": "*", "√": "root of ", "Σ": "sum of ", "≤": "<=", "≥": ">="}
_REACH = 1 << 30  # a result beyond it is limited, so that nothing overflows; so far go zeros, too


def limit_procedure(signal: Signal) -> Procedure:
    """Return the procedure that limits a sample, and finds out whether a value is missing."""
    count, most = len(signal.channels), largest_sample(signal)
    sample = ArrayParameter("sample", "int16", count, (LIMITS["int16"],) * count)
    q = ArrayParameter("q", "int16", count, is_written=True)
    body = (
        Declare(_V, Element("sample", _I, "int16")),
        Update(_LACKS, Select(_is(_V, "==", MISSING), Number(1), _LACKS)),
        Update(_V, Select(_is(_V, "<", -most), Number(-most), _V)),
        Store("q", _I, Select(_is(_V, ">", most), Number(most), _V)),
    )
    return Procedure(
        f"{PREFIX}limit",
        "Limit a sample. Returns 1 if a value is missing.",
        (sample, q),
        (Declare(_LACKS, Number(0)), Loop(_I, Number(count), body)),
        _LACKS,
    )


def row_program(formats: tuple[Format, ...], sizes: Sequence[int], bits: int) -> Program:
    """Return the tables and the procedure that make integers of columns of features.

    A feature f becomes f · 2^fraction − zero, rounded half to even and limited, as `quantise` does
    it with doubles. `sizes` are the greatest features, without their signs.
    """
    count, most = len(formats), largest(bits)
    fractions = [max(min(f.fraction, 29), -31) for f in formats]
    zeros = [f.zero for f in formats]
    tables: list[ConstantTable] = []

    def entry(name: str, values: list[int], about: str) -> Expression:
        if len(set(values)) == 1:
            return Number(values[0])
        type_ = narrowest(min(values), max(values), signed=True)
        tables.append(ConstantTable(name, type_, tuple(values), about))
        return Element(name, _I, type_)

    fraction = entry(
        f"{PREFIX}fractions", fractions, "By how many bits a feature is shifted to the left."
    )
    zero = entry(f"{PREFIX}zeros", zeros, "What is taken from a feature.")
    down = (Update(_Q, _shifted_down()),)
    reach = max(size << max(f, 0) for size, f in zip(sizes, fractions, strict=True))
    up = tuple(_shifted_up(zero, most, is_limited=reach > _REACH))
    body: list[Instruction] = [Declare(_Q, Element("f", _I, "int32"))]
    if max(fractions) < 0:
        body += [Declare(_SHIFT, _minus(Number(0), fraction)), *down]
    elif min(fractions) >= 0:
        body += [Declare(_SHIFT, fraction), *up] if max(fractions) else []
    else:
        own = Variable("fraction")
        negative = Declare(_SHIFT, _minus(Number(0), own))
        body.append(Declare(own, fraction))
        body.append(Branch(_is(own, "<", 0), (negative, *down), (Declare(_SHIFT, own), *up)))
    body += [
        *([Update(_Q, _minus(_Q, zero))] if any(zeros) else []),
        Update(_Q, Select(_is(_Q, "<", -most), Number(-most), _Q)),
        Store("x", _I, Select(_is(_Q, ">", most), Number(most), _Q)),
    ]
    number: Type = "int8" if bits == 8 else "int16"
    procedure = Procedure(
        f"{PREFIX}row",
        "Make the integers of the network's columns of the features.",
        (
            ArrayParameter("f", "int32", count, tuple((-size, size) for size in sizes)),
            ArrayParameter("x", number, count, is_written=True),
        ),
        (Loop(_I, Number(count), tuple(body)),),
    )
    return Program(tuple(tables), (procedure,))


def _shifted_down() -> Expression:
    """Return q / 2^shift, rounded half to even: a feature is so small that no sum is too large."""
    half = Binary("<<", Number(1), _minus(_SHIFT, Number(1)))
    odd = Binary("&", Binary(">>", _Q, _SHIFT), Number(1))
    return Binary(">>", _plus(_plus(_Q, _minus(half, Number(1))), odd), _SHIFT)


def _shifted_up(zero: Expression, most: int, *, is_limited: bool) -> Iterator[Instruction]:
    """Yield instructions that multiply q by 2^shift; what is limited would be limited later."""
    if is_limited:
        # (zero - most) >> shift is rounded down, and 1 more than the greatest is rounded up.
        least = Binary(">>", _minus(zero, Number(most)), _SHIFT)
        greatest = _plus(Binary(">>", _plus(zero, most), _SHIFT), 1)
        yield Update(_Q, Select(Binary("<", _Q, least, "bool"), least, _Q))
        yield Update(_Q, Select(Binary(">", _Q, greatest, "bool"), greatest, _Q))
    yield Update(_Q, Binary("*", _Q, Binary("<<", Number(1), _SHIFT)))


def renamed(program: Program) -> Program:
    """Return a program whose tables and procedures have names of their own in a file."""
    own = [table.name for table in program.tables]
    own += [procedure.name for procedure in program.procedures]
    names = {name: PREFIX + name for name in own}
    tables = tuple(replace(table, name=names[table.name]) for table in program.tables)
    procedures = tuple(
        replace(
            procedure,
            name=names[procedure.name],
            about=_plain(procedure.about),
            body=_renamed_body(_without_unused(procedure), names),
            result=procedure.result and _renamed(procedure.result, names),
        )
        for procedure in program.procedures
    )
    return Program(tables, procedures)


def _plain(text: str) -> str:
    """Return a comment in ASCII."""
    for sign, plain in _IN_ASCII.items():
        text = text.replace(sign, plain)
    return text.encode("ascii", "replace").decode("ascii")


def _without_unused(procedure: Procedure) -> tuple[Instruction, ...]:
    """Return the instructions of a procedure without variables that nothing reads."""
    body = procedure.body
    while True:
        read = {v.name for v in procedure.expressions if isinstance(v, Variable)}
        kept = _without(body, read)
        if kept == body:
            return body
        body, procedure = kept, replace(procedure, body=kept)


def _without(body: tuple[Instruction, ...], read: set[str]) -> tuple[Instruction, ...]:
    found: list[Instruction] = []
    for each in body:
        match each:
            case Declare(Variable(name)) | Update(Variable(name)) if name not in read:
                continue
            case Loop(counter, count, inner, least):
                found.append(Loop(counter, count, _without(inner, read), least))
            case Branch(test, yes, no):
                found.append(Branch(test, _without(yes, read), _without(no, read)))
            case _:
                found.append(each)
    return tuple(found)


def _renamed_body(
    body: tuple[Instruction, ...], names: Mapping[str, str]
) -> tuple[Instruction, ...]:
    return tuple(_renamed_instruction(instruction, names) for instruction in body)


def _renamed_instruction(instruction: Instruction, names: Mapping[str, str]) -> Instruction:
    match instruction:
        case Declare(variable, value):
            return Declare(variable, _renamed(value, names))
        case Update(variable, value):
            return Update(variable, _renamed(value, names))
        case Store(array, index, value):
            return Store(array, _renamed(index, names), _renamed(value, names))
        case Loop(counter, count, body, least):
            return Loop(counter, _renamed(count, names), _renamed_body(body, names), least)
        case Branch(test, yes, no):
            return Branch(
                _renamed(test, names), _renamed_body(yes, names), _renamed_body(no, names)
            )
        case Perform(procedure, arguments):
            return Perform(names[procedure], tuple(names.get(name, name) for name in arguments))
        case _:
            return instruction


def _renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Return an expression with the new names of tables and functions."""

    def change(part: Expression) -> Expression | None:
        match part:
            case Element(array, index, type_) if array in names:
                return Element(names[array], rewrite(index, change), type_)
            case Invoke(function, arguments, table, type_):
                inner = tuple(rewrite(argument, change) for argument in arguments)
                return Invoke(names.get(function, function), inner, names.get(table, table), type_)
            case _:
                return None

    return rewrite(expression, change)


def _is(left: Expression, operator: str, right: int) -> Expression:
    return Binary(operator, left, Number(right), "bool")


def _plus(left: Expression, right: Expression | int) -> Expression:
    return Binary("+", left, Number(right) if isinstance(right, int) else right)


def _minus(left: Expression, right: Expression) -> Expression:
    return Binary("-", left, right)
