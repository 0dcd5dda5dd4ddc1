"""The program of a stream as exports print it: samples are limited, and features become a row.

- `stream_limit(sample, q)` limits a sample; it returns 1 if the sample is missing, otherwise 0.
- `stream_first`, `stream_following` and `stream_features` are those of `dsgec.signal.stream`.
- `stream_row(f, x)`, in fixed point, makes the integers of the network's columns of the features.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dsgec.export.fixed.ir import Format, largest
from dsgec.program import ir
from dsgec.signal.description import Signal
from dsgec.signal.stream import MISSING, largest_sample

PREFIX = "stream_"
_I, _V, _LACKS, _SHIFT = (ir.Variable(name) for name in ("i", "v", "lacks", "shift"))
_Q = ir.Variable("q")
_IN_ASCII = {"²": "^2", "−": "-", "·": "*", "√": "root of ", "Σ": "sum of ", "≤": "<=", "≥": ">="}
_REACH = 1 << 30  # a result beyond it is limited, so that nothing overflows; so far go zeros, too


def limit_procedure(signal: Signal) -> ir.Procedure:
    """Return the procedure that limits a sample, and finds out whether a value is missing."""
    count, most = len(signal.channels), largest_sample(signal)
    sample = ir.ArrayParameter("sample", "int16", count, (ir.LIMITS["int16"],) * count)
    q = ir.ArrayParameter("q", "int16", count, is_written=True)
    body = (
        ir.Declare(_V, ir.Element("sample", _I, "int16")),
        ir.Update(_LACKS, ir.Select(_is(_V, "==", MISSING), ir.Number(1), _LACKS)),
        ir.Update(_V, ir.Select(_is(_V, "<", -most), ir.Number(-most), _V)),
        ir.Store("q", _I, ir.Select(_is(_V, ">", most), ir.Number(most), _V)),
    )
    return ir.Procedure(
        f"{PREFIX}limit",
        "Limit a sample. Returns 1 if a value is missing.",
        (sample, q),
        (ir.Declare(_LACKS, ir.Number(0)), ir.Loop(_I, ir.Number(count), body)),
        _LACKS,
    )


def row_program(formats: tuple[Format, ...], sizes: Sequence[int], bits: int) -> ir.Program:
    """Return the tables and the procedure that make integers of columns of features.

    A feature f becomes f · 2^fraction − zero, rounded half to even and limited, as `quantise` does
    it with doubles. `sizes` are the greatest features, without their signs.
    """
    count, most = len(formats), largest(bits)
    fractions = [max(min(f.fraction, 29), -31) for f in formats]
    zeros = [f.zero for f in formats]
    tables: list[ir.ConstantTable] = []

    def entry(name: str, values: list[int], about: str) -> ir.Expression:
        if len(set(values)) == 1:
            return ir.Number(values[0])
        type_ = ir.narrowest(min(values), max(values), signed=True)
        tables.append(ir.ConstantTable(name, type_, tuple(values), about))
        return ir.Element(name, _I, type_)

    fraction = entry(
        f"{PREFIX}fractions", fractions, "By how many bits a feature is shifted to the left."
    )
    zero = entry(f"{PREFIX}zeros", zeros, "What is taken from a feature.")
    down = (ir.Update(_Q, _shifted_down()),)
    reach = max(size << max(f, 0) for size, f in zip(sizes, fractions, strict=True))
    up = tuple(_shifted_up(zero, most, is_limited=reach > _REACH))
    body: list[ir.Instruction] = [ir.Declare(_Q, ir.Element("f", _I, "int32"))]
    if max(fractions) < 0:
        body += [ir.Declare(_SHIFT, _minus(ir.Number(0), fraction)), *down]
    elif min(fractions) >= 0:
        body += [ir.Declare(_SHIFT, fraction), *up] if max(fractions) else []
    else:
        own = ir.Variable("fraction")
        negative = ir.Declare(_SHIFT, _minus(ir.Number(0), own))
        body.append(ir.Declare(own, fraction))
        body.append(ir.Branch(_is(own, "<", 0), (negative, *down), (ir.Declare(_SHIFT, own), *up)))
    body += [
        *([ir.Update(_Q, _minus(_Q, zero))] if any(zeros) else []),
        ir.Update(_Q, ir.Select(_is(_Q, "<", -most), ir.Number(-most), _Q)),
        ir.Store("x", _I, ir.Select(_is(_Q, ">", most), ir.Number(most), _Q)),
    ]
    number: ir.Type = "int8" if bits == 8 else "int16"
    procedure = ir.Procedure(
        f"{PREFIX}row",
        "Make the integers of the network's columns of the features.",
        (
            ir.ArrayParameter("f", "int32", count, tuple((-size, size) for size in sizes)),
            ir.ArrayParameter("x", number, count, is_written=True),
        ),
        (ir.Loop(_I, ir.Number(count), tuple(body)),),
    )
    return ir.Program(tuple(tables), (procedure,))


def _shifted_down() -> ir.Expression:
    """Return q / 2^shift, rounded half to even: a feature is so small that no sum is too large."""
    half = ir.Binary("<<", ir.Number(1), _minus(_SHIFT, ir.Number(1)))
    odd = ir.Binary("&", ir.Binary(">>", _Q, _SHIFT), ir.Number(1))
    return ir.Binary(">>", _plus(_plus(_Q, _minus(half, ir.Number(1))), odd), _SHIFT)


def _shifted_up(zero: ir.Expression, most: int, *, is_limited: bool) -> Iterator[ir.Instruction]:
    """Yield instructions that multiply q by 2^shift; what is limited would be limited later."""
    if is_limited:
        # (zero - most) >> shift is rounded down, and 1 more than the greatest is rounded up.
        least = ir.Binary(">>", _minus(zero, ir.Number(most)), _SHIFT)
        greatest = _plus(ir.Binary(">>", _plus(zero, most), _SHIFT), 1)
        yield ir.Update(_Q, ir.Select(ir.Binary("<", _Q, least, "bool"), least, _Q))
        yield ir.Update(_Q, ir.Select(ir.Binary(">", _Q, greatest, "bool"), greatest, _Q))
    yield ir.Update(_Q, ir.Binary("*", _Q, ir.Binary("<<", ir.Number(1), _SHIFT)))


def renamed(program: ir.Program) -> ir.Program:
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
            body=_renamed_body(without_unused(procedure), names),
            result=procedure.result and _renamed(procedure.result, names),
        )
        for procedure in program.procedures
    )
    return ir.Program(tables, procedures)


def _plain(text: str) -> str:
    """Return a comment in ASCII."""
    for sign, plain in _IN_ASCII.items():
        text = text.replace(sign, plain)
    return text.encode("ascii", "replace").decode("ascii")


def without_unused(procedure: ir.Procedure) -> tuple[ir.Instruction, ...]:
    """Return the instructions of a procedure without variables that nothing reads."""
    body = procedure.body
    while True:
        read = {v.name for v in procedure.expressions if isinstance(v, ir.Variable)}
        kept = _remove_unread(body, read)
        if kept == body:
            return body
        body, procedure = kept, replace(procedure, body=kept)


def _remove_unread(body: tuple[ir.Instruction, ...], read: set[str]) -> tuple[ir.Instruction, ...]:
    """Return instructions without those that set variables which nobody reads."""
    found: list[ir.Instruction] = []
    for each in body:
        match each:
            case ir.Declare(ir.Variable(name)) | ir.Update(ir.Variable(name)) if name not in read:
                continue
            case ir.Loop(counter, count, inner, least):
                found.append(ir.Loop(counter, count, _remove_unread(inner, read), least))
            case ir.Branch(test, yes, no):
                found.append(ir.Branch(test, _remove_unread(yes, read), _remove_unread(no, read)))
            case _:
                found.append(each)
    return tuple(found)


def _renamed_body(
    body: tuple[ir.Instruction, ...], names: Mapping[str, str]
) -> tuple[ir.Instruction, ...]:
    return tuple(_renamed_instruction(instruction, names) for instruction in body)


def _renamed_instruction(instruction: ir.Instruction, names: Mapping[str, str]) -> ir.Instruction:
    match instruction:
        case ir.Declare(variable, value):
            return ir.Declare(variable, _renamed(value, names))
        case ir.Update(variable, value):
            return ir.Update(variable, _renamed(value, names))
        case ir.Store(array, index, value):
            return ir.Store(array, _renamed(index, names), _renamed(value, names))
        case ir.Loop(counter, count, body, least):
            return ir.Loop(counter, _renamed(count, names), _renamed_body(body, names), least)
        case ir.Branch(test, yes, no):
            return ir.Branch(
                _renamed(test, names), _renamed_body(yes, names), _renamed_body(no, names)
            )
        case ir.Perform(procedure, arguments):
            return ir.Perform(names[procedure], tuple(names.get(name, name) for name in arguments))
        case _:
            return instruction


def _renamed(expression: ir.Expression, names: Mapping[str, str]) -> ir.Expression:
    """Return an expression with the new names of tables and functions."""

    def change(part: ir.Expression) -> ir.Expression | None:
        match part:
            case ir.Element(array, index, type_) if array in names:
                return ir.Element(names[array], ir.rewrite(index, change), type_)
            case ir.Invoke(function, arguments, table, type_):
                inner = tuple(ir.rewrite(argument, change) for argument in arguments)
                return ir.Invoke(
                    names.get(function, function), inner, names.get(table, table), type_
                )
            case _:
                return None

    return ir.rewrite(expression, change)


def _is(left: ir.Expression, operator: str, right: int) -> ir.Expression:
    return ir.Binary(operator, left, ir.Number(right), "bool")


def _plus(left: ir.Expression, right: ir.Expression | int) -> ir.Expression:
    return ir.Binary("+", left, ir.Number(right) if isinstance(right, int) else right)


def _minus(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Binary("-", left, right)
