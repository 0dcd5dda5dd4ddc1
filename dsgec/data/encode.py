"""Raw columns to features, as an exported network makes them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import label
from dsgec.data.cells import number as number_of
from dsgec.data.columns import are_rare, not_numbers, text_rows
from dsgec.data.ir import Dataset, Table, number_text
from dsgec.data.learn import learn, target_scale
from dsgec.errors import DsgecError, listed, mention
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, prologue

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def fitted(dataset: Dataset, rows: Rows) -> Dataset:
    """The data set with categories, fill values and scales of these rows, and encoded by them."""
    if dataset.raw is None:
        return dataset
    columns, raw = _seen(dataset.columns, dataset.raw, rows)
    if dataset.plan.learns:
        some_missing = bool(np.isnan(raw).any())
        columns = tuple(
            learn(dataset, column, raw[:, i], rows, some_missing=some_missing)
            for i, column in enumerate(columns)
        )
    elif raw is dataset.raw:
        return dataset
    features = tuple(name for column in columns for name in column.features)
    if not features:
        raise DsgecError(
            "every column has one value in all training rows",
            "Use a table with a column whose values differ.",
        )
    x = encode(columns, raw)
    bad = np.flatnonzero(~np.isfinite(x).all(axis=0))
    if len(bad):
        raise DsgecError(
            f"the numbers of `{features[bad[0]]}` are too large or too small to be scaled",
            f"Use {mention('scale', 'none')}, or write them in other units.",
        )
    return replace(
        dataset,
        columns=columns,
        features=features,
        raw=raw,
        x=x,
        notes=(*dataset.notes, *_changes(dataset.columns, columns)),
        target_scale=target_scale(dataset, rows),
    )


def _changes(before: tuple[Column, ...], after: tuple[Column, ...]) -> Iterator[str]:
    """What is said about columns of which these rows show less than others."""
    constant, unseen, marks = [], [], []
    for old, new in zip(before, after, strict=True):
        if new.kind == "constant" != old.kind:
            constant.append(f"`{new.name}`")
        elif new.kind == "category":
            lost = set(old.features) - {*new.features, old.mark}
            unseen += [f"`{name}`" for name in old.features if name in lost]
        if new.marked and not old.marked:
            marks.append(
                f"`{new.mark}` is a feature: where `{new.name}` is missing, the target differs"
            )
    if constant:
        yield _no_features(constant, "the same in every training row")
    if unseen:
        yield _no_features(unseen, "in no training row")
    yield from marks


def _no_features(names: list[str], why: str) -> str:
    if len(names) == 1:
        return f"{names[0]} is {why}, so it is not a feature"
    return f"{listed(names)} are {why}, so they are not features"


def _seen(columns: tuple[Column, ...], raw: Array, rows: Rows) -> tuple[tuple[Column, ...], Array]:
    """The columns with the categories of these rows only; a row with another has none of them."""
    found, whole = list(columns), raw
    for number, column in enumerate(columns):
        values = raw[rows, number] if column.kind == "category" else np.empty(0)
        seen = np.unique(values[values >= 0.0]).astype(np.intp)
        if column.kind != "category" or len(seen) == len(column.categories):
            continue
        places = np.full(len(column.categories) + 1, -1.0)  # the last is of -1, which stays
        places[seen] = np.arange(len(seen))
        known = ~np.isnan(raw[:, number])
        raw = raw.copy() if raw is whole else raw
        raw[known, number] = places[raw[known, number].astype(np.intp)]
        found[number] = replace(column, categories=tuple(column.categories[i] for i in seen))
    return tuple(found), raw


def encode(columns: tuple[Column, ...], raw: Array) -> Array:
    """The features of raw rows."""
    if all(column == Column(column.name) for column in columns):
        return raw
    return evaluate(prologue(columns), raw)


def raw_rows(table: Table, columns: tuple[Column, ...]) -> Array:
    """The raw rows of a table for columns that are known: a row for a model to predict.

    Columns are found by their names; or by place, in a table without a header that has as many. A
    constant, which nobody reads, need not be there.
    """
    names = [column.name for column in columns]
    place_of = {name: place for place, name in reversed([*enumerate(table.columns)])}
    needed = [column.name for column in columns if column.kind != "constant"]
    absent = [name for name in needed if name not in place_of]
    places: list[int | None]
    if not absent:
        places = [place_of.get(name) for name in names]
    elif not table.has_header and len(table.columns) == len(names):
        places = list(range(len(names)))
    else:
        noun = "column" if len(absent) == 1 else "columns"
        raise DsgecError(
            f"{table.source} lacks the {noun} {listed([f'`{name}`' for name in absent])}",
            "It needs the columns that the network is evolved on.",
        )
    raw = np.empty((len(table), len(columns)))
    for number, (column, place) in enumerate(zip(columns, places, strict=True)):
        raw[:, number] = 0.0 if place is None else _raw_column(table, place, column)
    return raw


def refuse_missing(raw: Array, columns: tuple[Column, ...], source: str) -> None:
    """Missing values are reported, of columns that nothing is known to fill them with."""
    counts = {
        column.name: int(np.isnan(raw[:, number]).sum())
        for number, column in enumerate(columns)
        if column.fill is None and column.kind != "constant"
    }
    places = "; ".join(f"`{name}`: {count}" for name, count in counts.items() if count)
    if places:
        raise DsgecError(
            f"{source} has missing values ({places})",
            "Fill them, or leave those rows out; a network evolved with"
            f" {mention('missing', 'mean', 'median')} fills them itself.",
        )


def _raw_column(table: Table, place: int, column: Column) -> Array:
    numbers, texts = table.numbers[:, place], table.texts.get(place)
    is_text = None if texts is None else text_rows(texts)
    if column.kind == "constant":  # which nobody reads
        return np.nan_to_num(numbers)
    if column.kind == "number":
        if texts is not None and is_text is not None:  # texts may be numbers, too
            values = np.array([*(number_of(text) for text in texts.texts), np.nan])
            numbers = np.where(is_text, values[texts.codes], numbers)
            is_text = is_text & np.isnan(numbers)
        if is_text is not None and is_text.any() and (column.fill is None or not are_rare(is_text)):
            raise not_numbers(table, place, is_text, "leave their rows out")
        return numbers
    known = _places(column)
    result = np.full(len(table), np.nan)
    is_number = ~np.isnan(numbers)
    result[is_number] = [known.get(number_text(v), -1.0) for v in numbers[is_number].tolist()]
    if texts is not None and is_text is not None:
        of_codes = np.array(
            [*(known.get(text, known.get(label(text), -1.0)) for text in texts.texts), -1.0]
        )
        result[is_text] = of_codes[texts.codes[is_text]]
    return result


def _places(column: Column) -> dict[str, float]:
    """The number of each category by how it may be written: a boolean in letters of any size, and
    as 0 or 1."""
    known = {category: float(i) for i, category in enumerate(column.categories)}
    if tuple(map(str.lower, column.categories)) != ("false", "true"):
        return known
    ways = {word: float(i) for i, word in enumerate(("false", "true"))}
    spelt = {way: i for word, i in ways.items() for way in (word, word.title(), word.upper())}
    return {"0": 0.0, "1": 1.0} | spelt | known
