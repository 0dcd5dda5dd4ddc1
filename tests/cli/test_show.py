"""Printed networks are complete and fit the width of the terminal."""

import random

import numpy as np
import pytest

from dsgec.cli.terminal.network import network_file, network_page
from dsgec.cli.terminal.styled import StyledText, colour_line, length, make_encodable, palette
from dsgec.cli.terminal.styled import plain as flat
from dsgec.errors import DsgecError
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, plain_columns, unnamed_model
from dsgec.network.model_text import parse_model
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import neuron_parts, output_parts
from dsgec.report.dot import network_dot
from dsgec.report.network_drawing import network_svg
from tests.support.command_line import dsgec
from tests.support.random_networks import random_network

HOSTILE = ["a\ny_1 = 3", "\x1b[31mred", "# x", "\u202eright to left", "列" * 40, "\ud800", ""]


def linear(rng, depth):
    """Return the text of a sum of products, with brackets and signs."""
    kind = rng.random()
    if depth == 0:
        return f"x_{rng.randint(1, 4)}" if kind < 0.7 else f"{rng.randint(0, 9)}"
    if kind < 0.3:
        return f"(-{linear(rng, depth - 1)})"
    if kind < 0.5:
        return f"{rng.randint(1, 5)} * ({linear(rng, depth - 1)})"
    return f"({linear(rng, depth - 1)} {rng.choice('+-')} {linear(rng, depth - 1)})"


@pytest.mark.parametrize("seed", range(30))
def test_weights_and_bias_agree_with_evaluation(seed):
    net = parse(f"inputs = 4\ny_1 = {linear(random.Random(seed), 4)}\n")
    values = evaluate(net, np.vstack([np.zeros(4), np.eye(4)]))[:, 0]
    parts = output_parts(net, 0)
    weights = np.zeros(4)
    for source, weight in parts.sources:
        weights[net.nodes[source].column] += weight

    assert parts.function == ""
    assert (parts.bias or 0.0) == values[0]
    assert list(weights) == list(values[1:] - values[0])


def test_the_function_of_a_neuron_differs_from_a_sign():
    net = parse("h_1_1 = tanh(2 * x_1 - 1)\nh_1_2 = -x_2\ny_1 = sig(h_1_1 + h_1_2)\n")
    first, second = (neuron_parts(net, position) for position in net.layers[0])

    assert (first.function, first.bias) == ("tanh", -1.0)
    assert [weight for _, weight in first.sources] == [2.0]
    assert (second.function, [weight for _, weight in second.sources]) == ("", [-1.0])
    assert output_parts(net, 0).function == "sig"


@pytest.mark.parametrize("seed", range(40))
def test_a_written_network_is_read_back(seed):
    net = simplify(random_network(seed))
    text = "\n".join(network_file(unnamed_model(net), "name", "source"))

    assert parse_model(text) == unnamed_model(net)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_names(name):
    net = parse("y_1 = sig(2 * x_1)\n")
    model = Model(net, plain_columns((name,)), ("no", name), name)
    text = "\n".join(network_file(model, "name", "source"))
    lines = network_page(model, "name", "source", 79)

    assert text.replace("\n", "").isprintable()
    assert all(flat(line).isprintable() for line in lines)
    if name == "\ud800":  # half a character, which no file can hold
        with pytest.raises(DsgecError, match="not a JSON string"):
            parse_model(text)
    else:
        assert parse_model(text) == model


def example():
    phenotype = "sig(0.5*x_1-3*x_2+0.25*x_1+7)-relu(x_3)--softmax(2*h_1_1-h_1_2, x_1*x_2, 4*h_1_2)"
    names = ("the first of the names", "größe", "列")
    net = simplify(parse_phenotype(phenotype, layered=True))
    return Model(net, plain_columns(names), ("no", "yes", "perhaps"), "answer")


def test_inputs_are_sorted_by_weight():
    text = "\n".join(map(flat, network_page(example(), "net", "model 1", 50)))
    rows = text[text.index("layer 1: 2 neurons") :].splitlines()

    assert rows[1] == "h_1_1  sig"
    assert [row.split() for row in rows[2:5]] == [
        ["-3", "━━━━━━│", "x_2", "größe"],
        ["+0.75", "│━╸", "x_1", "the", "first", "of", "th…", "(2×)"],
        ["+7", "bias"],
    ]
    assert "outputs, through softmax" in rows
    assert "y_3 = p(perhaps)" in "\n".join(rows)
    assert "·       │       x_1" in text  # no weight in a product of features
    assert text.startswith("net: the classes no, yes, perhaps of answer, from\n3 of 3 features;")


def test_weights_that_are_not_constants_are_not_shown():
    text = "y_1 = 1e300 * (1e300 * x_1) + 1e308 * x_2 + 1.7e308 * x_2 - 1e308 * x_3 - 1e-320 * x_4"
    model = unnamed_model(parse(text + "\n"))
    weights = [weight for _, weight in output_parts(model.network, 0).sources]
    rows = [flat(line) for line in network_page(model, "net", "model 1", 79)][-5:]

    assert weights == [None, 1e308, 1.7e308, -1e308, -1e-320]
    assert [row.split()[0] for row in rows] == ["y_1", "-1e+308", "-1e-320", "·", "·"]
    assert "nan" not in network_dot(model) + network_svg(model)
    assert "inf" not in network_dot(model) + network_svg(model)


def deep(layers, width):
    lines = ["inputs = 30"]
    before = [f"x_{n}" for n in range(1, 31)]
    for layer in range(1, layers + 1):
        names = [f"h_{layer}_{n}" for n in range(1, width + 1)]
        for number, name in enumerate(names):
            terms = [
                f"{(number * 7 + k) % 19 - 9.25} * {before[(number * 5 + k) % len(before)]}"
                for k in range(8)
            ]
            lines.append(f"{name} = sig({' + '.join(terms)})")
        before = names
    lines.append(f"y_1 = sig({' + '.join(before)})")
    return Model(
        simplify(parse("\n".join(lines) + "\n")), plain_columns(tuple("列a" * n for n in range(30)))
    )


@pytest.mark.parametrize("shape", [(8, 4), (3, 100)])
@pytest.mark.parametrize("width", [39, 79, 199])
def test_large_networks_fit_the_width_and_are_complete(shape, width):
    model = deep(*shape)
    lines = network_page(model, "net", "model 1", width)
    text = "\n".join(map(flat, lines))

    assert max(map(length, lines)) <= width
    for number, layer in enumerate(model.network.layers, 1):
        for index in range(1, len(layer) + 1):
            assert f"h_{number}_{index}  sig" in text
    one_line = " ".join(text.split())
    assert all(f"= sig({weight} *" in one_line for weight in (-9.25, -2.25, 4.75))


def test_there_are_no_colours_with_no_color(monkeypatch):
    line = [StyledText("a", "plus"), StyledText("b")]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert colour_line(line, palette()) == "\x1b[94ma\x1b[0mb"
    monkeypatch.setenv("NO_COLOR", "1")
    assert colour_line(line, palette()) == "ab"


def test_an_encoding_with_few_characters_gets_ascii():
    class Stream:
        encoding = "ascii"

    assert make_encodable("━━│ größe (2×)", Stream) == "==| gr\\xf6\\xdfe (2x)"
    assert make_encodable("━", None) == "━"


def test_the_command_prints_or_writes_a_network(run, tmp_path):
    best = parse_model((run / "best.net").read_text())
    shown = dsgec("show", run).stdout

    assert parse_model(shown) == best
    assert "\x1b" not in shown
    assert "layer 1: " in shown
    svg, dot = tmp_path / "net.svg", tmp_path / "net.dot"
    answer = dsgec("show", run, "--svg", svg, "--dot", dot)
    assert answer.stdout.splitlines() == [str(svg), str(dot)]
    assert svg.read_text().startswith("<svg ")
    assert dsgec("show", run, "--dot", "-").stdout == dot.read_text()
    assert dot.read_text().startswith("digraph network {")
    plain_text = dsgec("show", run, env={"PYTHONIOENCODING": "ascii"}).stdout
    assert plain_text.isascii()
    assert parse_model(plain_text) == best
