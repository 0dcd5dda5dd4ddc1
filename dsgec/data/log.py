"""Make a data set of a log: a table with a row for each sample of a sensor.

The columns of numbers are channels; the time, counters of rows and texts are not. The rows of the
data set are windows, and their features are those that a grammar names.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dsgec.data.columns import ColumnProfile, profile_column
from dsgec.data.dataset import Dataset
from dsgec.data.index import find_rate, find_time, mark_index_columns
from dsgec.data.options import Preprocessing
from dsgec.data.row_metadata import read_groups
from dsgec.data.stretches import find_stretch_column
from dsgec.data.table import Table
from dsgec.data.target import default_target, read_target
from dsgec.data.wide import as_samples, find_wide
from dsgec.data.windows import (
    Array,
    Mask,
    Rows,
    Windows,
    block_starts,
    cut,
    find_gaps,
    stretches,
    window_targets,
)
from dsgec.errors import DsgecError, counted, join_names, mention
from dsgec.network.model import Label

_MOST_CHANNELS = 64
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


def is_log(table: Table, options: Preprocessing) -> bool:
    """Return whether the rows of a data set are windows of the samples in a table."""
    return bool(options.window) or table.recorded is not None


def make_log_dataset(table: Table, target: str | None, options: Preprocessing) -> Dataset:
    """Return the data set whose rows are the windows of a log; it has no features yet."""
    table, options = _complete(table, options)
    if options.window is None:
        raise DsgecError(
            f"{table.source} has recordings of samples, and the length of a window is not given",
            f"Choose one, such as {mention('window', 64)}; `dsgec inspect` proposes one.",
        )
    if table.row_weights is not None:
        raise DsgecError("the samples of a log cannot have weights", "Leave them out.")
    place = _target_place(table, target, options)
    classes, y = read_target(table, place, options.task)
    log = read_log(table, place, options)
    if len(y) < len(log.samples):  # of a wide table
        y = np.repeat(y, len(log.samples) // len(y))
    groups, blocked, notes = _choose_groups(log, y, len(classes), options)
    starts = log.starts.copy()
    usable: Mask = np.logical_not(np.isnan(log.samples).any(axis=1))
    incomplete = int((~usable).sum())
    if incomplete and options.missing == "error":
        raise DsgecError(
            f"{counted(incomplete, 'row')} of {table.source} lack a sample",
            f"{mention('missing', 'drop')} lets windows begin again after such a row.",
        )
    if incomplete:
        notes.append(
            f"{counted(incomplete, 'row')} lack a sample: windows begin again after each of them"
        )
    if blocked is not None:
        starts[blocked[1:]] = True
        for first in blocked[1:].tolist():
            if log.recording[first] == log.recording[first - 1]:
                usable[max(first - options.window, 0) : first] = False
    first = cut(starts, usable, options.window, options.stride)
    by_majority = options.label == "majority"
    targets = window_targets(y, first, options.window, len(classes), by_majority=by_majority)
    kept = ~np.isnan(targets)
    first, targets = first[kept], targets[kept]
    if not len(first):
        raise _no_windows(table, starts, usable, options.window)
    windows = Windows(
        log.channels,
        log.samples,
        first,
        options.window,
        options.stride,
        log.rate,
        log.names,
        log.recording[first],
    )
    classes, targets, lost = _present_classes(classes, targets)
    numbers = np.unique(groups[first], return_inverse=True)[1]
    made = f"{counted(len(first), 'window')} of {counted(options.window, 'sample')}, one every"
    notes = [
        f"{made} {counted(options.stride, 'sample')}, of {join_names(_quoted(log.channels))}",
        *log.notes,
        *lost,
        *notes,
    ]
    return Dataset(
        name=table.name,
        features=(),
        target=table.columns[place],
        classes=classes,
        x=np.empty((len(first), 0)),
        y=targets,
        digest=table.digest,
        preprocessing=options,
        notes=(*table.notes, *notes),
        reading=table.reading,
        groups=numbers if int(numbers.max()) + 1 < len(first) else None,
        groups_digest=table.groups_digest,
        windows=windows,
    )


def read_log(table: Table, target: int | None, options: Preprocessing) -> Log:
    """Return the samples of a table, and where a recording begins.

    Without a `target` column, every other column of numbers may be a channel.
    """
    table, options = _complete(table, options)
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
        return _read_wide(table, wide, places, codes)
    return _read_long(table, places, codes, options, group)


def _read_long(
    table: Table,
    places: Sequence[int],
    codes: Rows | None,
    options: Preprocessing,
    group: int | None,
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
        first = np.unique(codes, return_index=True)[1].tolist()
        names = [table.cell(row, group) if group is not None else str(codes[row]) for row in first]
        return codes, tuple(names), codes
    again = np.zeros(len(table), dtype=bool)
    if time is not None:
        steps = np.diff(time.values)
        pause = _PAUSE * window * np.median(steps[steps > 0.0])
        again[1:] = (steps < 0.0) | (steps > pause)
    recording = np.cumsum(again).astype(np.intp)
    names = [str(number + 1) for number in range(int(recording[-1]) + 1)]
    return recording, tuple(names), recording if len(names) >= _LEAST_RECORDINGS else None


def _read_wide(
    table: Table, wide: dict[str, list[int]], places: Sequence[int], codes: Rows | None
) -> Log:
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


def _complete(table: Table, options: Preprocessing) -> tuple[Table, Preprocessing]:
    """Fill in the options that the recorded of a file gives."""
    recorded = table.recorded
    if recorded is None:
        return table, options
    window = options.window or recorded.window or None
    step = options.step or (window if options.window is None else None)
    group = options.group or recorded.recording
    return table, replace(options, window=window, step=step, group=group)


def _choose_groups(
    log: Log, y: Array, classes: int, options: Preprocessing
) -> tuple[Rows, Rows | None, list[str]]:
    """Return the group of each sample, the starts of blocks if groups are blocks, and notes.

    Recordings are groups if there are some of each class; otherwise each is divided into blocks.
    """
    assert options.window is not None
    groups = log.groups
    lonely = False
    if groups is not None and classes:
        known = ~np.isnan(y)
        pairs = np.unique(np.column_stack([y[known], groups[known]]), axis=0)
        counts = np.bincount(pairs[:, 0].astype(np.intp), minlength=classes)
        lonely = bool((counts == 1).any())
    if groups is not None and not lonely and len(np.unique(groups)) > 1:
        by = f"`{options.group}`" if options.group else "recordings"
        return groups, None, [f"training and test windows, and folds, are split by {by}"]
    edges = np.flatnonzero(np.r_[True, log.recording[1:] != log.recording[:-1]])
    lengths = np.diff(np.r_[edges, len(log.recording)]).tolist()
    blocks = block_starts(lengths, options.window)
    numbers = np.searchsorted(blocks, np.arange(len(log.recording)), side="right") - 1
    why = "some classes are in one recording only" if lonely else "there are too few recordings"
    advice = "" if lonely else f"; {mention('group')} names the column of recordings"
    note = (
        f"training and test windows, and folds, are blocks of time with a gap of one window, as"
        f" {why}, so figures for other recordings may be worse{advice}"
    )
    return numbers.astype(np.intp), blocks, [note]


def _present_classes(
    classes: tuple[Label, ...], targets: Array
) -> tuple[tuple[Label, ...], Array, list[str]]:
    """Return the classes that windows have, their numbers, and a note on the others."""
    if not classes:
        return classes, targets, []
    present, numbers = np.unique(targets.astype(np.intp), return_inverse=True)
    lost = [f"`{label}`" for number, label in enumerate(classes) if number not in present]
    if not lost:
        return classes, targets, []
    kept = tuple(classes[number] for number in present)
    if len(kept) < 2:
        raise DsgecError(
            f"every window has the same target, `{kept[0]}`",
            f"Shorter windows ({mention('window')}) may have others.",
        )
    have = "has" if len(lost) == 1 else "have"
    return kept, numbers.astype(np.float64), [f"{join_names(lost)} {have} no window"]


def _target_place(table: Table, target: str | None, options: Preprocessing) -> int:
    """Return the column of the target; without a name, the last one that is not the group."""
    if target is not None:
        return table.find_column(target)
    if table.recorded is not None and table.recorded.target:
        return table.find_column(table.recorded.target)
    place = default_target(table)
    if options.group and place == table.find_column(options.group):
        named = [i for i, name in enumerate(table.columns) if name and i != place]
        place = max(named, default=place)
    return place


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


def _no_windows(table: Table, starts: Mask, usable: Mask, window: int) -> DsgecError:
    longest = int(stretches(starts, usable)[1].max(initial=0))
    return DsgecError(
        f"no window of {window} samples has a place in {table.source}: the longest stretch without"
        f" a gap or a missing sample has {counted(longest, 'sample')}",
        f"Shorten it ({mention('window', max(longest // 4, 2))}), or fill in missing samples.",
    )


def _refuse_many(table: Table, channels: int) -> None:
    if channels > _MOST_CHANNELS:
        raise DsgecError(
            f"{table.source} has {channels} channels, more than {_MOST_CHANNELS}",
            f"Leave some out with {mention('ignore')}; for an ordinary table, leave out"
            f" {mention('window')}.",
        )


def _quoted(names: Sequence[str]) -> list[str]:
    return [f"`{name}`" for name in names]
