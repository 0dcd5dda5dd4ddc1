"""Print programs as C99, for chips whose `int` may have 16 bits and whose tables are in flash."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from dsgec.literals import float_number, number, number_lines
from dsgec.program.ir import (
    REALS,
    WORDS,
    Binary,
    ConstantTable,
    Element,
    Expression,
    Invoke,
    LocalArray,
    Loop,
    Number,
    Parameter,
    Procedure,
    Program,
    Select,
    Type,
    Update,
    Variable,
    expressions,
    instructions,
    parts,
)
from dsgec.program.printer import Printer, Simple

_BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32}
_LARGEST_INT = 32767
_DECIMAL = 1 << 16  # words from here on are masks, and written in hexadecimal
_SIGN = {"double": "UINT64_C(0x8000000000000000)", "float": "UINT32_C(0x80000000)"}
_REST = {"double": "UINT64_C(0x7fffffffffffffff)", "float": "UINT32_C(0x7fffffff)"}


class CPrinter(Printer):
    """Prints programs whose names begin with that of a network."""

    types: ClassVar[Mapping[Type, str]] = {
        "double": "double",
        "float": "float",
        "uint64": "uint64_t",
        "uint32": "uint32_t",
        "int32": "int32_t",
        "uint16": "unsigned",
        "uint8": "uint_fast8_t",
        "int16": "int",
        "int8": "int",
        "bool": "int",
        "size": "size_t",
    }
    """The types of variables: registers are at least as wide as an `int`."""

    linkage: ClassVar[str] = "static "

    def __init__(self, program: Program, prefix: str) -> None:
        super().__init__(program)
        self.prefix, self.macro = prefix, prefix.upper()
        self.pointers: dict[str, str] = {}

    # Tables and procedures.

    def table(self, table: ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"/* {table.about} */"
        head = f"static const {_stored(table.type)} {self.prefix}_{table.name}[{len(table.values)}]"
        yield f"{head} {self.macro}_FLASH = {{"
        if table.type == "float":
            yield from (f"    {float_number(value)}," for value in table.values)
        else:
            yield from (f"    {line}," for line in number_lines(table.values))
        yield "};"

    def enter(self, procedure: Procedure) -> None:
        super().enter(procedure)
        self.pointers = _pointers(procedure, self.tables)

    def comment(self, procedure: Procedure) -> Iterator[str]:
        if procedure.about:
            yield f"/* {procedure.about} */"

    def head(self, procedure: Procedure) -> str:
        listed = ", ".join(map(self.parameter, procedure.parameters))
        kind = self.types[procedure.result.type] if procedure.result else "void"
        return f"{self.linkage}{kind} {self.spell_procedure(procedure.name)}({listed})\n{{"

    def parameter(self, parameter: Parameter) -> str:
        """Return the declaration of a parameter; arrays are passed as pointers."""
        if isinstance(parameter, Variable):
            return f"{self.types[parameter.type]} {parameter.name}"
        const = "" if parameter.is_written else "const "
        return f"{const}{_stored(parameter.type)} *{parameter.name}"

    def body(self, procedure: Procedure) -> Iterator[str]:
        names = procedure.names
        for parameter in procedure.parameters:
            if parameter.name not in names:
                yield f"{self.indent}(void){parameter.name};"
        yield from super().body(procedure)

    # Statements.

    def declare(self, variable: Variable, value: Expression) -> str:
        if variable.name in self.pointers:
            table = self.tables[self.pointers[variable.name]]
            return f"const {_stored(table.type)} *{variable.name} = {self.prefix}_{table.name};"
        const = "const " if self.is_constant(variable) else ""
        return f"{const}{self.types[variable.type]} {variable.name} = {self.write(value)};"

    def is_constant(self, variable: Variable) -> bool:
        """Return whether a variable is declared as one that keeps its value."""
        return variable.type in REALS and variable.name not in self.updated

    def local_array(self, array: LocalArray) -> str:
        return f"{_stored(array.type)} {array.name}[{max(array.size, 1)}];"

    def statement(self, instruction: Simple) -> str:
        if isinstance(instruction, Update) and _is_increment(instruction):
            return f"{instruction.variable.name}++;"
        return super().statement(instruction)

    def loop(self, counter: Variable, count: Expression) -> str:
        name, kind = counter.name, self.types[counter.type]
        return f"for ({kind} {name} = 0; {name} < {self.inner(count, '<')}; {name}++)"

    def stored(self, array: str, value: Expression) -> str:
        type_ = self.arrays[array]
        if type_ in REALS or type_ in WORDS or type_ == "int32":
            return self.write(value)
        return f"({_stored(type_)}){self.inner(value, '*', is_right=True)}"

    def spell_procedure(self, name: str) -> str:
        return f"{self.prefix}_{name}"

    # Expressions.

    def number(self, literal: Number) -> str:
        match literal:
            case Number(value, "double"):
                return number(float(value))
            case Number(value, "float"):
                return float_number(float(value))
            case Number(value, "uint32" | "uint64" as type_) if value >= _DECIMAL:
                size = int(type_.removeprefix("uint"))
                return f"UINT{size}_C(0x{value:0{size // 4}x})"
            case Number(value):
                return str(value)

    def element(self, element: Element) -> str:
        if element.array in self.tables:
            type_ = self.tables[element.array].type
            read = self.read(element.array, element.index)
            return read if type_ in REALS else f"({_stored(type_)}){read}"
        return super().element(element)

    def read(self, table: str, index: Expression) -> str:
        """Return the reading of an element of a table, in case it is in flash."""
        if isinstance(index, Variable) and index.name in self.pointers:
            address = index.name
        else:
            address = f"&{self.prefix}_{table}[{self.write(index)}]"
        type_ = self.tables[table].type
        return f"{self.macro}_READ_{_BITS.get(type_, type_.upper())}({address})"

    def binary(self, expression: Binary) -> str:
        match expression:
            case Binary("&", Element(array, index), Number(255)) if array in self.tables:
                return f"(uint8_t){self.read(array, index)}"
            case Binary(">>", left, right) if left.type not in WORDS:
                # `>>` of a negative number is the compiler's choice.
                return f"dsgec_shift({self.write(left)}, {self.write(right)})"
            case Binary("<<", Number() as one, count) if one.type not in WORDS:
                return f"(int32_t){self.number(one)} << {self.inner(count, '<<', is_right=True)}"
            case Binary("+" | "-" | "*" as operator, left, right, "int32") if not (
                _is_wide(left) or _is_wide(right)
            ):
                first = self.inner(left, "*", is_right=True)
                return f"(int32_t){first} {operator} {self.inner(right, operator, is_right=True)}"
        return super().binary(expression)

    def invoke(self, call: Invoke) -> str:
        arguments = [self.write(argument) for argument in call.arguments]
        match call.function, arguments:
            case "math.fabs", [x]:
                return f"dsgec_from_bits(dsgec_bits({x}) & {_REST[call.type]})"
            case "math.copysign", [size, sign]:
                own = f"dsgec_bits({sign}) & {_SIGN[call.type]}"
                return f"dsgec_from_bits(dsgec_bits({size}) | ({own}))"
            case "signed", [n]:
                return f"(float)(int64_t)({n})"
            case "wide", [n]:
                return n
        return super().invoke(call)

    def array_argument(self, array: str) -> str:
        return f"{self.prefix}_{array}" if array in self.tables else array

    def spell_function(self, name: str) -> str:
        return f"dsgec_{name}"


class CArithmeticPrinter(CPrinter):
    """Prints the functions of the arithmetic, which a file of C begins with."""

    def __init__(self) -> None:
        super().__init__(Program((), ()), "dsgec")

    def comment(self, procedure: Procedure) -> Iterator[str]:
        text = "\n * ".join(procedure.comment)
        yield from f"/* {text} */".splitlines() if text else ()

    def head(self, procedure: Procedure) -> str:
        listed = ", ".join(map(self.parameter, procedure.parameters))
        kind = self.types[procedure.result.type] if procedure.result else "void"
        return f"static inline {kind} dsgec_{procedure.name}({listed}) {{"

    def is_constant(self, variable: Variable) -> bool:
        return False

    def element(self, element: Element) -> str:
        if element.type in REALS:
            return super().element(element)
        return f"DSGEC_READ({element.array}, {self.write(element.index)})"


class CBlockPrinter(CPrinter):
    """Prints procedures over a block of rows; a macro has the size of its arrays."""

    def __init__(self, prefix: str) -> None:
        super().__init__(Program((), ()), prefix)

    def local_array(self, array: LocalArray) -> str:
        return f"{_stored(array.type)} {array.name}[{self.macro}_BLOCK];"


def _is_wide(expression: Expression) -> bool:
    """Return whether a value has 32 bits in C also where an `int` has 16."""
    match expression:
        case Number(value):
            return abs(value) > _LARGEST_INT
        case Select(_, yes, no):
            return _is_wide(yes) or _is_wide(no)
        case _:
            return expression.type == "int32"


def _stored(type_: Type) -> str:
    """Return the type of an element of an array."""
    return type_ if type_ in REALS else f"{type_}_t"


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
