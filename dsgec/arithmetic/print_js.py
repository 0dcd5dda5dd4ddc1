"""Print the arithmetic as JavaScript: the files in `templates/js/printed`.

JavaScript has no integers of 64 bits: an int becomes two words of 32 bits, of which only those that
something reads are printed. Shifts and DataView take any number modulo 2^32, so a word may be
larger. The integers of fixed point have 32 bits, which JavaScript's numbers hold exactly.
"""

import re
from collections.abc import Iterator, Mapping

from dsgec.arithmetic.ir import (
    Assign,
    Call,
    Definition,
    Expression,
    Literal,
    Name,
    Operation,
    rewrite,
)
from dsgec.arithmetic.parse import read, read_integers
from dsgec.arithmetic.subset import NotInSubset
from dsgec.arithmetic.write import Language, block_comment, section, sections, write

_WORD = 32
_LANGUAGE = Language(
    literal=lambda number: number.text,
    choose=lambda _: "{0} ? {1} : {2}",
    patterns={
        "math.fabs": "Math.abs({0})",
        "math.sqrt": "Math.sqrt({0})",
        "math.copysign": "copysign({0}, {1})",
        "at": "{0}[{1}]",
    },
    operators={"==": "===", "!=": "!=="},
)


def print_js(by_hand: str) -> str:
    """Return all sections in double precision; those `by_hand` replace printed ones."""
    hand = sections(by_hand)
    printed = [hand.pop(name) for name in ("bits", "copysign")]
    definitions = read("double")
    printed += [
        hand.pop(name) if name in hand else _section(definition, definitions)
        for name, definition in definitions.items()
    ]
    assert not hand, hand.keys()
    return "".join(printed)


def print_js_integers() -> str:
    """Return all sections of the arithmetic of fixed point."""
    definitions = read_integers()
    return "".join(_section(definition, definitions) for definition in definitions.values())


def _section(definition: Definition, definitions: Mapping[str, Definition]) -> str:
    lines = _Printer(definition).function()
    called = re.findall(r"(\w+)\(", "\n".join(lines))
    needs = {"bits" if "_bits" in call else call for call in called} - {definition.name}
    needs &= {"bits", "copysign", *definitions}
    return section(definition.name, needs, [*block_comment(definition.comment), *lines])


class _Printer:
    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.read: set[str] = set()  # the ints whose high word is read
        self.short: set[str] = set()  # the ints that have no high word

    def function(self) -> list[str]:
        while True:
            read = set(self.read)
            lines = list(self.lines())
            if read == self.read:
                return lines

    def lines(self) -> Iterator[str]:
        steps, result = self.definition.steps, self.definition.result
        names = [step.name for step in steps]
        self.short = {parameter.name for parameter in self.definition.parameters}
        parameters = ", ".join(parameter.name for parameter in self.definition.parameters)
        yield f"function {self.definition.name}({parameters}) {{"
        for position, step in enumerate(steps):
            let = "let " if names.count(step.name) > 1 else "const "
            let = "" if step.name in names[:position] else let
            for name, value in self.assigned(step):
                yield f"  {let}{name} = {value};"
        assert result
        yield f"  return {self.write(result)};"
        yield "}"

    def assigned(self, step: Assign) -> Iterator[tuple[str, str]]:
        name, value = step.name, step.value
        if value.kind in ("real", "whole"):
            yield name, self.write(value)
            return
        if isinstance(value, Operation) and value.operator == ">>" and _count(value) >= _WORD:
            self.short.add(name)
        if name in self.read:
            yield f"{name}_high", self.high(value)
        yield self.low(Name(name, "word")), self.low(value)

    def write(self, expression: Expression) -> str:
        """Return the text of an expression that is not a word."""

        def lower(part: Expression) -> Expression | None:
            match part:
                case Call("from_bits", (argument,)):
                    words = (self.high(argument), self.low(argument))
                    return Call("from_bits", tuple(Name(word, "word") for word in words), "real")
                case _:
                    return Name(self.low(part), "word") if part.kind == "word" else None

        return write(rewrite(expression, lower), _LANGUAGE)

    def low(self, word: Expression) -> str:
        match word:
            case Name(name):
                return f"{name}_low" if name in self.read else name
            case Literal(text):
                return _hexadecimal(int(text, 0) & 0xFFFFFFFF) if "x" in text else text
            case Call("bits", (argument,)):
                return f"low_bits({self.write(argument)})"
            case Operation("<<", _) if _count(word) >= _WORD:
                return "0"
            case Operation("<<", (left, _)):
                return f"{_inner(self.low(left))} << {_count(word)}"
            case Operation(">>", (left, _)) if _count(word) >= _WORD:
                return f"{_inner(self.high(left))} >>> {_count(word) - _WORD}"
            case Operation(">>", (left, _)):
                return f"{_inner(self.low(left))} >>> {_count(word)}"
            case Operation(operator, (left, right)):
                return _joined(operator, self.low(left), self.low(right))
        raise NotInSubset(f"no words in JavaScript of {word}")

    def high(self, word: Expression) -> str:
        match word:
            case Name(name) if name in self.short:
                return "0"
            case Name(name):
                self.read.add(name)
                return f"{name}_high"
            case Literal(text):
                return _hexadecimal(int(text, 0) >> _WORD)
            case Call("bits", (argument,)):
                return f"high_bits({self.write(argument)})"
            case Operation("<<", (left, _)) if _count(word) >= _WORD:
                return f"{_inner(self.low(left))} << {_count(word) - _WORD}"
            case Operation("+" | "-" | "|" as operator, (left, right)):
                high = _joined(operator, self.high(left), self.high(right))
                lows = self.low(left), self.low(right)
                if operator == "|" or "0" in lows[operator == "-" :]:
                    return high
                if operator == "+":
                    return f"{high} + ({' + '.join(lows)} > 0xffffffff ? 1 : 0)"
        raise NotInSubset(f"no high word in JavaScript of {word}")


def _count(shift: Operation) -> int:
    count = shift.operands[1]
    assert isinstance(count, Literal)
    return int(count.text)


def _hexadecimal(word: int) -> str:
    return f"0x{word:08x}" if word else "0"


def _inner(text: str) -> str:
    return f"({text})" if " " in text else text


def _joined(operator: str, left: str, right: str) -> str:
    if right == "0" and operator != "&":
        return left
    if left == "0" and operator in "+|":
        return right
    return f"{_inner(left)} {operator} {_inner(right)}"
