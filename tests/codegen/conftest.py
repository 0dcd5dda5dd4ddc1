"""Tests of exports do not wait for the best self-test, but where that is what they look at."""

import pytest

_OF_THE_SELF_TEST = ("tests.codegen.test_golden", "tests.codegen.test_emit")


@pytest.fixture(autouse=True)
def quick_self_tests(request, monkeypatch):
    """A search for golden rows that is given up sooner: fewer rows, and all of them true."""
    if request.module.__name__ not in _OF_THE_SELF_TEST:
        monkeypatch.setattr("dsgec.codegen.cover._MOST_WORK", 2_000_000)
