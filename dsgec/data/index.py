"""Find index columns, which only count the rows or are a time: they do not predict other rows."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import ColumnProfile
from dsgec.errors import mention

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_LEAST_ROWS = 10
_LEAST_KNOWN = 0.95
_LEAST_REGULAR = 0.8
"""The share of steps that are 0.5 to 1.5 times the median step; in a table sorted by a random
number it is 0.35."""
_LEAST_LENGTH = 10  # mean number of rows from one restart to the next
_LEAST_DROP = 5  # the median size of a restart, in median steps
_CYCLES = {*(7, 12, 24, 48, 52, 53, 60, 90, 96, 100), *range(28, 32)}
_CYCLES |= {144, 180, 288, 360, 365, 366, 1440}
"""Lengths of days, months, circles and the like: a column that counts up to one of them and starts
again may well be a feature."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TIME_WORDS = {
    *("time", "timestamp", "datetime", "date", "t", "ts", "epoch", "unix", "elapsed", "uptime"),
    *("sec", "secs", "seconds", "ms", "millis", "milliseconds", "us", "micros", "ns", "clock"),
}
_COUNTER_WORDS = {
    *("index", "idx", "id", "key", "nr", "no", "num", "number", "row", "rownum", "line"),
    *("sample", "samples", "frame", "tick", "ticks", "seq", "sequence", "counter", "record"),
}
_UNITS = {
    **dict.fromkeys(("ns", "nanos", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "micros", "microseconds", "usec"), 1e-6),
    **dict.fromkeys(("ms", "millis", "milliseconds", "msec"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), 1.0),
}
_EPOCHS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3), (1e8, 1.0))
"""Times since 1970 are larger than the first number if their unit is the second."""
_LEAST_RISING = 0.9  # the share of the steps of a time
_LONGEST_STEP = 0.5
"""A median step of a time without a unit that is shorter than this is taken for seconds."""
_CYCLE_WORDS = {
    *("hour", "minute", "min", "second", "day", "weekday", "dow", "week", "month", "quarter"),
    *("angle", "phase", "theta", "phi", "deg", "degree", "degrees", "direction", "azimuth"),
}


def mark_index_columns(
    found: Sequence[ColumnProfile], groups: Rows | None = None
) -> list[ColumnProfile]:
    """Return the columns with those that count the rows or are a time marked as useless.

    A column is kept if nothing else varies while it rises, as in the table of a function of time.
    A less certain case gets a remark. With `groups`, a column may start again in each group.
    """
    order = None if groups is None else np.argsort(groups, kind="stable")
    starts = np.empty(0, dtype=np.intp)
    if order is not None and groups is not None:
        starts = np.flatnonzero(np.diff(groups[order])) + 1
    judged = {
        one.number: _judge(one.name, one.values if order is None else one.values[order], starts)
        for one in found
        if _is_candidate(one)
    }
    others = [one for one in found if not one.useless and not any(judged.get(one.number, ("", "")))]
    result = []
    for one in found:
        useless, remark = judged.get(one.number, ("", ""))
        if useless and any(_varies_beside(one.values, other.values) for other in others):
            one = replace(
                one,
                useless=f"it {useless}; {mention('index', 'keep')} uses it",
                remark="",
                is_index=True,
            )
        elif useless or remark:
            one = replace(one, remark=useless or remark)
        result.append(one)
    return result


def find_time(found: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """Return the column of the time, if there is one: it is named so and hardly falls."""
    for one in found:
        words = {word.lower() for word in _WORD.findall(one.name)}
        is_named = bool(words & (_TIME_WORDS | _UNITS.keys()))
        if not is_named or words & (_COUNTER_WORDS | _CYCLE_WORDS) or not _is_candidate(one):
            continue
        steps = np.diff(one.values)
        if len(steps) and (steps >= 0.0).mean() >= _LEAST_RISING and (steps > 0.0).any():
            return one
    return None


def find_rate(one: ColumnProfile, is_start: NDArray[np.bool_]) -> float | None:
    """Return the samples in a second by a column of times, or None if its unit is unknown.

    `is_start` marks samples that do not follow the one before.
    """
    steps = np.diff(one.values)[~is_start[1:]]
    steps = steps[np.isfinite(steps)]
    if not len(steps) or not steps.mean() > 0.0:
        return None
    words = [word.lower() for word in _WORD.findall(one.name)]
    unit = next((_UNITS[word] for word in words if word in _UNITS), None)
    if unit is None:
        largest = float(np.nanmax(np.abs(one.values)))
        unit = next((unit for least, unit in _EPOCHS if largest > least), None)
    if unit is None and np.median(steps) < _LONGEST_STEP:
        unit = 1.0
    return None if unit is None else float(f"{1.0 / (float(steps.mean()) * unit):.4g}")


def _is_candidate(one: ColumnProfile) -> bool:
    return one.kind == "number" and not one.useless and one.strays is None


def _judge(name: str, values: Array, starts: Rows) -> tuple[str, str]:
    """Return why a column is an index, and why it may be one; at most one of these is not empty."""
    known = ~np.isnan(values)
    if known.sum() < _LEAST_ROWS or known.mean() < _LEAST_KNOWN:
        return "", ""
    values = values[known]
    is_start = _steps_between_groups(known, starts)
    inner = np.diff(values)[~is_start]
    way = "rises"
    if (inner < 0.0).sum() > (inner > 0.0).sum():
        inner, way = -inner, "falls"
    is_named, is_cyclic = _name_kind(name)
    forward = inner[inner > 0.0]
    breaks = inner < 0.0 if is_named else inner <= 0.0
    if not _has_steps(inner, len(values), int(breaks.sum())):
        return "", ""
    if breaks.any():
        is_sure = is_named or _is_counter(values, forward)
        is_cyclic = is_cyclic or (not is_named and _is_cycle(values))
        if is_cyclic or not _restarts(inner, breaks):
            return "", ""
        text = f"{way} steadily and starts again {int(breaks.sum()):,} times, as a time does"
        text = text.replace(" 1 times", " once")
    else:
        is_sure = is_named or _is_regular(forward)
        apart = " within every group" if is_start.any() else " from row to row"
        text = f"{way}{apart}, as a row number or a time does"
    return (text, "") if is_sure else ("", text)


def _name_kind(name: str) -> tuple[bool, bool]:
    """Return whether a column is named like a time or a counter, and whether like a cycle."""
    words = {word.lower() for word in _WORD.findall(name)}
    is_cyclic = bool(words & _CYCLE_WORDS)
    return not is_cyclic and bool(words & (_TIME_WORDS | _COUNTER_WORDS)), is_cyclic


def _has_steps(steps: Array, values: int, breaks: int) -> bool:
    """Return whether a column has enough steps forward; one that a table is sorted by has few."""
    if (steps > 0.0).sum() < _LEAST_ROWS - 1 or values < _LEAST_LENGTH * (breaks + 1):
        return False
    return bool((steps == 0.0).mean() <= 0.9)


def _steps_between_groups(known: NDArray[np.bool_], starts: Rows) -> NDArray[np.bool_]:
    """Return which steps from one known value to the next lead to another group."""
    starts = np.unique(np.cumsum(known)[starts - 1]) if len(starts) else starts
    is_start = np.zeros(known.sum() - 1, dtype=bool)
    is_start[starts[(starts > 0) & (starts <= len(is_start))] - 1] = True
    return is_start


def _restarts(steps: Array, breaks: NDArray[np.bool_]) -> bool:
    """Return whether a column rises regularly between breaks, which are far larger than steps."""
    forward = steps[steps > 0.0]
    return _is_regular(forward) and bool(
        np.median(-steps[breaks]) >= _LEAST_DROP * np.median(forward)
    )


def _is_regular(steps: Array) -> bool:
    middle = np.median(steps)
    return bool(((steps >= 0.5 * middle) & (steps <= 1.5 * middle)).mean() >= _LEAST_REGULAR)


def _is_counter(values: Array, forward: Array) -> bool:
    return bool(values.min() in (0.0, 1.0) and (forward == 1.0).all())


def _is_cycle(values: Array) -> bool:
    span = float(values.max() - values.min()) + 1.0
    return span in _CYCLES and bool(np.all(values == np.floor(values)))


def _varies_beside(index: Array, values: Array) -> bool:
    """Return whether a column changes while the index rises, not only where it restarts."""
    steps = np.diff(index)
    onward = steps > 0.0 if (steps > 0.0).sum() >= (steps < 0.0).sum() else steps < 0.0
    return bool((np.diff(values)[onward] != 0.0).any())
