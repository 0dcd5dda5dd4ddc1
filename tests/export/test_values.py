"""A value means the same to a table, to a network in Python and to every exported predictor."""

import json
import math
import warnings

import numpy as np
import pytest

from dsgec.api.network import Network
from dsgec.data.dialect import Dialect
from dsgec.data.native import can_read, read_block
from dsgec.data.read import parse_table
from dsgec.data.table import TableBuilder, is_missing
from dsgec.errors import DsgecError
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from tests.support.artefacts import python_module
from tests.support.importing import Frame, package
from tests.support.javascript import NODE, ask

FILLED = 70.0  # what stands for a missing value
MODEL = Model(parse("x_1 + x_2"), (Column("a", fill=FILLED), Column("b")))
CLASSES = Model(parse("sig(x_1 + x_2)"), MODEL.columns, ("no", "yes"))
THREE = Model(parse("softmax(x_1, x_2, 0.5)"), MODEL.columns, ("no", "yes", "3"))
COLOUR = Column("colour", "category", ("1", "2"), 0.0)
REFUSED, MISSING = "refused", "missing"
TEXTS = {
    **{"12": 12.0, "-1.5": -1.5, "+.5": 0.5, "5.": 5.0, "1e3": 1000.0, "2E-2": 0.02, "007": 7.0},
    **{" 12": 12.0, "12 ": 12.0, "\t12\t": 12.0, "\u00a012": 12.0, "12\u3000": 12.0, "1e-400": 0.0},
    **dict.fromkeys(["", " ", "?", "nan", "NaN", "-nan", "NA", " n/a ", "null", "None"], MISSING),
    **dict.fromkeys(["١٢", "१२", "１２", "1²", "²", "1٫5", "−1", "1_000", "1,000", "1 2"], REFUSED),
    **dict.fromkeys(["0x10", "0b1", "1e", "e5", ".", "--1", "1.2.3", "12abc", "1d5"], REFUSED),
    **dict.fromkeys(["inf", "-inf", "infinity", "Infinity", "1e400", "-1e400", "true"], REFUSED),
}


def meant(call):
    """Return how a call reads a text: as a number, as missing, or not at all."""
    try:
        (value,) = call()
    except (ValueError, DsgecError) as error:
        assert not isinstance(error, OverflowError)
        return REFUSED
    return MISSING if value == FILLED else value


@pytest.fixture(scope="module")
def predictors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("values")
    modules = {name: python_module(MODEL, name) for name in ("python", "numpy")}
    return modules | {"cffi": package(MODEL, folder), "network": Network(MODEL)}


@pytest.fixture(scope="module")
def of_two_classes(tmp_path_factory):
    return package(CLASSES, tmp_path_factory.mktemp("classes"))


@pytest.mark.needs_cc
def test_a_text_is_one_number_to_every_predictor(predictors):
    for name, module in predictors.items():
        for text, expected in TEXTS.items():
            given = [[[text, 0.0]], np.array([[text, 0.0]], object), Frame(a=[text], b=[0.0])]
            for rows in given:
                found = meant(lambda module=module, rows=rows: module.predict(rows))
                assert found == expected, (name, text, type(rows))


@pytest.mark.skipif(not NODE, reason="node is not installed")
def test_a_text_is_the_same_number_in_javascript(tmp_path):
    rows = json.dumps([[text, 0] for text in TEXTS])
    found = ask(tmp_path, MODEL, f"{rows}.map((row) => answer(() => net.predict(row)))")
    found = [REFUSED if isinstance(each, str) else each for each in found]
    assert dict(zip(TEXTS, found, strict=True)) == {
        text: FILLED if expected == MISSING else expected for text, expected in TEXTS.items()
    }


def cell(table):
    """Return the value of the last cell of a table."""
    if not math.isnan(table.numbers[-1, 0]):
        return float(table.numbers[-1, 0])
    texts = table.texts.get(0)
    code = -1 if texts is None else texts.codes[-1]
    return MISSING if code < 0 or is_missing(texts.texts[code]) else REFUSED


def test_a_text_is_the_same_number_in_a_table():
    for text, expected in TEXTS.items():
        data = f'a,b\n1,2\n"{text}",0\n'.encode()
        assert cell(parse_table(data, "t.csv", "t")) == expected, text


@pytest.mark.needs_cc
def test_a_text_is_the_same_number_to_the_native_reader():
    dialect = Dialect(";", '"', ".")
    assert can_read(dialect)
    for text, expected in TEXTS.items():
        rows = TableBuilder(2)
        block = f"1;2\n{text};0\n".encode()
        if read_block(block, dialect, rows, 1).used == len(block):
            numbers, texts, _ = rows.finish()
            found = type("Table", (), {"numbers": numbers, "texts": texts})
            assert cell(found) == expected, text


@pytest.mark.needs_cc
def test_a_masked_cell_is_a_missing_value(predictors):
    masked = np.ma.array([[1.0, 2.0], [9.0, 3.0]], mask=[[False, False], [True, False]])
    whole = np.ma.array([[1, 2], [9, 3]], mask=[[False, False], [True, False]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's own, of a masked element that becomes a float
        for name, module in predictors.items():
            for rows in (masked, whole, list(masked), [list(row) for row in masked]):
                assert list(module.predict(rows)) == [3.0, FILLED + 3.0], (name, type(rows))
            if name != "network":  # which takes tables only
                for row in (masked[1], list(masked[1]), whole[1]):
                    assert list(module.predict(row)) == [FILLED + 3.0], name
            required = np.ma.array([[1.0, 2.0]], mask=[[False, True]])
            for rows in (required, [list(required[0])], list(required)):
                with pytest.raises((ValueError, DsgecError), match="missing"):
                    module.predict(rows)


@pytest.mark.needs_cc
@pytest.mark.parametrize("model", [CLASSES, THREE], ids=["two", "three"])
def test_no_rows_have_empty_predictions_of_the_right_shape(model, of_two_classes, tmp_path):
    modules = {name: python_module(model, name) for name in ("python", "numpy")}
    built = of_two_classes if model is CLASSES else package(model, tmp_path)
    modules |= {"cffi": built, "network": Network(model)}
    frame = Frame(a=[], b=[])
    tables = ([], (), np.empty(0), np.empty((0, 2)), np.empty((0, 2), object), frame)
    for name, module in modules.items():
        for rows in tables:
            labels, chances = module.predict(rows), module.predict_proba(rows)
            if name == "python" or (name == "cffi" and isinstance(rows, (list, tuple))):
                assert (labels, chances) == ([], [])  # as lists are given for lists
            else:
                assert labels.shape == (0,)
                assert chances.shape == (0, len(model.classes))
        with pytest.raises((ValueError, DsgecError), match=r"columns|features"):
            module.predict(np.empty((0, 3)))


@pytest.mark.needs_cc
@pytest.mark.parametrize("huge", [10**400, -(10**400), 10**5000], ids=["large", "small", "long"])
def test_an_integer_beyond_every_double_is_refused(predictors, huge, of_two_classes):
    # Of two classes, a package has a way of its own for a row.
    for module in (*predictors.values(), of_two_classes):
        for rows in ([[1.0, huge]], [[1.0, 2.0], [huge, 1.0]], np.array([[1.0, huge]], object)):
            with pytest.raises((ValueError, DsgecError), match=r"too large|not a finite number"):
                module.predict(rows)
        if not isinstance(module, Network):
            for row in ([1.0, huge], (huge, 1.0)):
                with pytest.raises(ValueError, match=r"column '[ab]': the number is too large"):
                    module.predict(row)


@pytest.mark.needs_cc
def test_a_missing_value_stays_missing_if_texts_look_like_numbers(tmp_path):
    model = Model(parse("x_1 + 10 * x_2"), (COLOUR,))
    for module in (python_module(model, "python"), python_module(model, "numpy")):
        for given in ([[math.nan]], [[None]], [["NA"]], np.array([[math.nan]])):
            assert list(module.predict(given)) == [1.0]
        assert list(module.predict([[" 2 "]])) == [10.0]
