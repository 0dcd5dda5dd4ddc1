"""Write the program of a stream with the narrowest integers, for chips of 8 bits.

What is kept has limits that were proved for whole windows. Run on these, each procedure shows how
many bits its values need.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from dsgec.export.streams.program import without_unused
from dsgec.export.streams.roll import rolled
from dsgec.program import ir
from dsgec.program.check import Extent, Ranged
from dsgec.program.narrow import Narrower, Recorder

_AT = ir.Variable("at", "int16")
_MOST_TURNS = 255


def narrowed(program: ir.Program, window: int) -> ir.Program:
    """Return the program of a stream with loops, in which no integer is wider than it needs."""
    program = rolled(program)
    procedures = tuple(
        one if one.scalars and one.result else _narrowed(program, one, window)
        for one in program.procedures
    )
    return replace(program, procedures=procedures)


def _narrowed(program: ir.Program, procedure: ir.Procedure, window: int) -> ir.Procedure:
    parameters = tuple(_AT if one.name == _AT.name else one for one in procedure.parameters)
    body = tuple(_Inliner().block(procedure.body))
    plain = replace(procedure, parameters=parameters, body=body)
    recorder = _StreamRecorder(program)
    given = {array.name: [Extent(*ends) for ends in array.ranges] for array in plain.arrays}
    scalars: dict[str, Ranged] = {one.name: Extent(1, window - 1) for one in plain.scalars}
    recorder.run(plain, given, scalars)
    found = Narrower(plain, recorder, {}).procedure()
    # A value that is always the same needs no variable, nor what it was made of.
    return replace(found, body=without_unused(found))


class _StreamRecorder(Recorder):
    """Records ranges where the sample decides which element is used: those of a delay.

    The number of the sample decides it, in a way that ranges do not show: it can be any of the
    array, and what is written is within the limits that the elements have.
    """

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self.proves_limits = False

    def place(self, array: str, index: Ranged) -> int:
        if isinstance(index, Extent) and index.least < index.most:
            self.arrays[array].append(None)
            return len(self.arrays[array]) - 1
        return super().place(array, index)

    def element(self, array: str, index: Ranged) -> Ranged:
        if array in self.arrays and isinstance(index, Extent) and index.least < index.most:
            known = [one for one in self.arrays[array] if isinstance(one, Extent)]
            return Extent(min(one.least for one in known), max(one.most for one in known))
        return super().element(array, index)


class _Inliner:
    """Writes choices of the arithmetic as selections, of variables and numbers only."""

    def __init__(self) -> None:
        self.names = map("t{}".format, count())
        self.short: set[str] = set()

    def block(self, body: tuple[ir.Instruction, ...]) -> Iterator[ir.Instruction]:
        """Yield instructions, after declarations of what several choices read."""
        for each in body:
            match each:
                case ir.Declare(variable, value):
                    before, value = self.inlined(value)
                    yield from before
                    yield ir.Declare(variable, value)
                case ir.Update(variable, value):
                    before, value = self.inlined(value)
                    yield from before
                    yield ir.Update(variable, value)
                case ir.Store(array, index, value):
                    before, value = self.inlined(value)
                    yield from before
                    yield ir.Store(array, self.inlined(index)[1], value)
                case ir.Loop(counter, ir.Number(turns) as many, inner, least) if (
                    turns <= _MOST_TURNS
                ):
                    self.short.add(counter.name)
                    own = ir.Variable(counter.name, "uint8")
                    yield ir.Loop(own, many, tuple(self.block(inner)), least)
                case ir.Branch(test, yes, no):
                    yield ir.Branch(test, tuple(self.block(yes)), tuple(self.block(no)))
                case _:
                    yield each

    def inlined(self, value: ir.Expression) -> tuple[list[ir.Instruction], ir.Expression]:
        """Return declarations, and an expression without calls for choices."""
        before: list[ir.Instruction] = []

        def simple(part: ir.Expression) -> ir.Expression:
            inner = ir.rewrite(part, change)
            if isinstance(inner, ir.Variable | ir.Number):
                return inner
            variable = ir.Variable(next(self.names))
            before.append(ir.Declare(variable, inner))
            return variable

        def change(part: ir.Expression) -> ir.Expression | None:
            match part:
                case ir.Variable("at"):
                    return _AT
                case ir.Variable(name) if name in self.short:
                    return ir.Variable(name, "uint8")
                case ir.Invoke("stream_minimum", (a, b)):
                    return _choice("<", simple(a), simple(b))
                case ir.Invoke("stream_maximum", (a, b)):
                    return _choice(">", simple(a), simple(b))
                case ir.Invoke("stream_clamp", (a, least, most)):
                    return _choice("<", simple(_choice(">", simple(a), least)), most)
                case ir.Binary(">>", left, ir.Number() as shift) if not isinstance(
                    left, ir.Variable
                ):
                    return ir.Binary(">>", simple(left), shift)
                case _:
                    return None

        found = ir.rewrite(value, change)
        return before, found


def _choice(sign: str, a: ir.Expression, b: ir.Expression) -> ir.Expression:
    """Return a selection, whose branches are other objects than the operands of the test."""
    return ir.Select(ir.Binary(sign, a, b, "bool"), replace(a), replace(b))
