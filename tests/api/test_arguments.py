"""The arguments of `dsgec.evolve` and `predict`: frames, files, rows and dictionaries."""

import inspect

import numpy as np
import pandas as pd
import pytest

import dsgec

SMALL = {"generations": 1, "population": 4, "pruning": 0, "tuning": 0, "backend": "numpy"}
X = np.random.default_rng(3).normal(size=(40, 2)).round(3)
SIGN = np.where(X[:, 0] > X[:, 1], "more", "less")
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": ["red", "blue"] * 20, "sign": SIGN})


@pytest.fixture(scope="module")
def run():
    return dsgec.evolve("network", FRAME, target="sign", **SMALL)


def test_a_frame_and_the_name_of_its_target(run):
    for given in (
        dsgec.evolve(FRAME, "sign", **SMALL),
        dsgec.evolve(FRAME, target="sign", **SMALL),
        dsgec.evolve("network", FRAME, "sign", **SMALL),
        dsgec.evolve(X=FRAME, y="sign", **SMALL),
        dsgec.evolve(FRAME, "sign", grammar="network", **SMALL),
        dsgec.evolve(FRAME, target="sign", grammar="network", **SMALL),
        dsgec.evolve({name: [*FRAME[name]] for name in FRAME}, "sign", **SMALL),
        dsgec.evolve(FRAME.to_dict("records"), "sign", **SMALL),
    ):
        assert given.record == run.record


def test_a_file_and_the_name_of_its_target(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("signs.csv", index=False)
    expected = dsgec.evolve("network", "signs.csv", target="sign", **SMALL)

    for given in (
        dsgec.evolve("signs.csv", **SMALL),
        dsgec.evolve(tmp_path / "signs.csv", "sign", **SMALL),
        dsgec.evolve("signs.csv", target="sign", **SMALL),
    ):
        assert given.record == expected.record
    assert dsgec.evolve("wdbc", **SMALL).record["data"]["target"] == "diagnosis"


def test_rows_and_their_targets_choose_the_grammar_of_the_task():
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    for y, grammar in ((SIGN, "network"), (three, "network_softmax"), (X[:, 1], "regression")):
        given = dsgec.evolve(X, y, **SMALL)
        assert given.record["grammar"]["name"] == grammar
        assert given.record == dsgec.evolve(grammar, X, y, **SMALL).record


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((), {}, "X is missing"),
        (("network",), {}, "X is missing"),
        ((None,), {"y": SIGN}, "X is missing"),
        ((X,), {}, "y is missing"),
        ((FRAME, X, SIGN), {}, "the first of three arguments is the grammar"),
        ((FRAME, "network"), {}, "the grammar comes before the table"),
        (("wdbc", "one_layer"), {}, "the grammar comes before the table"),
        ((FRAME, "sign"), {"target": "a"}, "y and target both name a column"),
        ((FRAME, "sine"), {}, "X has no column `sine`\n  Did you mean `sign`"),
        ((5, SIGN), {}, "X is not a table"),
    ],
)
def test_wrong_arguments_are_reported(arguments, keywords, message):
    with pytest.raises(dsgec.DsgecError) as error:
        dsgec.evolve(*arguments, **keywords, **SMALL)
    assert message in str(error.value)


def test_predict_takes_dictionaries_and_frames(run):
    expected = run.predict(FRAME)
    rows = FRAME.drop(columns="sign").to_dict("records")

    assert expected.shape == (40,)
    for given in (
        rows,
        {name: [*FRAME[name]] for name in ("colour", "b", "a")},  # by name, in any order
        {name: FRAME[name].to_numpy() for name in FRAME},
        [{"unknown": 1, **row} for row in rows],
    ):
        assert (run.predict(given) == expected).all()
        assert (run.network.predict_proba(given) == run.predict_proba(FRAME)).all()


def test_a_dictionary_of_values_is_one_row(run):
    row = FRAME.drop(columns="sign").iloc[7]

    for given in (row.to_dict(), {**row, "b": np.float64(row["b"]), "a": np.array(row["a"])}):
        predicted = run.predict(given)
        assert predicted.shape == (1,)
        assert predicted[0] == run.predict(FRAME)[7]


def test_a_dictionary_without_a_column_is_reported(run):
    with pytest.raises(dsgec.DsgecError, match="`b`"):
        run.predict({"a": 1.0, "colour": "red"})


def test_dir_lists_the_public_names():
    unlisted = ["DSGEClassifier", "DSGERegressor", "__version__", "compile"]
    assert dir(dsgec) == sorted([*dsgec.__all__, *unlisted])


def parts():
    """Yield every public function, class and method with its name."""
    for name in dir(dsgec):
        what = getattr(dsgec, name)
        if not callable(what):
            continue
        yield name, what
        if not inspect.isclass(what):
            continue
        for member, inner in vars(what).items():
            inner = inner.__func__ if isinstance(inner, classmethod | staticmethod) else inner
            if inspect.isfunction(inner) and not member.startswith("_"):
                yield f"{name}.{member}", inner


@pytest.mark.parametrize(("name", "what"), list(parts()), ids=[name for name, _ in parts()])
def test_a_docstring_lists_every_parameter(name, what):
    lines = inspect.getdoc(what)
    parameters = [
        one.name
        for one in inspect.signature(what).parameters.values()
        if one.name not in ("self", "cls") and name not in ("HallOfFame", "History")
    ]

    for parameter in parameters:
        assert f":param {parameter}: " in lines, parameter
