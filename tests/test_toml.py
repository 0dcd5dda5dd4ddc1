"""Any data that is written as TOML is read back by Python's own reader."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgec.toml import to_toml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_is_read_back(value):
    text = to_toml(value)
    (read,) = tomllib.loads(f"key = {text}\n").values()

    assert read == value
    assert repr(read) == repr(value)  # 1 and 1.0 and True are equal, and so are 0.0 and -0.0
    assert text.isprintable()


def test_what_is_not_a_number_is_read_back():
    assert math.isnan(tomllib.loads(f"key = {to_toml(math.nan)}")["key"])


def test_half_a_character_is_replaced():
    assert to_toml("a\ud800b") == '"a\ufffdb"'


def test_what_toml_does_not_have_is_refused():
    with pytest.raises(TypeError, match="no NoneType"):
        to_toml([None])
