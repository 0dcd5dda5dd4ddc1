"""Measurements to the coefficients of a chip and a type, by least squares of shares."""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.optimize import nnls

from benchmarks.chips.probes import ALONE
from benchmarks.chips.results import Line
from dsgec.arithmetic.source import c_functions
from dsgec.arithmetic.table import DEFINED
from dsgec.network.cost import FLAGGED, Prices

KINDS = (
    *("add", "sub", "mul", "flag_add", "flag_sub", "flag_mul", "div_number", *DEFINED),
    *("number", "distinct", "read", "column", "kept", "live", "output"),
    *("required", "refusing", "listed"),
    *("softmax_output", "two_classes", "lone_output", "classes", "class"),
)
_FRAMES = ("live", "output", "lone_output", "two_classes", "classes", "class", "refusing")
"""What a frame of the stack grows with."""

_WEIGHT_OF_PROBES = 0.3

Counts = Mapping[str, Counter[str]]


def fit(lines: Sequence[Line], counts: Counts) -> Prices:
    """The coefficients of one chip and type, from the lines of probes and of networks to learn."""
    probes = {line.network: line for line in lines}
    routines, needs = _needs(probes, lines[0].dtype)
    _share(routines, needs, lines, counts)
    functions = sorted({part for parts in needs.values() for part in parts} - routines.keys())

    def linked(line: Line) -> set[str]:
        return {part for kind in ("", *counts[line.network]) for part in needs.get(kind, ())}

    def own_flash(line: Line) -> float:
        return line.flash - sum(routines[part] for part in linked(line) & routines.keys())

    def row(line: Line) -> list[float]:
        return [1.0, *(float(counts[line.network][kind]) for kind in KINDS)]

    def with_functions(line: Line) -> list[float]:
        return [*row(line), *(float(name in linked(line)) for name in functions)]

    base = probes[ALONE[""][0]].stack
    calls = [kind for kind in ALONE if kind not in _FRAMES]
    deepest = {kind: max(0, probes[ALONE[kind][0]].stack - base) for kind in calls}

    def own_stack(line: Line) -> float:
        return line.stack - max(deepest.get(kind, 0) for kind in ("", *counts[line.network]))

    def frames(line: Line) -> list[float]:
        return [1.0, *(float(counts[line.network][kind]) for kind in _FRAMES)]

    networks = [line for line in lines if line.network.startswith("random")]
    names = ("", *KINDS)
    flash = _solve(lines, with_functions, own_flash, [line.flash for line in lines])
    cycles = _solve(lines, row, lambda line: line.cycles, [line.cycles for line in lines])
    stack = _solve(networks, frames, own_stack, [max(line.stack, 8) for line in networks])
    return Prices(
        _known(names, flash),
        _known(names, cycles),
        _known(("", *_FRAMES), stack),
        deepest,
        routines | dict(zip(functions, flash[len(names) :], strict=True)),
        {kind: needs.get(kind, ()) for kind in (*names, "softmax")},
    )


def _known(names: Sequence[str], values: Sequence[int]) -> dict[str, int]:
    """What is not nothing; and what every network takes."""
    return {name: value for name, value in zip(names, values, strict=False) if value or not name}


def _needs(
    probes: Mapping[str, Line], dtype: str
) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """The bytes of routines, and by kinds what is linked for them."""
    routines: dict[str, int] = {}
    needs: dict[str, tuple[str, ...]] = {}
    for kind, (with_it, without) in ALONE.items():
        own = probes[with_it].routines
        known = probes[without].routines if without else {}
        routines |= own
        symbol = DEFINED[kind].symbol if kind in DEFINED else ""
        functions = c_functions({symbol}, dtype) if symbol else []
        needs[kind] = (*sorted(own.keys() - known.keys()), *functions)
    return routines, needs | {f"flag_{kind}": needs[kind] for kind in FLAGGED}


def _share(
    routines: dict[str, int],
    needs: dict[str, tuple[str, ...]],
    lines: Sequence[Line],
    counts: Counts,
) -> None:
    """Where one routine stands for another as well, they have what both do in common.

    Arm's compiler has one that multiplies, and one that multiplies and divides: where that is
    linked, the first is not. So the second is what it has more than the first, and needs that.
    """
    for less, more in itertools.permutations(routines, 2):
        wanting = {kind for kind, parts in needs.items() if less in parts}
        both = [
            line.routines
            for line in lines
            if more in line.routines and wanting & counts[line.network].keys()
        ]
        if routines[less] < routines[more] and both and not any(less in one for one in both):
            routines[more] -= routines[less]
            for kind, parts in needs.items():
                if more in parts and less not in parts:
                    needs[kind] = (less, *parts)


def _solve(
    lines: Sequence[Line],
    row: Callable[[Line], list[float]],
    value: Callable[[Line], float],
    scales: Sequence[float],
) -> list[int]:
    """Whole coefficients, none below nothing, with the least squares of shares of the scale."""
    weights = [
        (1.0 if line.network.startswith("random") else _WEIGHT_OF_PROBES) / scale
        for line, scale in zip(lines, scales, strict=True)
    ]
    table = np.array([row(line) for line in lines]) * np.array(weights)[:, None]
    wanted = np.array([value(line) for line in lines]) * np.array(weights)
    # Rounded one after the other, the finest first, so that the next make up for it.
    columns = np.argsort(-np.linalg.norm(table, axis=0))
    found = np.zeros(table.shape[1])
    for done, column in enumerate(columns):
        rest = columns[done:]
        left = wanted - table[:, columns[:done]] @ found[columns[:done]]
        found[column] = round(nnls(table[:, rest], left)[0][0])
    return [int(number) for number in found]
