"""Whatever bytes a table is made of, it is read or refused; nothing else happens."""

import contextlib
import random

import pytest

from dsgec.data.dataset import make_dataset
from dsgec.data.dialect import Reading
from dsgec.data.ir import Plan
from dsgec.data.table import parse_table
from dsgec.errors import DsgecError
from tests.data.awkward import CASES

TEXTS = [
    case[0].encode() if isinstance(case[0], str) else case[0]
    for case in CASES.values()
    if len(case[0]) < 5000
]
PIECES = [
    *(b",", b";", b"\t", b"\n", b"\r", b"\r\n", b'"', b"'", b"|", b" ", b"NA", b"?", b"1e999"),
    *(b"-", b".", b"0", b"1.5", b"\xff", b"\xc3", b"\0", b"x", b"yes", b"no", b"2024-01-02"),
]
ENCODINGS = ("", "", "", "utf-8", "cp1252", "utf-16", "utf-7", "idna", "punycode", "unicode_escape")


def attempt(seed):
    rng = random.Random(seed)
    data = bytearray(rng.choice(TEXTS))
    for _ in range(rng.randint(1, 12)):
        place = rng.randint(0, len(data))
        data[place : place + rng.choice([0, 0, 1, 3, 40])] = rng.choice(PIECES) * rng.randint(0, 3)
    plan = Plan(
        missing=rng.choice(["error", "mean", "median", "drop"]),
        scale=rng.choice(["none", "standard", "minmax"]),
        task=rng.choice(["", "", "classification", "regression"]),
    )
    reading = Reading(
        encoding=rng.choice(ENCODINGS),
        separator=rng.choice(["", "", ",", ";", " "]),
        header=rng.choice([None, None, True, False]),
    )
    with contextlib.suppress(DsgecError):
        found = make_dataset(parse_table(bytes(data), "t", "t", reading), None, plan)
        assert found.x.shape == (len(found.y), len(found.features))
        assert (found.x == found.x).all()


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_mutated_tables_are_read_or_refused(start):
    for seed in range(start, start + 500):
        attempt(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(2000, 102_000, 2000))
def test_very_many_mutated_tables_are_read_or_refused(start):
    for seed in range(start, start + 2000):
        attempt(seed)
