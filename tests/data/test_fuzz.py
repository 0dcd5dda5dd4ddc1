"""Any bytes are read as a table or refused with a DsgecError."""

import random

import pytest

from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from tests.support.awkward_tables import CASES

TEXTS = [
    case[0].encode() if isinstance(case[0], str) else case[0]
    for case in CASES.values()
    if len(case[0]) < 5000
]
GOOD = [
    "".join(
        sep.join(
            (f"{i * 37 % 101}", f"{i / 8}", "red" if i % 3 else "blue", "no" if i % 2 else "yes")
        )
        + "\n"
        for i in range(40)
    ).encode()
    for sep in (",", ";", "\t")
]
PIECES = [
    *(b",", b";", b"\t", b"\n", b"\r", b"\r\n", b'"', b"'", b"|", b" ", b"NA", b"?", b"1e999"),
    *(b"-", b".", b"0", b"1.5", b"\xff", b"\xc3", b"\0", b"x", b"yes", b"no", b"2024-01-02"),
]
ENCODINGS = ("", "", "", "utf-8", "cp1252", "utf-16", "utf-7", "idna", "punycode", "unicode_escape")


def attempt(seed):
    """Return whether a mutated table was read and not refused with a DsgecError."""
    rng = random.Random(seed)
    data = bytearray(rng.choice(rng.choice([TEXTS, GOOD, GOOD])))
    for _ in range(rng.choice([1, 1, 2, 3, 12])):
        place = rng.randint(0, len(data))
        data[place : place + rng.choice([0, 0, 1, 3, 40])] = rng.choice(PIECES) * rng.randint(0, 3)
    plan = Preprocessing(
        missing=rng.choice(["error", "mean", "median", "drop", "drop"]),
        scale=rng.choice(["none", "standard", "minmax"]),
        task=rng.choice(["", "", "classification", "regression"]),
    )
    reading = ReadingOptions(
        # Mostly found out: what is said wrongly is refused before anything else is looked at.
        encoding=rng.choice(["", "", "", "", rng.choice(ENCODINGS)]),
        separator=rng.choice(["", "", "", "", rng.choice(",; ")]),
        header=rng.choice([None, None, None, True, False]),
    )
    try:
        found = make_dataset(parse_table(bytes(data), "t", "t", reading), None, plan)
    except DsgecError:
        return False
    assert found.x.shape == (len(found.y), len(found.features))
    assert (found.x == found.x).all()
    return True


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_mutated_tables_are_read_or_refused(start):
    read = sum(attempt(seed) for seed in range(start, start + 500))
    assert 25 <= read <= 475  # neither all nor none


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(2000, 102_000, 2000))
def test_very_many_mutated_tables_are_read_or_refused(start):
    read = sum(attempt(seed) for seed in range(start, start + 2000))
    assert 100 <= read <= 1900
