"""Make a data set of a table: choose target and features, and leave out rows."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import ColumnProfile, profile_column, refuse_strays, stray_note
from dsgec.data.dataset import Dataset, Split
from dsgec.data.index import find_time, mark_index_columns
from dsgec.data.leakage import add_leakage_notes, is_on_neighbours
from dsgec.data.log import is_log, make_log_dataset
from dsgec.data.options import Preprocessing
from dsgec.data.preprocessing import (
    add_fill_values,
    encode,
    extract_raw_rows,
    fit_preprocessing,
    refuse_missing,
)
from dsgec.data.row_metadata import read_groups, refuse_missing_groups
from dsgec.data.table import Table, is_missing, number_label
from dsgec.data.target import default_target, missing_class_notes, read_target, suggest_targets
from dsgec.errors import DsgecError, Fault, counted, join_names, mention
from dsgec.network.model import Column, Label

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class _Roles:
    """The places of the target, of the group column if there is one, and of the features."""

    target: int
    group: int | None
    features: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    """The targets, groups and features of a table's rows."""

    classes: tuple[Label, ...]
    y: NDArray[np.float64]
    groups: NDArray[np.intp] | None
    features: list[ColumnProfile]


def make_dataset(
    table: Table, target: str | None = None, preprocessing: Preprocessing | None = None
) -> Dataset:
    """Return the data set whose target is the named or numbered column, by default the last."""
    options = preprocessing or Preprocessing()
    if is_log(table, options):
        return make_log_dataset(table, target, options)
    roles = _assign_roles(table, target, options)
    table = declare_categories(table, options)
    notes = [*table.notes, *suggest_targets(table, roles.target, target)]
    profile = _profile(table, roles, options, target)
    missing = _missing_rows(table, roles.target, profile, options)
    if missing.any():
        table = table.take(np.flatnonzero(~missing))
        if not len(table):
            raise DsgecError(
                f"every row of {table.source} has missing values",
                f"`dsgec inspect` says where; {mention('ignore')} leaves a column out.",
            )
        notes.append(_dropped_note(missing, options))
        profile = _profile(table, roles, options, target)
    if profile.groups is not None:
        refuse_missing_groups(profile.groups, options.group, table.source)
    found = profile.features
    used = [one for one in found if not one.useless or (one.constant and one.name)]
    is_feature = {one.number for one in _select_features(found, options)}
    notes += missing_class_notes(profile.classes)
    notes += _column_notes(table, found, is_feature)
    if not is_feature:
        raise _no_features(table, found)
    columns = tuple(
        Column(one.name, one.kind, one.categories)
        if one.number in is_feature
        else Column(one.name, "constant")
        for one in used
    )
    names = tuple(name for one in columns for name in one.features)
    _refuse_duplicates(names, table.source)
    raw = _stack(table, used)
    dataset = Dataset(
        name=table.name,
        features=names,
        target=table.columns[roles.target],
        classes=profile.classes,
        x=raw[:0] if options.is_fitted else encode(columns, raw),
        y=profile.y,
        digest=table.digest,
        columns=columns,
        raw=raw,
        preprocessing=options,
        notes=tuple(notes),
        reading=table.reading,
        row_weights=table.row_weights,
        weights_digest=table.weights_digest,
        groups=profile.groups,
        groups_digest=table.groups_digest,
    )
    counters = [one for one in found if one.is_index]
    time = find_time(found) or next(iter(counters), None) if counters else None
    fitted = fit_preprocessing(dataset, np.arange(len(profile.y)))
    return add_leakage_notes(fitted, None if time is None else time.values)


def add_test_table(dataset: Dataset, table: Table) -> Dataset:
    """Return the data set with the rows of another table as its test rows."""
    if dataset.target not in table.columns and not table.has_header:
        raise DsgecError(
            f"{table.source} has no header", "A table to test with names its columns as the other."
        )
    y = read_known_classes(table, table.find_column(dataset.target), dataset.classes)
    raw = extract_raw_rows(table, dataset.columns)
    missing = np.isnan(y)
    if missing.any() and dataset.preprocessing.missing == "error":
        raise DsgecError(
            f"the target of {table.source} is missing in {int(missing.sum())} rows",
            f"{mention('missing', 'drop')} leaves those rows out.",
        )
    if dataset.preprocessing.missing == "drop":
        missing |= np.isnan(raw).any(axis=1)
    notes = [note for note in dataset.notes if not is_on_neighbours(note)]
    if missing.any():
        y, raw = y[~missing], raw[~missing]
        if not len(y):
            raise DsgecError(f"every row of {table.source} has missing values")
        notes.append(_dropped_note(missing, dataset.preprocessing, table.source))
    columns = add_fill_values(dataset, raw)
    refuse_missing(raw, columns, table.source)
    assert dataset.raw is not None
    count = len(dataset.y)
    both = np.vstack([dataset.raw, raw])
    return replace(
        dataset,
        columns=columns,
        raw=both,
        x=encode(columns, both),
        y=np.concatenate([dataset.y, y]),
        fixed_split=Split(np.arange(count), np.arange(count, count + len(y))),
        test_digest=table.digest,
        notes=tuple(notes),
        row_weights=_append_constant(dataset.row_weights, len(y), 1.0),
        groups=_append_constant(dataset.groups, len(y), -1),
    )


def declare_categories(table: Table, options: Preprocessing) -> Table:
    """Return the table with the columns that the options call categorical declared so."""
    named = {table.find_column(name): "category" for name in options.categorical}
    return replace(table, kinds={**table.kinds, **named}) if named else table


def profile_features(
    table: Table,
    numbers: Sequence[int],
    options: Preprocessing,
    groups: NDArray[np.intp] | None = None,
) -> list[ColumnProfile]:
    """Return the profiles of these columns as features."""
    found = [profile_column(table, number) for number in numbers]
    if options.missing == "error":
        for one in found:
            refuse_strays(table, one)
    return mark_index_columns(found, groups) if options.index == "drop" else found


def _assign_roles(table: Table, target: str | None, options: Preprocessing) -> _Roles:
    column = default_target(table) if target is None else table.find_column(target)
    ignored = {table.find_column(name) for name in options.ignore}
    if column in ignored:
        raise DsgecError(f"`{table.columns[column]}` is the target, so it cannot be ignored")
    group = table.find_column(options.group) if options.group else None
    if column == group:
        raise DsgecError(
            f"`{table.columns[column]}` is the target, so it cannot be the group",
            "Name the column that says which rows belong together.",
        )
    features = [i for i in range(len(table.columns)) if i not in (column, group, *ignored)]
    if not features:
        raise DsgecError(
            f"{table.source} has one column, so no features",
            "Give a wider table; if its columns are not recognised, name what is between them with"
            f" {mention('separator')}.",
        )
    return _Roles(column, group, features)


def _profile(table: Table, roles: _Roles, options: Preprocessing, target: str | None) -> _Profile:
    try:
        classes, y = read_target(table, roles.target, options.task)
    except DsgecError as error:
        suggestions = suggest_targets(table, roles.target, target)
        raise DsgecError(
            [*error.faults, *(Fault(one, warning=True) for one in suggestions)]
        ) from error
    groups = table.groups if roles.group is None else read_groups(table, roles.group)
    return _Profile(classes, y, groups, profile_features(table, roles.features, options, groups))


def _select_features(found: Sequence[ColumnProfile], options: Preprocessing) -> list[ColumnProfile]:
    keeps_constants = options.constant == "keep"
    return [one for one in found if not one.useless or (keeps_constants and one.constant)]


def _missing_rows(
    table: Table, column: int, profile: _Profile, options: Preprocessing
) -> NDArray[np.bool_]:
    """Return which rows to leave out, or raise a DsgecError if missing values are an error."""
    rows = np.isnan(profile.y)
    used = _select_features(profile.features, options)
    if options.fills:
        return rows
    if options.missing == "drop":
        for one in used:
            rows = rows | np.isnan(one.values)
        return rows if profile.groups is None else rows | (profile.groups < 0)
    counts = {one.number: one.missing for one in used if one.missing}
    if rows.any():
        counts[column] = int(rows.sum())
    if not counts:
        return rows
    fills = f"{mention('missing', 'fill')} fills them from the other rows"
    drops = f"{mention('missing', 'drop')} leaves those rows out"
    advice = f"{fills}, {drops}, {mention('ignore')} leaves a column out."
    if list(counts) == [column]:
        advice = f"{drops}: the target cannot be filled."
    elif column in counts:
        advice += " The target cannot be filled: each way leaves out the rows that lack it."
    named = [f"`{table.columns[i]}`: {counts[i]}" for i in sorted(counts)]
    others = len(named) - _MOST_NAMED
    more = f"; and {counted(others, 'more column')}" if others > 0 else ""
    raise DsgecError(
        f"{table.source} has missing values ({'; '.join(named[:_MOST_NAMED])}{more})", advice
    )


def _dropped_note(missing: NDArray[np.bool_], options: Preprocessing, source: str = "") -> str:
    count = int(missing.sum())
    of = f" of {source}" if source else ""
    lack = "without a target" if options.fills else "with missing values"
    return f"{counted(count, 'row')}{of} {lack} {'is' if count == 1 else 'are'} left out"


def _column_notes(
    table: Table, found: Sequence[ColumnProfile], is_feature: Container[int]
) -> Iterator[str]:
    """Yield notes on columns that are left out, suspicious or incomplete."""
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.number not in is_feature:
            name = f"`{one.name}`" if one.name else f"column {one.number + 1}"
            reasons.setdefault(one.useless, []).append(name)
    for useless, names in reasons.items():
        are, why = "is", useless
        if len(names) > 1:
            are, why = "are", useless.replace("it ", "each ", 1)
        yield f"{join_names(names)} {are} left out: {why}"
    features = [one for one in found if one.number in is_feature]
    for one in features:
        if one.strays is not None:
            yield stray_note(table, one)
        if one.remark:
            yield f"`{one.name}` {one.remark}: an identifier? {mention('ignore')} leaves it out"
    missing = [f"`{one.name}` ({one.missing:,})" for one in features if one.missing]
    if missing:
        yield f"missing values are filled in: {join_names(missing)}"


def _no_features(table: Table, found: Sequence[ColumnProfile]) -> DsgecError:
    reasons = [f"`{one.name}`: {one.useless}" for one in found[:_MOST_NAMED]]
    if len(found) > len(reasons):
        reasons.append(f"and {len(found) - len(reasons):,} more")
    return DsgecError(
        f"no column of {table.source} can be a feature ({'; '.join(reasons)})",
        "`dsgec inspect` shows how the columns are read.",
    )


def _refuse_duplicates(features: tuple[str, ...], source: str) -> None:
    """Raise a DsgecError if a column is called like a category of another column."""
    twice = [name for name, count in Counter(features).items() if count > 1]
    if twice:
        raise DsgecError(f"{source} makes two features called `{twice[0]}`", "Rename a column.")


def _stack(table: Table, used: Sequence[ColumnProfile]) -> NDArray[np.float64]:
    if all(one.kind == "number" for one in used):
        return np.ascontiguousarray(table.numbers[:, [one.number for one in used]])
    return np.column_stack([one.values for one in used])


def _append_constant(values: NDArray[Any] | None, rows: int, value: float) -> NDArray[Any] | None:
    """Append `value` once for each of `rows` test rows; return None if `values` is None."""
    return None if values is None else np.append(values, np.full(rows, value, values.dtype))


def read_known_classes(
    table: Table, column: int, classes: tuple[Label, ...]
) -> NDArray[np.float64]:
    """Return the targets of a test table: the numbers of known classes, or values."""
    if not classes:
        return read_target(table, column, "regression")[1]
    known = {str(label): float(i) for i, label in enumerate(classes)}
    if all(isinstance(label, bool) for label in classes):
        known |= {word.lower(): place for word, place in known.items()}
    texts = table.texts.get(column)
    numbers = table.numbers[:, column]
    y = np.full(len(table), np.nan)
    for row in np.flatnonzero(~np.isnan(numbers)).tolist():
        y[row] = known.get(number_label(float(numbers[row])), -1.0)
    if texts is not None:
        of_texts = (known.get(t, np.nan if is_missing(t) else -1.0) for t in texts.texts)
        of_codes = np.array([*of_texts, -1.0])
        y[texts.codes >= 0] = of_codes[texts.codes[texts.codes >= 0]]
    new = np.flatnonzero(y == -1.0)
    if len(new):
        advice = "Leave such rows out, or train with some."
        raise DsgecError(table.fault(int(new[0]), column, "no training row has this class", advice))
    return y
