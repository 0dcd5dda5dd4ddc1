"""The types of a data frame are respected, and labels are returned in their own type."""

import numpy as np
import pytest

import dsgec
from dsgec.data.arrays import make_table
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from tests.support.command_line import QUICK_OPTIONS
from tests.support.command_line import dsgec as command

pandas = pytest.importorskip("pandas")
RANDOM = np.random.RandomState(1)
ROWS = 120
CODES = RANDOM.randint(1, 5, ROWS)  # of which 1 and 3 are one class, 2 and 4 the other
NOISE = RANDOM.randn(ROWS)
ODD = CODES % 2 == 1
SMALL = {"generations": 3, "population": 12, "pruning": 2, "tuning": 6}


def columns_of(frame, target="y", **plan):
    return make_dataset(make_table(frame), target, Preprocessing(**plan)).columns


def polars_frame(dtype):
    polars = pytest.importorskip("polars")
    texts = polars.Series("code", [str(code) for code in CODES])
    kinds = {
        "Categorical": lambda: texts.cast(polars.Categorical),
        "Enum": lambda: texts.cast(polars.Enum(["1", "2", "3", "4"])),
        "String": lambda: texts,
    }
    return polars.DataFrame({"code": kinds[dtype](), "y": ODD})


def arrow_frame():
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({"code": pyarrow.array(CODES).dictionary_encode(), "y": ODD})


FRAMES = {
    "integer categories": lambda: pandas.DataFrame({"code": pandas.Categorical(CODES), "y": ODD}),
    "ordered categories": lambda: pandas.DataFrame(
        {"code": pandas.Categorical(CODES, [4, 3, 2, 1], ordered=True), "y": ODD}
    ),
    "digits as objects": lambda: pandas.DataFrame(
        {"code": CODES.astype(str).astype(object), "y": ODD}
    ),
    "digits as strings": lambda: pandas.DataFrame({"code": CODES.astype(str), "y": ODD}).astype(
        {"code": "string"}
    ),
    "a dictionary of strings": lambda: {"code": CODES.astype(str).tolist(), "y": ODD.tolist()},
    "polars' Categorical": lambda: polars_frame("Categorical"),
    "polars' Enum": lambda: polars_frame("Enum"),
    "polars' String": lambda: polars_frame("String"),
    "pyarrow's dictionary": arrow_frame,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_categories_of_digits_are_categories(kind):
    (column,) = columns_of(FRAMES[kind]())
    assert (column.kind, column.categories) == ("category", ("1", "2", "3", "4"))


@pytest.mark.parametrize("dtype", ["int64", "Int64", "UInt8", "float64", "Float32"])
def test_numbers_of_any_type_stay_numbers(dtype):
    frame = pandas.DataFrame({"code": CODES, "y": ODD}).astype({"code": dtype})
    (column,) = columns_of(frame)
    assert column.kind == "number"


def test_nullable_types_may_lack_values():
    frame = pandas.DataFrame(
        {
            "whole": pandas.array([1, None, 3, 4] * 5, dtype="Int64"),
            "flag": pandas.array([True, None, False, True] * 5, dtype="boolean"),
            "kind": pandas.Categorical([1, None, 2, 2] * 5),
            "y": [0, 1, 0, 1] * 5,
        }
    )
    found = make_dataset(make_table(frame), "y", Preprocessing(missing="fill"))
    assert [column.kind for column in found.columns] == ["number", "boolean", "category"]
    assert np.isnan(found.raw).sum() == 15


def test_many_different_numbers_that_are_texts_are_read_as_numbers_with_a_note():
    frame = pandas.DataFrame({"a": [f"{value:.6f}" for value in NOISE], "y": ODD})
    found = make_dataset(make_table(frame), "y", Preprocessing())
    assert found.columns[0].kind == "number"
    assert any("`a` holds numbers that are written as texts" in note for note in found.notes)


def test_a_category_of_whole_numbers_is_learnt_as_a_category():
    small = {"generations": 8, "population": 20, "pruning": 3, "tuning": 60}
    codes = RANDOM.randint(0, 12, 200)
    chosen = np.isin(codes, [1, 4, 5, 9, 10])
    frame = pandas.DataFrame({"code": pandas.Categorical(codes), "y": chosen})
    run = dsgec.evolve(frame, "y", **small)
    assert run.metrics["test"]["accuracy"] == 1.0
    assert (run.predict(frame) == frame["y"]).all()
    plain = pandas.DataFrame({"code": codes, "y": chosen})
    assert (run.predict(plain) == chosen).all()  # a row to predict may have the numbers
    estimator = dsgec.DSGEClassifier(**small, random_state=1)
    assert estimator.fit(frame[["code"]], chosen).score(frame[["code"]], chosen) == 1.0
    named = dsgec.DSGEClassifier(**small, random_state=1, categorical=["code"]).fit(
        plain[["code"]], chosen
    )
    assert named.score(plain[["code"]], chosen) == 1.0


def test_columns_can_be_called_categorical():
    frame = pandas.DataFrame({"code": CODES, "noise": NOISE, "y": ODD})
    first, second = columns_of(frame, categorical=("code",))
    assert (first.kind, second.kind) == ("category", "number")
    with pytest.raises(DsgecError, match="no column `cod`"):
        columns_of(frame, categorical=("cod",))
    wide = pandas.DataFrame({"code": np.arange(2000), "noise": np.arange(2000), "y": [0, 1] * 1000})
    with pytest.raises(DsgecError, match="more than 1,000 categories"):
        columns_of(wide, categorical=("code",))


def test_the_command_line_takes_several_categorical_columns(tmp_path):
    lines = ["a,b,c,y", *(f"{i % 3},{i % 4},{i * i % 11},{'pq'[i % 2]}" for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    words = [
        "--categorical",
        "a",
        "--categorical",
        "b",
        *QUICK_OPTIONS,
        "--out",
        "o",
        "--name",
        "r",
    ]
    command("evolve", "t.csv", *words, cwd=tmp_path)
    run = dsgec.load(tmp_path / "o/r")
    assert run.record["data"]["categorical"] == ["a", "b"]
    assert [column.kind for column in run.network.model.columns] == ["category"] * 2 + ["number"]
    assert 'categorical = ["a", "b"]' in (tmp_path / "o/r/config.toml").read_text()
    assert len(run.predict([[1, 2, 3.5], [0, 0, 1]])) == 2


LABELS = {
    "booleans": ODD,
    "a list of booleans": ODD.tolist(),
    "integers": np.where(ODD, 7, -3),
    "strings": np.where(ODD, "yes", "no"),
    "digits": np.where(ODD, "1", "01"),
    "words for booleans": np.where(ODD, "True", "False").astype(object),
    "integer categories": pandas.Categorical(np.where(ODD, 3, 4)),
    "text categories": pandas.Categorical(np.where(ODD, "b", "a")),
    "nullable booleans": pandas.array(ODD.tolist(), dtype="boolean"),
    "nullable integers": pandas.array(np.where(ODD, 1, 2).tolist(), dtype="Int64"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_in_the_type_in_which_they_came(kind, tmp_path):
    y = LABELS[kind]
    x = np.column_stack([ODD + 0.01 * NOISE, NOISE])
    run = dsgec.evolve(x, y, **SMALL)
    wanted = np.asarray(y).tolist()
    found = run.predict(x)
    assert {type(one) for one in found.tolist()} == {type(one) for one in wanted}
    assert {*found.tolist()} <= {*wanted}
    assert (found == np.asarray(y)).mean() > 0.9
    again = dsgec.load(run.save(tmp_path / "run"))
    assert again.predict(x).tolist() == found.tolist()
    estimator = dsgec.DSGEClassifier(**SMALL, random_state=1).fit(x, y)
    theirs = estimator.predict(x)
    assert {type(one) for one in theirs.tolist()} == {type(one) for one in wanted}
    assert (theirs == np.asarray(y)).mean() > 0.9


def test_booleans_of_a_file_come_back_as_pandas_reads_them(tmp_path):
    frame = pandas.DataFrame({"a": ODD + 0.01 * NOISE, "b": NOISE, "y": ODD})
    frame.to_csv(tmp_path / "t.csv", index=False)
    run = dsgec.evolve(tmp_path / "t.csv", target="y", **SMALL)
    assert (
        run.predict(tmp_path / "t.csv") == pandas.read_csv(tmp_path / "t.csv")["y"]
    ).mean() > 0.9
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "t.parquet")
    run = dsgec.evolve(tmp_path / "t.parquet", target="y", test=frame, **SMALL)
    assert run.predict(frame).dtype == bool


def test_exports_give_booleans_and_are_verified(tmp_path):
    x = np.column_stack([ODD + 0.01 * NOISE, NOISE])
    run = dsgec.evolve(x, ODD, **SMALL)
    run.export(["c", "js", "numpy", "rust"], tmp_path / "e", name="net")
    command("verify", tmp_path / "e")
    module = {}
    exec((tmp_path / "e/net.py").read_text(), module)
    assert module["predict"](x).tolist() == run.predict(x).tolist()


def test_booleans_are_found_however_they_are_written():
    lines = "f,g,y\n" + "".join(
        f"{'true' if o else 'false'},{n},{int(o)}\n" for o, n in zip(ODD, NOISE, strict=True)
    )
    from dsgec.data.read import parse_table

    found = make_dataset(parse_table(lines.encode(), "t", "t"), "y")
    from dsgec.data.preprocessing import extract_raw_rows

    as_read = extract_raw_rows(parse_table(lines.encode(), "t", "t"), found.columns)
    for flags in (ODD, ODD.astype(int), ODD.astype(str)):
        rows = extract_raw_rows(make_table({"f": flags, "g": NOISE}), found.columns)
        assert rows[:, 0].tolist() == as_read[:, 0].tolist()


def test_parquet_keeps_the_categories_of_pandas(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"code": pandas.Categorical(CODES), "y": ODD})
    frame.to_parquet(tmp_path / "t.parquet")
    found = make_dataset(read_table(str(tmp_path / "t.parquet")), "y")
    assert found.columns[0].categories == ("1", "2", "3", "4")
    assert found.classes == (False, True)


def test_different_texts_of_digits_are_different_categories():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"code": rng.choice(["001", "01", "1"], 200), "z": rng.normal(size=200)}
    )
    frame["t"] = frame.code == "001"
    run = dsgec.evolve(frame, "t", effort="quick")

    assert run.network.model.columns[0].categories == ("001", "01", "1")
    assert (run.predict(frame) == frame.t).all()


def test_a_compiled_classifier_gives_boolean_labels_back():
    from sklearn.linear_model import LogisticRegression

    x = np.random.default_rng(1).normal(size=(60, 2))
    model = LogisticRegression().fit(x, x[:, 0] > 0)
    labels = dsgec.compile(model).predict(x)

    assert labels.dtype == bool
    assert (labels == model.predict(x)).all()
