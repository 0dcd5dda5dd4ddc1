"""Print procedures on one row as loops over a block of rows, for the engine.

A procedure computes a value from the values of one row. In C it becomes a function on columns: each
run of statements is one loop over the rows, which compilers vectorise, and a loop over the outputs
of a row stands around loops over the rows. A variable that several loops read has a column of its
own.
"""

from collections.abc import Collection, Iterator, Sequence

from dsgec.program.ir import (
    Branch,
    Declare,
    Element,
    Expression,
    Instruction,
    Loop,
    Number,
    Parameter,
    Procedure,
    Program,
    Store,
    Update,
    Variable,
    expressions,
    instructions,
    parts,
)
from dsgec.program.print_c import CPrinter
from dsgec.program.printer import Simple

_RESULT = "result"
_WIDTH = 100


class RowsPrinter(CPrinter):
    """Prints procedures over the rows of a block; `uniform` parameters are the same for all."""

    def __init__(self, uniform: Collection[str] = ()) -> None:
        super().__init__(Program((), ()), "dsgec")
        self.uniform = uniform
        self.columns: dict[str, str] = {}  # what is read or written row by row, and its array
        self.hoisted: set[str] = set()  # the columns and numbers that are in scope

    def function(self, name: str, procedure: Procedure) -> str:
        """Return a function of this name, with a comment above it."""
        parameters = [*map(self.parameter, procedure.parameters), "size_t n"]
        if procedure.result:
            parameters.insert(0, "double *result")
        head = wrap_head(f"static void {name}(", parameters)
        return "\n".join([*self.comment(procedure), *head, *self.body(procedure), "}"]) + "\n"

    def parameter(self, parameter: Parameter) -> str:
        if parameter.type != "double":
            return super().parameter(parameter)
        is_column = parameter.name not in self.uniform
        if isinstance(parameter, Variable):
            return f"{'const double *' if is_column else 'double '}{parameter.name}"
        if not is_column:
            return f"const double *{parameter.name}"
        return f"{'' if parameter.is_written else 'const '}double *const *{parameter.name}"

    def body(self, procedure: Procedure) -> Iterator[str]:
        self.enter(procedure)
        self.hoisted = set()
        body: list[Instruction] = [*procedure.body]
        carried = _carried(procedure)
        self.columns = {p.name: p.name for p in procedure.scalars if p.type == "double"}
        for name in self.uniform:
            self.columns.pop(name, None)
        self.columns |= {name: name for name in carried}
        match procedure.result:
            case Variable(name) if name in carried:
                self.columns[name] = _RESULT
            case None:
                pass
            case value:
                body.append(Store(_RESULT, Number(0), value))
        for name, column in self.columns.items():
            if name in carried and column != _RESULT:
                yield f"{self.indent}double {column}[BLOCK];"
        yield f"{self.indent}size_t i;"
        read = {p.name for p in parts(*_expressions(body)) if isinstance(p, Variable)}
        for parameter in procedure.scalars:
            if parameter.name not in read:
                yield f"{self.indent}(void){parameter.name};"
        yield from self.block(body, self.indent)

    def block(self, body: Sequence[Instruction], indent: str) -> Iterator[str]:
        outside = {*self.hoisted}
        for run in _runs(body):
            if isinstance(run, tuple):
                yield from self.hoist(run, indent)
                yield from self.rows(run, indent)
            else:
                yield from super().block([run], indent)
        self.hoisted = outside

    def hoist(self, run: tuple[Simple, ...], indent: str) -> Iterator[str]:
        """Yield declarations of the columns and numbers that a loop over the rows reads."""
        for element in parts(*_expressions(run)):
            if isinstance(element, Element) and _hoisted(element) not in self.hoisted:
                self.hoisted.add(_hoisted(element))
                kind = "double " if element.array in self.uniform else "double *"
                place = f"{element.array}[{self.write(element.index)}]"
                yield f"{indent}const {kind}{_hoisted(element)} = {place};"

    def rows(self, run: tuple[Simple, ...], indent: str) -> Iterator[str]:
        """Yield a loop over the rows."""
        yield f"{indent}EACH_ROW {{"
        for instruction in run:
            yield f"{indent}{self.indent}{self.statement(instruction)}"
        yield f"{indent}}}"

    def statement(self, instruction: Simple) -> str:
        match instruction:
            case Declare(Variable(name), value) | Update(Variable(name), value) if (
                name in self.columns
            ):
                return f"{self.columns[name]}[i] = {self.write(value)};"
            case Store(array, _, value) if array == _RESULT:
                return f"{array}[i] = {self.write(value)};"
            case Store(array, index, value):
                return f"{array}[{self.write(index)}][i] = {self.write(value)};"
        return super().statement(instruction)

    def write(self, expression: Expression) -> str:
        if isinstance(expression, Variable) and expression.name in self.columns:
            return f"{self.columns[expression.name]}[i]"
        return super().write(expression)

    def element(self, element: Element) -> str:
        return _hoisted(element) + ("" if element.array in self.uniform else "[i]")


def wrap_head(start: str, parameters: Sequence[str]) -> list[str]:
    """Return the head of a function, on lines of at most 100 columns."""
    lines = [start]
    for number, parameter in enumerate(parameters):
        text = parameter + (", " if number < len(parameters) - 1 else ") {")
        if len(lines[-1]) + len(text.rstrip()) > _WIDTH:
            lines.append(" " * len(start))
        lines[-1] += text
    return [line.rstrip() for line in lines]


def _hoisted(element: Element) -> str:
    """Return the name of a column, or of a number, that a loop over the rows reads."""
    match element.index:
        case Number(value):
            return f"{element.array}_{value}"
        case Variable(name):
            return f"{element.array}_{name}"
        case _:
            raise ValueError(f"an index is a number or a counter: {element}")


def _runs(body: Sequence[Instruction]) -> Iterator[tuple[Simple, ...] | Loop | Branch]:
    """Yield loops and branches, and the runs of statements between them."""
    run: list[Simple] = []
    for instruction in body:
        if isinstance(instruction, Loop | Branch):
            if run:
                yield tuple(run)
            run = []
            yield instruction
        else:
            run.append(instruction)
    if run:
        yield tuple(run)


def _expressions(body: Sequence[Instruction]) -> Iterator[Expression]:
    for instruction in instructions(tuple(body)):
        yield from expressions(instruction)


def _carried(procedure: Procedure) -> list[str]:
    """Return the variables that a loop over the rows takes from another one."""
    result = () if procedure.result is None else (Store(_RESULT, Number(0), procedure.result),)
    found: dict[str, None] = {}
    own: set[str] = {p.name for p in procedure.scalars}
    blocks: list[Sequence[Instruction]] = [(*procedure.body, *result)]
    for body in blocks:
        for run in _runs(body):
            match run:
                case Loop(counter, _, inner):
                    own.add(counter.name)
                    blocks.append(inner)
                case Branch(_, yes, no):
                    blocks += [yes, no]
                case _:
                    declared = {i.variable.name for i in run if isinstance(i, Declare)}
                    used = [i.variable.name for i in run if isinstance(i, Update)]
                    used += [p.name for p in parts(*_expressions(run)) if isinstance(p, Variable)]
                    found |= dict.fromkeys(name for name in used if name not in declared | own)
    return [*found]
