"""What streams take of chips, measured and as dsgec states it: `python -m benchmarks.streams`.

Random streams are linked by cross compilers and run in simulators (see `benchmarks.chips`); the
table of docs/reference/streams.md has how far dsgec is from that. With `--fit`, the prices
are fitted first, to other streams.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.chips.measure import lacking
from benchmarks.chips.page import write_between
from benchmarks.streams.fit import Prices, fit
from benchmarks.streams.measure import Line, measure
from benchmarks.streams.signals import random_artefact, recording
from dsgec.errors import DsgecError
from dsgec.export.streams.cost import (
    combined_cost,
    stream_of,
    stream_prices,
    stream_work,
)
from dsgec.network.cost.chips import Cost
from dsgec.toml import to_toml

LEARNED, CHECKED = range(1000, 1100), range(2000, 2020)
"""Seeds of the streams that prices are fitted to, and of those they are checked on."""

_ROOT = Path(__file__).parents[2]
_TABLE = _ROOT / "dsgec/export/streams/prices.toml"
_COMMENT = "# Made by `python -m benchmarks.streams --fit` of images that it links and runs.\n"
_PERIODS = 3
_HEAD = (
    "| chip | flash, bytes | off by at most | median | RAM of a stream, bytes | off"
    " | cycles a sample | off by at most | median | cycles a window | off by at most | median |\n"
    f"|{'---|' * 12}\n"
)


def main() -> None:
    """Measure, perhaps fit, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/streams"), help="measurements")
    parser.add_argument("--page", type=Path, default=_ROOT / "docs/reference/streams.md")
    parser.add_argument("--chips", default="cortex-m0plus,avr", help="names, with commas between")
    parser.add_argument("--fit", action="store_true", help="fit the prices first")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "measured.jsonl"
    prices: dict[str, Prices] = {
        chip: {figure: {**kinds} for figure, kinds in own.items()}
        for chip, own in stream_prices().items()
    }
    rows = []
    for chip in arguments.chips.split(","):
        if missing := lacking(chip):
            print(f"{chip}: {missing}", file=sys.stderr)
            continue
        if arguments.fit:
            prices[chip] = _fitted(measured(file, chip, LEARNED))
        rows.append(accuracy(chip, measured(file, chip, CHECKED), prices[chip]))
    if arguments.fit:
        _TABLE.write_text(prices_text(prices), encoding="utf-8")
    text = _HEAD + "".join(rows)
    write_between(arguments.page, text, "python -m benchmarks.streams")
    print(text)


def measured(path: Path, chip: str, seeds: Sequence[int]) -> dict[int, Line]:
    """Return what streams take of a chip; what was measured before is not measured again."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {int(line["name"]): Line(**line) for line in lines if line["chip"] == chip}
    found = {}
    for seed in seeds:
        if seed not in known:
            artefact = random_artefact(seed)
            signal = artefact.model.signal
            assert signal is not None
            samples = recording(signal, seed, _PERIODS * signal.overlap * signal.step)
            known[seed] = measure(artefact, chip, samples, str(seed))
            with path.open("a") as file:
                file.write(json.dumps(asdict(known[seed])) + "\n")
            print(f"{chip} {seed}: {known[seed].flash} bytes", file=sys.stderr)
        found[seed] = known[seed]
    return found


def _fitted(lines: dict[int, Line]) -> Prices:
    artefacts = [random_artefact(seed) for seed in lines]
    works = [stream_work(stream_of(artefact)) for artefact in artefacts]
    chip = next(iter(lines.values())).chip
    return fit([*lines.values()], works, [one.cost(chip) for one in artefacts])


def stated(seed: int, chip: str, prices: Prices) -> Cost:
    """Return what dsgec states of a random stream."""
    artefact = random_artefact(seed)
    stream = stream_of(artefact)
    return combined_cost(artefact.cost(chip), stream, stream_work(stream), prices)


def accuracy(chip: str, lines: dict[int, Line], prices: Prices) -> str:
    """Return the line of a chip: what was measured, and how far off is what dsgec states."""
    costs = [stated(seed, chip, prices) for seed in lines]
    cells = [chip]
    for figure, own in (("flash", ""), ("state", "d"), ("sample", ""), ("window", "")):
        values = np.array([float(getattr(line, figure)) for line in lines.values()])
        stated_as = "cycles" if figure == "window" else figure
        off = np.abs(np.array([getattr(cost, stated_as) for cost in costs]) - values)
        cells.append(f"{values.min():,.0f} to {values.max():,.0f}")
        cells += [f"{off.max():.0f}"] if own else [f"{(off / values).max():.1%}"]
        cells += [] if own else [f"{np.median(off / values):.1%}"]
    return f"| {' | '.join(cells)} |\n"


def prices_text(prices: dict[str, Prices]) -> str:
    """Return the file of all prices."""
    parts = [_COMMENT]
    for chip, own in prices.items():
        for figure, kinds in own.items():
            parts.append(f"\n[{chip}.{figure}]\n")
            parts += (f"{to_toml({kind: price})[2:-2]}\n" for kind, price in kinds.items())
    return "".join(parts)


if __name__ == "__main__":
    try:
        main()
    except DsgecError as error:
        sys.exit(str(error))
