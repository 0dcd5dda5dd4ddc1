"""A run's folder with any content is read, or refused with a message."""

import hashlib
import json
import random
import shutil
import struct

import pytest

from dsgec.errors import DsgecError
from dsgec.folder import open_folder
from dsgec.manifest import HALL
from dsgec.run.checkpoint import NAME as CHECKPOINT
from dsgec.run.checkpoint import Checkpoint, pack_rows, write_checkpoint
from dsgec.search.evolver import HistoryRow
from tests.support.runs import checkpoint_of, picked, timing_of

PIECES = [
    *(b",", b"\n", b'"', b"\0", b"\xff", b"-", b"1", b"nan", b"1e999", b"9" * 400, b"9" * 5000),
    *(b"(", b"x_1", b"x_99", b"+", b"\r", b" "),
]
VALUES = [
    *(
        None,
        True,
        -1,
        0,
        3,
        10**400,
        -(10**400),
        1e308,
        float("nan"),
        float("inf"),
        "",
        "x",
        "\ud800",
    ),
    *([], [[]], [None], {}, {"x": 1}),
]
WAYS = [("smallest-within", "1%"), ("at-most", "5"), ("size", "3")]


def cut_and_pasted(data, rng):
    """Bytes with some taken away and some put in, or with an end that is missing."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.randint(0, len(changed))
        if rng.random() < 0.2:
            del changed[place:]
        else:
            changed[place : place + rng.choice([0, 0, 1, 8, 60])] = rng.choice(PIECES)
    return bytes(changed)


def with_another_value(document, rng):
    """A JSON document in which one value is another one, or is not there."""
    changed = json.loads(json.dumps(document))
    at = changed
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = rng.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.8:
            at = at[key]
            continue
        if rng.random() < 0.1:
            del at[key]
        else:
            at[key] = rng.choice(VALUES)
        return changed


LONG = pytest.param(5000, marks=[pytest.mark.campaign, pytest.mark.timeout(3600)])
LENGTHS = pytest.mark.parametrize("length", [100, LONG])


def share_refused(attempt, length):
    refused = 0
    for _ in range(length):
        try:
            attempt()
        except DsgecError as error:
            assert str(error)
            refused += 1
    return refused / length


@pytest.fixture
def folder(run, tmp_path):
    return shutil.copytree(run, tmp_path / "run")


@LENGTHS
def test_any_hall_of_fame_is_read_or_refused(length, folder):
    rng = random.Random(3)
    hall = (folder / HALL).read_bytes()

    def attempt():
        (folder / HALL).write_bytes(cut_and_pasted(hall, rng))
        picked(folder, *rng.choice(WAYS))

    assert 0.2 < share_refused(attempt, length) < 1.0


def test_a_hall_of_fame_that_ends_within_a_line_is_refused(folder):
    header, line, *_ = (folder / HALL).read_text().splitlines()
    cells = line.split(",")
    for count in range(1, header.split(",").index("phenotype") + 1):
        (folder / HALL).write_text(f"{header}\n{','.join(cells[:count])}\n")
        with pytest.raises(DsgecError, match="not the hall of fame"):
            picked(folder, "at-most", "1000")


@LENGTHS
def test_any_record_is_read_or_refused(length, folder):
    rng = random.Random(4)
    record, timing = (
        json.loads((folder / name).read_text()) for name in ("run.json", "timing.json")
    )

    def attempt():
        (folder / "run.json").write_text(json.dumps(with_another_value(record, rng)))
        (folder / "timing.json").write_text(json.dumps(with_another_value(timing, rng)))
        timing_of(folder)
        picked(folder, *rng.choice(WAYS))

    assert 0.02 < share_refused(attempt, length) < 1.0


@LENGTHS
def test_any_checkpoint_is_read_or_refused(length, tmp_path):
    """With a digest that is right: it is no protection from those who know the format."""
    rng = random.Random(5)
    row = pack_rows([HistoryRow(0, 0.5, 0.6, 1, 10, 0, 3)], b"")
    asked = {"grammar": {"name": "g", "digest": "0"}, "settings": {"seed": 1}}
    with open_folder(tmp_path) as folder:
        write_checkpoint(folder, Checkpoint("", asked, {"table": "t"}, 1.5, 2 * row, b"state"))
    magic, _, _ = (path := tmp_path / CHECKPOINT).read_bytes().partition(b"\n")
    start = len(magic) + 1 + hashlib.sha256().digest_size
    body = path.read_bytes()[start:]
    first, *sizes = struct.unpack("<3Q", body[:24])
    header, rest = json.loads(body[24 : 24 + first]), body[24 + first :]

    def attempt():
        changed = json.dumps(with_another_value(header, rng)).encode()
        made = struct.pack("<3Q", len(changed), *sizes) + changed + rest
        made = cut_and_pasted(made, rng) if rng.random() < 0.3 else made
        path.write_bytes(magic + b"\n" + hashlib.sha256(made).digest() + made)
        assert len(checkpoint_of(tmp_path).history) > 0

    assert 0.1 < share_refused(attempt, length) < 0.9
