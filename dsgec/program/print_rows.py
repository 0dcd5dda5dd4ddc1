"""Print procedures on one row as loops over a block of rows, for the engine.

A procedure computes a value from the values of one row. In C it becomes a function on columns: each
run of statements is one loop over the rows, which compilers vectorise, and a loop over the outputs
of a row stands around loops over the rows. A variable that several loops read has a column of its
own.
"""

from collections.abc import Collection, Iterator, Sequence

from dsgec.program import ir
from dsgec.program.print_c import CPrinter
from dsgec.program.printer import Simple

_RESULT = "result"
_WIDTH = 100


class RowsPrinter(CPrinter):
    """Prints procedures over the rows of a block; `uniform` parameters are the same for all."""

    def __init__(self, uniform: Collection[str] = ()) -> None:
        super().__init__(ir.Program((), ()), "dsgec")
        self.uniform = uniform
        self.columns: dict[str, str] = {}  # what is read or written row by row, and its array
        self.hoisted: set[str] = set()  # the columns and numbers that are in scope
        self.written: set[str] = set()  # arrays of columns, each so far behind the one before

    def function(self, name: str, procedure: ir.Procedure, kind: str = "static void") -> str:
        """Return a function of this name, with a comment above it."""
        head = wrap_head(f"{kind} {name}(", self.parameters(procedure))
        return "\n".join([*self.comment(procedure), *head, *self.body(procedure), "}"]) + "\n"

    def parameters(self, procedure: ir.Procedure) -> list[str]:
        """Return the parameters of a function: first its result, last the number of rows."""
        result = ["double *result"] if procedure.result else []
        return [*result, *map(self.parameter, procedure.parameters), "size_t n"]

    def parameter(self, parameter: ir.Parameter) -> str:
        if parameter.type != "double":
            return super().parameter(parameter)
        is_column = parameter.name not in self.uniform
        if isinstance(parameter, ir.Variable):
            return f"{'const double *' if is_column else 'double '}{parameter.name}"
        if parameter.is_written:
            return f"double *{parameter.name}, size_t {parameter.name}_stride"
        return f"const double *{'const *' if is_column else ''}{parameter.name}"

    def body(self, procedure: ir.Procedure) -> Iterator[str]:
        self.enter(procedure)
        self.hoisted = set()
        self.written = {p.name for p in procedure.arrays if p.is_written}
        body: list[ir.Instruction] = [*procedure.body]
        carried = _carried(procedure)
        self.columns = {p.name: p.name for p in procedure.scalars if p.type == "double"}
        for name in self.uniform:
            self.columns.pop(name, None)
        self.columns |= {name: name for name in carried}
        match procedure.result:
            case ir.Variable(name) if name in carried:
                self.columns[name] = _RESULT
            case None:
                pass
            case value:
                body.append(ir.Store(_RESULT, ir.Number(0), value))
        for name, column in self.columns.items():
            if name in carried and column != _RESULT:
                yield f"{self.indent}double {column}[BLOCK];"
        yield f"{self.indent}size_t i;"
        for parameter in procedure.parameters:
            if parameter.name not in _names(body):
                yield f"{self.indent}(void){parameter.name};"
        yield from self.block(body, self.indent)

    def block(self, body: Sequence[ir.Instruction], indent: str) -> Iterator[str]:
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
        stored = [ir.Element(i.array, i.index, "double") for i in run if isinstance(i, ir.Store)]
        for element in (*ir.parts(*_expressions(run)), *stored):
            if not isinstance(element, ir.Element) or element.array == _RESULT:
                continue
            name, index = _hoisted(element), self.write(element.index)
            if name in self.hoisted:
                continue
            self.hoisted.add(name)
            if element.array in self.uniform:
                yield f"{indent}const double {name} = {element.array}[{index}];"
            elif element.array in self.written:
                stride = f"{element.array}_stride"
                yield f"{indent}double *{name} = {element.array} + (size_t){index} * {stride};"
            else:
                yield f"{indent}const double *{name} = {element.array}[{index}];"

    def rows(self, run: tuple[Simple, ...], indent: str) -> Iterator[str]:
        """Yield a loop over the rows."""
        yield f"{indent}EACH_ROW {{"
        for instruction in run:
            yield f"{indent}{self.indent}{self.statement(instruction)}"
        yield f"{indent}}}"

    def statement(self, instruction: Simple) -> str:
        match instruction:
            case ir.Declare(ir.Variable(name), value) | ir.Update(ir.Variable(name), value) if (
                name in self.columns
            ):
                return f"{self.columns[name]}[i] = {self.write(value)};"
            case ir.Store(array, _, value) if array == _RESULT:
                return f"{array}[i] = {self.write(value)};"
            case ir.Store(array, index, value):
                return f"{_hoisted(ir.Element(array, index, 'double'))}[i] = {self.write(value)};"
        return super().statement(instruction)

    def write(self, expression: ir.Expression) -> str:
        if isinstance(expression, ir.Variable) and expression.name in self.columns:
            return f"{self.columns[expression.name]}[i]"
        return super().write(expression)

    def element(self, element: ir.Element) -> str:
        return _hoisted(element) + ("" if element.array in self.uniform else "[i]")


class LanesPrinter(RowsPrinter):
    """Prints procedures that add to lanes: the sums are kept in registers, a part at a time."""

    def __init__(self, lanes: str) -> None:
        super().__init__()
        self.lanes = lanes

    def parameter(self, parameter: ir.Parameter) -> str:
        if parameter.name == self.lanes:
            return f"double *{self.lanes}"
        return super().parameter(parameter)

    def hoist(self, run: tuple[Simple, ...], indent: str) -> Iterator[str]:
        self.hoisted |= {_hoisted(ir.Element(self.lanes, sum_, "double")) for sum_ in _sums(run)}
        yield from super().hoist(run, indent)

    def rows(self, run: tuple[Simple, ...], indent: str) -> Iterator[str]:
        inner = indent + self.indent
        names = {f"{self.lanes}_{n.value}": f"{self.lanes} + {n.value} * LANES" for n in _sums(run)}
        yield f"{indent}for (size_t part = 0; part < LANES; part += PART) {{"
        for name, place in names.items():
            yield f"{inner}Part {name} = PART_AT({place} + part);"
        yield f"{inner}for (i = part; i < n; i += LANES) {{"
        for instruction in run:
            yield f"{inner}{self.indent}{self.statement(instruction)}"
        yield f"{inner}}}"
        for name, place in names.items():
            yield f"{inner}PUT_PART({place} + part, {name});"
        yield f"{indent}}}"

    def statement(self, instruction: Simple) -> str:
        assert isinstance(instruction, ir.Store)
        sum_ = ir.Element(instruction.array, instruction.index, "double")
        return f"{_hoisted(sum_)} = {self.write(instruction.value)};"

    def write(self, expression: ir.Expression) -> str:
        text = super().write(expression)
        return f"PART_AT({text[:-3]} + i)" if text.endswith("[i]") else text

    def element(self, element: ir.Element) -> str:
        return _hoisted(element) if element.array == self.lanes else super().element(element)


def _sums(run: Sequence[Simple]) -> list[ir.Number]:
    """Return the numbers of the sums that instructions add to."""
    return [i.index for i in run if isinstance(i, ir.Store) and isinstance(i.index, ir.Number)]


def wrap_head(start: str, parameters: Sequence[str]) -> list[str]:
    """Return the head of a function, on lines of at most 100 columns."""
    lines = [start]
    for number, parameter in enumerate(parameters):
        text = parameter + (", " if number < len(parameters) - 1 else ") {")
        if len(lines[-1]) + len(text.rstrip()) > _WIDTH:
            lines.append(" " * len(start))
        lines[-1] += text
    return [line.rstrip() for line in lines]


def _hoisted(element: ir.Element) -> str:
    """Return the name of a column, or of a number, that a loop over the rows reads."""
    match element.index:
        case ir.Number(value):
            return f"{element.array}_{value}"
        case ir.Variable(name):
            return f"{element.array}_{name}"
        case _:
            raise ValueError(f"an index is a number or a counter: {element}")


def _runs(body: Sequence[ir.Instruction]) -> Iterator[tuple[Simple, ...] | ir.Loop | ir.Branch]:
    """Yield loops and branches, and the runs of statements between them."""
    run: list[Simple] = []
    for instruction in body:
        if isinstance(instruction, ir.While):
            raise ValueError("rows differ in how long they walk")
        if isinstance(instruction, ir.Loop | ir.Branch):
            if run:
                yield tuple(run)
            run = []
            yield instruction
        else:
            run.append(instruction)
    if run:
        yield tuple(run)


def _names(body: Sequence[ir.Instruction]) -> set[str]:
    """Return the variables and arrays that instructions read or write."""
    found = {i.array for i in ir.instructions(tuple(body)) if isinstance(i, ir.Store)}
    for part in ir.parts(*_expressions(body)):
        if isinstance(part, ir.Variable | ir.Element):
            found.add(part.name if isinstance(part, ir.Variable) else part.array)
    return found


def _expressions(body: Sequence[ir.Instruction]) -> Iterator[ir.Expression]:
    for instruction in ir.instructions(tuple(body)):
        yield from ir.expressions(instruction)


def _carried(procedure: ir.Procedure) -> list[str]:
    """Return the variables that a loop over the rows takes from another one."""
    result = (
        () if procedure.result is None else (ir.Store(_RESULT, ir.Number(0), procedure.result),)
    )
    found: dict[str, None] = {}
    own: set[str] = {p.name for p in procedure.scalars}
    blocks: list[Sequence[ir.Instruction]] = [(*procedure.body, *result)]
    for body in blocks:
        for run in _runs(body):
            match run:
                case ir.Loop(counter, _, inner):
                    own.add(counter.name)
                    blocks.append(inner)
                case ir.Branch(_, yes, no):
                    blocks += [yes, no]
                case _:
                    declared = {i.variable.name for i in run if isinstance(i, ir.Declare)}
                    used = [i.variable.name for i in run if isinstance(i, ir.Update)]
                    used += [
                        p.name for p in ir.parts(*_expressions(run)) if isinstance(p, ir.Variable)
                    ]
                    found |= dict.fromkeys(name for name in used if name not in declared | own)
    return [*found]
