"""Make a data set of a log: a table with a row for each sample of a sensor.

The columns of numbers are channels; the time, counters of rows and texts are not. The rows of the
data set are windows, and their features are those that a grammar names.
"""

import numpy as np

from dsgec.data.blocks import divide
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.data.samples import Log, complete, quoted, read_log
from dsgec.data.table import Table
from dsgec.data.target import default_target, read_target
from dsgec.data.windows import Array, Mask, Windows, cut, stretches, window_targets
from dsgec.errors import DsgecError, counted, join_names, mention, setting_error
from dsgec.network.model import Label
from dsgec.signal.description import Signal

_MOST_VOTED = 120  # a vote is an integer of 8 bits


def is_log(table: Table, options: Preprocessing) -> bool:
    """Return whether the rows of a data set are windows of the samples in a table."""
    return bool(options.window) or table.recorded is not None


def make_log_dataset(table: Table, target: str | None, options: Preprocessing) -> Dataset:
    """Return the data set whose rows are the windows of a log; it has no features yet."""
    options = complete(table, options)
    if options.window is None:
        raise DsgecError(
            f"{table.source} has recordings of samples, and the length of a window is not given",
            f"Choose one, such as {mention('window', 64)}; `dsgec inspect` proposes one.",
        )
    if table.row_weights is not None:
        raise DsgecError("the samples of a log cannot have weights", "Leave them out.")
    place = default_place(table, target, options)
    classes, y = read_target(table, place, options.task)
    if options.smooth > 1 and not 0 < len(classes) <= _MOST_VOTED:
        what = f"has {len(classes)} classes" if classes else "is numeric"
        raise setting_error(
            "smooth",
            f"is for at most {_MOST_VOTED} classes, but `{table.columns[place]}` {what}",
            "Leave it out.",
        )
    log = read_log(table, place, options)
    if len(y) < len(log.samples):  # of a wide table
        y = np.repeat(y, len(log.samples) // len(y))
    division = divide(y, len(classes), log.recording, log.groups, options.window, options.group)
    notes = [division.note]
    starts: Mask = log.starts | division.starts
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
    usable &= ~division.before
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
        log.begins,
        smooth=options.smooth,
    )
    classes, targets, lost = _present_classes(classes, targets)
    numbers = np.unique(division.groups[first], return_inverse=True)[1]
    made = f"{counted(len(first), 'window')} of {counted(options.window, 'sample')}, one every"
    notes = [
        f"{made} {counted(options.stride, 'sample')}, of {join_names(quoted(log.channels))}",
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


def default_place(table: Table, target: str | None, options: Preprocessing) -> int:
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


def _no_windows(table: Table, starts: Mask, usable: Mask, window: int) -> DsgecError:
    longest = int(stretches(starts, usable)[1].max(initial=0))
    return DsgecError(
        f"no window of {window} samples has a place in {table.source}: the longest stretch without"
        f" a gap or a missing sample has {counted(longest, 'sample')}",
        f"Shorten it ({mention('window', max(longest // 4, 2))}), or fill in missing samples.",
    )


def read_windows(table: Table, signal: Signal, group: str = "") -> tuple[Windows, Log]:
    """Return the windows of a log that a model of this signal predicts.

    The column `group` names the recordings, if the table has it.
    """
    named = group if group in table.columns else ""
    options = Preprocessing(group=named, window=signal.window, step=signal.step, index="drop")
    log = read_log(table, None, options, tuple(channel.name for channel in signal.channels))
    usable: Mask = np.logical_not(np.isnan(log.samples).any(axis=1))
    first = cut(log.starts, usable, signal.window, signal.step)
    if not len(first):
        raise _no_windows(table, log.starts, usable, signal.window)
    windows = Windows(
        *(log.channels, log.samples, first, signal.window, signal.step, log.rate or signal.rate),
        *(log.names, log.recording[first], log.begins),
        calls=signal.features,
        signal=signal,
        smooth=signal.smooth,
    )
    return windows, log
