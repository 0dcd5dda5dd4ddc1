"""Measurements to the coefficients of a chip and a type, by least squares of shares."""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from benchmarks.chips.probes import ALONE, FIXED_ALONE
from benchmarks.chips.results import PACKED_TYPES, Line
from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.source import c_functions
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.network.cost.chips import Cost, Prices
from dsgec.network.cost.kinds import (
    ARRAY_BYTES,
    CHOICE_KINDS,
    DATA,
    FLAGGED,
    PACKED_CODE_KINDS,
    PACKED_RUNNING_KINDS,
    REAL_KINDS,
    RUNNING_KINDS,
    STORED_KINDS,
    SURROUNDING_KINDS,
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The kinds of work of some types, those that take flash only, and those that a frame of the
    stack grows with; and probes.

    `functions` are those of the arithmetic that a kind needs; in fixed point they are inlined.
    """

    kinds: tuple[str, ...]
    stored: tuple[str, ...]
    frames: tuple[str, ...]
    alone: Mapping[str, tuple[str, str]]
    functions: Callable[[str, str], Sequence[str]]


def _functions(kind: str, dtype: str) -> Sequence[str]:
    symbol = ALL_FUNCTIONS[kind].symbol if kind in ALL_FUNCTIONS else ""
    return c_functions({symbol}, dtype) if symbol else ()


_REAL = Terms(
    REAL_KINDS,
    (),
    ("live", "output", "lone_output", "two_classes", "classes", "class", "refusing"),
    ALONE,
    _functions,
)
_FIXED = Terms(
    (*RUNNING_KINDS, *SURROUNDING_KINDS, *CHOICE_KINDS),
    STORED_KINDS,
    ("live", "kept", "output", "lone_output", "two_classes", "classes", "class", "refusing"),
    FIXED_ALONE,
    lambda kind, dtype: (),
)

_WEIGHT_OF_PROBES = 0.3
_PARTS = 3  # of networks that are left out in turn

Counts = Mapping[str, Counter[str]]


def fit(lines: Sequence[Line], counts: Counts) -> Prices:
    """The coefficients of one chip and type, from the lines of probes and of networks to learn."""
    if lines[0].dtype in PACKED_TYPES:
        return _fit_packed(lines, counts)
    terms = _FIXED if lines[0].dtype in STORED_BITS else _REAL
    probes = {line.network: line for line in lines}
    routines, needs = _needs(probes, terms, lines[0].dtype)
    _share(routines, needs, lines, counts)
    functions = sorted({part for parts in needs.values() for part in parts} - routines.keys())

    def linked(line: Line) -> set[str]:
        return {part for kind in ("", *counts[line.network]) for part in needs.get(kind, ())}

    def own_flash(line: Line) -> float:
        linked_routines = sum(routines[part] for part in linked(line) & routines.keys())
        return line.flash - linked_routines - counts[line.network][DATA]

    def row(line: Line) -> list[float]:
        return [1.0, *(float(counts[line.network][kind]) for kind in terms.kinds)]

    def with_functions(line: Line) -> list[float]:
        stored = (float(counts[line.network][kind]) for kind in terms.stored)
        return [*row(line), *stored, *(float(name in linked(line)) for name in functions)]

    base = probes[terms.alone[""][0]].stack
    calls = [kind for kind in terms.alone if kind not in terms.frames]
    deepest = {kind: max(0, probes[terms.alone[kind][0]].stack - base) for kind in calls}

    def own_stack(line: Line) -> float:
        return line.stack - max(deepest.get(kind, 0) for kind in ("", *counts[line.network]))

    def frames(line: Line) -> list[float]:
        return [1.0, *(float(counts[line.network][kind]) for kind in terms.frames)]

    networks = [line for line in lines if line.network.startswith("random")]
    names = ("", *terms.kinds)
    in_flash = (*names, *terms.stored)
    data = {DATA: 1} if terms is _FIXED else {}
    flash = _solve(lines, with_functions, own_flash, [line.flash for line in lines])
    cycles = _solve(lines, row, lambda line: line.cycles, [line.cycles for line in lines])
    stack = _solve(networks, frames, own_stack, [max(line.stack, 8) for line in networks])
    return Prices(
        _known(in_flash, flash) | data,
        _known(names, cycles),
        _known(("", *terms.frames), stack),
        deepest,
        routines | dict(zip(functions, flash[len(in_flash) :], strict=True)),
        {kind: needs.get(kind, ()) for kind in (*in_flash, *data, *needs)},
    )


_PACKED_FRAMES = (
    *("output", "class", "two_classes", "classes", "decides", "load_refuses", "after", "best"),
    *("several_neurons", "counts_each", "firsts_each", "shift_each", "sum_int24", "sum_int32"),
    *("other", "branch", "has_look", "has_look_odd", "has_look_even", "load_limit", "load_fill"),
    *("has_short_look_odd", "has_short_look_even", "has_short_look"),
    *("product", "quotient", "reciprocal", "live", "bytes_listed", "words_listed"),
)
_LEAST_LINES = 4  # that tell which routines a kind needs


def _fit_packed(lines: Sequence[Line], counts: Counts) -> Prices:
    """Those of the packed layout, from networks only.

    A kind needs the routines that all networks with it have.
    """
    flat = (*RUNNING_KINDS, *SURROUNDING_KINDS, *CHOICE_KINDS)
    seen = {"", *(kind for line in lines for kind in counts[line.network])}
    known = (*PACKED_RUNNING_KINDS, *PACKED_CODE_KINDS, *flat, *STORED_KINDS)
    in_flash = tuple(k for k in ("", *PACKED_CODE_KINDS, *flat, *STORED_KINDS) if k in seen)
    running = tuple(k for k in ("", *PACKED_RUNNING_KINDS, *PACKED_CODE_KINDS, *flat) if k in seen)
    sizes = {name: size for line in lines for name, size in line.routines.items()}
    needs: dict[str, tuple[str, ...]] = {}
    for kind in dict.fromkeys(("", *known, DATA, ARRAY_BYTES)):
        own = [line for line in lines if not kind or counts[line.network][kind]]
        found = {*sizes}.intersection(*(line.routines for line in own))
        found -= {*needs.get("", ())}
        needs[kind] = tuple(sorted(found)) if len(own) >= _LEAST_LINES else ()

    def columns(kinds: Sequence[str]) -> Callable[[Line], list[float]]:
        _, *others = kinds
        return lambda line: [1.0, *(float(counts[line.network][kind]) for kind in others)]

    def own_flash(line: Line) -> float:
        linked = {part for kind in ("", *counts[line.network]) for part in needs.get(kind, ())}
        return line.flash - counts[line.network][DATA] - sum(sizes[part] for part in linked)

    def own_stack(line: Line) -> float:
        return line.stack - counts[line.network][ARRAY_BYTES]

    frames = tuple(kind for kind in ("", *_PACKED_FRAMES) if kind in seen)
    flash = _solve(lines, columns(in_flash), own_flash, [line.flash for line in lines])
    cycles = _solve(
        lines, columns(running), lambda line: line.cycles, [line.cycles for line in lines]
    )
    stack = _solve(lines, columns(frames), own_stack, [max(line.stack, 8) for line in lines])
    return Prices(
        _known(in_flash, flash) | {DATA: 1},
        _known(running, cycles),
        _known(frames, stack) | {ARRAY_BYTES: 1},
        {"": 0},
        {part: sizes[part] for parts in needs.values() for part in parts},
        needs,
    )


def left_out(lines: Sequence[Line], counts: Counts) -> list[tuple[Line, Cost]]:
    """What each random network is estimated at by a fit to the others: by thirds of them."""
    random = [line for line in lines if line.network.startswith("random")]
    found = []
    for start in range(_PARTS):
        part = random[start::_PARTS]
        own = fit([line for line in lines if line not in part], counts)
        found += [(line, own.cost(counts[line.network])) for line in part]
    return found


def _known(names: Sequence[str], values: Sequence[int]) -> dict[str, int]:
    """What is not nothing; and what every network takes."""
    return {name: value for name, value in zip(names, values, strict=False) if value or not name}


def _needs(
    probes: Mapping[str, Line], terms: Terms, dtype: str
) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """The bytes of routines, and by kinds what is linked for them."""
    routines: dict[str, int] = {}
    needs: dict[str, tuple[str, ...]] = {}
    for kind, (with_it, without) in terms.alone.items():
        own = probes[with_it].routines
        known = probes[without].routines if without else {}
        routines |= own
        needs[kind] = (*sorted(own.keys() - known.keys()), *terms.functions(kind, dtype))
    flagged = {f"flag_{kind}": needs[kind] for kind in FLAGGED if kind in needs}
    return routines, needs | flagged


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
