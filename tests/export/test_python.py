"""Exported Python modules take rows of any shape, and name what is wrong with one."""

import subprocess
import sys

import numpy as np
import pytest

from dsgec.export.artefact import Artefact
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import Column, Model, unnamed_model
from dsgec.network.parse import parse
from tests.support.artefacts import python_module
from tests.support.importing import Frame
from tests.support.models import MIXED, SUM

NAN = float("nan")
BOTH = pytest.mark.parametrize("target", ["python", "numpy"])


@BOTH
def test_rows_of_any_shape_are_taken(target):
    module = python_module(SUM, target)

    assert list(module.predict([1, 2])) == [3.0]
    assert list(module.predict((1, "2"))) == [3.0]
    assert list(module.predict([[1, 2], (3, 4)])) == [3.0, 7.0]
    assert list(module.predict(np.array([[1, 2], [3, 4]]))) == [3.0, 7.0]
    assert list(module.predict(np.array([1.5, 2]))) == [3.5]
    assert list(module.predict(Frame(x_2=[5.0], other=["?"], x_1=[1.0]))) == [6.0]
    assert list(module.predict({"x_2": 5, "x_1": 1})) == [6.0]
    assert list(module.predict([{"x_2": 5, "x_1": 1}, {"x_2": 5, "x_1": 2}])) == [6.0, 7.0]
    assert len(module.predict([])) == 0


@BOTH
def test_wrong_rows_are_reported_by_column(target):
    module = python_module(SUM, target)

    for wrong in ([1, 2, 3], [[1, 2], [3]], np.zeros((4, 3)), np.zeros(3)):
        with pytest.raises(ValueError, match="rows of 2 features, 'x_1', 'x_2'"):
            module.predict(wrong)
    with pytest.raises(ValueError, match="missing columns: 'x_2'"):
        module.predict(Frame(x_1=[1.0]))
    with pytest.raises(ValueError, match="missing columns: 'x_1'"):
        module.predict({"x_2": 1.0})
    with pytest.raises(ValueError, match="column 'x_2': 'wide' is no number"):
        module.predict([1, "wide"])


@BOTH
@pytest.mark.parametrize("missing", [NAN, None, "", " ", "?", "nan", "N/A"], ids=repr)
def test_a_missing_value_raises_by_default(target, missing):
    module = python_module(SUM, target)

    with pytest.raises(ValueError, match=r"row 1: column 'x_2' is missing or NaN"):
        module.predict([[1, 2], [1.0, missing]])
    assert np.isnan(module.predict([1.0, missing], nan="propagate")[0])
    with pytest.raises(ValueError, match="'raise' or 'propagate'"):
        module.predict([1, 2], nan="ignore")


@BOTH
def test_an_array_with_a_missing_value_raises(target):
    with pytest.raises(ValueError, match="column 'x_1' is missing or NaN"):
        python_module(SUM, target).predict(np.array([[NAN, 1.0]]))


@BOTH
def test_texts_are_taken_and_missing_values_filled(target):
    module = python_module(MIXED, target)

    assert list(module.predict([1, "yes", "red", "2"])) == [2111.0]
    assert list(module.predict([None, "no", None, None])) == [1202.5]
    assert list(module.predict([1, True, 0, "1"])) == [1111.0]
    assert list(module.predict([1, "no", "pink", "3"])) == [1.0]
    frame = Frame(grade=["1"], colour=["green"], size=["4.5"], wet=["yes"])
    assert list(module.predict(frame)) == [1214.5]


@BOTH
def test_a_number_that_is_no_text_is_refused(target):
    module = python_module(MIXED, target)

    with pytest.raises(ValueError, match=r"column 'colour': no text has the number 2\.0"):
        module.predict([1, "no", 2, "1"])
    with pytest.raises(ValueError, match=r"column 'grade' has texts such as '1': give the text"):
        module.predict([1, "no", "red", 1])
    with pytest.raises(ValueError, match=r"column 'grade' has texts such as '1': give the text"):
        module.predict(np.array([[1.0, 0.0, 1.0, 1.0]]))


class Series(dict):
    """The part of a row of a data frame that modules use: keys, and values in their order."""

    def tolist(self):
        return list(self.values())


class NAType:
    """A stand-in for pandas.NA, which has no truth value and is no number."""

    def __bool__(self):
        raise TypeError

    def __float__(self):
        raise TypeError


@BOTH
def test_a_row_of_a_data_frame_is_matched_by_its_names(target):
    module = python_module(MIXED, target)
    row = Series(grade="1", colour=NAType(), size=4.5, other=1, wet="yes")

    assert list(module.predict(row)) == [1214.5]
    assert list(module.predict([row, row])) == [1214.5, 1214.5]
    with pytest.raises(ValueError, match="missing columns: 'wet', 'colour', 'grade'"):
        module.predict(Series(size=1.0))


@BOTH
def test_a_number_may_be_a_text_if_it_is_a_decimal(target):
    module = python_module(SUM, target)

    assert list(module.predict([" +1.5e1", "-.5\n"])) == [14.5]
    for wrong in ("0x10", "1_0", "inf", "١", "1 2", "e5"):
        with pytest.raises(ValueError, match="is no number"):
            module.predict([1.0, wrong])


@BOTH
def test_a_column_that_is_not_read_is_ignored(target):
    module = python_module(Model(parse("x_2", inputs=3), (*SUM.columns, Column("c"))), target)

    assert list(module.predict([None, 2, "?"])) == [2.0]
    assert list(module.predict(np.array([[NAN, 3.0, NAN]]))) == [3.0]
    assert list(module.predict(Frame(x_1=["?"], x_2=[4.0], c=[None]))) == [4.0]


@BOTH
@pytest.mark.parametrize("text", ["sig(x_1)", "softmax(x_1, 0.5)"])
def test_there_is_no_label_if_the_output_is_not_a_number(target, text):
    module = python_module(Model(parse(text), (Column("a"),), ("no", "yes")), target)

    found = list(module.predict([[NAN], [-9.0]], nan="propagate"))
    assert found == [None, "no" if text[1] == "i" else "yes"]
    assert np.isnan(module.predict_proba([[NAN]], nan="propagate")).all()


@BOTH
def test_a_network_without_inputs_has_rows_all_the_same(target):
    module = python_module(unnamed_model(parse("2.5")), target)

    assert list(module.predict([])) == []
    assert list(module.predict([[]])) == [2.5]
    assert list(module.predict(np.empty((3, 0)))) == [2.5] * 3
    assert list(module.predict(np.empty(0))) == []


@BOTH
def test_the_interface_is_scikit_learns(target):
    model = Model(parse("softmax(x_1, x_2, 0.5)"), SUM.columns, ("a", "b", 3), "what")
    module = python_module(model, target)

    assert module.classes_ == ("a", "b", 3)
    assert module.feature_names_in_ == ("x_1", "x_2")
    assert module.n_features_in_ == 2
    assert list(module.predict([[9, 0], [0, 9], [0, 0]])) == ["a", "b", 3] or target == "numpy"
    assert np.allclose(np.sum(module.predict_proba([[9, 0], [0, 9]]), axis=1), 1)
    assert module.metadata["target"] == "what"
    assert set(module.__all__) == {
        *("classes_", "feature_names_in_", "metadata", "n_features_in_"),
        *("predict", "predict_proba", "selftest"),
    }


def test_the_pure_module_imports_nothing_but_the_standard_library(tmp_path):
    text = "tanh(x_1) + power(x_1, x_2) + sin(x_1) + sqrt(x_2)"
    (file,) = TARGETS["python"].emit(Artefact(unnamed_model(parse(text)), "net"))
    (tmp_path / "net.py").write_text(file.text)
    check = (
        "import sys; before = set(sys.modules); import net; assert net.selftest();"
        "print(set(sys.modules) - before - {'net'})"
    )
    answer = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r});{check}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert eval(answer.stdout) <= {"math", "struct", "_struct"}
