"""Fixtures that the tests of exports share."""

import pytest

from dsgec.export.cover import WORK
from tests.support.hostile import hostile

_OF_THE_SELF_TEST = ("tests.export.test_golden", "tests.export.test_emit")


@pytest.fixture(autouse=True)
def quick_self_tests(request, monkeypatch):
    """Search the rows of self-tests quickly, except in tests that examine them."""
    if request.module.__name__ not in _OF_THE_SELF_TEST:
        monkeypatch.setitem(WORK, "full", 2_000_000)


@pytest.fixture(params=[300, pytest.param(2000, marks=pytest.mark.campaign)], ids=str)
def names(request):
    """Return a number of hostile names."""
    return hostile(request.param)
