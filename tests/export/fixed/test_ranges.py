"""Ranges of columns: from the training rows, from a user, in an export."""

import json
import pickle
import re

import numpy as np
import pytest

import dsgec
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from dsgec.export.files import export, make_artefact
from dsgec.export.fixed.build import column_format
from dsgec.network.model import Column, Model, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.ranges import choose_ranges, parse_ranges, read_ranges
from dsgec.run.inspect import inspect_artefact
from dsgec.run.verify import verify
from tests.support.command_line import dsgec as run_dsgec


def test_a_column_has_the_most_digits_that_its_range_allows():
    assert column_format(Column("a"), (-1.0, 1.0), 16).fraction == 14
    assert column_format(Column("a"), (-0.9, 0.9), 16).fraction == 15
    converter = column_format(Column("a"), (0.0, 4095.0), 16)
    assert (converter.fraction, converter.zero) == (4, 32760)  # q = 16 x - 32760
    assert (converter.least, converter.most) == (-32760, 32760)
    large = column_format(Column("a"), (0.0, 1e9), 8)
    assert large.fraction < 0
    assert large.low <= 0.0
    assert large.high >= 1e9
    still = column_format(Column("a"), (7.0, 7.0), 16)
    assert still.low == still.high == 7.0


def test_what_fills_a_column_is_within_its_range():
    assert column_format(Column("a", fill=50.0), (0.0, 1.0), 16).high >= 50.0


def test_training_ranges_are_widened_by_a_sixteenth_and_given_ones_are_not():
    columns = (*plain_columns(("a", "b", "c")), Column("d", "category", ("x", "y")))
    recorded = ((0.0, 16.0), (0.0, 16.0), (0.0, 16.0), None)
    given = parse_ranges(["a=-1:1", "b=2:3"])

    assert choose_ranges(columns, recorded, given) == (
        (-1.0, 1.0),
        (2.0, 3.0),
        (-1.0, 17.0),
        None,
    )
    assert choose_ranges(columns, (), {"*": (0.0, 1.0)})[1] == (0.0, 1.0)


@pytest.mark.parametrize("text", ["a", "a=1", "a=1:x", "=1:2", "a=2:1", "a=1:inf", "a=nan:2"])
def test_a_range_that_is_none_is_refused(text):
    with pytest.raises(DsgecError, match="range cannot be"):
        parse_ranges([text])


def test_a_name_with_an_equals_sign_keeps_it():
    assert parse_ranges(["a=b=1:2"]) == {"a=b": (1.0, 2.0)}


@pytest.mark.parametrize("value", [None, [], [[1, 2], 3], [[1, 2], [2, 1]], [[1, 2], ["a", "b"]]])
def test_ranges_of_a_file_are_checked(value):
    assert read_ranges(value, 2) is None


TWO = Model(parse("sig(x_1 / x_2)", inputs=2), plain_columns(("a", "b")), ("no", "yes"))


def test_what_fixed_point_cannot_compute_is_named():
    for text, ranges, message in (
        ("sig(x_1 / x_2)", {"*": (-1.0, 1.0)}, "divides by a number between -1 and 1"),
        ("log(x_1 * x_2)", {"*": (0.0, 1.0)}, "`log` of a number between .* has no limit"),
        ("exp(x_1 * 1000) + x_2", {"*": (0.0, 1.0)}, "`exp`"),
        ("power(x_1, x_2)", {"*": (-1.0, 1.0)}, "to a power that is not one number"),
        ("sig(x_1 + x_2)", {"x_1": (0.0, 1.0)}, "needs the range of `x_2`"),
        ("sig(x_1 + x_2)", {"b": (0.0, 1.0)}, "names `b`, which is not a column"),
    ):
        with pytest.raises(DsgecError, match=message):
            make_artefact(unnamed_model(parse(text, inputs=2)), "net", "q15", ranges)
    many = Column("m", "category", tuple(map(str, range(200))))
    model = Model(parse("x_1 + x_200", inputs=200), (many,))
    with pytest.raises(DsgecError, match="200 categories"):
        make_artefact(model, "net", "q7")
    make_artefact(model, "net", "q15")
    make_artefact(TWO, "net", "q15", {"a": (-1.0, 1.0), "b": (0.5, 2.0)})


def test_an_export_is_verified_with_the_ranges_that_it_was_made_with(tmp_path):
    ranges = {"a": (-1.0, 1.0), "b": (0.5, 2.0)}
    export(TWO, ("python", "c"), "net", tmp_path, "q7", ranges=ranges)
    (tmp_path / "rows.csv").write_text("a,b\n0.5,1\n-0.25,1.5\n3,0.1\n")
    lines = verify(tmp_path, read_table(str(tmp_path / "rows.csv")))
    assert sum("q7" in line for line in lines) == 2
    assert re.search(r"same bits, at most .* from double precision \(proved: ", "\n".join(lines))
    described = "\n".join(inspect_artefact(tmp_path / "net.c"))
    assert "type q7" in described
    assert re.search(r"by at most: proved 0\.\d+, measured 0\.\d+", described)

    changed = (tmp_path / "net.c").read_text().replace("[0.5, 2.0]", "[0.5, 2.5]")
    (tmp_path / "net.c").write_text(changed)
    with pytest.raises(DsgecError, match="not what dsgec makes"):
        verify(tmp_path / "net.c")
    (tmp_path / "net.c").write_text(changed.replace("[0.5, 2.5]", "[0.5, 0.1]"))
    with pytest.raises(DsgecError, match="does not say which ranges"):
        verify(tmp_path / "net.c")


def test_a_run_remembers_the_ranges_of_its_training_rows(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.uniform([0, -5], [100, 5], (80, 2))
    y = X[:, 0] > 20 * X[:, 1]
    run = dsgec.evolve("one_layer", X, y, generations=2, population=10, test=0, seed=1)
    assert run.network.ranges == tuple(zip(X.min(axis=0), X.max(axis=0), strict=True))
    paths = run.export("python", tmp_path / "q", dtype="q15", name="net")
    text = paths[0].read_text()
    assert "'ranges': [[" in text
    narrow = run.export("python", tmp_path / "n", dtype="q15", name="net", range={"*": (0, 1)})
    assert "'ranges': [[0.0, 1.0]" in narrow[0].read_text()
    copied = pickle.loads(pickle.dumps(run.network))
    assert copied.ranges == run.network.ranges
    run.save(tmp_path / "run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["model"]["id"] == dsgec.load(tmp_path / "run").record["model"]["id"]
    del record["data"]["ranges"]  # a run of an earlier version
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    older = dsgec.load(tmp_path / "run")
    with pytest.raises(DsgecError, match="needs the range of"):
        older.export("python", tmp_path / "o", dtype="q15")


def test_the_command_takes_ranges(tmp_path):
    (tmp_path / "net.txt").write_text("sig(2 * x_1 - x_2)")
    asked = ("compile", "net.txt", "--dtype", "q15", "--to", "c")
    lacking = run_dsgec(*asked, code=1, cwd=tmp_path)
    assert "--range '*=LO:HI'" in lacking.stderr
    run_dsgec(*asked, "--range", "x_1=-1:1", "--range", "*=0:4095", cwd=tmp_path)
    assert "#define NET_ZERO_1 32760" in (tmp_path / "net.h").read_text()
    refused = run_dsgec("compile", "net.txt", "--range", "x_1=0:1", code=1, cwd=tmp_path)
    assert "ranges are for fixed point" in refused.stderr


def test_a_column_of_texts_has_no_range_and_a_star_leaves_it_out():
    columns = (Column("a"), Column("colour", categories=("red", "green")))
    assert choose_ranges(columns, (), {"*": (0.0, 1.0)}) == ((0.0, 1.0), None)
    with pytest.raises(DsgecError, match="names `colour`, a column of texts"):
        choose_ranges(columns, (), {"colour": (0.0, 1.0)})
