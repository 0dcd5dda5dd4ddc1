"""Prices of functions that have none yet, while all others stay as they are.

Networks of one function each are measured. What they take beyond the known prices is that of the
function: for each call, and once for what is linked.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.optimize import nnls

from benchmarks.chips.probes import USES, probes
from benchmarks.chips.results import Line, artefact_of, measure_line
from dsgec.arithmetic.functions import ALL_FUNCTIONS, FUNCTIONS
from dsgec.arithmetic.source import c_functions
from dsgec.network.cost.chips import Prices, chip_prices

Measured = list[tuple[Line, Counter[str]]]


def with_new_functions(chip: str, dtype: str) -> Prices:
    """Return the prices of a chip and a type of IEEE numbers, with those of all functions."""
    prices = chip_prices(chip, dtype)
    known = probes()

    def measured(name: str) -> tuple[Line, Counter[str]]:
        artefact = artefact_of(known[name], dtype, ())
        line = measure_line(name, artefact, chip)
        if line.differs:
            raise SystemExit(f"{chip} {dtype} {name}: not the interpreter's bits")
        print(f"{chip} {dtype} {name}: {line.flash} bytes", file=sys.stderr)
        return line, artefact.work

    missing = prices.unpriced(FUNCTIONS)
    nothing, _ = measured("nothing 1") if missing else (None, None)
    for kind in missing:
        assert nothing
        prices = add_kind(prices, kind, nothing, [measured(f"{kind} {uses}") for uses in USES])
    return prices


def add_kind(prices: Prices, kind: str, nothing: Line, measured: Measured) -> Prices:
    """Return prices with those of one more kind, from networks with it and one without."""
    dtype, routines = measured[0][0].dtype, measured[0][0].routines
    parts = c_functions({ALL_FUNCTIONS[kind].symbol}, dtype)
    linked = {part for own in ("", *measured[0][1]) for part in prices.needs.get(own, ())}
    needs = tuple(dict.fromkeys([*sorted(routines.keys() - nothing.routines.keys()), *parts]))
    new = [part for part in parts if part not in prices.once]
    sizes = {part: size for part, size in routines.items() if part not in prices.once}
    found = replace(
        prices,
        once=prices.once | {part: sizes[part] for part in needs if part in sizes},
        needs=prices.needs | {kind: needs},
        deepest=prices.deepest | {kind: max(0, measured[0][0].stack - nothing.stack)},
    )
    found = replace(found, once=found.once | dict.fromkeys(new, 0))
    assert not {*new} & linked
    each, once = _beyond(found, kind, "flash", measured, has_once=bool(new))
    cycles, _ = _beyond(found, kind, "cycles", measured, has_once=False)
    return replace(
        found,
        flash=found.flash | ({kind: each} if each else {}),
        cycles=found.cycles | ({kind: cycles} if cycles else {}),
        once=found.once | ({new[-1]: once} if new else {}),
    )


def _beyond(
    prices: Prices, kind: str, figure: str, measured: Measured, *, has_once: bool
) -> tuple[int, int]:
    """Return what each call takes of flash or cycles beyond the known, and what is taken once."""
    rows = [[counts[kind], float(has_once)] for _, counts in measured]
    rest = [
        getattr(line, figure) - getattr(prices.cost(counts), figure) for line, counts in measured
    ]
    each, once = nnls(np.array(rows, float), np.array(rest, float))[0]
    return round(each), round(once)


def new_prices(kinds: list[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], Prices]]:
    """Yield the prices of chips and types that lack some function."""
    for chip, dtype in kinds:
        prices = with_new_functions(chip, dtype)
        if prices is not chip_prices(chip, dtype):
            yield (chip, dtype), prices
