"""How runs, networks, halls of fame and messages are printed."""

import re

import numpy as np
import pandas as pd
import pytest

import dsgec
from dsgec.api.settings import options_to_keywords
from dsgec.resources import GRAMMARS, shipped_names

SMALL = {"generations": 4, "population": 20, "pruning": 2, "tuning": 6}


def frame(rows=80, seed=1):
    rng = np.random.default_rng(seed)
    found = pd.DataFrame({"width": rng.uniform(1, 5, rows), "height (m)": rng.uniform(9, 20, rows)})
    found["area"] = found["width"] * found["height (m)"]
    found["kind"] = np.where(found["area"] > 40, "large", "small")
    return found


@pytest.fixture(scope="module")
def run():
    return dsgec.evolve("formula", frame().drop(columns="kind"), "area", **SMALL)


def test_a_hall_of_fame_prints_as_a_table_of_sizes_and_scores(run):
    shown = repr(run.hall_of_fame)
    lines = shown.splitlines()

    assert len(lines) == 2 + len(run.hall_of_fame)
    assert lines[1].split()[:3] == ["connections", "neurons", "features"]
    assert sum(line.startswith("*") for line in lines) == 1
    for line, entry in zip(lines[2:], run.hall_of_fame, strict=True):
        cells = line.removeprefix("*").split()
        assert cells[0] == str(entry.connections)
        assert cells[3] == f"{entry.train['rmse']:.4g}"
    assert len(shown) < 100 * len(lines)
    assert "phenotype" not in shown


def test_a_long_hall_of_fame_is_cut(run):
    entry = run.hall_of_fame[0]
    long = type(run.hall_of_fame)([entry] * 200)

    assert len(repr(long).splitlines()) == 33
    assert "170 more: to_frame() has all" in repr(long)
    assert "170 more" in long._repr_html_()
    assert repr(type(run.hall_of_fame)()) == "<dsgec.HallOfFame: empty>"
    assert "empty" in type(run.hall_of_fame)()._repr_html_()


def test_a_notebook_shows_a_hall_of_fame_as_a_table(run):
    page = run.hall_of_fame._repr_html_()

    assert page.count("<tr>") == 1 + len(run.hall_of_fame)
    assert "<th>connections</th>" in page


def test_reprs_are_short(run):
    grammars = [dsgec.parse_grammar((GRAMMARS / f"{n}.bnf").read_text()) for n in NAMES]
    for one in (*grammars, run.history, run.network, run.hall_of_fame[-1]):
        assert len(repr(one)) < 250
        assert "\n" not in repr(one)
    assert repr(dsgec.parse_grammar("<a> ::= x_1 | <b>\n<b> ::= x_2", name="mine")) == (
        "<dsgec.Grammar mine: <a>, <b>>"
    )


NAMES = sorted(shipped_names(GRAMMARS, ".bnf"))


def test_history_is_a_tuple_of_rows_that_can_be_a_frame(run):
    assert isinstance(run.history, tuple)
    assert len(run.history.to_frame()) == len(run.history)
    assert run.history.to_frame()["best"].iloc[-1] == run.history[-1].best
    assert repr(run.history).startswith("<dsgec.History: generations 0 to 4; best fitness ")


def test_the_formula_is_the_headline_of_its_run(run, tmp_path):
    formula = run.record["result"]["formula"]

    assert formula == run.network.formula
    assert formula.startswith("area = ")
    assert formula in repr(run)
    assert "neuron" not in repr(run)
    page = run.report(tmp_path / "report.html").read_text()
    head = page[: page.index("</header>")]
    assert "A formula, evolved by dsgec" in head
    assert "neural network" not in head
    assert formula.replace('"', "&#34;") in head
    assert ">neurons<" not in head
    assert "The formula is " in head
    assert formula.replace('"', "&#34;") in run._repr_html_()


def test_a_network_is_not_called_a_formula(tmp_path):
    run = dsgec.evolve("one_layer", frame().drop(columns="area"), "kind", **SMALL)

    assert "formula" not in run.record["result"]
    head = run.report(tmp_path / "report.html").read_text()
    assert "A neural network, evolved by dsgec" in head


def test_a_formula_is_the_same_to_a_hundredth_of_a_percent_on_every_row(run):
    sympy = pytest.importorskip("sympy")
    table = frame()
    exact = run.predict(table)
    expression = run.network.sympy()
    symbols = {str(one): one for one in expression.free_symbols}
    shown = sympy.lambdify([*symbols.values()], expression, "numpy")(
        *(table[name].to_numpy() for name in symbols)
    )

    assert set(symbols) <= {"width", "height (m)"}
    assert (np.abs(shown - exact) <= 1e-4 * np.abs(exact)).all()
    whole = run.network.sympy(exact=True)
    assert len(str(whole)) > len(str(expression))
    assert r"\mathit{width}" in run.network.latex()


def test_the_text_of_a_network_compiles_to_the_same_network(run, tmp_path):
    path = tmp_path / "area.net"
    path.write_text(run.network.text, encoding="utf-8")
    back = dsgec.compile(path)

    assert back.model == run.network.model
    assert back.name == "area"
    assert back.agreement is None
    assert back.predict(frame()).tobytes() == run.predict(frame()).tobytes()
    with pytest.raises(dsgec.DsgecError, match="Leave feature_names and class_names out"):
        dsgec.compile(path, class_names=["a", "b"])
    path.write_text("y_1 = os.system(1)")
    with pytest.raises(dsgec.DsgecError, match=r"area\.net:1:7"):
        dsgec.compile(path)


def test_warnings_are_notes_and_name_keywords():
    rng = np.random.default_rng(1)
    noise = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    noise["t"] = rng.choice(["u", "v", "w"], 60, p=[0.6, 0.3, 0.1])
    run = dsgec.evolve(noise, "t", **{**SMALL, "generations": 1})
    warnings = run.record["result"]["warnings"]

    assert warnings
    assert len(run.notes) >= len(warnings)
    assert not any("--" in note for note in run.notes)
    for note in run.notes:
        assert f"  note: {note}" in repr(run).splitlines()
        assert note.split("`")[0].replace('"', "&#34;").replace("<", "&lt;") in run._repr_html_()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try --effort thorough, another", 'try effort="thorough", another'),
        ("; --balance gives rare", "; balance=True gives rare"),
        ("a greater --l2 may do", "a greater l2 may do"),
        ("--max-size 30 of", "max_size=30 of"),
        (
            "Try --pick size 7, or --pick at-most 40.",
            'Try pick("size", 7), or pick("at-most", 40).',
        ),
        ("Write --pick smallest-within 1%.", 'Write pick("smallest-within", "1%").'),
        ("--pick flash takes", 'pick("flash") takes'),
        ("another --chip, or another --dtype.", "another chip, or another dtype."),
        ("with --range COLUMN=LO:HI, or", "with range={column: (low, high)}, or"),
        ("--range '*=LO:HI' for", 'range={"*": (low, high)} for'),
        ("fewer --jobs", "fewer --jobs"),
        ("a -- b", "a -- b"),
    ],
)
def test_options_become_keywords(text, expected):
    assert options_to_keywords(text) == expected


def test_errors_of_methods_name_keywords(run):
    for fails in (
        lambda: run.hall_of_fame.pick("size", 400),
        lambda: run.hall_of_fame.pick("flash", "1B"),
        lambda: run.hall_of_fame.pick("smallest-within", "much"),
        lambda: dsgec.Network(run.network.model).export("c", "x", dtype="q15"),
        lambda: dsgec.Network(run.network.model).cost(dtype="q15"),
    ):
        with pytest.raises(dsgec.DsgecError) as raised:
            fails()
        assert "--" not in str(raised.value)


def test_a_parameter_of_another_library_is_suggested():
    pytest.importorskip("sklearn")
    for make, meant in (
        (lambda: dsgec.DSGEClassifier(seed=1), "random_state"),
        (lambda: dsgec.DSGERegressor(seed=1), "random_state"),
        (lambda: dsgec.DSGEClassifier(balance=True), "class_weight"),
        (lambda: dsgec.DSGEClassifier(n_jobs=2), "threads"),
        (lambda: dsgec.DSGERegressor(generatons=3), "generations"),
        (lambda: dsgec.evolve(frame(), "area", random_state=1), "seed"),
        (lambda: dsgec.evolve(frame(), "area", max_iter=1), "generations"),
    ):
        with pytest.raises(TypeError, match=f"Did you mean '{meant}'"):
            make()
    with pytest.raises(TypeError, match=r"keyword argument 'nonsense'$"):
        dsgec.DSGEClassifier(nonsense=3)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: dsgec.evolve(t, ["width", "area"]),
        lambda t: dsgec.evolve(t, ("width", "area")),
        lambda t: dsgec.evolve("network", t, ["width", "area"]),
        lambda t: dsgec.evolve(t, target=["width", "area"]),
        lambda t: dsgec.evolve(t.to_dict("list"), ["width", "area"]),
        lambda t: dsgec.evolve(t[["width"]], t[["height (m)", "area"]]),
        lambda t: dsgec.evolve(t[["width"]].to_numpy(), t[["height (m)", "area"]].to_numpy()),
    ],
)
def test_several_targets_are_refused(call):
    with pytest.raises(dsgec.DsgecError, match="several targets are not supported"):
        call(frame())


def test_the_error_for_a_list_of_one_target_has_advice():
    with pytest.raises(dsgec.DsgecError, match="Name the column alone: 'area'"):
        dsgec.evolve(frame(), ["area"])


def test_no_repr_is_that_of_a_nested_dataclass(run):
    for one in (run, run.network, run.hall_of_fame, run.history, run.hall_of_fame[0]):
        assert not re.search(r"\b(Apply|Rule|Constant|HistoryRow)\(", repr(one))
