"""Read figures that were printed elsewhere from TOML, to be put beside those of a study."""

import re
from typing import Any

from dsgec.errors import Fault
from dsgec.study.definition import PrintedFigure
from dsgec.study.toml_reader import TomlReader

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_FIGURE = re.compile(rf"{_NUMBER} ± {_NUMBER}(?: (\++|-+|~))?", re.ASCII)


def parse_printed(
    source: dict[str, Any], shown: str, faults: list[Fault]
) -> tuple[PrintedFigure, ...]:
    """Return the figures of a file, by table, measure, row and data set."""
    top = TomlReader(source, shown, faults)
    data = top.texts("data", needed="the names of the columns")
    found = []
    for table in source:
        if table == "data":
            continue
        measures = top.take(table, dict, {})
        for measure in measures:
            rows = TomlReader(measures, f"{shown}, [{table}]", faults).take(measure, dict, {})
            reader = TomlReader(rows, f"{shown}, [{table}.{measure}]", faults)
            for row in rows:
                # The same figure may well stand there twice.
                texts = reader.take(row, list, [])
                good = [t for t in texts if isinstance(t, str) and _FIGURE.fullmatch(t)]
                if len(good) != len(data) or len(texts) != len(data):
                    advice = f'It is a list of {len(data)} texts like "1.16 ± 0.13 +++".'
                    reader.fault(row, "does not fit", advice)
                    continue
                for name, text in zip(data, texts, strict=True):
                    found.append(PrintedFigure(table, measure, row, name, text))
    return tuple(found)


def mean_and_deviation(text: str) -> tuple[float, float]:
    """Return the mean and the standard deviation of a printed figure such as `1.16 ± 0.13 +++`."""
    match = _FIGURE.fullmatch(text)
    assert match is not None
    return float(match[1]), float(match[2])
