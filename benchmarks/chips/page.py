"""Measurements and estimates to the tables of docs/cost.md, and coefficients to a file."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.chips.results import Line
from dsgec.network.cost import Prices
from dsgec.toml import to_toml

_START, _END = "<!-- made by python -m benchmarks.chips -->", "<!-- until here -->"
_COMMENT = "# Made by `python -m benchmarks.chips` of images that it links and runs: do not edit.\n"
FIGURES = ("flash", "cycles", "stack")


def table_text(found: Mapping[tuple[str, str], Prices]) -> str:
    """chips.toml: a table for each chip and type."""
    parts = [_COMMENT]
    for (chip, dtype), own in found.items():
        parts.append(f"\n[{chip}.{dtype}]\n")
        for name, value in asdict(own).items():
            if not isinstance(value, dict):
                parts.append(f"{name} = {to_toml(value)}\n")
        for name, value in asdict(own).items():
            if isinstance(value, dict):
                parts.append(f"[{chip}.{dtype}.{name}]\n")
                parts += (f"{to_toml({kind: of})[2:-2]}\n" for kind, of in value.items())
    return "".join(parts)


def shares(
    own: Prices, lines: Sequence[Line], counts: Mapping[str, Counter[str]]
) -> dict[str, list[float]]:
    """How far the estimate is from what was measured, as a share of that, for each figure."""
    return {
        figure: [
            getattr(own.of(counts[line.network]), figure) / getattr(line, figure) - 1
            for line in lines
            if getattr(line, figure)
        ]
        for figure in FIGURES
    }


def accuracy(found: Iterable[tuple[str, str, Sequence[Line], dict[str, list[float]]]]) -> str:
    """The table of how far estimates are from what was measured."""
    lines = [
        "| chip | type | networks | flash, bytes | largest difference | median | cycles |"
        " largest difference | median | stack, bytes | largest difference | median |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for chip, dtype, measured, differences in found:
        cells = [chip, dtype, str(len(measured))]
        for figure in FIGURES:
            values = [getattr(line, figure) for line in measured]
            sizes = np.abs(differences[figure])
            cells += [f"{min(values):,.0f} to {max(values):,.0f}"]
            cells += [f"{max(sizes):.1%}", f"{np.median(sizes):.1%}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write_between(path: Path, text: str) -> None:
    """Put the tables into the page, in the place of those that are there."""
    before, _, rest = path.read_text(encoding="utf-8").partition(_START)
    _, _, after = rest.partition(_END)
    path.write_text(f"{before}{_START}\n\n{text}\n{_END}{after}", encoding="utf-8")
