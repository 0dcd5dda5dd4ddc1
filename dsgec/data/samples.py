"""Read the samples of a log: its channels, its recordings, its time and the gaps in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dsgec.data.columns import ColumnProfile, profile_column
from dsgec.data.index import find_rate, find_time, mark_index_columns
from dsgec.data.options import Preprocessing
from dsgec.data.row_metadata import read_groups
from dsgec.data.stretches import find_stretch_column
from dsgec.data.table import Table
from dsgec.data.wide import as_samples, find_wide
from dsgec.data.windows import Array, Mask, Rows, find_gaps
from dsgec.errors import DsgecError, counted, join_names, mention

MOST_CHANNELS = 64
_PAUSE = 5  # the length of windows between two recordings
_LEAST_RECORDINGS = 4
"""Fewer recordings, if no column names them, are divided into blocks of time."""


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """The samples of a log and their recordings, before they are cut into windows.

    `names` are the recordings, `recording` that of each sample, and `groups` what must stay
    together in a split, if that is known.
    """

    channels: tuple[str, ...]
    samples: Array
    starts: Mask
    names: tuple[str, ...]
    recording: Rows
    groups: Rows | None
    rate: float | None
    time: str
    gaps: int
    notes: tuple[str, ...]

    @property
    def begins(self) -> Rows:
        """Return the first sample of each recording."""
        found: Rows = np.unique(self.recording, return_index=True)[1]
        return found


def complete(table: Table, options: Preprocessing) -> Preprocessing:
    """Fill in the options that a file of recordings gives."""
    recorded = table.recorded
    if recorded is None:
        return options
    window = options.window or recorded.window or None
    step = options.step or (window if options.window is None else None)
    group = options.group or recorded.recording
    return replace(options, window=window, step=step, group=group)


def read_log(
    table: Table,
    target: int | None,
    options: Preprocessing,
    channels: Sequence[str] = (),
) -> Log:
    """Return the samples of a table, and where a recording begins.

    Every column of numbers is a channel that is not the `target`, the group or the time; or only
    the named `channels` are.
    """
    options = complete(table, options)
    group = table.find_column(options.group) if options.group else None
    if group is not None and group == target:
        raise DsgecError(
            f"`{table.columns[group]}` is the target, so it cannot be the group",
            "Name the column that says which samples belong together.",
        )
    ignored = {table.find_column(name) for name in options.ignore}
    places = [i for i in range(len(table.columns)) if i not in (target, group, *ignored)]
    codes = table.groups if group is None else read_groups(table, group)
    if codes is not None and (codes < 0).any():
        raise DsgecError(
            f"the group `{options.group}` of {table.source} is missing in some rows",
            "Every sample belongs to a recording: fill it in.",
        )
    if wide := find_wide(table, places, options.window):
        return _read_wide(table, wide, places, codes, channels)
    return _read_long(table, places, codes, options, group, channels)


def _read_long(
    table: Table,
    places: Sequence[int],
    codes: Rows | None,
    options: Preprocessing,
    group: int | None,
    named: Sequence[str],
) -> Log:
    found = [profile_column(table, place) for place in places]
    notes: list[str] = []
    if codes is None:
        stretch = find_stretch_column(table, found, options.window or 1)
        if stretch is not None:
            group, codes = stretch, read_groups(table, stretch)
            found = [one for one in found if one.number != stretch]
            notes.append(
                f"`{table.columns[stretch]}` has another value in each stretch of rows: it is"
                f" taken for the recording, as {mention('group', table.columns[stretch])} does"
            )
    time = find_time(found)
    starts = np.zeros(len(table), dtype=bool)
    starts[:1] = True
    if codes is not None:
        starts[1:] = codes[1:] != codes[:-1]
    gaps, rate = 0, options.rate
    if time is not None:
        changed = starts.copy()
        starts |= (later := find_gaps(time.values, starts))
        gaps = int((later & ~changed).sum())
        rate = rate or find_rate(time, starts)
        found = [one for one in found if one.number != time.number]
    if named:
        channels = [_named_channel(table, name) for name in named]
    else:
        if options.index == "drop":
            found = mark_index_columns(found, codes)
        channels = [one for one in found if one.kind == "number" and not one.useless]
    notes += _left_out(found, channels)
    if not channels:
        raise DsgecError(
            f"no column of {table.source} can be a channel",
            "A log has a row for each sample and a column of numbers for each channel.",
        )
    _refuse_many(table, len(channels))
    recording, names, groups = _recordings(table, codes, group, time, options.window or 1)
    numbers = table.numbers
    samples = np.ascontiguousarray(numbers[:, [one.number for one in channels]])
    shown = "" if time is None else time.name
    called = tuple(one.name or f"c_{place}" for place, one in enumerate(channels, 1))
    return Log(called, samples, starts, names, recording, groups, rate, shown, gaps, tuple(notes))


def _named_channel(table: Table, name: str) -> ColumnProfile:
    """Return the column of a channel, which may be the same in every row."""
    found = profile_column(table, table.find_column(name))
    if found.kind != "number" or (found.useless and not found.constant):
        why = found.useless or f"it is a {found.kind}"
        raise DsgecError(f"the channel `{name}` of {table.source} cannot be used: {why}")
    return found


def _recordings(
    table: Table,
    codes: Rows | None,
    group: int | None,
    time: ColumnProfile | None,
    window: int,
) -> tuple[Rows, tuple[str, ...], Rows | None]:
    """Return the recording of each sample, the names of recordings, and the groups of a split.

    Without a column of recordings, one ends where the time starts again or pauses for the length of
    several windows.
    """
    if codes is not None:
        _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
        ranks = np.empty(len(first), dtype=np.intp)
        ranks[np.argsort(first)] = np.arange(len(first))
        names = [
            table.cell(row, group) if group is not None else str(codes[row])
            for row in np.sort(first).tolist()
        ]
        return ranks[numbers], tuple(names), codes
    again = np.zeros(len(table), dtype=bool)
    if time is not None:
        steps = np.diff(time.values)
        pause = _PAUSE * window * np.median(steps[steps > 0.0])
        again[1:] = (steps < 0.0) | (steps > pause)
    recording = np.cumsum(again).astype(np.intp)
    names = [str(number + 1) for number in range(int(recording[-1]) + 1)]
    return recording, tuple(names), recording if len(names) >= _LEAST_RECORDINGS else None


def _read_wide(
    table: Table,
    wide: dict[str, list[int]],
    places: Sequence[int],
    codes: Rows | None,
    named: Sequence[str],
) -> Log:
    if lost := [name for name in named if name not in wide]:
        raise DsgecError(f"{table.source} lacks the channels {join_names(quoted(lost))}")
    wide = {name: wide[name] for name in named} if named else wide
    samples, length = as_samples(table, wide)
    used = {place for columns in wide.values() for place in columns}
    rows = len(table)
    others = [f"`{table.columns[i]}`" for i in places if i not in used]
    first = next(iter(wide.values()))
    notes = [
        f"columns such as `{table.columns[first[0]]}` … `{table.columns[first[-1]]}` are read as"
        f" {counted(length, 'sample')} of a channel: each row is a recording"
    ]
    if others:
        notes.append(f"{join_names(others)} {'is' if len(others) == 1 else 'are'} left out")
    _refuse_many(table, len(wide))
    starts = np.zeros(rows * length, dtype=bool)
    starts[::length] = True
    recording = np.repeat(np.arange(rows), length)
    names = tuple(str(number + 1) for number in range(rows))
    groups = recording if codes is None else np.repeat(codes, length)
    return Log(tuple(wide), samples, starts, names, recording, groups, None, "", 0, tuple(notes))


def _left_out(found: Sequence[ColumnProfile], channels: Sequence[ColumnProfile]) -> list[str]:
    """Return a note on each column that is not a channel."""
    used = {one.number for one in channels}
    notes = []
    for one in found:
        if one.number in used:
            continue
        why = one.useless or (
            f"a channel has numbers; if it names the recordings, {mention('group', one.name)}"
            " keeps them together"
        )
        notes.append(f"`{one.name}` is left out: {why}")
    return notes


def _refuse_many(table: Table, channels: int) -> None:
    if channels > MOST_CHANNELS:
        raise DsgecError(
            f"{table.source} has {channels} channels, more than {MOST_CHANNELS}",
            f"Leave some out with {mention('ignore')}; for an ordinary table, leave out"
            f" {mention('window')}.",
        )


def quoted(names: Sequence[str]) -> list[str]:
    """Return names in quotation marks."""
    return [f"`{name}`" for name in names]
