"""Print programs as C99, for chips whose `int` may have 16 bits and whose tables are in flash."""

from collections import Counter
from collections.abc import Iterator, Sequence
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

_BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int24": 24, "int32": 32}
SHORT = "short_"  # functions of numbers of 16 bits that read tables of bytes
_OF_INT = 16  # bits that every `int` has
_MASKS = {255: "uint8_t", 65535: "uint16_t"}
_INT24 = """\
/* Sums that 24 bits are enough for: chips of 8 bits have a type for these. */
#ifdef __INT24_MAX__
__extension__ typedef __int24 {prefix}_int24;
#else
typedef int32_t {prefix}_int24;
#endif
"""
_KEEP = """\
/* Keeps a compiler from replacing a pointer by several, which small chips have no registers for. */
#if defined(__GNUC__) && (defined(__AVR__) || defined(__arm__) || defined(__riscv))
#define {macro}_KEEP(pointer) __asm__("" : "+r"(pointer))
#else
#define {macro}_KEEP(pointer) ((void)0)
#endif
"""
_SHIFT = """\
/* a / 2^n, rounded down, for types of any width. */
#define {macro}_SHIFT(a, n) ((-1 >> 1) == -1 || (a) >= 0 ? (a) >> (n) : -1 - ((-1 - (a)) >> (n)))
"""
_LOOSE = {"&": 0, "<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "!=": 1, "+": 2, "-": 2, "*": 3}
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
        text = "\n".join(lines[:-1]) + "\n"
        helpers = {f"{self.prefix}_int24": _INT24, "_KEEP(": _KEEP, "_SHIFT(": _SHIFT}
        needed = [helper for name, helper in helpers.items() if name in text]
        names = {"prefix": self.prefix, "macro": self.macro}
        return "\n".join([*(helper.format(**names) for helper in needed), text])

    def procedure(self, procedure: Procedure) -> Iterator[str]:
        """Yield the lines of a procedure."""
        self.types = {p.name: p.type for p in procedure.parameters}
        self.pointers = _pointers(procedure)
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
                case Declare(Variable(name), value) if name in self.pointers:
                    yield f"{indent}const {self.start(self.pointers[name], name, value)};"
                case Declare(variable, value):
                    kind = self.scalar(variable.type)
                    yield f"{indent}{kind} {variable.name} = {self.assigned(variable, value)};"
                case Update(variable) if _is_increment(instruction):
                    yield f"{indent}{variable.name}++;"
                case Update(variable, Binary("+", left, right)) if left == variable:
                    yield f"{indent}{variable.name} += {self.write(right)};"
                case Update(variable, value):
                    yield f"{indent}{variable.name} = {self.assigned(variable, value)};"
                case Store(array, index, value):
                    target = f"{array}[{self.write(index)}]"
                    written = f"({self.types[array]}_t){self.write(value, _HIGHEST)}"
                    yield f"{indent}{target} = {written};"
                case Loop():
                    yield from self.loop(instruction, indent)
                case Branch():
                    yield from self.branch(instruction, indent)
                case _:
                    assert_never(instruction)

    def start(self, array: str, name: str, value: Expression) -> str:
        """Return the declaration of a pointer to an element, without its `const`."""
        is_table = array in self.tables
        base = f"{self.prefix}_{array}" if is_table else array
        type_ = self.tables[array].type if is_table else self.types[array]
        offset = "" if value == Number(0, value.type) else f" + {self.write(value, 3)}"
        return f"{type_}_t *{name} = {base}{offset}"

    def assigned(self, variable: Variable, value: Expression) -> str:
        """Return a value for a variable; one that is narrower than an `int` needs a cast."""
        is_narrow = variable.type in ("int8", "uint8")
        match value:
            case Number() | Binary("&") | Element():
                is_narrow = False
        return (
            f"({variable.type}_t){self.write(value, _HIGHEST)}" if is_narrow else self.write(value)
        )

    def loop(self, loop: Loop, indent: str) -> Iterator[str]:
        """Yield the lines of a loop; one that runs and does not read its counter counts down."""
        name, kind = loop.counter.name, self.scalar(loop.counter.type)
        inside = [*instructions(loop.body)]
        read = {part for each in inside for part in parts(*expressions(each))}
        counts_down = loop.least > 0 and loop.counter not in read
        if counts_down:
            yield f"{indent}{kind} {name} = {self.write(loop.count)};"
            yield f"{indent}do {{"
        else:
            below = f"{name} < {self.write(loop.count, 2)}"
            yield f"{indent}for ({kind} {name} = 0; {below}; {name}++) {{"
        yield from self.block(loop.body, indent + "    ")
        if not any(isinstance(each, Loop) for each in inside):
            stepped = {each.variable.name for each in inside if isinstance(each, Update)}
            for pointer in sorted(stepped & self.pointers.keys()):
                if self.pointers[pointer] in self.tables:
                    yield f"{indent}    {self.macro}_KEEP({pointer});"
        yield f"{indent}}} while (--{name} != 0);" if counts_down else f"{indent}}}"

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
        """Return the type of a variable, which may be wider where that is faster."""
        kinds = {
            "int8": "int_fast8_t",
            "int24": f"{self.prefix}_int24",
            "int32": "int32_t",
            "uint16": "unsigned",
            "uint8": "uint_fast8_t",
        }
        return kinds.get(type_, "int")

    def write(self, expression: Expression, outer: int = 0) -> str:
        """Return an expression, in parentheses if the operator around it binds more tightly."""
        match expression:
            case Number(value):
                text = f"(int32_t){value}" if abs(value) > 32767 else str(value)
                return f"({text})" if value < 0 and outer else text
            case Variable(name):
                return name
            case Element(array, index):
                return self.element(array, index)
            case Binary("&", Element(array, index), Number(mask)) if array in self.tables:
                return f"({_MASKS[mask]}){self.read(array, index)}"
            case Binary(operator, left, right, type_):
                rank = _LOOSE[operator]
                first = self.write(left, rank)
                if self.must_widen(expression):
                    first = f"({self.scalar(type_)}){self.write(left, _HIGHEST)}"
                text = f"{first} {operator} {self.write(right, rank + 1)}"
                return f"({text})" if outer > rank or (operator == "&" and outer) else text
            case Select(test, yes, no):
                text = f"{self.write(test, 1)} ? {self.write(yes, 1)} : {self.write(no)}"
                return f"({text})" if outer else text
            case Invoke("shifted", (Variable(), _), _, type_) if type_ != "int32":
                a, n = map(self.write, expression.arguments)
                return f"{self.macro}_SHIFT({a}, {n})"
            case Invoke(function, arguments, table):
                parts = [
                    *([f"{self.prefix}_{table}"] if table else []),
                    *map(self.write, arguments),
                ]
                is_short = table and self.tables[table].type == "int8"
                return f"dsgec_{SHORT if is_short else ''}{function}({', '.join(parts)})"
            case _:
                assert_never(expression)

    def must_widen(self, operation: Binary) -> bool:
        """Return whether an operand has to be cast because the result is wider than an `int`."""
        bits = _BITS.get(operation.type, _OF_INT)
        widest = max(_BITS.get(part.type, _OF_INT) for part in (operation.left, operation.right))
        return operation.operator in "+-*" and bits > max(widest, _OF_INT)

    def element(self, array: str, index: Expression) -> str:
        """Return an element; those of tables are read by a macro, in case they are in flash."""
        if array not in self.tables:
            if isinstance(index, Variable) and index.name in self.pointers:
                return f"*{index.name}"
            return f"{array}[{self.write(index)}]"
        return f"({self.tables[array].type}_t){self.read(array, index)}"

    def read(self, table: str, index: Expression) -> str:
        """Return the reading of an element of a table, without its type."""
        if isinstance(index, Variable) and index.name in self.pointers:
            address = index.name
        else:
            address = f"&{self.prefix}_{table}[{self.write(index)}]"
        return f"{self.macro}_READ_{_BITS[self.tables[table].type]}({address})"


def _pointers(procedure: Procedure) -> dict[str, str]:
    """Return the variables that only step through one array, for which C has pointers."""
    reads: dict[str, set[str]] = {}
    uses: Counter[str] = Counter()  # how often a variable is read otherwise
    for instruction in instructions(procedure.body):
        match instruction:
            case Loop(Variable(name)):
                uses[name] += 1
            case Update(Variable(name) as variable, Binary("+", left, _)) if left == variable:
                uses[name] -= 1
            case Update(Variable(name)):
                uses[name] += 1
        for part in parts(*expressions(instruction)):
            match part:
                case Element(array, Variable(name)):
                    reads.setdefault(name, set()).add(array)
                    uses[name] -= 1
                case Variable(name):
                    uses[name] += 1
    for part in parts(procedure.result) if procedure.result else ():
        if isinstance(part, Variable):
            uses[part.name] += 1
    return {
        name: arrays.pop() for name, arrays in reads.items() if len(arrays) == 1 and uses[name] == 0
    }


def _is_increment(update: Update) -> bool:
    match update.value:
        case Binary("+", left, Number(1)):
            return left == update.variable
        case _:
            return False
