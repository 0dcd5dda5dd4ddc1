"""Dataclasses become JSON data and are read back; data of other types is refused."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from dsgec.plain_data import REST, as_plain, from_plain


@dataclass(frozen=True)
class Inner:
    name: str
    class_: int
    score: float | None
    note: str | None = None


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    pair: tuple[float, float]
    by_name: dict[str, int]
    flag: bool = False
    rest: dict[str, Any] = field(default_factory=dict, metadata=REST)

    def validate(self) -> None:
        if self.pair[0] > self.pair[1]:
            raise ValueError("`pair` is not in order")


PLAIN = {
    "inner": [{"name": "a", "class": 1, "score": None}, {"name": "b", "class": 0, "score": 0.5}],
    "pair": [1.0, 2],
    "by_name": {"x": 3},
    "flag": True,
    "more": ["kept"],
}


def test_dataclasses_are_written_and_read_back():
    found = from_plain(Outer, PLAIN)
    assert found.inner[1] == Inner("b", 0, 0.5)
    assert found.rest == {"more": ["kept"]}
    assert as_plain(found) == PLAIN
    assert list(as_plain(found)["inner"][0]) == ["name", "class", "score"]


def test_a_field_with_a_default_may_be_missing_and_none_is_left_out():
    plain = {name: value for name, value in PLAIN.items() if name != "flag"}
    assert from_plain(Outer, plain).flag is False
    assert as_plain(Inner("a", 1, None, "said")) == {
        "name": "a",
        "class": 1,
        "score": None,
        "note": "said",
    }


@pytest.mark.parametrize(
    "change, place",
    [
        ({"pair": [1.0]}, "`pair`"),
        ({"pair": [2.0, 1.0]}, "`pair` is not in order"),
        ({"pair": [1.0, float("nan")]}, r"`pair\[1\]`"),
        ({"pair": [True, 1.0]}, r"`pair\[0\]`"),
        ({"by_name": []}, "`by_name`"),
        ({"by_name": {"x": -1}}, "`by_name.x`"),
        ({"by_name": {"x": 2**53}}, "`by_name.x`"),
        ({"inner": {}}, "`inner`"),
        ({"inner": [{"name": "a", "class": 1}]}, r"`inner\[0\].score` is missing"),
        ({"inner": [{"name": "\ud800", "class": 1, "score": 1.0}]}, r"`inner\[0\].name`"),
        ({"inner": [{"name": "a", "class": 1, "score": "1"}]}, r"`inner\[0\].score`"),
        ({"inner": [None]}, r"`inner\[0\]`"),
        ({"flag": 1}, "`flag`"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_place(change, place):
    with pytest.raises(ValueError, match=place):
        from_plain(Outer, PLAIN | change)


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_what_is_no_dictionary_is_refused(value):
    with pytest.raises(ValueError, match="it is of another type"):
        from_plain(Outer, value)
