"""Votes of windows, against counting them one by one."""

import numpy as np
import pytest

from dsgec.signal.smooth import smooth


def count_votes(classes, begins, votes):
    found = []
    for at in range(len(classes)):
        first = max(i for i in range(at + 1) if begins[i])
        last = classes[max(first, at - votes + 1) : at + 1][::-1]  # the latest first
        found.append(max(last, key=lambda one: (last.count(one), -last.index(one))))
    return found


@pytest.mark.parametrize("votes", [1, 2, 3, 5, 15])
@pytest.mark.parametrize("seed", range(5))
def test_the_class_is_that_of_most_of_the_last_windows(votes, seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 4, 300)
    begins = rng.random(300) < 0.05
    begins[0] = True

    found = smooth(classes, begins, votes)

    assert found.tolist() == count_votes(classes.tolist(), begins.tolist(), votes)


def test_one_wrong_window_is_outvoted_and_a_change_is_seen_after_half_the_votes():
    begins = np.arange(12) == 0

    assert smooth(np.array([0, 0, 1, 0, 0, 0]), begins[:6], 3).tolist() == [0] * 6
    assert smooth(np.array([0] * 6 + [1] * 6), begins, 5).tolist() == [0] * 8 + [1] * 4
