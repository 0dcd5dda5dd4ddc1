"""Lower fixed point to a program in the flat layout: straight-line code, step by step.

The entry is the procedure `integers(x, y)`, from a row of integers to its results. A table of a
function is read by a function of its own, `look0` and so on.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from dsgec.export.fixed import ir
from dsgec.export.fixed.cost import reads_table, terms_by_source
from dsgec.export.fixed.ir import is_separate, steps_read
from dsgec.export.lower import LONGEST_FUNCTION
from dsgec.export.parts import in_parts, index
from dsgec.export.walk import TreeCode
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
    Store,
    Type,
    Update,
    Variable,
    narrowest,
)

LONGEST_SUM = 16
"""The most terms of a line."""

_STORED: dict[int, Type] = {8: "int8", 16: "int16"}


def integer_program(
    source: ir.IntegerProgram, *, longest: int = LONGEST_FUNCTION, longest_sum: int = LONGEST_SUM
) -> Program:
    """Return the flat program of fixed point.

    A function has at most `longest` statements, and a sum at most `longest_sum` terms.
    """
    if source.forest is not None:
        return forest_program(source, packed=False)
    is_split = statements(source.steps, longest_sum) + len(source.results) > longest
    writer = StepWriter(source, is_split=is_split, longest_sum=longest_sum)
    for position, step in enumerate(source.steps):
        writer.step(position, step)
    tables, looks = function_tables(source, tables_read(source))
    entry_ = entry(source, writer.stores("y", source.results))
    return Program(tables, (*looks, *writer.procedures(entry_, longest)))


def forest_program(
    source: ir.IntegerProgram, *, packed: bool, looks: bool = True, finds_class: bool = False
) -> Program:
    """Return a program of trees, nested or in tables that are walked.

    Its procedures are `trees(x, s)` and its entry, which is called `outputs` in a program that
    `finds_class`: that also has `decide(x)` if the sums of trees decide.
    """
    assert source.forest is not None
    x = row_parameter(source)
    code = TreeCode(source.forest, x.type, packed, x, looks)
    writer = StepWriter(source, is_split=False)
    for position, step in enumerate(source.steps):
        writer.step(position, step)
    tables, readers = function_tables(source, tables_read(source))
    trees = code.sums()
    body = (
        LocalArray("s", code.sum_type, code.outputs),
        Perform("trees", ("x", "s")),
        *writer.body,
        *writer.stores("y", source.results),
    )
    decide = (code.decide(source.limit),) if finds_class and decides_by_trees(source) else ()
    name = "outputs" if finds_class else "integers"
    procedures = (trees, *decide, *readers, entry(source, body, name))
    return Program((*code.tables, *tables), procedures)


def decides_by_trees(source: ir.IntegerProgram) -> bool:
    """Return whether the sums of trees, in their order, decide between the classes."""
    forest = source.forest
    sums = tuple(ir.TreeSum(number) for number in range(len(forest.firsts))) if forest else ()
    return bool(sums) and source.sums == sums


def program_of_sums(source: ir.IntegerProgram) -> Program:
    """Return the flat program with the weights of longer sums in tables that one function reads.

    That takes a third of the flash that one statement per product takes. The entry is
    `outputs(x, y)`; if the class needs only sums, these are computed by `sums(x, s)`.
    """
    if source.forest is not None:
        return forest_program(source, packed=False, finds_class=True)
    writer = TableSums(source, is_split=statements(source.steps) > LONGEST_FUNCTION)
    before = steps_read(source, source.sums)
    after = [number for number in range(len(source.steps)) if number not in before]
    is_cut = (
        not writer.is_split
        and is_separate(source)
        and not any(reads_table(source.steps[number]) for number in after)
    )
    for position in sorted(before) if is_cut else range(len(source.steps)):
        writer.step(position, source.steps[position])
    tables, looks = function_tables(source, tables_read(source))
    if not is_cut:
        entry_ = entry(source, writer.stores("y", source.results), "outputs")
        procedures = writer.procedures(entry_)
        return Program((*tables, *writer.tables), (*looks, *writer.functions, *procedures))
    # A single sum can have more than 16 bits.
    s = ArrayParameter(
        "s", "int16" if source.limit is None else "int32", len(source.sums), is_written=True
    )
    about = "Compute what decides between the classes."
    x, stores = row_parameter(source), writer.stores("s", source.sums)
    sums = writer.procedures(Procedure("sums", about, (x, s), stores))
    rest = StepWriter(source, is_split=False)
    for at, operand in enumerate(source.sums):
        if isinstance(operand, ir.Slot):
            rest.values[operand.number] = Element("s", index(at), s.type)
    for position in after:
        rest.step(position, source.steps[position])
    first = (LocalArray("s", s.type, s.size), Perform("sums", ("x", "s")))
    body = (*first, *rest.body, *rest.stores("y", source.results))
    outputs = entry(source, body, "outputs")
    return Program((*tables, *writer.tables), (*looks, *writer.functions, *sums, outputs))


def entry(
    source: ir.IntegerProgram, body: tuple[Instruction, ...], name: str = "integers"
) -> Procedure:
    """Return the procedure that computes the results of a row."""
    y = ArrayParameter("y", "int16", len(source.results), is_written=True)
    about = "Compute the results of a row of integers."
    return Procedure(name, about, (row_parameter(source), y), body)


def tables_read(source: ir.IntegerProgram) -> list[int]:
    """Return the numbers of the tables that steps read."""
    return sorted({step.table for step in source.steps if isinstance(step, ir.Look)})


def statements(steps: Collection[ir.Step], longest_sum: int = LONGEST_SUM) -> int:
    """Return how many statements steps may take."""
    terms = sum(len(step.terms) for step in steps if isinstance(step, ir.Sum))
    return len(steps) + terms // longest_sum


def row_parameter(source: ir.IntegerProgram) -> ArrayParameter:
    """Return the row of integers, which may have missing values."""
    limits = (source.missing, -source.missing - 1)
    columns = len(source.columns)
    return ArrayParameter("x", _STORED[source.bits], columns, (limits,) * columns)


def function_tables(
    source: ir.IntegerProgram, numbers: Iterable[int] | None = None
) -> tuple[tuple[ConstantTable, ...], tuple[Procedure, ...]]:
    """Return some tables of functions, or all of them, and the procedures that read them."""
    numbers = range(len(source.tables)) if numbers is None else numbers
    chosen = [(number, source.tables[number]) for number in numbers]
    tables = tuple(
        ConstantTable(f"table{number}", "int16", table.entries) for number, table in chosen
    )
    return tables, tuple(
        Procedure(
            f"look{number}",
            "",
            (Variable("a", "int32"),),
            (),
            Invoke(
                table.look,
                (Variable("a", "int32"), *(Number(limit, "int32") for limit in table.limits)),
                f"table{number}",
                "int32",
            ),
        )
        for number, table in chosen
    )


class StepWriter:
    """Writes one step after the other; `values` are the expressions that read their results."""

    def __init__(
        self, source: ir.IntegerProgram, *, is_split: bool, longest_sum: int = LONGEST_SUM
    ) -> None:
        self.source, self.is_split, self.longest_sum = source, is_split, longest_sum
        self.body: list[Instruction] = []
        self.values: dict[int, Expression] = {}
        self.names = dict(source.names)

    def stores(self, array: str, results: Sequence[ir.Operand]) -> tuple[Instruction, ...]:
        """Return the assignments of results to an array."""
        values = map(self.operand, results)
        return tuple(Store(array, index(at), value) for at, value in enumerate(values))

    def procedures(self, last: Procedure, longest: int = LONGEST_FUNCTION) -> tuple[Procedure, ...]:
        """Return `last` with all other steps before its own, behind the parts that it calls."""
        arrays = [LocalArray(*each) for each in self.arrays()]
        if not self.is_split:
            return (replace(last, body=(*arrays, *self.body, *last.body)),)
        shared = [ArrayParameter(a.name, a.type, a.size, is_written=True) for a in arrays]
        body = (*self.body, *last.body)
        long = replace(last, parameters=(*last.arrays, *shared), body=body)
        return in_parts(long, len(last.body), longest)

    def arrays(self) -> list[tuple[str, Type, int]]:
        """Return the arrays that the parts share: names, types and sizes."""
        return [("t", "int32", len(self.body))] if self.is_split else []

    def operand(self, operand: ir.Operand) -> Expression:
        match operand:
            case ir.ColumnValue(number):
                return Element("x", index(number), _STORED[self.source.bits])
            case ir.TreeSum(number):
                return Element("s", index(number), "int16")
            case ir.Slot(number):
                return self.values[number]
            case ir.WholeNumber(value):
                return Number(value, "int32")
            case _:
                assert_never(operand)

    def step(self, position: int, step: ir.Step) -> None:
        """Write one step; a long sum takes several statements."""
        match step:
            case ir.Sum():
                value = self.sum(step)
            case ir.IntegerCall(function, arguments):
                value = Invoke(function, tuple(map(self.operand, arguments)), type="int32")
            case ir.Look(table, argument):
                value = Invoke(f"look{table}", (self.operand(argument),), type="int32")
            case _:
                assert_never(step)
        self.values[position] = self.assign(value, self.names.get(position, ""))

    def sum(self, step: ir.Sum) -> Expression:
        """Return the expression of a sum.

        The bias comes first, even a 0: in JavaScript, −5 · 0 is −0, but 0 + −5 · 0 is 0.
        """
        total: Expression = Number(step.bias, "int32")
        for start in range(0, len(step.terms), self.longest_sum):
            if start:
                total = self.assign(total)
            for operand, weight in step.terms[start : start + self.longest_sum]:
                term = self.operand(operand)
                if abs(weight) != 1:
                    term = Binary("*", Number(abs(weight), "int32"), term, "int32")
                total = Binary("-" if weight < 0 else "+", total, term, "int32")
        return _shifted(total, step.shift)

    def assign(self, value: Expression, name: str = "") -> Expression:
        number = len(self.body)
        if self.is_split:
            self.body.append(Store("t", index(number), value))
            return Element("t", index(number), "int32")
        variable = Variable(name or f"t{number}", "int32")
        self.body.append(Declare(variable, value))
        return variable


class TableSums(StepWriter):
    """Writes longer sums as calls; the steps that they read are kept in an array `v`."""

    def __init__(self, source: ir.IntegerProgram, *, is_split: bool) -> None:
        super().__init__(source, is_split=is_split)
        self.sources: list[int] = []
        self.weights: list[int] = []
        self.kept: dict[int, int] = {}
        for step in source.steps:
            for slot, _ in terms_by_source(step)[1] if reads_table(step) else ():
                self.kept.setdefault(slot.number, len(self.kept))

    def arrays(self) -> list[tuple[str, Type, int]]:
        kept = [("v", _STORED[self.source.bits], len(self.kept))] if self.kept else []
        return [*super().arrays(), *kept]

    def step(self, position: int, step: ir.Step) -> None:
        super().step(position, step)
        if position in self.kept:
            self.body.append(Store("v", index(self.kept[position]), self.values[position]))

    def sum(self, step: ir.Sum) -> Expression:
        if not reads_table(step):
            return super().sum(step)
        columns, slots = terms_by_source(step)
        total: Expression = Number(step.bias, "int32")
        places = {
            "x": [(column.number, weight) for column, weight in columns],
            "v": [(self.kept[slot.number], weight) for slot, weight in slots],
        }
        for array, terms in places.items():
            if terms:
                where = (Number(len(self.weights), "uint16"), Number(len(terms), "uint16"))
                total = Binary("+", total, Invoke("sum", where, array, "int32"), "int32")
                self.sources += [place for place, _ in terms]
                self.weights += [weight for _, weight in terms]
        return _shifted(total, step.shift)

    @property
    def tables(self) -> tuple[ConstantTable, ...]:
        if not self.weights:
            return ()
        about = "What sums of products read, one sum after the other."
        return (
            ConstantTable("sources", narrowest(0, max(self.sources)), tuple(self.sources), about),
            ConstantTable("weights", _STORED[self.source.bits], tuple(self.weights), "Weights."),
        )

    @property
    def functions(self) -> tuple[Procedure, ...]:
        """Return the function that adds up products of values and weights."""
        if not self.weights:
            return ()
        number = _STORED[self.source.bits]
        at, count, i = (Variable(name, "uint16") for name in ("at", "count", "i"))
        total = Variable("total", "int32")
        sources, weights = self.tables
        value = Element("from", Element("sources", at, sources.type), number)
        product = Binary("*", Element("weights", at, weights.type), value, "int32")
        body = (
            Update(total, Binary("+", total, product, "int32")),
            Update(at, Binary("+", at, Number(1, "uint16"), "uint16")),
        )
        return (
            Procedure(
                "sum",
                "Add up products, beginning with one of the tables.",
                (ArrayParameter("from", number, 0), at, count),
                (Declare(total, Number(0, "int32")), Loop(i, count, body)),
                total,
            ),
        )


def _shifted(total: Expression, shift: int) -> Expression:
    return Binary(">>", total, Number(shift, "int32"), "int32") if shift else total
