"""Measurements and estimates to the tables of docs/board/cost.md, and coefficients to a file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.chips.results import Line
from dsgec.network.cost.chips import Cost, Prices
from dsgec.toml import to_toml

_START, _END = "<!-- made by python -m benchmarks.chips -->", "<!-- until here -->"
_COMMENT = "# Made by `python -m benchmarks.chips` of images that it links and runs: do not edit.\n"


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


_HEAD = (
    "| chip | type | flash, bytes | off by at most | median"
    " | cycles | off by at most | median | stack, bytes | off by at most | median |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def accuracy(lines: Iterable[str]) -> str:
    """The table of how far estimates are from what was measured."""
    return _HEAD + "".join(f"{line}\n" for line in lines)


def accuracy_line(chip: str, dtype: str, measured: Sequence[Line], costs: Sequence[Cost]) -> str:
    """A line of it; stack in bytes, not in shares."""
    cells = [chip, dtype]
    for figure, unit in (("flash", "%"), ("cycles", "%"), ("stack", "d")):
        values = np.array([getattr(line, figure) for line in measured])
        off = np.abs(np.array([getattr(one, figure) for one in costs]) - values)
        off = off / values if unit == "%" else off.astype(int)
        digits = ".1%" if unit == "%" else ".0f"
        cells += [f"{values.min():,.0f} to {values.max():,.0f}"]
        cells += [f"{off.max():{digits}}", f"{np.median(off):{digits}}"]
    return f"| {' | '.join(cells)} |"


def beyond(chip: str, dtype: str, found: Sequence[tuple[Line, Cost]]) -> str:
    """How many of the networks that were left out of a fit are far off, and the worst."""
    parts = []
    for figure, limit in (("flash", 0.10), ("cycles", 0.20)):
        off = np.array(
            [abs(getattr(own, figure) / getattr(line, figure) - 1) for line, own in found]
        )
        parts.append(f"{(off > limit).sum()} off by more than {limit:.0%} in {figure}")
        parts.append(f"the worst by {off.max():.0%}")
    return f"{chip} {dtype}: of {len(found)} left out of the fit, {', '.join(parts)}"


def read_lines_between(path: Path) -> dict[tuple[str, str], str]:
    """The lines of the table that the page has, by chip and type."""
    _, _, rest = path.read_text(encoding="utf-8").partition(_START)
    table, _, _ = rest.partition(_END)
    found = {}
    for line in [line for line in table.splitlines() if line.startswith("|")][2:]:
        _, chip, dtype, *_ = line.split("|")
        found[chip.strip(), dtype.strip()] = line
    return found


def write_between(path: Path, text: str, command: str = "python -m benchmarks.chips") -> None:
    """Put the tables into the page, in the place of those that the command made before."""
    start = f"<!-- made by {command} -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(start)
    _, _, after = rest.partition(_END)
    path.write_text(f"{before}{start}\n\n{text}\n{_END}{after}", encoding="utf-8")
