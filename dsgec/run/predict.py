"""The predictions of a model for the rows of a table, or for the windows of a log."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.log import read_windows
from dsgec.data.preprocessing import extract_raw_rows, refuse_missing
from dsgec.data.table import Table
from dsgec.data.window_features import window_features
from dsgec.data.windows import Windows
from dsgec.network.decide import Classes, classify
from dsgec.network.evaluate import evaluate
from dsgec.network.in_use import columns_in_use, in_use
from dsgec.network.ir import Input
from dsgec.network.model import Model, compose
from dsgec.network.unknown import with_unknown
from dsgec.plain_data import csv_text
from dsgec.signal.smooth import smooth

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def predictions(model: Model, table: Table, group: str = "") -> str:
    """Return the predictions as CSV: the label and each class's probability, or the value.

    A row of a log, whose recordings the column `group` names, is a window: its recording and the
    numbers of its first and last sample in it come first. If classes are smoothed, the class of the
    window `alone` stands beside that of the votes.
    """
    model = with_unknown(model)
    windows = model_windows(model, table, group)
    network = compose(model)
    rows = model_rows(model, table) if windows is None else window_rows(model, windows)
    outputs = evaluate(network, rows)
    places = [()] * len(rows) if windows is None else _window_cells(windows)
    head = [] if windows is None else ["recording", "first", "last"]
    if model.is_classifier:
        labels = [_cell(str(label)) for label in model.classes]
        alone, nothing = classify(network, rows, model.threshold)
        alone[nothing] = len(labels)
        chosen = smoothed(model, windows, alone)
        is_smoothed = windows is not None and windows.smooth > 1
        head += ["predicted", *(["alone"] * is_smoothed), *(f"p({label})" for label in labels)]
        labels.append("")
        called = [
            [labels[number] for number in both[: 1 + is_smoothed]]
            for both in zip(chosen.tolist(), alone.tolist(), strict=True)
        ]
        results = [
            [*name, *([1.0 - row[0], row[0]] if len(row) == 1 else row)]
            for name, row in zip(called, outputs.tolist(), strict=True)
        ]
    else:
        count = outputs.shape[1]
        names = [model.target] if model.target and count == 1 else _output_names(count)
        head += map(_cell, names)
        results = outputs.tolist()
    return csv_text(head, ([*place, *row] for place, row in zip(places, results, strict=True)))


def expected_columns(model: Model) -> tuple[str, ...]:
    """Return the names by which the header of a table or a log for a model is known."""
    names = model.signal.channels if model.signal else model.columns
    return tuple(one.name for one in names)


def model_windows(model: Model, table: Table, group: str = "") -> Windows | None:
    """Return the windows of a log for a model of a signal; None for a table of its columns."""
    if model.signal is None:
        return None
    names = tuple(column.name for column in model.columns)
    if {*names} <= {*table.columns} or (not table.has_header and len(table.columns) == len(names)):
        return None
    channels = expected_columns(model)
    if not table.has_header and len(table.columns) == len(channels):
        table = replace(table, columns=channels)
    return read_windows(table, model.signal, group)[0]


def smoothed(model: Model, windows: Windows | None, classes: Classes) -> Classes:
    """Return the classes of windows by the votes of their stream; others as they are."""
    if windows is None or model.signal is None or model.signal.smooth < 2:
        return classes
    return smooth(classes, windows.first_of_stretch, model.signal.smooth)


def window_rows(model: Model, windows: Windows) -> NDArray[np.float64]:
    """Return the rows of windows as a model takes them; features that it does not read are 0."""
    signal = in_use(model).signal
    assert signal is not None
    raw = np.zeros((len(windows), len(model.columns)))
    raw[:, list(columns_in_use(model))] = window_features(signal, windows)
    return raw


def _window_cells(windows: Windows) -> list[tuple[str, int, int]]:
    """Return for each window its recording, and the numbers of its first and last sample in it."""
    assert windows.recording is not None
    found = []
    for start, number in zip(windows.starts.tolist(), windows.recording.tolist(), strict=True):
        first = start - int(windows.begins[number]) + 1
        found.append((_cell(windows.recordings[number]), first, first + windows.window - 1))
    return found


def _output_names(count: int) -> list[str]:
    return [f"y_{number}" for number in range(1, count + 1)]


def model_rows(model: Model, table: Table) -> NDArray[np.float64]:
    """Return the rows of a table as the model takes them: its columns, categories as numbers.

    Of a log, they are the features of its windows.
    """
    windows = model_windows(model, table)
    if windows is not None:
        return window_rows(model, windows)
    raw = extract_raw_rows(table, model.columns)
    read = sorted(node.column for node in compose(model).nodes if isinstance(node, Input))
    # As in every export, a value that the network does not read may be missing.
    refuse_missing(raw[:, read], tuple(model.columns[i] for i in read), table.source)
    return raw


def _cell(text: str) -> str:
    """Return a label, marked as text if a spreadsheet would take it for a formula."""
    is_number = text.lstrip("+-").replace(".", "", 1).isdecimal()
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not is_number else text
