"""A run is compared with baselines, and the difference is tested."""

import numpy as np
import pytest

import dsgec
from dsgec.run.baselines import _bootstrap, _mcnemar
from dsgec.run.record import BaselineComparison
from tests.support.records import result_record


def _comparison(p=0.5, verdict="better than ridge regression"):
    return BaselineComparison("ridge regression", "accuracy", 0.1, p, "McNemar", verdict)


@pytest.fixture(scope="module")
def run():
    x = np.random.default_rng(3).normal(size=(240, 3))
    y = np.where(x[:, 0] * x[:, 1] > 0, "in", "out")  # which no linear model can tell
    return dsgec.evolve("network", x, y, generations=60, pruning=2, tuning=20), x, y


def test_the_majority_class_and_a_linear_model_stand_beside_the_network(run):
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    found, x, y = run
    plain, linear = found.record["result"]["baselines"]
    assert (plain["name"], linear["name"]) == ("majority class", "logistic regression")
    train = _rows("train")
    oracle = DummyClassifier().fit(x[train], y[train])
    assert plain["train"]["accuracy"] == oracle.score(x[train], y[train])
    oracle = make_pipeline(StandardScaler(), LogisticRegression()).fit(x[train], y[train])
    assert linear["train"]["accuracy"] == oracle.score(x[train], y[train])


def _rows(part):
    from dsgec.data.arrays import make_table
    from dsgec.data.dataset import split
    from dsgec.data.prepare import make_dataset

    x = np.random.default_rng(3).normal(size=(240, 3))
    y = np.where(x[:, 0] * x[:, 1] > 0, "in", "out")
    table = make_table(x, y)
    return getattr(split(make_dataset(table, table.columns[-1]), 0.3, 1), part)


def test_a_difference_that_is_not_chance_is_called_so(run):
    comparison = run[0].record["result"]["comparison"]

    assert comparison["with"] == "logistic regression"
    assert comparison["difference"] > 0.2
    assert comparison["p"] < 0.05
    assert comparison["verdict"] == "better than logistic regression"


@pytest.mark.parametrize(("ours", "theirs"), [(10, 2), (0, 0), (7, 7), (1, 9), (30, 12)])
def test_mcnemar_is_the_exact_binomial_test(ours, theirs):
    from scipy.stats import binomtest

    a = np.array([True] * ours + [False] * theirs + [True, False] * 5)
    b = np.array([False] * ours + [True] * theirs + [True, False] * 5)
    oracle = binomtest(ours, ours + theirs).pvalue if ours + theirs else 1.0

    assert _mcnemar(a, b) == pytest.approx(oracle)


def test_the_bootstrap_agrees_with_the_t_test():
    from scipy.stats import ttest_1samp

    random = np.random.default_rng(4)
    for shift in (0.0, 0.2, 0.3):
        differences = random.normal(shift, 1.0, size=80)
        assert _bootstrap(differences) == pytest.approx(
            ttest_1samp(differences, 0.0).pvalue, abs=0.06
        )
    assert _bootstrap(np.zeros(10)) == 1.0
    assert _bootstrap(np.array([1.0, np.inf])) == 1.0


def test_a_network_that_learns_nothing_is_called_so_and_told_what_to_try():
    random = np.random.default_rng(5)
    x, y = random.normal(size=(80, 2)), random.normal(size=80)
    record = dsgec.evolve("regression", x, y, generations=30, pruning=2, tuning=20).record
    result = record["result"]

    assert result["baselines"][0]["name"] == "mean"
    assert result["baselines"][0]["train"]["r2"] == pytest.approx(0.0, abs=1e-12)
    assert result["comparison"]["test"] == "paired bootstrap"
    assert result["test"]["rmse"] >= result["baselines"][0]["test"]["rmse"]
    assert result["comparison"]["verdict"].startswith("no better than the mean")
    assert any("--effort thorough" in one for one in result["warnings"])
    # The test is of the difference from ridge regression, not of what is said here.
    assert _comparison(verdict=result["comparison"]["verdict"]).significance == ""


@pytest.fixture(scope="module")
def rare():
    random = np.random.default_rng(7)
    y = np.arange(600) % 50 == 0
    x = random.normal(size=(600, 2)) + 2.0 * y[:, None]
    return dsgec.evolve(x, y, balance=True, generations=40, pruning=2, tuning=20).record["result"]


def test_balanced_classes_are_compared_by_balanced_accuracy(rare):
    linear, comparison = rare["baselines"][1], rare["comparison"]
    difference = rare["test"]["balanced_accuracy"] - linear["test"]["balanced_accuracy"]

    assert (comparison["metric"], comparison["test"]) == ("balanced_accuracy", "paired bootstrap")
    assert comparison["difference"] == difference


def test_a_network_that_finds_a_rare_class_has_learnt_something(rare):
    plain = rare["baselines"][0]["test"]

    assert rare["test"]["accuracy"] < plain["accuracy"]
    assert rare["test"]["balanced_accuracy"] > 0.8
    assert not rare["comparison"]["verdict"].startswith("no better")
    assert not any("majority class" in one for one in rare["warnings"])


@pytest.mark.parametrize(("p", "words"), [(0.143, "p = 0.14"), (0.0, "p < 0.001")])
def test_a_p_is_never_shown_as_0(p, words):
    assert _comparison(p=p).significance == f"McNemar, {words}"


def test_without_test_rows_there_is_no_comparison():
    x = np.random.default_rng(6).normal(size=(40, 2))
    result = dsgec.evolve("network", x, x[:, 0] > 0, test=0, generations=2).record["result"]

    assert result["comparison"] is None
    assert not any("no test rows" in one for one in result["warnings"])
    assert result["baselines"][1]["train"]["accuracy"] > 0.9


def test_a_table_too_small_for_test_rows_is_warned_of():
    result = dsgec.evolve("network", [[1.0], [2.0]], ["a", "b"], generations=2).record["result"]

    assert any("no test rows" in one for one in result["warnings"])


def test_what_is_wrong_with_a_result_is_warned_of():
    from dsgec.run.warnings import warnings
    from dsgec.search.evolver import HistoryRow

    class Problem:
        class dataset:
            classes, notes = ("a", "b", "c"), ()

        class split:
            train, test = range(400), range(400)

    def result(**more):
        counts = ((100, 50, 0), (20, 130, 0), (50, 50, 0))
        figures = {"train": {"accuracy": 0.9}, "test": {"accuracy": 0.88}} | more
        return result_record(confusion={"train": counts, "test": counts}, **figures)

    better = [HistoryRow(0, 1.0, 1, 0, 0, 0, 3), HistoryRow(1, 0.5, 1, 0, 0, 0, 3)]
    worse = [better[0], HistoryRow(1, 1.0, 1, 0, 0, 0, 3)]
    assert [one.split(":")[0] for one in warnings(Problem, result(), better)] == ["never predicted"]
    assert "`c`" in warnings(Problem, result(), better)[0]
    assert "--balance" not in warnings(Problem, result(), better)[0], "a quarter of the rows"
    few = result_record(
        confusion=dict.fromkeys(("train", "test"), ((100, 50, 0), (20, 190, 0), (20, 20, 0))),
        train={"accuracy": 0.9},
        test={"accuracy": 0.88},
    )
    assert "--balance gives rare classes" in warnings(Problem, few, better)[0]
    assert any("random networks" in one for one in warnings(Problem, result(), worse))
    overfitted = result(test={"accuracy": 0.78})
    assert any(one.startswith("overfitting") for one in warnings(Problem, overfitted, better))
    beaten = _comparison(verdict="worse than logistic regression")
    assert any(
        "simpler model" in one for one in warnings(Problem, result(comparison=beaten), better)
    )


def test_the_test_of_groups_is_scipys_exact_one():
    from scipy.stats import permutation_test

    from dsgec.run.baselines import _flip_groups

    random = np.random.RandomState(1)
    for count in (3, 6, 9):
        groups = random.permutation(np.repeat(np.arange(count), 5))
        differences = random.randn(len(groups)) + 0.3
        sums = np.bincount(groups, differences)
        oracle = permutation_test(
            (sums,), lambda one: abs(one.sum()), permutation_type="samples", alternative="greater"
        )
        assert _flip_groups(differences, groups) == pytest.approx(oracle.pvalue)
