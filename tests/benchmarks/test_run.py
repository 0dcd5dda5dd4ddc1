"""Learners get the same rows, results are kept, and what is known is not run again."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the extra dsgec[benchmarks] is not installed")

from benchmarks.learner import Learner, Model, Request
from benchmarks.learners import learners_of
from benchmarks.results import FILE, Result, append, read
from benchmarks.run import LEAST_SECONDS, Plan, run, score_of
from benchmarks.splits import make_split
from benchmarks.tables import load_table
from benchmarks.with_dsgec import count_numbers, dsgec_learner


class Watch:
    """A learner that keeps what it was given."""

    def __init__(self, neurons=None):
        self.seen, self.neurons = [], neurons

    def __call__(self, split, request):
        self.seen.append((split, request))
        return Model(lambda rows: np.zeros(len(rows)), 7, self.neurons)


def plan_of(tmp_path, *learners, tables=("iris",), limit="auto"):
    return Plan(tables, learners, 2, limit, tmp_path)


def test_all_learners_get_the_same_rows(tmp_path):
    watches = Watch(), Watch()
    run(plan_of(tmp_path, *(Learner(f"w{n}", watch) for n, watch in enumerate(watches))))

    for (one, _), (other, _) in zip(watches[0].seen, watches[1].seen, strict=True):
        for field in ("x_train", "y_train", "x_test", "y_test"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    first, second = (split for split, _ in watches[0].seen)
    assert not np.array_equal(first.x_test, second.x_test)


def test_a_run_is_resumed_and_what_failed_is_tried_again(tmp_path):
    watch = Watch()
    plan = plan_of(tmp_path, Learner("watch", watch))
    results = run(plan)
    lines = (tmp_path / FILE).read_text().splitlines()
    assert [json.loads(line)["split"] for line in lines] == [0, 1]
    assert all(one.weights == 7 and one.score == pytest.approx(1 / 3) for one in results)

    failed = replace(results[1], score=None, error="ValueError: no")
    (tmp_path / FILE).write_text(lines[0] + "\n")
    append(tmp_path / FILE, failed)
    assert len(run(plan)) == 2
    assert [split.number for split, _ in watch.seen] == [0, 1, 1]
    assert not any(one.error for one in read(tmp_path / FILE))


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    append(tmp_path / FILE, Result("iris", 0, "a", "classification", "auto", 1.0))
    with (tmp_path / FILE).open("a") as file:
        file.write('{"table": "ir')

    assert len(read(tmp_path / FILE)) == 1
    append(tmp_path / FILE, Result("iris", 1, "a", "classification", "auto", 1.0))
    assert [one.split for one in read(tmp_path / FILE)] == [0, 1]


def test_large_tables_are_cut_and_a_folder_has_results_of_one_size(tmp_path):
    plan = replace(plan_of(tmp_path, Learner("watch", Watch())), rows=60)
    assert {one.rows for one in run(plan)} == {60}
    with pytest.raises(ValueError, match="--rows 60"):
        run(plan_of(tmp_path, Learner("watch", Watch())))
    cut, other = (make_split(load_table("iris"), number, 60) for number in (0, 1))
    assert (len(cut.x_train), len(cut.x_test)) == (42, 18)
    assert np.bincount(cut.y_train).tolist() == [14, 14, 14]
    assert not np.array_equal(cut.x_test, other.x_test)
    whole = make_split(load_table("iris"), 0, 150)
    np.testing.assert_array_equal(whole.x_test, make_split(load_table("iris"), 0).x_test)


def test_a_folder_has_results_of_one_limit(tmp_path):
    run(plan_of(tmp_path, Learner("watch", Watch())))

    with pytest.raises(ValueError, match="--seconds auto"):
        run(plan_of(tmp_path, Learner("watch", Watch()), limit="5"))


def test_peers_follow_the_network_of_the_same_split(tmp_path):
    follower, formulas = Watch(), Watch()
    learners = (
        Learner("follower", follower, needs="neurons"),
        Learner("formulas", formulas, is_timed=True, needs="seconds"),
        Learner("dsgec", Watch(neurons=5)),
    )
    run(plan_of(tmp_path, *learners))

    assert [request.neurons for _, request in follower.seen] == [5, 5]
    assert [request.seconds for _, request in formulas.seen] == [LEAST_SECONDS] * 2


def test_seconds_are_given_to_those_who_take_them(tmp_path):
    timed, other = Watch(), Watch()
    learners = Learner("timed", timed, is_timed=True), Learner("other", other)
    run(plan_of(tmp_path, *learners, limit="2.5"))

    assert {request.seconds for _, request in timed.seen} == {2.5}
    assert {request.seconds for _, request in other.seen} == {None}


def test_an_error_of_a_learner_does_not_end_the_run(tmp_path):
    def fail(split, request):
        raise RuntimeError("too small")

    results = run(plan_of(tmp_path, Learner("bad", fail), Learner("watch", Watch())))
    assert [one.error for one in results if one.learner == "bad"] == ["RuntimeError: too small"] * 2
    assert sum(one.score is not None for one in results) == 2


def test_scores_are_those_of_scikit_learn():
    from sklearn.metrics import accuracy_score, r2_score

    iris, diabetes = (make_split(load_table(name), 0) for name in ("iris", "diabetes"))
    zeros = np.zeros(len(iris.y_test))
    assert score_of(iris, zeros, iris.y_test) == accuracy_score(iris.y_test, zeros)
    guess = diabetes.y_test + np.arange(len(diabetes.y_test))
    expected = r2_score(diabetes.y_test, guess)
    assert score_of(diabetes, guess, diabetes.y_test) == pytest.approx(expected, abs=1e-12)
    guess[0] = np.inf
    assert np.isfinite(score_of(diabetes, guess, diabetes.y_test))


def test_the_peers_of_scikit_learn_learn():
    classes, numbers = (make_split(load_table(name), 0) for name in ("iris", "diabetes"))
    for learner in learners_of("constant,linear"):
        for split in (classes, numbers):
            model = learner.fit(split, Request(1))
            score = score_of(split, model.predict(split.x_test), split.y_test)
            least = 0.9 if split.classes else 0.3
            assert learner.name == "constant" or score > least
            assert model.weights == 1 or model.weights == max(1, split.classes) * (
                split.x_train.shape[1] + 1
            )


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        *(("iris", None), ("diabetes", 0.2)),
        *(
            pytest.param(*case, marks=pytest.mark.campaign)
            for case in (("iris", 0.2), ("diabetes", None))
        ),
    ],
)
def test_dsgec_learns_with_and_without_a_limit(name, seconds):
    split = make_split(load_table(name), 0)
    small = {"generations": 3, "population": 10, "pruning": 2, "tuning": 6, "backend": "numpy"}
    learner = dsgec_learner("dsgec", small)
    model = learner.fit(split, Request(1, seconds))

    assert np.isfinite(score_of(split, model.predict(split.x_test), split.y_test))
    assert model.weights >= 0 and model.neurons >= 0


def test_the_numbers_of_a_network_are_counted():
    assert count_numbers("inputs = 30\ny_1 = sig(5.7 * x_23 + -0.6)") == 2
    formula = "inputs = 2\nh_1_1 = sig(1e-05 * x_1 + x_2)\ny_1 = sig(-2.0 * h_1_1 + 0.25)"
    assert count_numbers(formula) == 3


def test_an_unknown_learner_is_an_error():
    with pytest.raises(ValueError, match="unknown learner tree"):
        learners_of("linear,tree")
