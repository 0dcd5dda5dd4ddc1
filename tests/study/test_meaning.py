"""The figures of a study are the paper's, computed anew with numpy and scikit-learn."""

import csv
import json
import re

import numpy as np
import pytest
from sklearn import metrics

from dsgec.data.dataset import split
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from tests.support.command_line import dsgec


@pytest.fixture(scope="module")
def folder(threads_for_processes_of_the_module, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "s.toml").write_text(
        "runs = 2\ngenerations = 40\n[settings]\npopulation = 30\n"
        '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["one_layer"]\ndata = ["sonar"]\n'
    )
    dsgec("study", folder / "s.toml", "--out", folder, "--quiet")
    return folder


def sig(z):
    return 1.0 / (1.0 + np.exp(-z))


def test_every_figure_is_what_it_is_called(folder):
    dataset = make_dataset(read_table("sonar"))
    rows = split(dataset, 0.3, 1)
    found = list(csv.DictReader((folder / "results.csv").read_text().splitlines()))
    runs = {
        json.loads(path.read_text())["settings"]["seed"]: json.loads(path.read_text())["result"]
        for path in (folder / "runs").iterdir()
    }
    assert [row["seed"] for row in found] == ["1", "2"]
    for row in found:
        phenotype = runs[int(row["seed"])]["phenotype"]
        names = {f"x_{i + 1}": dataset.x[:, i] for i in range(60)}
        output = sig(eval(phenotype, {"sig": sig, **names}) * np.ones(len(dataset.y)))
        product = 1.0
        for label in (0, 1):
            own = rows.train[dataset.y[rows.train] == label]
            product *= np.exp(metrics.root_mean_squared_error(dataset.y[own], output[own]))
        assert float(row["fitness"]) == pytest.approx(product)
        for part in ("train", "test"):
            chosen = getattr(rows, part)
            y, p = dataset.y[chosen], output[chosen]
            expected = {
                "rmse": metrics.root_mean_squared_error(y, p),
                "accuracy": metrics.accuracy_score(y, p >= 0.5),
                "auroc": metrics.roc_auc_score(y, p),
                "f1": metrics.f1_score(y, p >= 0.5, pos_label=1),
            }
            for name, value in expected.items():
                assert float(row[f"{part}_{name}"]) == pytest.approx(value), name
        assert int(row["neurons"]) <= phenotype.count("sig(") <= 7
        assert int(row["features"]) <= len(set(re.findall(r"x_\d+", phenotype)))
