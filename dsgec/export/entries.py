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
from dsgec.program import ir

_ROW, _I, _CHOSEN, _LACKING = (ir.Variable(name) for name in ("row", "i", "chosen", "lacking"))
_FAILED = ir.Variable("failed")
_NO_CLASS = ir.Number(-1)
_YES, _NO = ir.Number(1, "bool"), ir.Number(0, "bool")
_LEAST = -1 << (RESULT_BITS - 1)


def entry_program(m: TemplateView) -> ir.Program:
    """Return the program of an artefact, without the functions of the arithmetic that it calls."""
    entries = _Entries(m)
    network = with_softmax(m.artefact.program)
    tables = (*network.tables, *entries.tables())
    return ir.Program(tables, (*network.procedures, *entries.procedures()))


class _Entries:
    """The types of an artefact, and the procedures made of them."""

    def __init__(self, m: TemplateView) -> None:
        self.m = m
        self.real: ir.Real = "float" if m.artefact.dtype == "float" else "double"
        self.value: ir.Type = "int32" if m.fixed else self.real
        self.output: ir.Type = "int16" if m.fixed else self.real
        self.x = ir.ArrayParameter("x", self.real, m.inputs)
        if m.fixed:
            self.x = row_parameter(m.fixed.program)
        self.y = ir.ArrayParameter("y", self.output, m.results, is_written=True)
        self.nothing = ir.Number(_LEAST if m.fixed else float("nan"), self.value)
        self.lowest = ir.Number(_LEAST if m.fixed else float("-inf"), self.value)

    def tables(self) -> Iterator[ir.ConstantTable]:
        """Yield the columns whose values must not be missing, and the rows of the self-test."""
        m, golden = self.m, self.m.golden
        rows: Sequence[Sequence[float]] = golden.rows
        results: Sequence[Sequence[float]] = golden.results
        if m.fixed:
            rows, results = m.fixed.golden_rows(golden), m.fixed.golden_results(golden.results)
        if m.required:
            yield ir.ConstantTable("required", ir.narrowest(0, m.inputs), m.required)
        if m.inputs:
            yield ir.ConstantTable("rows", self.x.type, tuple(v for row in rows for v in row))
        yield ir.ConstantTable("wanted", self.output, tuple(v for row in results for v in row))
        if m.classes:
            yield ir.ConstantTable("classes", "int32", golden.classes)

    def procedures(self) -> Iterator[ir.Procedure]:
        """Yield all procedures, each after those that it calls."""
        yield self.results()
        yield self.lacks()
        yield self.checked()
        if self.m.classes:
            yield self.choose()
            yield self.class_number()
        yield self.selftest()

    def results(self) -> ir.Procedure:
        about = f"Compute the {'probabilities' if self.m.classes else 'values'} of a row."
        body: tuple[ir.Instruction, ...]
        if self.m.fixed:
            body = (ir.Perform("integers", ("x", "y")),)
        elif self.m.classes and self.m.outputs == 1:
            p = ir.Element("p", index(0), self.real)
            body = (
                ir.LocalArray("p", self.real, 1),
                ir.Perform("outputs", ("x", "p")),
                ir.Store("y", index(0), ir.Binary("-", ir.Number(1.0, self.real), p, self.real)),
                ir.Store("y", index(1), p),
            )
        else:
            body = (ir.Perform("outputs", ("x", "y")),)
        return ir.Procedure("results", about, (self.x, self.y), body)

    def lacks(self) -> ir.Procedure:
        """Return the procedure that finds out whether a row lacks a value that it needs."""
        required = self.m.required
        body: tuple[ir.Instruction, ...] = (ir.Declare(_LACKING, ir.Number(0)),)
        if required:
            column = ir.Element("required", _I, ir.narrowest(0, self.m.inputs))
            value = ir.Element("x", column, self.x.type)
            missing = ir.Number(self.m.fixed.missing) if self.m.fixed else value
            test = _is(value, "==" if self.m.fixed else "!=", missing)
            one = ir.Update(_LACKING, ir.Select(test, ir.Number(1), _LACKING))
            body += (_loop(_I, len(required), one),)
        about = "Return 1 if a value that must not be missing is, otherwise 0."
        return ir.Procedure("lacks", about, (self.x,), body, _LACKING)

    def checked(self) -> ir.Procedure:
        """Return the procedure that computes the results of a row unless it lacks a value."""
        y = ir.Element("y", _I, self.output)
        chosen = ir.Select(_is(_LACKING, "==", ir.Number(1)), self.nothing, y, self.value)
        body: tuple[ir.Instruction, ...] = (
            ir.Perform("results", ("x", "y")),
            ir.Declare(_LACKING, ir.Invoke("lacks", (), "x")),
        )
        if self.m.required:
            body += (_loop(_I, self.m.results, ir.Store("y", _I, chosen)),)
        about = "Compute the results of a row, or return 1 if it lacks a value."
        return ir.Procedure("checked", about, (self.x, self.y), body, _LACKING)

    def choose(self) -> ir.Procedure:
        about = "Return the number of the class, or -1 if there is none."
        size = self.m.outputs if self.m.by_sums else self.m.results
        limits = ((_LEAST, -_LEAST - 1),) * size if self.m.fixed else ()
        p = ir.ArrayParameter("p", self.output, size, limits)
        if self.m.by_sums:
            body, result = self.largest_sum()
        elif self.m.has_threshold:
            body, result = (), self.reached()
        else:
            body, result = self.largest_result()
        return ir.Procedure("choose", about, (p,), body, result)

    def reached(self) -> ir.Expression:
        """Return the choice of the second class if its result reaches the threshold."""
        limit = self.m.fixed.threshold if self.m.fixed else self.m.threshold
        second = ir.Element("p", index(1), self.output)
        chosen = ir.Select(
            _is(second, ">=", ir.Number(limit, self.value)), ir.Number(1), ir.Number(0)
        )
        return ir.Select(self.is_number(second), chosen, _NO_CLASS)

    def largest_result(self) -> tuple[tuple[ir.Instruction, ...], ir.Expression]:
        """Return the choice of the largest result; NaN is never larger than another."""
        first = self.is_number(ir.Element("p", index(0), self.output))
        return self.largest(ir.Select(first, ir.Number(0), _NO_CLASS)), _CHOSEN

    def largest_sum(self) -> tuple[tuple[ir.Instruction, ...], ir.Expression]:
        """Return instructions and an expression for the class with the largest sum.

        There is no class if a sum is NaN, or the largest is infinite.
        """
        best, p = ir.Variable("best", self.value), ir.Element("p", _I, self.output)
        lacks_number = ir.Select(self.is_number(p), _LACKING, ir.Number(1))
        rest = ir.Binary("-", best, best, self.value)
        chosen = ir.Select(_is(_LACKING, "==", ir.Number(0)), _CHOSEN, _NO_CLASS)
        body = (ir.Declare(_LACKING, ir.Number(0)), *self.largest(ir.Number(0), lacks_number))
        return body, ir.Select(_is(rest, "==", rest), chosen, _NO_CLASS)

    def largest(
        self, first: ir.Expression, lacks_number: ir.Expression | None = None
    ) -> tuple[ir.Instruction, ...]:
        """Return the loop that chooses the largest of p; `first` is the choice if none is."""
        best, p = ir.Variable("best", self.value), ir.Element("p", _I, self.output)
        is_better = ir.Variable("is_better", "bool")
        noted = () if lacks_number is None else (ir.Update(_LACKING, lacks_number),)
        return (
            ir.Declare(best, self.lowest),
            ir.Declare(_CHOSEN, first),
            _loop(
                _I,
                self.m.outputs,
                *noted,
                ir.Declare(is_better, _is(p, ">", best)),
                ir.Update(best, ir.Select(is_better, p, best, self.value)),
                ir.Update(_CHOSEN, ir.Select(is_better, _I, _CHOSEN)),
            ),
        )

    def is_number(self, value: ir.Expression) -> ir.Expression:
        return _is(value, "!=", self.nothing) if self.m.fixed else _is(value, "==", value)

    def class_number(self) -> ir.Procedure:
        source, size = ("sums", self.m.outputs) if self.m.by_sums else ("results", self.m.results)
        body = (ir.LocalArray("p", self.output, size), ir.Perform(source, ("x", "p")))
        lacking = _is(ir.Invoke("lacks", (), "x"), "==", ir.Number(1))
        chosen = ir.Select(lacking, _NO_CLASS, ir.Invoke("choose", (), "p"))
        about = "Return the number of the class of a row, or -1 if there is none."
        return ir.Procedure("class_number", about, (self.x,), body, chosen)

    def selftest(self) -> ir.Procedure:
        m, columns, results = self.m, self.m.inputs, self.m.results
        given = ir.Element("rows", _place(columns), self.x.type)
        found = ir.Element("y", _I, self.output)
        wanted = ir.Element("wanted", _place(results), self.output)
        one: list[ir.Instruction] = (
            [_loop(_I, columns, ir.Store("x", _I, given))] if columns else []
        )
        one.append(ir.Perform("results", ("x", "y")))
        one.append(_loop(_I, results, _fail_if(self.differ(found, wanted))))
        if m.classes:
            expected = ir.Element("classes", _ROW, "int32")
            one.append(_fail_if(_is(ir.Invoke("class_number", (), "x"), "!=", expected)))
        body = (
            ir.LocalArray("x", self.x.type, columns),
            ir.LocalArray("y", self.output, results),
            ir.Declare(_FAILED, ir.Number(0)),
            _loop(_ROW, len(m.golden.rows), *one),
        )
        about = "Return 0, or the number of the first row with wrong results."
        return ir.Procedure("selftest", about, (), body, _FAILED)

    def differ(self, found: ir.Expression, wanted: ir.Expression) -> ir.Expression:
        """Return the test whether two results differ in bits; all NaNs count as equal."""
        if self.m.fixed:
            return _is(found, "!=", wanted)
        word: ir.Type = "uint32" if self.real == "float" else "uint64"
        bits = (ir.Invoke("bits", (value,), type=word) for value in (found, wanted))
        are_numbers = ir.Select(self.is_number(found), _YES, self.is_number(wanted), "bool")
        return ir.Select(_is(next(bits), "!=", next(bits)), are_numbers, _NO, "bool")


def _is(left: ir.Expression, operator: str, right: ir.Expression) -> ir.Expression:
    return ir.Binary(operator, left, right, "bool")


def _loop(counter: ir.Variable, count: int, *body: ir.Instruction) -> ir.Loop:
    return ir.Loop(counter, ir.Number(count), body)


def _place(width: int) -> ir.Expression:
    """Return the place of the value `i` of the row `row` in a table of rows."""
    return ir.Binary("+", ir.Binary("*", _ROW, ir.Number(width)), _I)


def _fail_if(test: ir.Expression) -> ir.Instruction:
    first = ir.Select(_is(_FAILED, "==", ir.Number(0)), ir.Binary("+", _ROW, ir.Number(1)), _FAILED)
    return ir.Update(_FAILED, ir.Select(test, first, _FAILED))
