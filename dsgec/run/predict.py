"""The predictions of a model for the rows of a table."""

import csv
import io

import numpy as np
from numpy.typing import NDArray

from dsgec.data.preprocessing import extract_raw_rows, refuse_missing
from dsgec.data.table import Table
from dsgec.network.decide import classify
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Input
from dsgec.network.model import Model, compose

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def predictions(model: Model, table: Table) -> str:
    """Return the predictions as CSV: the label and each class's probability, or the value."""
    network, rows = compose(model), model_rows(model, table)
    outputs = evaluate(network, rows)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if model.is_classifier:
        labels = [_cell(str(label)) for label in model.classes]
        writer.writerow(["predicted", *(f"p({label})" for label in labels)])
        chosen, nothing = classify(network, rows, model.threshold)
        names = ["" if no else labels[n] for n, no in zip(chosen, nothing, strict=True)]
        for name, row in zip(names, outputs.tolist(), strict=True):
            probabilities = [1.0 - row[0], row[0]] if len(row) == 1 else row
            writer.writerow([name, *probabilities])
    else:
        count = outputs.shape[1]
        names = [model.target] if model.target and count == 1 else _numbered(count)
        writer.writerow(map(_cell, names))
        writer.writerows(outputs.tolist())
    return out.getvalue()


def _numbered(count: int) -> list[str]:
    return [f"y_{number}" for number in range(1, count + 1)]


def model_rows(model: Model, table: Table) -> NDArray[np.float64]:
    """Return the rows of a table as the model takes them: its columns, categories as numbers."""
    raw = extract_raw_rows(table, model.columns)
    read = sorted(node.column for node in compose(model).nodes if isinstance(node, Input))
    # As in every export, a value that the network does not read may be missing.
    refuse_missing(raw[:, read], tuple(model.columns[i] for i in read), table.source)
    return raw


def _cell(text: str) -> str:
    """Return a label, marked as text if a spreadsheet would take it for a formula."""
    is_number = text.lstrip("+-").replace(".", "", 1).isdecimal()
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not is_number else text
