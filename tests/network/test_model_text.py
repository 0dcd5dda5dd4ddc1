"""A model that goes out as text and comes back is the same model."""

import random
import re
from pathlib import Path

import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.network.model import Column, Model, plain_columns, unnamed_model
from dsgec.network.model_text import model_text, parse_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.support.columns import MODEL
from tests.support.random_networks import random_network

NAMES = (
    'a "quoted" name',
    "x_1 = number(3)",
    "# no comment",
    "back\\slash\\",
    "two\nlines\r",
    "next\u2028line\x85\x0b\x1c",
    "\x1b[31mred\x00",
    "\u202eright to left",
    "größe 列 😀",
    "y_1",
    "",
    " ",
)


def random_column(rng, name):
    kind = rng.choice(["number", "number", "boolean", "category", "constant"])
    if kind == "constant":
        return Column(name, kind)
    texts = rng.sample(NAMES, 2 if kind == "boolean" else rng.randint(1, 5))
    if kind == "number":
        fill = rng.choice([None, 0.1, -3e-310, 1.7976931348623157e308, rng.gauss(0, 1)])
        scaling = {"center": rng.gauss(0, 1), "scale": rng.choice([1.0, 5e-324, -rng.random()])}
        return Column(name, fill=fill, marked=fill is not None and rng.random() < 0.5, **scaling)
    fill = rng.choice([None, float(rng.randrange(len(texts)))])
    return Column(name, kind, tuple(texts), fill, marked=fill is not None and rng.random() < 0.5)


def random_model(seed):
    rng = random.Random(seed)
    names = rng.sample(NAMES, rng.randint(1, len(NAMES)))
    columns = tuple(random_column(rng, name) for name in names)
    count = sum(len(column.features) for column in columns)
    terms = " + ".join(f"{rng.gauss(0, 1)!r} * x_{i}" for i in range(1, count + 1)) or "0.25"
    width = rng.choice([1, 1, 2, 3])
    outputs = ", ".join([f"sig({terms})", f"tanh({terms})", terms][:width])
    text = outputs if width == 1 else f"softmax({outputs})"
    count_of_classes = {1: rng.choice([0, 2]), 2: 2, 3: 3}[width]
    labels = rng.sample(NAMES, count_of_classes)
    if rng.random() < 0.3:
        labels = [-5, 2**60, 7][:count_of_classes]
    return Model(
        simplify(parse(text, inputs=count)),
        columns,
        tuple(labels),
        rng.choice(NAMES),
        rng.choice([0.5, 0.1]) if count_of_classes == 2 else 0.5,
    )


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("seed", range(150))
def test_a_model_reads_back_as_the_same_model(seed, ascii_only):
    model = random_model(seed)
    text = model_text(model, ascii_only=ascii_only)
    back = parse_model(text)

    assert back == model
    assert repr(back) == repr(model)
    assert model_id(back) == model_id(model)
    assert text.replace("\n", "").isprintable()
    assert text.isascii() or not ascii_only
    assert model_text(back, ascii_only=ascii_only) == text


@pytest.mark.parametrize("seed", range(30))
def test_a_network_without_names_reads_back(seed):
    model = unnamed_model(simplify(random_network(seed)))

    assert parse_model(model_text(model)) == model


def test_the_text_says_what_each_feature_is():
    assert model_text(MODEL).splitlines()[1:6] == [
        'x_1 = number("size", missing=2.5, center=0.1, scale=0.3)',
        'x_2 = number("unused", center=1.0)',
        'x_3 = boolean("wet", "no", "yes", missing="no")',
        'x_4, x_5, x_6 = category("colour", "red", "green", "blue", missing="blue")',
        'x_7, x_8 = category("shape", "round", "flat")',
    ]


def test_a_text_by_hand_needs_no_columns():
    model = parse_model('classes = "no", "yes"  # of two\ny_1 = sig(2 * x_2)\n')

    assert model.columns == plain_columns(("x_1", "x_2"))
    assert model.classes == ("no", "yes")
    assert parse_model('x_1 = number("a")\nsig(2 * x_1)').features == ("a",)


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("x_1 = 3", 7, "expected a kind of column"),
        ("x_1 = text(3)", 7, "expected a kind of column"),
        ("x_1 = number(a)", 14, "expected a text in quotes"),
        ('x_1 = number("a', 14, "expected a text in quotes"),
        ('x_1 = number("\\x")', 14, "not a JSON string"),
        ('x_1 = number("\\ud800")', 14, "not a JSON string"),
        ('x_1 = number("a", size=3)', 19, "expected an option"),
        ('x_1 = number("a", scale=2, scale=2)', 28, "expected an option"),
        ('x_1 = number("a", scale=1e999)', 25, "expected a number"),
        ('x_1 = number("a", scale=nan)', 25, "expected a number"),
        ('x_1 = number("a", scale=0)', 1, "cannot be like this"),
        ('x_1 = number("a", "b")', 1, "cannot be like this"),
        ('x_1 = number("a", marked)', 1, "cannot be like this"),
        ('x_1 = boolean("a", "b")', 1, "cannot be like this"),
        ('x_1 = category("a")', 1, "cannot be like this"),
        ('x_1, x_2 = category("a", "b", "b")', 1, "cannot be like this"),
        ('x_1 = category("a", "b", missing="c")', 34, "not one of its texts"),
        ('x_1 = category("a", "b", scale=2)', 1, "cannot be like this"),
        ('x_2 = number("a")', 1, "expected `x_1 = number"),
        ('_ = number("a")', 1, "expected `x_1 = number"),
        ('x_1 = constant("a")', 1, "expected `_ = constant"),
        ('x_1 = category("a", "b", "c", "d", "e")', 1, "expected `x_1, x_2, …, x_4 = category"),
        ('x_1 = number("a") 3', 19, "expected the end of the line"),
        ('x_1 = number("a"', 17, "expected `)`"),
        ("classes = ", 10, "expected a class"),
        ("classes = 1.5, 2", 11, "expected a class"),
        ("classes = 1, 1", 15, "different classes"),
        ('classes = "a"', 14, "different classes"),
        ("classes = 1, 2\nclasses = 1, 2", 1, "given twice"),
        ("target = 3", 10, "expected a text"),
        ("threshold = high", 13, "expected a number"),
    ],
)
def test_an_invalid_statement_is_refused_at_its_place(line, place, message):
    with pytest.raises(DsgecError, match=re.escape(message)) as raised:
        parse_model(f"# comment\n{line}\ny_1 = sig(1)\n", source="own.net")

    span = raised.value.faults[0].span
    assert (span.source, span.column) == ("own.net", place)
    assert span.line == 2 + line.count("\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('x_1 = number("a")\nx_2 = number("a")\ny_1 = x_1', "two columns"),
        ('y_1 = x_1\nx_1 = number("a")', "comes too late"),
        ('x_1 = number("a")\ninputs = 2\ny_1 = x_1', "there are 1 features, not 2"),
        ('x_1 = number("a")\ny_1 = x_2', "there are 1 features"),
        ('x_1 = number("a")', "no output|expected a number"),
        ("classes = 1, 2, 3\ny_1 = x_1", "1 output for 3 classes"),
        ("classes = 1, 2, 3\nthreshold = 0.1\ny_1, y_2, y_3 = softmax(1, 2, 3)", "threshold"),
        ("threshold = 0.1\ny_1 = x_1", "threshold"),
    ],
)
def test_an_inconsistent_file_is_refused(text, message):
    with pytest.raises(DsgecError, match=message):
        parse_model(text)


def test_random_damage_is_an_error_or_another_model():
    rng = random.Random(1)
    texts = [model_text(random_model(seed)) for seed in range(20)]
    for _ in range(400):
        characters = list(rng.choice(texts))
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(characters))
            characters[place] = rng.choice('"\\(),=#\n x_1y.e-é\u2028')
        try:
            model = parse_model("".join(characters))
        except DsgecError:
            continue
        assert parse_model(model_text(model)) == model


def test_the_example_of_the_documentation_is_a_model():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "networks.md").read_text(
        encoding="utf-8"
    )
    block = next(part for part in page.split("```") if "_ = constant(" in part)
    model = parse_model(block)

    assert model.features == ("age", "sex", "port=C", "port=Q", "port is missing")
    assert model.columns[2] == Column("port", "category", ("C", "Q"), 1.0, marked=True)
    assert (model.classes, model.target, model.threshold) == (("lost", "saved"), "fate", 0.5)
    assert parse_model(model_text(model)) == model
