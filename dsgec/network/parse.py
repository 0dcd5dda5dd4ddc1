"""Parse a phenotype, or the equations of a network file, into a Network."""

import re

from dsgec.network.expression import ExpressionReader
from dsgec.network.ir import ACTIVATIONS, Apply, Network, group_layers
from dsgec.network.simplify import canonicalise
from dsgec.network.syntax import EQUATION, LONGEST_INDEX, MOST_INPUTS, blank_comments, split_layers

_BEGINS_EQUATION = re.compile(r"^[^\S\n]*(?!x_?\d)[a-z_]\w*[^\S\n]*[=,]", re.ASCII | re.MULTILINE)
_PARENTHESIS = re.compile(r"[()]")


def parse(text: str, *, inputs: int | None = None, source: str = "network") -> Network:
    """Parse a network file: the equations that `dsgec.network.text` writes, or one expression.

    `#` begins a comment. `inputs` is the number of features; by default the highest that is used.
    """
    text = blank_comments(text)
    parser = NetworkReader(text, source, inputs)
    return parser.equations() if _BEGINS_EQUATION.search(text) else parser.expression("")


def parse_phenotype(
    text: str,
    *,
    layered: bool,
    output: str = "",
    inputs: int | None = None,
    source: str = "phenotype",
) -> Network:
    """Parse a phenotype: one expression or, if `layered`, layers of neurons.

    `output` is a function that is applied to a single output ("" or "sigmoid").
    """
    parser = NetworkReader(text, source, inputs)
    return parser.layers(output) if layered else parser.expression(output)


class NetworkReader(ExpressionReader):
    """A parser of the forms of text that a network can have."""

    def expression(self, output: str) -> Network:
        values, softmax = self.neuron(0, len(self.text))
        outputs = self.through(values, softmax, output)
        # Numbered by the canonical text, in which the neurons stand before the output.
        return canonicalise(self.network(self.infer_layers(outputs), outputs, softmax))

    def layers(self, output: str) -> Network:
        self.expect_closed()
        *hidden, last = split_layers(self.text)
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

    def expect_closed(self) -> None:
        """Raise an error about an open parenthesis, which hides every separator behind it."""
        opened: list[int] = []
        for mark in _PARENTHESIS.finditer(self.text):
            if mark[0] == "(":
                opened.append(mark.start())
            elif opened:
                opened.pop()
        if opened:
            raise self.fail(opened[-1], "this parenthesis is never closed")

    def equations(self) -> Network:
        layers: list[list[int]] = []
        outputs: list[int] = []
        softmax, is_first = False, True
        offset = 0
        for line in self.text.splitlines(keepends=True):
            body = line.rstrip()
            match = EQUATION.fullmatch(body)
            start, end = offset, offset + len(body)
            offset += len(line)
            if not body.strip():
                continue
            if match is None:
                raise self.fail(
                    start,
                    "this line is not an equation",
                    "Write `h_1_1 = …` for a hidden neuron, `y_1 = …` for an output.",
                )
            name, at = match[1], start + match.start(2)
            if outputs and (softmax or not name.startswith("y_")):
                raise self.fail(start, "nothing may follow the outputs")
            if name == "inputs":
                if not is_first:
                    raise self.fail(start, "`inputs = …` can only be the first equation")
                self.state_inputs(match[2].strip(), at)
            elif name.startswith("h_"):
                self.define(layers, name, start, self.single(at, end))
            else:
                names = [part.strip() for part in name.split(",")]
                values, softmax = self.neuron(at, end)
                expected = [f"y_{len(outputs) + i}" for i in range(1, len(values) + 1)]
                if names != expected or (softmax and outputs):
                    raise self.fail(start, f"expected `{', '.join(expected)} = …`")
                outputs += values
            is_first = False
        if not outputs:
            raise self.fail(len(self.text), "no output", "End with `y_1 = …`.")
        return self.network(tuple(map(tuple, layers)), tuple(outputs), softmax)

    def state_inputs(self, digits: str, offset: int) -> None:
        count = int(digits) if digits.isdecimal() and len(digits) <= LONGEST_INDEX else -1
        if not 0 <= count <= MOST_INPUTS:
            raise self.fail(offset, f"expected the number of inputs, at most {MOST_INPUTS}")
        if self.inputs not in (None, count):
            raise self.fail(offset, f"there are {self.inputs} features, not {count}")
        self.inputs = count

    def define(self, layers: list[list[int]], name: str, offset: int, position: int) -> None:
        _, layer, neuron = name.split("_")
        if (layer, neuron) == (str(len(layers) + 1), "1"):
            layers.append([])
        elif not layers or (layer, neuron) != (str(len(layers)), str(len(layers[-1]) + 1)):
            allowed = f"`h_{len(layers)}_{len(layers[-1]) + 1}` or " if layers else ""
            raise self.fail(
                offset,
                f"`{name}` is out of order",
                f"Neurons are numbered as they come: here {allowed}`h_{len(layers) + 1}_1` can be.",
            )
        layers[-1].append(position)
        self.named[len(layers), len(layers[-1])] = position

    def through(self, values: list[int], softmax: bool, output: str) -> tuple[int, ...]:
        """Return the outputs; `%output sigmoid` adds a sigmoid to the only one."""
        if output == "sigmoid" and len(values) == 1 and not softmax:
            return (self.builder.apply("sig", (values[0],)),)
        return tuple(values)

    def infer_layers(self, outputs: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Return the layers of a lone expression: every activation but the output is a neuron."""
        nodes = self.builder.nodes
        neurons = {
            position
            for position, node in enumerate(nodes)
            if isinstance(node, Apply) and node.function in ACTIVATIONS
        }
        return group_layers(nodes, neurons - {*outputs})

    def network(
        self, layers: tuple[tuple[int, ...], ...], outputs: tuple[int, ...], softmax: bool
    ) -> Network:
        inputs = self.widest if self.inputs is None else self.inputs
        return Network(inputs, tuple(self.builder.nodes), layers, outputs, softmax)
