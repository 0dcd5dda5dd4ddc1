"""Phenotype text, or the equations of a network file, to a Network.

An operator-precedence parser on two stacks: nothing recurses, so nesting costs memory only, and
the native engine's parser is the same procedure.
"""

import re
from dataclasses import dataclass

from dsgec.arithmetic.table import FUNCTIONS
from dsgec.layered import cut
from dsgec.network.canonical import canonical
from dsgec.network.check import ARITY
from dsgec.network.ir import ACTIVATIONS, Apply, Builder, Constant, Network
from dsgec.network.powers import integer_exponent
from dsgec.network.tokens import (
    EQUATION,
    LONGEST_INDEX,
    TOKEN,
    PhenotypeError,
    function_called,
)

_BINARY = {"+": (1, "add"), "-": (1, "sub"), "*": (2, "mul"), "/": (2, "div"), "^": (4, "pow")}
_NEGATION = 3
_SOFTMAX_ALONE = "`softmax` can only be the whole of the output layer"


def parse(
    text: str,
    *,
    layered: bool = False,
    output: str = "",
    inputs: int | None = None,
    source: str = "phenotype",
) -> Network:
    """The network that `text` describes.

    `text` is one expression, or, if `layered`, layers and neurons between separators, or else the
    equations that `dsgec.network.text` writes. `output` names a function that a single output goes
    through. `inputs` is the number of features; without it, the highest one that is used.
    """
    parser = _Parser(text, source, inputs)
    if not layered and "=" in text:
        return parser.equations()
    return parser.layers(cut(text), output) if layered else parser.expression(output)


@dataclass(slots=True)
class _Open:
    """An open parenthesis on the operator stack: of a call, if `function` is set."""

    function: str
    offset: int
    values_below: int


class _Parser:
    def __init__(self, text: str, source: str, inputs: int | None) -> None:
        self.text, self.source, self.inputs = text, source, inputs
        self.builder = Builder()
        self.named: dict[tuple[int, int], int] = {}
        self.widest = 0

    def fail(self, offset: int, message: str, advice: str = "") -> PhenotypeError:
        return PhenotypeError(self.text, self.source, offset, message, advice)

    # --- the three forms of a text -------------------------------------------------------------

    def expression(self, output: str) -> Network:
        values, softmax = self.neuron(0, len(self.text))
        outputs = self.through(values, softmax, output)
        # Numbered by the canonical text, in which the neurons stand before the output.
        return canonical(self.network(self.inferred_layers(outputs), outputs, softmax))

    def layers(self, stretches: list[list[tuple[int, int]]], output: str) -> Network:
        *hidden, last = stretches
        layers = []
        for number, layer in enumerate(hidden, 1):
            # A layer sees the layers before it, so its own neurons are named when it is whole.
            positions = [self.single(start, end) for start, end in layer]
            self.named |= {(number, i): p for i, p in enumerate(positions, 1)}
            layers.append(tuple(positions))
        if len(last) == 1:
            values, softmax = self.neuron(*last[0])
        else:
            values, softmax = [self.single(start, end) for start, end in last], False
        outputs = self.through(values, softmax, output)
        return self.network(tuple(layers), outputs, softmax)

    def equations(self) -> Network:
        layers: list[list[int]] = []
        outputs: list[int] = []
        softmax = False
        offset = 0
        for line in self.text.splitlines(keepends=True):
            body = line.split("#")[0].rstrip()
            match = EQUATION.fullmatch(body)
            start, end = offset, offset + len(body)
            offset += len(line)
            if not body.strip():
                continue
            if match is None:
                raise self.fail(
                    start,
                    "this line is no equation",
                    "Write `h_1_1 = …` for a hidden neuron, `y_1 = …` for an output.",
                )
            name, at = match[1], start + match.start(2)
            if outputs and (softmax or not name.startswith("y_")):
                raise self.fail(start, "nothing may follow the outputs")
            if name == "inputs":
                self.inputs = self.count(match[2].strip(), at)
            elif name.startswith("h_"):
                self.define(layers, name, start, self.single(at, end))
            else:
                names = [part.strip() for part in name.split(",")]
                values, softmax = self.neuron(at, end)
                expected = [f"y_{len(outputs) + i}" for i in range(1, len(values) + 1)]
                if names != expected or (softmax and outputs):
                    raise self.fail(start, f"expected `{', '.join(expected)} = …`")
                outputs += values
        if not outputs:
            raise self.fail(len(self.text), "no output", "End with `y_1 = …`.")
        return self.network(tuple(map(tuple, layers)), tuple(outputs), softmax)

    def count(self, digits: str, offset: int) -> int:
        if not digits.isdecimal() or len(digits) > LONGEST_INDEX:
            raise self.fail(offset, "expected the number of inputs")
        return int(digits)

    def define(self, layers: list[list[int]], name: str, offset: int, position: int) -> None:
        _, layer, neuron = name.split("_")
        if (layer, neuron) == (str(len(layers) + 1), "1"):
            layers.append([])
        elif (layer, neuron) != (str(len(layers)), str(len(layers[-1]) + 1 if layers else 0)):
            allowed = f"`h_{len(layers)}_{len(layers[-1]) + 1}` or " if layers else ""
            raise self.fail(
                offset,
                f"`{name}` is out of order",
                f"Neurons are numbered as they come: here {allowed}`h_{len(layers) + 1}_1` can be.",
            )
        layers[-1].append(position)
        self.named[len(layers), len(layers[-1])] = position

    # --- one neuron ----------------------------------------------------------------------------

    def single(self, start: int, end: int) -> int:
        values, softmax = self.neuron(start, end)
        if softmax:
            raise self.fail(start, _SOFTMAX_ALONE)
        return values[0]

    def neuron(self, start: int, end: int) -> tuple[list[int], bool]:
        """The positions of the values of one expression; several only of a softmax."""
        values: list[int] = []
        operators: list[tuple[int, str] | _Open] = []
        operand_next, softmax = True, False
        at = start
        while True:
            match = TOKEN.match(self.text, at, end)
            assert match is not None  # the last alternative takes anything
            kind, at = match.lastgroup, match.end()
            place = match.start(kind) if kind else start
            if operand_next:
                if kind == "number":
                    values.append(self.number(match["number"], place, ""))
                    operand_next = False
                elif kind in ("feature", "column"):
                    values.append(self.feature(match, kind))
                    operand_next = False
                elif kind == "neuron":
                    values.append(self.hidden(match))
                    operand_next = False
                elif kind == "name":
                    at = self.call(match["name"], place, at, end, operators, len(values))
                elif kind == "sign" and match["sign"] == "(":
                    operators.append(_Open("", place, len(values)))
                elif kind == "sign" and match["sign"] == "-":
                    following = TOKEN.match(self.text, at, end)
                    if (
                        following
                        and following.lastgroup == "number"
                        and not self.power_at(following.end(), end)
                    ):
                        values.append(self.number(following["number"], place, "-"))
                        at, operand_next = following.end(), False
                    else:
                        operators.append((_NEGATION, "neg"))
                elif kind == "sign" and match["sign"] == "+":
                    pass
                else:
                    raise self.unexpected(match, "a number, a feature, a neuron or a function")
            elif softmax and kind != "end":
                raise self.fail(place, _SOFTMAX_ALONE)
            elif kind == "sign" and match["sign"] in (")", ","):
                closed = self.close(match["sign"], place, values, operators)
                operand_next, softmax = match["sign"] == ",", closed == "softmax"
            elif kind == "sign" and match["sign"] != "(":
                strength, function = _BINARY[match["sign"].replace("**", "^")]
                while operators and not isinstance(operators[-1], _Open):
                    stronger, _ = operators[-1]
                    if stronger < strength or stronger == strength == _BINARY["^"][0]:
                        break
                    self.reduce(values, operators)
                operators.append((strength, function))
                operand_next = True
            elif kind == "end":
                break
            else:
                raise self.unexpected(match, "an operator or the end")
        while operators:
            top = operators[-1]
            if isinstance(top, _Open):
                raise self.fail(top.offset, "this parenthesis is never closed")
            self.reduce(values, operators)
        return values, softmax

    def power_at(self, at: int, end: int) -> bool:
        match = TOKEN.match(self.text, at, end)
        return match is not None and match["sign"] in ("^", "**")

    def number(self, digits: str, offset: int, sign: str) -> int:
        value = float(sign + digits)
        if value in (float("inf"), float("-inf")):
            raise self.fail(offset, "this number is too large", "The largest is 1.797e308.")
        return self.builder.constant(value)

    def feature(self, match: re.Match[str], kind: str) -> int:
        digits, offset = match[kind], match.start(kind)
        column = int(digits) - (kind == "feature") if len(digits) <= LONGEST_INDEX else 10**9
        if column < 0:
            raise self.fail(
                offset, "there is no `x_0`", "Write `x_1` or `x[0]` for the first feature."
            )
        if self.inputs is not None and column >= self.inputs:
            raise self.fail(
                offset,
                f"there are {self.inputs} features, and this is number {digits}",
                f"They are `x_1` to `x_{self.inputs}`, or `x[0]` to `x[{self.inputs - 1}]`.",
            )
        self.widest = max(self.widest, column + 1)
        return self.builder.input(column)

    def hidden(self, match: re.Match[str]) -> int:
        layer, neuron = match["layer"], match["neuron"]
        if len(layer + neuron) <= 2 * LONGEST_INDEX:
            position = self.named.get((int(layer), int(neuron)))
            if position is not None:
                return position
        raise self.fail(
            match.start("layer") - 2,
            f"there is no neuron {neuron} in an earlier layer {layer}",
            "A neuron reads features and neurons of layers before its own.",
        )

    def call(
        self,
        name: str,
        offset: int,
        at: int,
        end: int,
        operators: list[tuple[int, str] | _Open],
        values_below: int,
    ) -> int:
        """Opens the call of a function; gives the offset after its parenthesis."""
        function = function_called(name)
        match = TOKEN.match(self.text, at, end)
        if function is None:
            raise self.fail(
                offset,
                f"`{name}` is not known",
                f"Features are `x_1` or `x[0]`, functions are {', '.join(sorted(FUNCTIONS))}.",
            )
        if match is None or match["sign"] != "(":
            raise self.fail(offset, f"`{name}` is a function: its argument goes in parentheses")
        if function == "softmax" and (operators or values_below):
            raise self.fail(offset, _SOFTMAX_ALONE)
        operators.append(_Open(function, offset, values_below))
        return match.end()

    def close(
        self,
        sign: str,
        offset: int,
        values: list[int],
        operators: list[tuple[int, str] | _Open],
    ) -> str:
        """Handles `)` or `,`; gives the function that was closed, if one was."""
        while operators and not isinstance(operators[-1], _Open):
            self.reduce(values, operators)
        if not operators:
            raise self.fail(offset, f"`{sign}` without an open parenthesis")
        opened = operators[-1]
        assert isinstance(opened, _Open)
        if sign == ",":
            if not opened.function:
                raise self.fail(offset, "`,` can only stand between the arguments of a function")
            return ""
        operators.pop()
        if opened.function and opened.function != "softmax":
            arguments = tuple(values[opened.values_below :])
            arity = ARITY[opened.function]
            if len(arguments) != arity:
                takes = f"{arity} argument" + "s" * (arity > 1)
                raise self.fail(
                    opened.offset, f"`{opened.function}` takes {takes}, not {len(arguments)}"
                )
            del values[opened.values_below :]
            values.append(self.apply(opened.function, arguments))
        return opened.function

    def reduce(self, values: list[int], operators: list[tuple[int, str] | _Open]) -> None:
        operator = operators.pop()
        assert not isinstance(operator, _Open)
        _, function = operator
        arity = ARITY[function]
        arguments = tuple(values[-arity:])
        del values[-arity:]
        values.append(self.apply(function, arguments))

    def apply(self, function: str, arguments: tuple[int, ...]) -> int:
        if function == "pow":
            # Only a whole number that is written out is a repeated multiplication: what `a ^ b`
            # means must not change when `b` is simplified.
            exponent = self.builder.nodes[arguments[1]]
            if not isinstance(exponent, Constant) or integer_exponent(exponent.value) is None:
                function = "power"
        return self.builder.apply(function, arguments)

    def unexpected(self, match: re.Match[str], expected: str) -> PhenotypeError:
        kind = match.lastgroup or "other"
        found = "the end" if kind == "end" else f"`{match[0].strip()[:40]}`"
        return self.fail(match.start(kind), f"expected {expected}, found {found}")

    # --- putting it together -------------------------------------------------------------------

    def through(self, values: list[int], softmax: bool, output: str) -> tuple[int, ...]:
        if output == "sigmoid" and len(values) == 1 and not softmax:
            return (self.builder.apply("sig", (values[0],)),)
        return tuple(values)

    def inferred_layers(self, outputs: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """In a lone expression, every activation but the output is a hidden neuron."""
        depths: list[int] = []
        layers: list[list[int]] = []
        for position, node in enumerate(self.builder.nodes):
            depth = 0
            if isinstance(node, Apply):
                depth = max(depths[argument] for argument in node.arguments)
                if node.function in ACTIVATIONS and position not in outputs:
                    if depth == len(layers):
                        layers.append([])
                    layers[depth].append(position)
                    depth += 1
            depths.append(depth)
        return tuple(map(tuple, layers))

    def network(
        self, layers: tuple[tuple[int, ...], ...], outputs: tuple[int, ...], softmax: bool
    ) -> Network:
        inputs = self.widest if self.inputs is None else self.inputs
        return Network(inputs, tuple(self.builder.nodes), layers, outputs, softmax)
