"""Print programs as C99, for chips whose `int` may have 16 bits and whose tables are in flash."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import assert_never

from dsgec.literals import number_lines
from dsgec.program.ir import (
    Binary,
    Branch,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Loop,
    Number,
    Procedure,
    Program,
    Select,
    Store,
    Update,
    Variable,
    expressions,
    instructions,
    parts,
)

_WIDE = ("int32",)
_BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32}
_LOOSE = {"<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "!=": 1, "+": 2, "-": 2, "*": 3}
_HIGHEST = 9


class CPrinter:
    """Prints programs whose names begin with that of a network."""

    def __init__(self, program: Program, prefix: str) -> None:
        self.program, self.prefix, self.macro = program, prefix, prefix.upper()
        self.tables = {table.name: table for table in program.tables}
        self.types: dict[str, str] = {}
        self.pointers: dict[str, str] = {}

    def print(self) -> str:
        """Return the tables and the procedures."""
        lines: list[str] = []
        for table in self.program.tables:
            if table.about:
                lines.append(f"/* {table.about} */")
            size = len(table.values)
            head = f"static const {table.type}_t {self.prefix}_{table.name}[{size}]"
            lines.append(f"{head} {self.macro}_FLASH = {{")
            lines += [f"    {line}," for line in number_lines(table.values)]
            lines += ["};", ""]
        for procedure in self.program.procedures:
            lines += [*self.procedure(procedure), ""]
        return "\n".join(lines[:-1]) + "\n"

    def procedure(self, procedure: Procedure) -> Iterator[str]:
        """Yield the lines of a procedure."""
        self.types = {p.name: p.type for p in procedure.parameters}
        self.pointers = _pointers(procedure, self.tables)
        parameters = ", ".join(
            f"{'' if p.is_written else 'const '}{p.type}_t *{p.name}" for p in procedure.parameters
        )
        type_ = "int" if procedure.result else "void"
        yield f"/* {procedure.about} */"
        yield f"static {type_} {self.prefix}_{procedure.name}({parameters})"
        yield "{"
        yield from self.block(procedure.body, "    ")
        if procedure.result:
            yield f"    return {self.write(procedure.result)};"
        yield "}"

    def block(self, body: Sequence[Instruction], indent: str) -> Iterator[str]:
        """Yield the lines of a block: C99 declares variables where they are first needed."""
        for instruction in body:
            match instruction:
                case Declare(Variable(name), _) if name in self.pointers:
                    table = self.tables[self.pointers[name]]
                    yield f"{indent}const {table.type}_t *{name} = {self.prefix}_{table.name};"
                case Declare(variable, value):
                    kind = self.scalar(variable.type)
                    yield f"{indent}{kind} {variable.name} = {self.write(value)};"
                case Update(variable) if _is_increment(instruction):
                    yield f"{indent}{variable.name}++;"
                case Update(variable, Binary("+", left, right)) if left == variable:
                    yield f"{indent}{variable.name} += {self.write(right)};"
                case Update(variable, value):
                    yield f"{indent}{variable.name} = {self.write(value)};"
                case Store(array, index, value):
                    target = f"{array}[{self.write(index)}]"
                    written = f"({self.types[array]}_t){self.write(value, _HIGHEST)}"
                    yield f"{indent}{target} = {written};"
                case Loop(counter, count, inner):
                    name, kind = counter.name, self.scalar(counter.type)
                    below = f"{name} < {self.write(count, 2)}"
                    yield f"{indent}for ({kind} {name} = 0; {below}; {name}++) {{"
                    yield from self.block(inner, indent + "    ")
                    yield f"{indent}}}"
                case Branch():
                    yield from self.branch(instruction, indent)
                case _:
                    assert_never(instruction)

    def branch(self, branch: Branch, indent: str) -> Iterator[str]:
        """Yield the lines of a branch; one inside an `else` continues it as `else if`."""
        yield f"{indent}if ({self.write(branch.test)}) {{"
        yield from self.block(branch.yes, indent + "    ")
        match branch.no:
            case ():
                yield f"{indent}}}"
            case (Branch() as inner,):
                first, *rest = self.branch(inner, indent)
                yield f"{indent}}} else {first.lstrip()}"
                yield from rest
            case _:
                yield f"{indent}}} else {{"
                yield from self.block(branch.no, indent + "    ")
                yield f"{indent}}}"

    def scalar(self, type_: str) -> str:
        """Return the type of a variable: registers are at least as wide as an `int`."""
        kinds = {"int32": "int32_t", "uint16": "unsigned", "uint8": "uint_fast8_t"}
        return kinds.get(type_, "int")

    def write(self, expression: Expression, outer: int = 0) -> str:
        """Return an expression, in parentheses if the operator around it binds more tightly."""
        match expression:
            case Number(value, type_):
                text = f"(int32_t){value}" if type_ in _WIDE and abs(value) > 32767 else str(value)
                return f"({text})" if value < 0 and outer else text
            case Variable(name):
                return name
            case Element(array, index):
                return self.element(array, index)
            case Binary("&", Element(array, index), Number(255)) if array in self.tables:
                return f"(uint8_t){self.read(array, index)}"
            case Binary(operator, left, right, type_):
                rank = _LOOSE[operator]
                first = self.write(left, rank)
                if operator == "*" and type_ in _WIDE and left.type not in _WIDE:
                    first = f"(int32_t){first}"
                text = f"{first} {operator} {self.write(right, rank + 1)}"
                return f"({text})" if outer > rank else text
            case Select(test, yes, no):
                text = f"{self.write(test, 1)} ? {self.write(yes, 1)} : {self.write(no)}"
                return f"({text})" if outer else text
            case Invoke(function, arguments, table):
                parts = [
                    *([f"{self.prefix}_{table}"] if table else []),
                    *map(self.write, arguments),
                ]
                return f"dsgec_{function}({', '.join(parts)})"
            case _:
                assert_never(expression)

    def element(self, array: str, index: Expression) -> str:
        """Return an element; those of tables are read by a macro, in case they are in flash."""
        if array not in self.tables:
            return f"{array}[{self.write(index)}]"
        return f"({self.tables[array].type}_t){self.read(array, index)}"

    def read(self, table: str, index: Expression) -> str:
        """Return the reading of an element of a table, without its type."""
        if isinstance(index, Variable) and index.name in self.pointers:
            address = index.name
        else:
            address = f"&{self.prefix}_{table}[{self.write(index)}]"
        return f"{self.macro}_READ_{_BITS[self.tables[table].type]}({address})"


def _pointers(procedure: Procedure, tables: Collection[str]) -> dict[str, str]:
    """Return the variables that only step through one table, which C does with a pointer."""
    reads: dict[str, set[str]] = {}
    uses: Counter[str] = Counter()  # how often a variable is read otherwise
    for instruction in instructions(procedure.body):
        if isinstance(instruction, Loop):
            uses[instruction.counter.name] += 1
        if isinstance(instruction, Update) and _is_increment(instruction):
            uses[instruction.variable.name] -= 1
        for part in parts(*expressions(instruction)):
            match part:
                case Element(array, Variable(name)) if array in tables:
                    reads.setdefault(name, set()).add(array)
                    uses[name] -= 1
                case Variable(name):
                    uses[name] += 1
    return {
        name: tables_.pop()
        for name, tables_ in reads.items()
        if len(tables_) == 1 and uses[name] == 0
    }


def _is_increment(update: Update) -> bool:
    match update.value:
        case Binary("+", left, Number(1)):
            return left == update.variable
        case _:
            return False
