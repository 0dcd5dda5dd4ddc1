"""What people read of a run with a numeric target."""

import csv
import math
import shutil

import numpy as np
import pytest

from tests.support.command_line import dsgec

pytestmark = pytest.mark.needs_cc


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0, 10, 200), rng.uniform(-3, 3, 200)
    price = a * b + 2 * a + rng.normal(0, 0.3, 200)
    path = tmp_path_factory.mktemp("numeric") / "flats.csv"
    rows = [map(repr, map(float, row)) for row in zip(a, b, price, strict=True)]
    path.write_text("\n".join(["a,b,price", *map(",".join, rows)]))
    return path


@pytest.fixture(scope="module")
def run(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    dsgec("evolve", table, "--generations", "40", "--out", out)
    return next(out.iterdir())


def test_the_smallest_within_a_share_is_no_worse_than_that_in_root_mean_squared_error(
    run, tmp_path
):
    with (run / "hall_of_fame.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["cv_score"]]
    errors = {int(row["connections"]): math.sqrt(1 - float(row["cv_score"])) for row in rows}
    for share in (0, 10, 100, 500):
        most = min(errors.values()) * (1 + share / 100) * (1 + 1e-12)
        expected = min(size for size, error in errors.items() if error <= most)
        out = tmp_path / str(share)
        dsgec("export", run, "--to", "python", "--pick", "smallest-within", f"{share}%", "-o", out)
        assert any(path.stem.startswith(f"flats_{expected}") for path in out.iterdir())


def test_predictions_are_named_by_the_target(run, table):
    lines = dsgec("predict", run, table).stdout.splitlines()
    assert lines[0] == "price"
    truth = [float(line.rsplit(",", 1)[1]) for line in table.read_text().splitlines()[1:]]
    assert np.corrcoef(truth, [*map(float, lines[1:])])[0, 1] > 0.9


def test_inspect_lists_no_grammar_whose_only_output_is_a_softmax(table):
    answer = dsgec("inspect", table).stdout
    assert "regression" in answer
    assert "_softmax" not in answer


def test_a_run_without_its_record_is_not_verified(run, tmp_path):
    copy = shutil.copytree(run, tmp_path / "copy")
    assert dsgec("verify", copy).returncode == 0
    (copy / "run.json").unlink()
    answer = dsgec("verify", copy, code=1)
    assert "not the folder of a finished run" in answer.stderr
