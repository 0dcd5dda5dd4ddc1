"""The exported JavaScript gives the interpreter's bits, for rows of any form and any names."""

import subprocess

import numpy as np
import pytest

from dsgec.export.artefact import Artefact, model_id
from dsgec.export.targets.js import emit_js
from dsgec.literals import js_data, js_number
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.support.artefacts import expected_results, random_model, random_rows
from tests.support.javascript import (
    CHROMIUM,
    MODULES,
    NODE,
    ask,
    ask_each,
    in_browser,
    in_node,
)
from tests.support.models import IRIS
from tests.support.random_networks import rows, same_bits

needs_node = pytest.mark.skipif(not NODE, reason="node is not installed")
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")

ENCODED = Model(
    parse("sig(x_1 + 2.0*x_2 - x_3 + 0.5*x_4 - 0.25*x_5)"),
    (
        Column("width", fill=1.5, center=3.0, scale=0.7),
        Column("colour", "category", ("red", "a\u2028</script>"), fill=0.0),
        Column("open", "boolean", ("no", "yes")),
        Column("length"),
    ),
    ("small", 7),
)


def agree(run, folder, seeds, count=100):
    models = [random_model(seed) for seed in seeds]
    tables = [random_rows(model, seed, count) for seed, model in zip(seeds, models, strict=True)]
    for (found_id, selftest, found), model, table in zip(
        run(folder, models, tables), models, tables, strict=True
    ):
        assert found_id == model_id(model)
        assert selftest
        assert same_bits(found, expected_results(model, table))


@needs_node
def test_node_gives_the_interpreters_bits_on_random_networks(tmp_path):
    agree(in_node, tmp_path, range(20))


@needs_node
@pytest.mark.campaign
def test_node_gives_the_interpreters_bits_on_300_random_networks(tmp_path):
    agree(in_node, tmp_path, range(2000, 2300), 200)


@needs_chromium
def test_a_browser_gives_the_interpreters_bits(tmp_path):
    agree(in_browser, tmp_path, range(12))


@needs_chromium
@pytest.mark.campaign
def test_a_browser_gives_the_interpreters_bits_on_100_random_networks(tmp_path):
    agree(in_browser, tmp_path, range(2000, 2100))


@needs_node
def test_a_large_network_is_split_into_functions_and_keeps_its_bits(tmp_path):
    terms = [f"{i % 9}.5 * sig(x_{i % 4 + 1} * {i}.25)" for i in range(1500)]
    model = unnamed_model(simplify(parse(" + ".join(terms))))
    table = rows(1, 20, 4)

    ((_, selftest, found),) = in_node(tmp_path, [model], [table])
    assert "function part1(x, t)" in (tmp_path / "net0.mjs").read_text()
    assert selftest
    assert same_bits(found, evaluate(model.network, table))


@needs_node
@pytest.mark.parametrize("target", MODULES)
def test_a_row_is_a_list_or_an_object_and_texts_stand_for_their_numbers(target, tmp_path):
    expression = """[
        net.predictProba([2.0, 0, 1, 4.0]),
        net.predictProba(Float64Array.of(2.0, 0, 1, 4.0)),
        net.predictProba({ length: 4.0, width: 2.0, colour: "red", open: "yes", other: "x" }),
        net.predictProba([2.0, "red", true, 4.0]),
        net.predictProba([2.0, null, "yes", 4.0]),
        net.predictProbaBatch(
            [[NaN, "blue", false, 0.0], { width: null, colour: undefined, open: "no", length: "1" }]
        ),
    ]"""
    *same, batch = ask(tmp_path, ENCODED, expression, target)

    wide = (2.0 - 3.0) / 0.7
    table = np.array([[2.0, 0, 1, 4.0], [np.nan, -1, 0, 0.0], [np.nan, 0, 0, 1.0]])
    expected = evaluate(compose(ENCODED), table)[:, 0]
    # By hand, to fifteen digits: sig(width + 2 red - other + 0.5 open - 0.25 length).
    assert expected[0] == pytest.approx(1 / (1 + np.exp(-(wide + 2.0 + 0.5 - 1.0))), rel=1e-15)
    assert same == [[1.0 - expected[0], expected[0]]] * 5
    assert batch == [[1.0 - p, p] for p in expected[1:]]


@needs_node
@pytest.mark.parametrize("target", MODULES)
def test_a_value_that_cannot_be_a_row_is_refused_by_name(target, tmp_path):
    expression = """[
        () => net.predict([1, 2, 3]), () => net.predict(5), () => net.predict([1, 0, 0, NaN]),
        () => net.predict({ open: "no" }), () => net.predict([1, 0, 0, "0x4"]),
        () => net.predict(null), () => net.predict([1, 0, 0, " "]),
        () => net.predict({ width: 1, colour: "red", open: "no", length: {} }),
        () => net.predict([1, 0, 0, 4n]), () => net.predict({ length: 4, 0: 1, 1: 0 }),
    ].map(answer)"""
    assert ask(tmp_path, ENCODED, expression, target) == [
        'RangeError: expected 4 columns, "width", "colour", "open", "length"; found 3',
        "TypeError: expected a row, an array or an object; found 5",
        'TypeError: the column "length" is missing or not a number',
        'RangeError: missing columns: "width", "colour", "length"',
        'TypeError: the column "length" cannot be "0x4"',
        "TypeError: expected a row, an array or an object; found null",
        'TypeError: the column "length" is missing or not a number',
        'TypeError: the column "length" cannot be of the type object',
        'TypeError: the column "length" cannot be of the type bigint',
        'RangeError: missing columns: "width", "colour", "open"',
    ]


LABELLED = (
    ("sig(2*x_1 - x_2 + 0.3)", ("no", "yes"), [1.0, 0.0], "yes"),
    ("softmax(x_1, x_2, 0.4)", (10, 20, 30), [0.1, 0.2], 30),
    ("sig(x_1 * 1e308 * 1e308 * 0.0)", ("no", "yes"), [1.0, 0.0], None),
    ("softmax(x_1 * 1e308 * 1e308, 0.4)", ("no", "yes"), [1.0, 0.0], None),
    ("y_1 = x_1\ny_2 = x_2 * 1e308 * 1e308 * 0.0\ny_3 = 0.1", ("a", "b", "c"), [0.0, 1.0], "c"),
)


@needs_node
@pytest.mark.parametrize("target", MODULES)
def test_a_classifier_gives_its_label(target, tmp_path):
    questions = [
        (
            Model(parse(text, inputs=2), plain_columns(("width", "height")), classes),
            f"[net.predict({row}), net.predictBatch([{row}]), net.classes]",
        )
        for text, classes, row, _ in LABELLED
    ]
    answers = ask_each(tmp_path, questions, target)

    assert answers == [[label, [label], list(classes)] for _, classes, _, label in LABELLED]


@needs_node
@pytest.mark.parametrize("target", MODULES)
def test_hostile_names_arrive_verbatim_and_do_nothing(target, tmp_path, names):
    row = "net.columns.map(({ categories }, i) => (categories ? categories[i % 3] : i))"
    row = row.replace("net.columns", "net.metadata.columns")
    asked = f"[net.featureNames, net.classes, net.metadata, net.predictProba({row})]"
    questions = [(names.model, asked), (names.tame, f"net.predictProba({row})")]
    (found, classes, metadata, value), tame = ask_each(tmp_path, questions, target)

    assert tuple(found) == names.names
    assert tuple(classes) == names.labels
    assert tuple(column["name"] for column in metadata["columns"]) == names.names
    assert metadata["columns"][1]["categories"] == list(names.labels[:3])
    assert metadata["target"] == names.names[0]
    text = (tmp_path / f"net0{MODULES[target]}").read_text(encoding="utf-8")
    assert text.isascii()
    assert "</" not in text
    assert "<!--" not in text
    assert tame == value


@needs_node
def test_names_of_built_in_properties_are_names_like_any_other(tmp_path):
    names = ("__proto__", "constructor", "toString")
    model = Model(parse("x_1 + x_2 + x_3"), plain_columns(names))

    row = 'JSON.parse(\'{"__proto__": 1, "constructor": 2, "toString": 4}\')'
    asked = f"[net.featureNames, answer(() => net.predict({{}})), net.predict({row})]"
    assert ask(tmp_path, model, asked) == [
        list(names),
        'RangeError: missing columns: "__proto__", "constructor", "toString"',
        7,
    ]


@needs_node
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.5 * h_1_1", f"{float(np.nextafter(1.5, 2))} * h_1_1"),
        ("Math.max(...y)", "Math.min(...y)"),
    ],
)
def test_a_changed_module_fails_the_selftest(old, new, tmp_path):
    (module, *_) = emit_js(Artefact(IRIS, "net"))
    assert old in module.text
    changed = module.text.replace(old, new)
    for number, text in enumerate((module.text, changed)):
        path = tmp_path / f"net{number}.mjs"
        path.write_text(text)
    script = tmp_path / "ask.mjs"
    script.write_text(
        'import * as a from "./net0.mjs"; import * as b from "./net1.mjs";'
        "console.log(a.selftest(), b.selftest());"
    )
    answer = subprocess.run([NODE, script], capture_output=True, text=True, check=True)
    assert answer.stdout == "true false\n"


@needs_node
def test_a_number_that_is_no_text_is_refused(tmp_path):
    columns = (
        Column("colour", "category", ("red", "green"), 1.0),
        Column("grade", "category", ("1", "2"), 0.0),
    )
    model = Model(parse("x_1 + 2*x_2 + 4*x_3 + 8*x_4"), columns)
    expression = """[
        ["red", "2"], ["", null], [0, "3"], [-1, "1"], [2, "1"], [0.5, "1"], ["red", 1],
    ].map((row) => answer(() => net.predict(row)))"""

    assert ask(tmp_path, model, expression) == [
        9,
        6,
        1,
        4,
        'RangeError: the column "colour" has no text of the number 2',
        'RangeError: the column "colour" has no text of the number 0.5',
        'TypeError: the column "grade" has texts such as "1": give the text',
    ]


def test_literals_are_those_of_javascript():
    assert [js_number(value) for value in (0.1, float("nan"), float("inf"), -float("inf"))] == [
        "0.1",
        "NaN",
        "Infinity",
        "-Infinity",
    ]
    assert js_data({"a": ["</script>", "\u2028", 2**53, 5, "*/"]}) == (
        '{"a": ["\\u003c\\u002fscript\\u003e", "\\u2028", "9007199254740992", 5, "\\u002a\\u002f"]}'
    )


@needs_node
def test_a_column_that_is_not_read_is_ignored(tmp_path):
    model = Model(parse("x_2", inputs=3), plain_columns(("a", "b", "c")))
    expression = "[[null, 2, {}], { a: undefined, b: 3, c: 'x' }].map(net.predict)"

    assert ask(tmp_path, model, expression) == [2, 3]
