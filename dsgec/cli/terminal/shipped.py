"""List what is shipped: grammars with the tables they fit, tables with their sizes and tasks."""

import re
import textwrap
from collections.abc import Iterator

from dsgec.data import paper
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import counted
from dsgec.resources import GRAMMARS, TABLES, shipped_names

_SENTENCES = re.compile(r"(?<=\.)\s+(?=[A-Z`])")
_FITS = "Fits "
_WIDEST = 100


def shipped_grammars() -> Iterator[tuple[str, str]]:
    """Yield the name of each shipped grammar, and its description from its own comment."""
    for name in shipped_names(GRAMMARS, ".bnf"):
        text = GRAMMARS.joinpath(f"{name}.bnf").read_text(encoding="utf-8")
        comment = re.match(r"(?:#.*\n)*", text)
        assert comment is not None  # as it may be empty
        text = " ".join(line.lstrip("# ") for line in comment[0].splitlines())
        what, *more = _SENTENCES.split(text)
        yield name, " ".join([what, *(one for one in more if one.startswith(_FITS))])


def shipped_tables() -> Iterator[tuple[str, str]]:
    """Yield the name of each shipped table, with its description, size and task."""
    for name in shipped_names(TABLES, ".csv"):
        about = TABLES.joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()
        yield name, f"{about} {_shape(name)}"
    for name, about in paper.DESCRIPTIONS.items():
        more = _shape(name) if paper.is_installed() else f"`{paper.INSTALL}` installs it."
        yield name, f"{about} {more}"


def _shape(name: str) -> str:
    data = make_dataset(read_table(name))
    rows, features = counted(len(data.y), "row"), counted(len(data.inputs), "feature")
    classes = f" of {len(data.classes)} classes" if data.classes else ""
    return f"{rows} × {features}, {data.task}{classes}."


def list_lines(entries: Iterator[tuple[str, str]], columns: int | None) -> list[str]:
    """Return an aligned text for each name, wrapped to `columns` unless that is None."""
    found = list(entries)
    width = max(len(name) for name, _ in found) + 2
    if columns is None:
        return [f"{name:<{width}}{text}" for name, text in found]
    room = max(min(columns, _WIDEST) - 1, width + 20)
    wrapper = textwrap.TextWrapper(room, break_on_hyphens=False, subsequent_indent=" " * width)
    return [wrapper.fill(f"{name:<{width}}{text}") for name, text in found]
