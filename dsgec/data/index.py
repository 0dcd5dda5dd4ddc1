"""Columns to those that only count or are a time: they name a row, and predict no other."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import ColumnKind
from dsgec.errors import mention

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_LEAST_ROWS = 10
_LEAST_KNOWN = 0.95
_LEAST_REGULAR = 0.8
"""The share of steps between half and one and a half times the median step. Of a table sorted by a
random number it is 0.35."""
_LEAST_LENGTH = 10
"""Rows from one restart to the next, on average."""
_LEAST_DROP = 5
"""Median steps that a restart goes back, at the median."""
_CYCLES = {
    7,
    12,
    24,
    48,
    52,
    53,
    60,
    90,
    96,
    100,
    144,
    180,
    *range(28, 32),
    288,
    360,
    365,
    366,
    1440,
}
"""Lengths of days, months, circles and the like: a column that counts so far and starts again may
well be a feature."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_OF_TIME = {
    *("time", "timestamp", "datetime", "date", "t", "ts", "epoch", "unix", "elapsed", "uptime"),
    *("sec", "secs", "seconds", "ms", "millis", "milliseconds", "us", "micros", "ns", "clock"),
    *("index", "idx", "id", "key", "nr", "no", "num", "number", "row", "rownum", "line"),
    *("sample", "samples", "frame", "tick", "ticks", "seq", "sequence", "counter", "record"),
}
_OF_CYCLES = {
    *("hour", "minute", "min", "second", "day", "weekday", "dow", "week", "month", "quarter"),
    *("angle", "phase", "theta", "phi", "deg", "degree", "degrees", "direction", "azimuth"),
}
_KEPT = f"{mention('index', 'keep')} uses it"


def leave_out_indexes(found: Sequence[ColumnKind], groups: Rows | None = None) -> list[ColumnKind]:
    """The columns, of which those that count the rows or are a time are marked as useless.

    One stays where nothing else varies beside it, as in a table of a function of it, and one that
    is less sure to be an index gets a remark. With `groups`, each of them may start again.
    """
    order = None if groups is None else np.argsort(groups, kind="stable")
    starts = np.empty(0, dtype=np.intp)
    if order is not None and groups is not None:
        starts = np.flatnonzero(np.diff(groups[order])) + 1
    judged = {one.number: _judge(one, order, starts) for one in found if _is_candidate(one)}
    others = [one for one in found if not one.useless and not any(judged.get(one.number, ("", "")))]
    result = []
    for one in found:
        useless, remark = judged.get(one.number, ("", ""))
        if useless and any(_varies_beside(one.values, other.values) for other in others):
            one = replace(one, useless=f"it {useless}; {_KEPT}", remark="")
        elif useless or remark:
            one = replace(one, remark=useless or remark)
        result.append(one)
    return result


def _is_candidate(one: ColumnKind) -> bool:
    return one.kind == "number" and not one.useless and one.strays is None


def _judge(one: ColumnKind, order: Rows | None, starts: Rows) -> tuple[str, str]:
    """Return why a column is an index, and why it may be one; at most one of them is not empty."""
    values = one.values
    if order is not None:
        values = values[order]
    known = ~np.isnan(values)
    if known.sum() < _LEAST_ROWS or known.mean() < _LEAST_KNOWN:
        return "", ""
    starts = np.unique(np.cumsum(known)[starts - 1]) if len(starts) else starts
    values = values[known]
    steps = np.diff(values)
    is_start = np.zeros(len(steps), dtype=bool)
    is_start[starts[(starts > 0) & (starts <= len(steps))] - 1] = True
    inner = steps[~is_start]
    falls = (inner < 0.0).sum() > (inner > 0.0).sum()
    if falls:
        steps, inner = -steps, -inner
    words = {word.lower() for word in _WORD.findall(one.name)}
    is_named = bool(words & _OF_TIME) and not words & _OF_CYCLES
    way = "falls" if falls else "rises"
    forward = inner[inner > 0.0]
    breaks = inner < 0.0 if is_named else inner <= 0.0
    if len(forward) < _LEAST_ROWS - 1 or len(values) < _LEAST_LENGTH * (breaks.sum() + 1):
        return "", ""
    if _is_flat(inner):
        return "", ""
    if not breaks.any():
        sure = is_named or _is_regular(forward)
        apart = " within every group" if is_start.any() else " from row to row"
        text = f"{way}{apart}, as a row number or a time does"
        return (text, "") if sure else ("", text)
    drops = -inner[breaks]
    if not _is_regular(forward) or np.median(drops) < _LEAST_DROP * np.median(forward):
        return "", ""
    text = f"{way} steadily and starts again {int(breaks.sum()):,} times, as a time does"
    text = text.replace(" 1 times", " once")
    if words & _OF_CYCLES or (not is_named and _is_cycle(values)):
        return "", ""
    return (text, "") if is_named or _is_counter(values, forward) else ("", text)


def _is_regular(steps: Array) -> bool:
    middle = np.median(steps)
    return bool(((steps >= 0.5 * middle) & (steps <= 1.5 * middle)).mean() >= _LEAST_REGULAR)


def _is_flat(steps: Array) -> bool:
    """Return whether a column rarely changes from row to row, as one that a table is sorted by."""
    return bool((steps == 0.0).mean() > 0.9)


def _is_counter(values: Array, forward: Array) -> bool:
    return bool(values.min() in (0.0, 1.0) and (forward == 1.0).all())


def _is_cycle(values: Array) -> bool:
    span = float(values.max() - values.min()) + 1.0
    return span in _CYCLES and bool(np.all(values == np.floor(values)))


def _varies_beside(index: Array, values: Array) -> bool:
    """Return whether a column changes within a run of the index, not only where it restarts."""
    steps = np.diff(index)
    onward = steps > 0.0 if (steps > 0.0).sum() >= (steps < 0.0).sum() else steps < 0.0
    return bool((np.diff(values)[onward] != 0.0).any())
