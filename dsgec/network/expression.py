"""Parse one expression of a text into nodes.

An operator-precedence parser on two stacks, of values and of operators: nothing recurses, so
nesting costs memory only, and the native engine's parser is the same procedure.
"""

import difflib
import math
import re
from dataclasses import dataclass

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.network.ir import ARITY, Builder, integer_exponent
from dsgec.network.syntax import (
    COMPARISON,
    LONGEST_INDEX,
    MOST_INPUTS,
    NEGATION,
    NOT,
    POWER,
    SIGNS,
    TOKEN,
    WORDS,
    Cursor,
    SourceText,
    resolve_function,
    token_start,
)

_SOFTMAX_ALONE = "`softmax` can only be the whole of the output layer"


@dataclass(frozen=True, slots=True)
class _OpenParenthesis:
    """An open parenthesis on the stack of operators; that of a call has a `function`."""

    function: str
    offset: int
    values_below: int


class ExpressionReader(SourceText):
    """The state that the expressions of one text share: nodes, neurons by name, features."""

    def __init__(self, text: str, source: str, inputs: int | None) -> None:
        super().__init__(text, source)
        self.inputs = inputs
        self.builder = Builder()
        self.named: dict[tuple[int, int], int] = {}
        self.widest = 0

    def number(self, value: float, sign: int, start: int, end: int) -> int:
        """Return the position of a number, which stands from `start` (from `sign`) to `end`."""
        return self.builder.constant(value)

    def single(self, start: int, end: int) -> int:
        """Return the position of the one value of an expression."""
        values, softmax = self.neuron(start, end)
        if softmax:
            raise self.fail(start, _SOFTMAX_ALONE)
        return values[0]

    def neuron(self, start: int, end: int) -> tuple[list[int], bool]:
        """Return the positions of the values of an expression, and whether it is a softmax.

        Only a softmax has several.
        """
        expression = _Expression(self, start, end)
        expression.read()
        return expression.values, expression.is_softmax


class _Expression(Cursor):
    """The state of the parser within one expression."""

    def __init__(self, reader: ExpressionReader, start: int, end: int) -> None:
        super().__init__(reader, TOKEN, start, end)
        self.reader = reader
        self.values: list[int] = []
        self.operators: list[tuple[int, str] | _OpenParenthesis] = []
        self.is_softmax = False

    def read(self) -> None:
        operand_next = True
        while True:
            match = self.next()
            if operand_next:
                operand_next = not self.operand(match)
            elif self.is_softmax and match.lastgroup != "end":
                raise self.reader.fail(token_start(match), _SOFTMAX_ALONE)
            elif match.lastgroup == "end":
                break
            else:
                operand_next = self.operator(match)
        self.reduce_all()
        if self.operators:
            opened = self.operators[-1]
            assert isinstance(opened, _OpenParenthesis)
            raise self.reader.fail(opened.offset, "this parenthesis is never closed")

    # --- where an operand is expected ----------------------------------------------------------

    def operand(self, match: re.Match[str]) -> bool:
        """Read what may begin an operand; return whether the operand is then complete."""
        kind, sign = match.lastgroup, match["sign"]
        if kind == "number":
            self.values.append(self.number(match["number"], match, match))
        elif kind in ("feature", "column"):
            self.values.append(self.feature(match, kind))
        elif kind == "neuron":
            self.values.append(self.hidden(match))
        elif sign == "-":
            return self.minus(match)
        else:
            if kind == "name":
                self.call(match["name"], token_start(match))
            elif sign == "(":
                self.operators.append(_OpenParenthesis("", token_start(match), len(self.values)))
            elif sign != "+":
                raise self.unexpected(match, "a number, a feature, a neuron or a function")
            return False
        return True

    def minus(self, match: re.Match[str]) -> bool:
        """Read a minus: part of the number that follows, unless that is raised to a power."""
        following = self.peek()
        if following.lastgroup == "number":
            after = TOKEN.match(self.reader.text, following.end(), self.end)
            is_base = after is not None and after["sign"] in ("^", "**")
        if following.lastgroup != "number" or is_base:
            self.operators.append((NEGATION, "neg"))
            return False
        self.at = following.end()
        self.values.append(self.number("-" + following["number"], match, following))
        return True

    def number(self, digits: str, sign: re.Match[str], match: re.Match[str]) -> int:
        value = float(digits)
        if math.isinf(value):
            advice = "The largest is 1.797e308."
            raise self.reader.fail(token_start(sign), "this number is too large", advice)
        return self.reader.number(value, token_start(sign), token_start(match), match.end())

    def feature(self, match: re.Match[str], kind: str) -> int:
        reader, digits, offset = self.reader, match[kind], match.start(kind)
        column = int(digits) - (kind == "feature") if len(digits) <= LONGEST_INDEX else 10**9
        if column < 0:
            advice = "Write `x_1` or `x[0]` for the first feature."
            raise reader.fail(offset, "there is no `x_0`", advice)
        if reader.inputs is None and column >= MOST_INPUTS:
            raise reader.fail(offset, f"there can be {MOST_INPUTS} features at most")
        if reader.inputs is not None and column >= reader.inputs:
            raise reader.fail(
                offset,
                f"there are {reader.inputs} features, and this is number {digits[:20]}",
                f"They are `x_1` to `x_{reader.inputs}`, or `x[0]` to `x[{reader.inputs - 1}]`.",
            )
        reader.widest = max(reader.widest, column + 1)
        return reader.builder.input(column)

    def hidden(self, match: re.Match[str]) -> int:
        """Return the position of a neuron that an expression names, or raise an error."""
        layer, neuron = match["layer"], match["neuron"]
        if max(len(layer), len(neuron)) <= LONGEST_INDEX:
            position = self.reader.named.get((int(layer), int(neuron)))
            if position is not None:
                return position
        raise self.reader.fail(
            match.start("layer") - 2,
            f"there is no neuron {neuron[:20]} in an earlier layer {layer[:20]}",
            "A neuron reads features and neurons of layers before its own.",
        )

    def call(self, name: str, offset: int) -> None:
        function = resolve_function(name)
        if function is None:
            near = difflib.get_close_matches(name, FUNCTIONS, 1)
            advice = f"Did you mean `{near[0]}`? " if near else ""
            advice += f"Features are `x_1` or `x[0]`, functions are {', '.join(sorted(FUNCTIONS))}."
            raise self.reader.fail(offset, f"`{name[:40]}` is not known", advice)
        parenthesis = self.peek()
        if function == "not" and parenthesis["sign"] != "(":
            self.operators.append((NOT, "not"))
            return
        if parenthesis["sign"] != "(":
            message = f"`{name}` is a function: its argument goes in parentheses"
            raise self.reader.fail(offset, message)
        if function == "softmax" and (self.operators or self.values):
            raise self.reader.fail(offset, _SOFTMAX_ALONE)
        self.at = parenthesis.end()
        self.operators.append(_OpenParenthesis(function, offset, len(self.values)))

    # --- where an operator is expected ---------------------------------------------------------

    def operator(self, match: re.Match[str]) -> bool:
        """Read what may follow an operand; return whether another operand must come."""
        sign = match["sign"]
        word = resolve_function(match["name"] or "")
        if sign in SIGNS or word in WORDS:
            strength, function = SIGNS[sign] if sign in SIGNS else (WORDS[word or ""], word or "")
            self.reduce_all(strength)
            if strength == COMPARISON and self.is_compared():
                advice = "Write `a < b and b < c`, or set parentheses."
                raise self.reader.fail(token_start(match), "comparisons cannot be chained", advice)
            self.operators.append((strength, function))
            return True
        if sign not in (")", ","):
            raise self.unexpected(match, "an operator or the end")
        self.reduce_all()
        if not self.operators:
            message = f"`{sign}` without an open parenthesis"
            raise self.reader.fail(token_start(match), message)
        opened = self.operators[-1]
        assert isinstance(opened, _OpenParenthesis)
        if sign == ",":
            if not opened.function:
                message = "`,` can only stand between the arguments of a function"
                raise self.reader.fail(token_start(match), message)
            return True
        self.operators.pop()
        self.close(opened)
        return False

    def close(self, opened: _OpenParenthesis) -> None:
        if opened.function == "softmax":
            self.is_softmax = True
        elif opened.function:
            arguments = tuple(self.values[opened.values_below :])
            arity = ARITY[opened.function]
            if len(arguments) != arity:
                takes = f"{arity} argument" + "s" * (arity > 1)
                message = f"`{opened.function}` takes {takes}, not {len(arguments)}"
                raise self.reader.fail(opened.offset, message)
            self.apply(opened.function, arity)

    def is_compared(self) -> bool:
        """Return whether the last operand is the right side of a comparison."""
        top = self.operators[-1] if self.operators else None
        return isinstance(top, tuple) and top[0] == COMPARISON

    def reduce_all(self, strength: int = 0) -> None:
        """Apply the operators that bind at least as strongly, down to an open parenthesis."""
        while self.operators:
            top = self.operators[-1]
            if isinstance(top, _OpenParenthesis) or top[0] < strength:
                return
            # `^` binds to the right, and comparisons are not chained.
            if top[0] == strength and strength in (POWER, COMPARISON):
                return
            self.operators.pop()
            self.apply(top[1], ARITY[top[1]])

    def apply(self, function: str, arity: int) -> None:
        builder = self.reader.builder
        arguments = tuple(self.values[-arity:])
        del self.values[-arity:]
        if function == "pow":
            # Only a whole number that is written out is a repeated multiplication: what `a ^ b`
            # means must not change when `b` is simplified.
            exponent = builder.number(arguments[1])
            if exponent is None or integer_exponent(exponent) is None:
                function = "power"
        self.values.append(builder.apply(function, arguments))
