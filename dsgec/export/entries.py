"""The procedures around a network: its results, missing values, the class and the self-test.

They call `outputs(x, y)` or, in fixed point, `integers(x, y)`, and are the same in every language:

- `results(x, y)` computes the probabilities or values of a row.
- `lacks(x)` returns 1 if a value is missing that has no fill value, otherwise 0.
- `checked(x, y)` computes the results of a row, or "nothing" if it lacks a value: NaN or, in fixed
  point, the least integer. It returns what `lacks` does.
- `choose(p)` returns the number of a class, or -1 if its result is not a number.
- `class_number(x)` returns the class of a row, or -1.
- `selftest()` returns 0, or the number (from 1) of the first row with wrong results.
"""

from collections.abc import Iterator, Sequence

from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.fixed.lower import row_parameter
from dsgec.export.lower import with_softmax
from dsgec.export.parts import index
from dsgec.export.view import TemplateView
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Number,
    Perform,
    Procedure,
    Program,
    Real,
    Select,
    Store,
    Type,
    Update,
    Variable,
    narrowest,
)

_ROW, _I, _CHOSEN, _LACKING = (Variable(name) for name in ("row", "i", "chosen", "lacking"))
_FAILED = Variable("failed")
_NO_CLASS = Number(-1)
_YES, _NO = Number(1, "bool"), Number(0, "bool")
_LEAST = -1 << (RESULT_BITS - 1)


def entry_program(m: TemplateView) -> Program:
    """Return the program of an artefact, without the functions of the arithmetic that it calls."""
    entries = _Entries(m)
    network = with_softmax(m.artefact.program)
    tables = (*network.tables, *entries.tables())
    return Program(tables, (*network.procedures, *entries.procedures()))


class _Entries:
    """The types of an artefact, and the procedures made of them."""

    def __init__(self, m: TemplateView) -> None:
        self.m = m
        self.real: Real = "float" if m.artefact.dtype == "float" else "double"
        self.value: Type = "int32" if m.fixed else self.real
        self.output: Type = "int16" if m.fixed else self.real
        self.x = ArrayParameter("x", self.real, m.inputs)
        if m.fixed:
            self.x = row_parameter(m.fixed.program)
        self.y = ArrayParameter("y", self.output, m.results, is_written=True)
        self.nothing = Number(_LEAST if m.fixed else float("nan"), self.value)
        self.lowest = Number(_LEAST if m.fixed else float("-inf"), self.value)

    def tables(self) -> Iterator[ConstantTable]:
        """Yield the columns whose values must not be missing, and the rows of the self-test."""
        m, golden = self.m, self.m.golden
        rows: Sequence[Sequence[float]] = golden.rows
        results: Sequence[Sequence[float]] = golden.results
        if m.fixed:
            rows, results = m.fixed.golden_rows(golden), m.fixed.golden_results(golden.results)
        if m.required:
            yield ConstantTable("required", narrowest(0, m.inputs), m.required)
        if m.inputs:
            yield ConstantTable("rows", self.x.type, tuple(v for row in rows for v in row))
        yield ConstantTable("wanted", self.output, tuple(v for row in results for v in row))
        if m.classes:
            yield ConstantTable("classes", "int32", golden.classes)

    def procedures(self) -> Iterator[Procedure]:
        """Yield all procedures, each after those that it calls."""
        yield self.results()
        yield self.lacks()
        yield self.checked()
        if self.m.classes:
            yield self.choose()
            yield self.class_number()
        yield self.selftest()

    def results(self) -> Procedure:
        about = f"Compute the {'probabilities' if self.m.classes else 'values'} of a row."
        body: tuple[Instruction, ...]
        if self.m.fixed:
            body = (Perform("integers", ("x", "y")),)
        elif self.m.classes and self.m.outputs == 1:
            p = Element("p", index(0), self.real)
            body = (
                LocalArray("p", self.real, 1),
                Perform("outputs", ("x", "p")),
                Store("y", index(0), Binary("-", Number(1.0, self.real), p, self.real)),
                Store("y", index(1), p),
            )
        else:
            body = (Perform("outputs", ("x", "y")),)
        return Procedure("results", about, (self.x, self.y), body)

    def lacks(self) -> Procedure:
        required = self.m.required
        body: tuple[Instruction, ...] = (Declare(_LACKING, Number(0)),)
        if required:
            column = Element("required", _I, narrowest(0, self.m.inputs))
            value = Element("x", column, self.x.type)
            missing = Number(self.m.fixed.missing) if self.m.fixed else value
            test = _is(value, "==" if self.m.fixed else "!=", missing)
            one = Update(_LACKING, Select(test, Number(1), _LACKING))
            body += (_loop(_I, len(required), one),)
        about = "Return 1 if a value that must not be missing is, otherwise 0."
        return Procedure("lacks", about, (self.x,), body, _LACKING)

    def checked(self) -> Procedure:
        y = Element("y", _I, self.output)
        chosen = Select(_is(_LACKING, "==", Number(1)), self.nothing, y, self.value)
        body: tuple[Instruction, ...] = (
            Perform("results", ("x", "y")),
            Declare(_LACKING, Invoke("lacks", (), "x")),
        )
        if self.m.required:
            body += (_loop(_I, self.m.results, Store("y", _I, chosen)),)
        about = "Compute the results of a row, or return 1 if it lacks a value."
        return Procedure("checked", about, (self.x, self.y), body, _LACKING)

    def choose(self) -> Procedure:
        about = "Return the number of the class, or -1 if there is none."
        size = self.m.outputs if self.m.by_sums else self.m.results
        limits = ((_LEAST, -_LEAST - 1),) * size if self.m.fixed else ()
        p = ArrayParameter("p", self.output, size, limits)
        if self.m.by_sums:
            body, result = self.largest_sum()
        elif self.m.has_threshold:
            body, result = (), self.reached()
        else:
            body, result = self.largest_result()
        return Procedure("choose", about, (p,), body, result)

    def reached(self) -> Expression:
        """Return the choice of the second class if its result reaches the threshold."""
        limit = self.m.fixed.threshold if self.m.fixed else self.m.threshold
        second = Element("p", index(1), self.output)
        chosen = Select(_is(second, ">=", Number(limit, self.value)), Number(1), Number(0))
        return Select(self.is_number(second), chosen, _NO_CLASS)

    def largest_result(self) -> tuple[tuple[Instruction, ...], Expression]:
        """Return the choice of the largest result; NaN is never larger than another."""
        first = self.is_number(Element("p", index(0), self.output))
        return self.largest(Select(first, Number(0), _NO_CLASS)), _CHOSEN

    def largest_sum(self) -> tuple[tuple[Instruction, ...], Expression]:
        """Return the choice of the largest sum, unless one is NaN or the largest is infinite."""
        best, p = Variable("best", self.value), Element("p", _I, self.output)
        lacks_number = Select(self.is_number(p), _LACKING, Number(1))
        rest = Binary("-", best, best, self.value)
        chosen = Select(_is(_LACKING, "==", Number(0)), _CHOSEN, _NO_CLASS)
        body = (Declare(_LACKING, Number(0)), *self.largest(Number(0), lacks_number))
        return body, Select(_is(rest, "==", rest), chosen, _NO_CLASS)

    def largest(
        self, first: Expression, lacks_number: Expression | None = None
    ) -> tuple[Instruction, ...]:
        best, p = Variable("best", self.value), Element("p", _I, self.output)
        is_better = Variable("is_better", "bool")
        noted = () if lacks_number is None else (Update(_LACKING, lacks_number),)
        return (
            Declare(best, self.lowest),
            Declare(_CHOSEN, first),
            _loop(
                _I,
                self.m.outputs,
                *noted,
                Declare(is_better, _is(p, ">", best)),
                Update(best, Select(is_better, p, best, self.value)),
                Update(_CHOSEN, Select(is_better, _I, _CHOSEN)),
            ),
        )

    def is_number(self, value: Expression) -> Expression:
        return _is(value, "!=", self.nothing) if self.m.fixed else _is(value, "==", value)

    def class_number(self) -> Procedure:
        source, size = ("sums", self.m.outputs) if self.m.by_sums else ("results", self.m.results)
        body = (LocalArray("p", self.output, size), Perform(source, ("x", "p")))
        lacking = _is(Invoke("lacks", (), "x"), "==", Number(1))
        chosen = Select(lacking, _NO_CLASS, Invoke("choose", (), "p"))
        about = "Return the number of the class of a row, or -1 if there is none."
        return Procedure("class_number", about, (self.x,), body, chosen)

    def selftest(self) -> Procedure:
        m, columns, results = self.m, self.m.inputs, self.m.results
        given = Element("rows", _place(columns), self.x.type)
        found = Element("y", _I, self.output)
        wanted = Element("wanted", _place(results), self.output)
        one: list[Instruction] = [_loop(_I, columns, Store("x", _I, given))] if columns else []
        one.append(Perform("results", ("x", "y")))
        one.append(_loop(_I, results, _fail_if(self.differ(found, wanted))))
        if m.classes:
            expected = Element("classes", _ROW, "int32")
            one.append(_fail_if(_is(Invoke("class_number", (), "x"), "!=", expected)))
        body = (
            LocalArray("x", self.x.type, columns),
            LocalArray("y", self.output, results),
            Declare(_FAILED, Number(0)),
            _loop(_ROW, len(m.golden.rows), *one),
        )
        about = "Return 0, or the number of the first row with wrong results."
        return Procedure("selftest", about, (), body, _FAILED)

    def differ(self, found: Expression, wanted: Expression) -> Expression:
        """Return the test whether two results differ in bits; all NaNs count as equal."""
        if self.m.fixed:
            return _is(found, "!=", wanted)
        word: Type = "uint32" if self.real == "float" else "uint64"
        bits = (Invoke("bits", (value,), type=word) for value in (found, wanted))
        are_numbers = Select(self.is_number(found), _YES, self.is_number(wanted), "bool")
        return Select(_is(next(bits), "!=", next(bits)), are_numbers, _NO, "bool")


def _is(left: Expression, operator: str, right: Expression) -> Expression:
    return Binary(operator, left, right, "bool")


def _loop(counter: Variable, count: int, *body: Instruction) -> Loop:
    return Loop(counter, Number(count), body)


def _place(width: int) -> Expression:
    """Return the place of the value `i` of the row `row` in a table of rows."""
    return Binary("+", Binary("*", _ROW, Number(width)), _I)


def _fail_if(test: Expression) -> Instruction:
    first = Select(_is(_FAILED, "==", Number(0)), Binary("+", _ROW, Number(1)), _FAILED)
    return Update(_FAILED, Select(test, first, _FAILED))
