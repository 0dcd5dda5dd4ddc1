"""Print programs as C99, for chips whose `int` may have 16 bits and whose tables are in flash."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

from dsgec.literals import float_number, number, number_lines
from dsgec.program import ir
from dsgec.program.printer import Printer, Simple

_BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int24": 24, "int32": 32}
_OF_INT, _LARGEST_INT = 16, 32767  # bits that every `int` has, and the largest of these numbers
_UNSIGNED = ("uint8", "uint16")
_MASKS = {255: "uint8_t", 65535: "uint16_t"}
_HELPERS = {
    "{prefix}_int24": """\
/* Sums that 24 bits are enough for: chips of 8 bits have a type for these. */
#ifdef __INT24_MAX__
__extension__ typedef __int24 {prefix}_int24;
#else
typedef int32_t {prefix}_int24;
#endif
""",
    "{macro}_KEEP(": """\
/* Keeps a compiler from replacing a pointer by several, which small chips have no registers for. */
#if defined(__GNUC__) && (defined(__AVR__) || defined(__arm__) || defined(__riscv))
#define {macro}_KEEP(pointer) __asm__("" : "+r"(pointer))
#else
#define {macro}_KEEP(pointer) ((void)0)
#endif
""",
    "{macro}_INLINE ": """\
/* For a program that calls one function, most chips need less for its own copy than for calls. */
#if defined(__GNUC__) && (defined(__arm__) || defined(__riscv))
#define {macro}_INLINE static inline __attribute__((always_inline))
#else
#define {macro}_INLINE static
#endif
""",
    "{macro}_BETWEEN(": """\
/* The byte that lies a part, of 256, of the way from a to b, whose difference is a byte. */
#define {macro}_BETWEEN(a, b, part) \\
    ((int8_t)((a) + (int8_t){macro}_SHIFT((int8_t)((b) - (a)) * (uint8_t)(part) + 128, 8)))
""",
    "{macro}_SHIFT(": """\
/* a / 2^n, rounded down, for types of any width. */
#define {macro}_SHIFT(a, n) ((-1 >> 1) == -1 || (a) >= 0 ? (a) >> (n) : -1 - ((-1 - (a)) >> (n)))
""",
}
"""What the text of a program needs if it has these words."""

_DECIMAL = 1 << 16  # words from here on are masks, and written in hexadecimal
_SIGN = {"double": "UINT64_C(0x8000000000000000)", "float": "UINT32_C(0x80000000)"}
_REST = {"double": "UINT64_C(0x7fffffffffffffff)", "float": "UINT32_C(0x7fffffff)"}


class CPrinter(Printer):
    """Prints programs whose names begin with that of a network."""

    types: ClassVar[Mapping[ir.Type, str]] = {
        "double": "double",
        "float": "float",
        "uint64": "uint64_t",
        "uint32": "uint32_t",
        "int32": "int32_t",
        "uint16": "unsigned",
        "uint8": "uint_fast8_t",
        "int16": "int",
        "int8": "int_fast8_t",
        "bool": "int",
        "size": "size_t",
    }
    """The types of variables, which may be wider where that is faster."""

    linkage = "static "

    def __init__(self, program: ir.Program, prefix: str, *, is_inlined: bool = False) -> None:
        super().__init__(program)
        self.prefix, self.macro = prefix, prefix.upper()
        if is_inlined:
            self.linkage = f"{self.macro}_INLINE "
        self.pointers: dict[str, str] = {}

    def print(self) -> str:
        """Return the tables and the procedures, after the macros and types that they need."""
        text = super().print()
        names = {"prefix": self.prefix, "macro": self.macro}
        for word, helper in _HELPERS.items():
            if word.format(**names) in text:
                text = f"{helper.format(**names)}\n{text}"
        return text

    def type_name(self, type_: ir.Type) -> str:
        """Return the type of a variable."""
        return f"{self.prefix}_int24" if type_ == "int24" else self.types[type_]

    # Tables and procedures.

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"/* {table.about} */"
        head = f"static const {_stored(table.type)} {self.prefix}_{table.name}[{len(table.values)}]"
        yield f"{head} {self.macro}_FLASH = {{"
        if table.type == "float":
            yield from (f"    {float_number(value)}," for value in table.values)
        else:
            yield from (f"    {line}," for line in number_lines(table.values))
        yield "};"

    def enter(self, procedure: ir.Procedure) -> None:
        super().enter(procedure)
        self.pointers = _pointers(procedure)

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        if procedure.about:
            yield f"/* {procedure.about} */"

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(map(self.parameter, procedure.parameters))
        kind = self.type_name(procedure.result.type) if procedure.result else "void"
        return f"{self.linkage}{kind} {self.spell_procedure(procedure.name)}({listed})\n{{"

    def parameter(self, parameter: ir.Parameter) -> str:
        """Return the declaration of a parameter; arrays are passed as pointers."""
        if isinstance(parameter, ir.Variable):
            return f"{self.type_name(parameter.type)} {parameter.name}"
        const = "" if parameter.is_written else "const "
        return f"{const}{_stored(parameter.type)} *{parameter.name}"

    def body(self, procedure: ir.Procedure) -> Iterator[str]:
        names = procedure.names
        for parameter in procedure.parameters:
            if parameter.name not in names:
                yield f"{self.indent}(void){parameter.name};"
        yield from super().body(procedure)

    # Statements.

    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        name = variable.name
        if name in self.pointers:
            return self.declare_pointer(name, self.pointers[name], value)
        const = "const " if self.is_constant(variable) else ""
        return f"{const}{self.type_name(variable.type)} {name} = {self.assigned(variable, value)};"

    def declare_pointer(self, name: str, array: str, value: ir.Expression) -> str:
        """Return the declaration of a pointer to an element."""
        type_ = self.tables[array].type if array in self.tables else self.arrays[array]
        is_first = value == ir.Number(0, value.type)
        offset = "" if is_first else f" + {self.inner(value, '+', is_right=True)}"
        return f"const {_stored(type_)} *{name} = {self.array_argument(array)}{offset};"

    def assigned(self, variable: ir.Variable, value: ir.Expression) -> str:
        """Return a value for a variable; one that is narrower than an `int` needs a cast."""
        match value:
            case ir.Number() | ir.Binary("&") | ir.Element():
                return self.write(value)
        if variable.type not in ("int8", "uint8"):
            return self.write(value)
        return f"({variable.type}_t){self.inner(value, '*', is_right=True)}"

    def is_constant(self, variable: ir.Variable) -> bool:
        """Return whether a variable is declared as one that keeps its value."""
        return variable.type in ir.REALS and variable.name not in self.updated

    def local_array(self, array: ir.LocalArray) -> str:
        return f"{_stored(array.type)} {array.name}[{max(array.size, 1)}];"

    def statement(self, instruction: Simple) -> str:
        match instruction:
            case ir.Update(variable) if _is_increment(instruction):
                return f"{variable.name}++;"
            case ir.Update(variable, ir.Binary("+", left)) if left == variable:
                return super().statement(instruction)
            case ir.Update(variable, value):
                return f"{variable.name} = {self.assigned(variable, value)};"
        return super().statement(instruction)

    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        name, kind = counter.name, self.type_name(counter.type)
        return f"for ({kind} {name} = 0; {name} < {self.inner(count, '<')}; {name}++)"

    def loop_lines(self, loop: ir.Loop, indent: str) -> Iterator[str]:
        """Yield the lines of a loop; one that runs and does not read its counter counts down."""
        name, kind = loop.counter.name, self.type_name(loop.counter.type)
        inside = [*ir.instructions(loop.body)]
        read = {part for each in inside for part in ir.parts(*ir.expressions(each))}
        counts_down = loop.least > 0 and loop.counter not in read
        if counts_down:
            yield f"{indent}{kind} {name} = {self.write(loop.count)};"
            yield f"{indent}do {{"
        else:
            yield f"{indent}{self.loop(loop.counter, loop.count)} {{"
        yield from self.block(loop.body, indent + self.indent)
        if not any(isinstance(each, ir.Loop) for each in inside):
            stepped = {each.variable.name for each in inside if isinstance(each, ir.Update)}
            for pointer in sorted(stepped & self.pointers.keys()):
                if self.pointers[pointer] in self.tables:
                    yield f"{indent}{self.indent}{self.macro}_KEEP({pointer});"
        yield f"{indent}}} while (--{name} != 0);" if counts_down else f"{indent}}}"

    def stored(self, array: str, value: ir.Expression) -> str:
        type_ = self.arrays[array]
        if type_ in ir.REALS or type_ in ir.WORDS or type_ == "int32":
            return self.write(value)
        return f"({_stored(type_)}){self.inner(value, '*', is_right=True)}"

    def spell_procedure(self, name: str) -> str:
        return f"{self.prefix}_{name}"

    # Expressions.

    def number(self, literal: ir.Number) -> str:
        match literal:
            case ir.Number(value, "double"):
                return number(float(value))
            case ir.Number(value, "float"):
                return float_number(float(value))
            case ir.Number(value, "uint32" | "uint64" as type_) if value >= _DECIMAL:
                size = int(type_.removeprefix("uint"))
                return f"UINT{size}_C(0x{value:0{size // 4}x})"
            case ir.Number(value):
                return str(value)

    def element(self, element: ir.Element) -> str:
        if element.array in self.tables:
            type_ = self.tables[element.array].type
            read = self.read(element.array, element.index)
            return read if type_ in ir.REALS else f"({_stored(type_)}){read}"
        match element.index:
            case ir.Variable(name) if name in self.pointers:
                return f"*{name}"
        return super().element(element)

    def read(self, table: str, index: ir.Expression) -> str:
        """Return the reading of an element of a table, in case it is in flash."""
        if isinstance(index, ir.Variable) and index.name in self.pointers:
            address = index.name
        else:
            address = f"&{self.prefix}_{table}[{self.write(index)}]"
        type_ = self.tables[table].type
        return f"{self.macro}_READ_{_BITS.get(type_, type_.upper())}({address})"

    def binary(self, expression: ir.Binary) -> str:
        match expression:
            case ir.Binary("&", ir.Element(array, index), ir.Number(mask)) if array in self.tables:
                return f"({_MASKS[int(mask)]}){self.read(array, index)}"
            case ir.Binary(">>", ir.Variable(name, "int8" | "int16" | "int24"), right):
                return f"{self.macro}_SHIFT({name}, {self.write(right)})"
            case ir.Binary(">>", left, right) if left.type not in ir.WORDS:
                # `>>` of a negative number is the compiler's choice.
                return f"dsgec_shift({self.write(left)}, {self.write(right)})"
            case ir.Binary("<<", ir.Number() as one, count) if one.type not in ir.WORDS:
                return f"(int32_t){self.number(one)} << {self.inner(count, '<<', is_right=True)}"
            case ir.Binary(
                "+" | "-" | "*" as operator, left, right, "int24" | "int32" as type_
            ) if _BITS[type_] > max(_OF_INT, _bits(left), _bits(right)):
                first = self.inner(left, "*", is_right=True)
                other = self.inner(right, operator, is_right=True)
                return f"({self.type_name(type_)}){first} {operator} {other}"
        return super().binary(expression)

    def invoke(self, call: ir.Invoke) -> str:
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
            case "shifted", [a, n] if call.arguments[0].type in _UNSIGNED:
                return f"({a} >> {n})"
            case "between", [a, b, part] if call.type != "int32":
                return f"{self.macro}_BETWEEN({a}, {b}, {part})"
            case "shifted", [a, n] if call.type != "int32" and isinstance(
                call.arguments[0], ir.Variable
            ):
                return f"{self.macro}_SHIFT({a}, {n})"
        return super().invoke(call)

    def array_argument(self, array: str) -> str:
        return f"{self.prefix}_{array}" if array in self.tables else array

    def spell_function(self, name: str) -> str:
        return f"dsgec_{name}"


class CArithmeticPrinter(CPrinter):
    """Prints the functions of the arithmetic, which a file of C begins with."""

    def __init__(self) -> None:
        super().__init__(ir.Program((), ()), "dsgec")

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        text = "\n * ".join(procedure.comment)
        yield from f"/* {text} */".splitlines() if text else ()

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(map(self.parameter, procedure.parameters))
        kind = self.type_name(procedure.result.type) if procedure.result else "void"
        return f"static inline {kind} dsgec_{procedure.name}({listed}) {{"

    def is_constant(self, variable: ir.Variable) -> bool:
        return False

    def element(self, element: ir.Element) -> str:
        if element.type in ir.REALS:
            return super().element(element)
        return f"DSGEC_READ({element.array}, {self.write(element.index)})"


class CBlockPrinter(CPrinter):
    """Prints procedures over a block of rows; a macro has the size of its arrays."""

    def __init__(self, prefix: str) -> None:
        super().__init__(ir.Program((), ()), prefix)

    def local_array(self, array: ir.LocalArray) -> str:
        return f"{_stored(array.type)} {array.name}[{self.macro}_BLOCK];"


def _bits(expression: ir.Expression) -> int:
    """Return how many bits an integer has in C where an `int` has 16."""
    match expression:
        case ir.Number(value):
            return _OF_INT if abs(value) <= _LARGEST_INT else _BITS["int32"]
        case ir.Select(_, yes, no):
            return max(_bits(yes), _bits(no))
        case _:
            return _BITS.get(expression.type, _OF_INT)


def _stored(type_: ir.Type) -> str:
    """Return the type of an element of an array."""
    return type_ if type_ in ir.REALS else f"{type_}_t"


def _pointers(procedure: ir.Procedure) -> dict[str, str]:
    """Return the variables that only step through one array, for which C has pointers."""
    reads: dict[str, set[str]] = {}
    uses: Counter[str] = Counter()  # how often a variable is read otherwise
    for instruction in ir.instructions(procedure.body):
        match instruction:
            case ir.Loop(ir.Variable(name)):
                uses[name] += 1
            case ir.Update(ir.Variable(name) as variable, ir.Binary("+", left, _)) if (
                left == variable
            ):
                uses[name] -= 1
            case ir.Update(ir.Variable(name)):
                uses[name] += 1
        for part in ir.parts(*ir.expressions(instruction)):
            match part:
                case ir.Element(array, ir.Variable(name)):
                    reads.setdefault(name, set()).add(array)
                    uses[name] -= 1
                case ir.Variable(name):
                    uses[name] += 1
    for part in ir.parts(procedure.result) if procedure.result else ():
        if isinstance(part, ir.Variable):
            uses[part.name] += 1
    for parameter in procedure.scalars:
        uses[parameter.name] += 1
    return {
        name: arrays.pop() for name, arrays in reads.items() if len(arrays) == 1 and uses[name] == 0
    }


def _is_increment(update: ir.Update) -> bool:
    match update.value:
        case ir.Binary("+", left, ir.Number(1)):
            return left == update.variable
        case _:
            return False
