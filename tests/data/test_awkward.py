"""Every awkward table is read, or refused with a message that helps."""

import pytest

from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.search.settings import OPTIONS
from tests.support.awkward_tables import CASES
from tests.support.command_line import dsgec


def dataset(text, asked):
    data = text.encode() if isinstance(text, str) else text
    reading = asked if isinstance(asked, ReadingOptions) else None
    plan = asked if isinstance(asked, Preprocessing) else None
    target = asked if isinstance(asked, str) else None
    return make_dataset(parse_table(data, "t.csv", "t", reading), target, plan)


@pytest.mark.parametrize("case", CASES)
def test_an_awkward_table_works_or_is_explained(case):
    text, expected, *asked = CASES[case]
    asked = asked[0] if asked else None
    if "fails" in expected:
        with pytest.raises(DsgecError) as caught:
            dataset(text, asked)
        for part in expected["fails"]:
            assert part in caught.value.rendered(OPTIONS)
        return
    found = dataset(text, asked)
    assert (found.x.shape, found.features) == (
        (expected["rows"], len(expected["features"])),
        expected["features"],
    )
    assert found.classes == expected["classes"]
    assert found.y.shape == (expected["rows"],)
    for part in expected["notes"]:
        assert any(part in note for note in found.notes)


@pytest.mark.parametrize(
    "wrong",
    [{"separator": "::"}, {"quote": "«"}, {"decimal": "x"}, {"separator": ",", "decimal": ","}],
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(DsgecError):
        ReadingOptions(**wrong)


def test_there_are_sixty():
    assert len(CASES) >= 60


def test_a_line_of_100_mb_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b"a,b,c\n1,2,x\n")
        for _ in range(100):
            file.write(b"1," * (1 << 19))
    answer = dsgec("inspect", path, code=1)

    assert f"{path}:3:1: error: this line is longer than 32 MB" in answer.stderr
