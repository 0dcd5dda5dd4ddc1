"""Describe a log: its rate, channels, recordings and gaps, and the windows that would fit."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dsgec.data.log import default_place
from dsgec.data.options import Preprocessing
from dsgec.data.propose import propose_window
from dsgec.data.samples import Log, complete, read_log
from dsgec.data.table import Table
from dsgec.data.target import read_target
from dsgec.errors import DsgecError, clean, counted
from dsgec.network.model import Label
from dsgec.search.settings import OPTIONS

_MOST_SHOWN = 40
_WIDEST_NAME = 24


def signal_lines(table: Table, target: str | None, options: Preprocessing) -> list[str]:
    """Return the lines on a table as a log of samples; empty if it does not look like one."""
    options = replace(options, index="drop")
    try:
        place = default_place(table, target, options)
        log = read_log(table, place, options)
    except DsgecError:
        return []
    if not (options.window or log.time or table.recorded or len(log.samples) > len(table)):
        return []
    try:
        classes, y = read_target(table, place, options.task)
    except DsgecError:
        classes, y = (), np.full(len(table), np.nan)
    y = np.repeat(y, len(log.samples) // len(table))
    return list(map(clean, _lines(table, log, classes, y, complete(table, options))))


def _lines(
    table: Table, log: Log, classes: tuple[Label, ...], y: np.ndarray, options: Preprocessing
) -> Iterator[str]:
    count = len(log.samples)
    rate = "unknown rate: --rate gives it" if log.rate is None else f"{log.rate:g} samples a second"
    lasts = f", {count / log.rate:,.6g} s in all" if log.rate else ""
    yield f"As a signal: {counted(count, 'sample')}, {rate}{lasts}"
    for name, values in zip(log.channels, log.samples.T, strict=True):
        known = values[~np.isnan(values)]
        whole = "whole numbers " if np.all(known == np.floor(known)) else ""
        missing = f"; {len(values) - len(known):,} missing" if len(known) < len(values) else ""
        span = f"{known.min():g} … {known.max():g}" if len(known) else "no samples"
        yield f"  channel     {name[:_WIDEST_NAME]:<{_WIDEST_NAME}} {whole}{span}{missing}"
    gaps = "unknown without a column of the time"
    if log.time:
        gaps = f"by `{log.time}`, {counted(log.gaps, 'gap')} within recordings"
    yield f"  gaps        {gaps}"
    yield from _recording_lines(log, classes, y)
    yield from (OPTIONS.write(f"  note        {note}") for note in log.notes)
    window = options.window or propose_window(log, y if classes else None)
    step = options.step or max(window // 2, 1)
    how = "given" if options.window else "proposed"
    group = f" --group {options.group}" if options.group and not table.recorded else ""
    yield f"  windows     {how}: --window {window} --step {step}{group}"
    if log.rate:
        yield f"              a window of {window / log.rate:.3g} s every {step / log.rate:.3g} s"


def _recording_lines(log: Log, classes: tuple[Label, ...], y: np.ndarray) -> Iterator[str]:
    """Yield a line for each recording, with the samples of each class."""
    yield f"  recordings  {len(log.names):,}"
    counts = np.bincount(log.recording, minlength=len(log.names))
    for number in range(min(len(log.names), _MOST_SHOWN)):
        inside = y[log.recording == number]
        inside = inside[~np.isnan(inside)].astype(np.intp)
        held = np.bincount(inside if classes else inside[:0], minlength=len(classes))
        each = ", ".join(
            f"{label} {held[place]:,}" for place, label in enumerate(classes) if held[place]
        )
        name = log.names[number][:_WIDEST_NAME]
        samples = counted(int(counts[number]), "sample")
        yield f"    {name:<{_WIDEST_NAME}} {samples}  {each}".rstrip()
    if len(log.names) > _MOST_SHOWN:
        yield f"    and {counted(len(log.names) - _MOST_SHOWN, 'more recording')}"
