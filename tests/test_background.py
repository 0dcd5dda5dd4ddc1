"""The result of a background call is awaited, and its error is raised to whoever asks for it."""

import threading

import pytest

from dsgec.background import beside


def test_the_caller_goes_on_and_then_gets_the_result():
    asked, answered = threading.Event(), []

    def wait(number):
        assert asked.wait(60)  # it would never end, if the caller waited for it
        answered.append(number)
        return number + 1

    result = beside(wait, 1)
    assert not answered
    asked.set()
    assert result() == 2
    assert result() == 2
    assert answered == [1]


def test_an_error_is_raised_where_the_result_is_asked_for():
    result = beside(int, "three")
    with pytest.raises(ValueError, match="three"):
        result()
