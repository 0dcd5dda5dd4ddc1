"""Table to Dataset: which column is the target, what the others are, what becomes of a row."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import is_missing
from dsgec.data.columns import ColumnKind, look, refuse_strays, stray_note
from dsgec.data.encode import encode, fitted, raw_rows, refuse_missing
from dsgec.data.groups import read_groups, refuse_missing_groups
from dsgec.data.index import leave_out_indexes
from dsgec.data.ir import Dataset, Label, Plan, Split, Table, Texts, number_text
from dsgec.data.learn import filled
from dsgec.data.neighbours import NOTE
from dsgec.data.suspicions import with_suspicions
from dsgec.data.target import default_column, find_column, look_at_target, propose, remarks
from dsgec.errors import DsgecError, Fault, counted, listed, mention
from dsgec.network.model import Column

_MOST_NAMED = 20


def make_dataset(table: Table, target: str | None = None, plan: Plan | None = None) -> Dataset:
    """The data set whose target is the named or numbered column, by default the last."""
    plan = plan or Plan()
    column = default_column(table) if target is None else find_column(table, target)
    ignored = {find_column(table, name) for name in plan.ignore}
    if column in ignored:
        raise DsgecError(f"`{table.columns[column]}` is the target, so it cannot be ignored")
    group = find_column(table, plan.group) if plan.group else None
    if column == group:
        raise DsgecError(
            f"`{table.columns[column]}` is the target, so it cannot be the group",
            "Name the column that says which rows belong together.",
        )
    table = declare(table, plan)
    others = [i for i in range(len(table.columns)) if i not in (column, group, *ignored)]
    if not others:
        raise DsgecError(
            f"{table.source} has one column, so no features",
            "Give a wider table; if its columns are not recognised, name what is between them with"
            f" {mention('separator')}.",
        )
    proposals = propose(table, column, target)
    try:
        classes, y = look_at_target(table, column, plan.task)
    except DsgecError as error:
        raise DsgecError(
            [*error.faults, *(Fault(one, warning=True) for one in proposals)]
        ) from error
    groups = table.groups if group is None else read_groups(table, group)
    found = look_at_features(table, others, plan, groups)
    missing = _missing_rows(table, column, y, found, plan)
    if groups is not None and plan.missing == "drop":
        missing |= groups < 0
    notes = [*table.notes, *proposals]
    if missing.any():
        table = take(table, np.flatnonzero(~missing))
        if not len(table):
            raise DsgecError(
                f"every row of {table.source} has missing values",
                f"`dsgec inspect` says where; {mention('ignore')} leaves a column out.",
            )
        notes.append(_left_out(missing, plan))
        classes, y = look_at_target(table, column, plan.task)
        groups = table.groups if group is None else read_groups(table, group)
        found = look_at_features(table, others, plan, groups)
    if groups is not None:
        refuse_missing_groups(groups, plan.group, table.source)
    used = [one for one in found if not one.useless or (one.constant and one.name)]
    is_feature = {one.number for one in _features(found, plan)}
    notes += remarks(classes)
    notes += _column_notes(table, found, is_feature)
    if not is_feature:
        reasons = [f"`{one.name}`: {one.useless}" for one in found[:_MOST_NAMED]]
        if len(found) > len(reasons):
            reasons.append(f"and {len(found) - len(reasons):,} more")
        raise DsgecError(
            f"no column of {table.source} can be a feature ({'; '.join(reasons)})",
            "`dsgec inspect` shows how the columns are read.",
        )
    columns = tuple(
        Column(one.name, one.kind, one.categories)
        if one.number in is_feature
        else Column(one.name, "constant")
        for one in used
    )
    names = tuple(name for one in columns for name in one.features)
    _refuse_equal(names, table.source)
    raw = _side_by_side(table, used)
    dataset = Dataset(
        name=table.name,
        features=names,
        target=table.columns[column],
        classes=classes,
        x=encode(columns, raw) if not plan.learns else raw[:0],
        y=y,
        digest=table.digest,
        columns=columns,
        raw=raw,
        plan=plan,
        notes=tuple(notes),
        reading=table.reading,
        row_weights=table.row_weights,
        weights_digest=table.weights_digest,
        groups=groups,
        groups_digest=table.groups_digest,
    )
    return with_suspicions(fitted(dataset, np.arange(len(y))))


def declare(table: Table, plan: Plan) -> Table:
    """The table with the columns that a plan calls categorical declared as such."""
    named = {find_column(table, name): "category" for name in plan.categorical}
    return replace(table, kinds={**table.kinds, **named}) if named else table


def look_at_features(
    table: Table, numbers: Sequence[int], plan: Plan, groups: NDArray[np.intp] | None = None
) -> list[ColumnKind]:
    """What these columns are as features; useless ones say why."""
    found = [look(table, number) for number in numbers]
    if plan.missing == "error":
        for one in found:
            refuse_strays(table, one)
    return leave_out_indexes(found, groups) if plan.index == "drop" else found


def _column_notes(
    table: Table, found: Sequence[ColumnKind], is_feature: Container[int]
) -> Iterator[str]:
    """What becomes of the columns, where that is not plain; the same is said once of many."""
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.number not in is_feature:
            name = f"`{one.name}`" if one.name else f"column {one.number + 1}"
            reasons.setdefault(one.useless, []).append(name)
    for useless, names in reasons.items():
        are, why = "is", useless
        if len(names) > 1:
            are, why = "are", useless.replace("it ", "each ", 1)
        yield f"{listed(names)} {are} left out: {why}"
    for one in found:
        if one.number not in is_feature:
            continue
        if one.strays is not None:
            yield stray_note(table, one)
        if one.remark:
            yield f"`{one.name}` {one.remark}: an identifier? {mention('ignore')} leaves it out"
    missing = [
        f"`{one.name}` ({one.missing:,})"
        for one in found
        if one.missing and one.number in is_feature
    ]
    if missing:
        yield f"missing values are filled in: {listed(missing)}"


def with_test(dataset: Dataset, table: Table) -> Dataset:
    """The data set with the rows of another table to test with; what is learnt stays as it is."""
    if dataset.target not in table.columns and not table.has_header:
        raise DsgecError(
            f"{table.source} has no header", "A table to test with names its columns as the other."
        )
    column = find_column(table, dataset.target)
    y = _labels(table, column, dataset.classes)
    raw = raw_rows(table, dataset.columns)
    missing = np.isnan(y)
    if missing.any() and dataset.plan.missing == "error":
        raise DsgecError(
            f"the target of {table.source} is missing in {int(missing.sum())} rows",
            f"{mention('missing', 'drop')} leaves those rows out.",
        )
    if dataset.plan.missing == "drop":
        missing |= np.isnan(raw).any(axis=1)
    notes = [note for note in dataset.notes if not note.startswith(NOTE)]
    if missing.any():
        y, raw = y[~missing], raw[~missing]
        if not len(y):
            raise DsgecError(f"every row of {table.source} has missing values")
        notes.append(_left_out(missing, dataset.plan, table.source))
    columns = filled(dataset, raw)
    refuse_missing(raw, columns, table.source)
    assert dataset.raw is not None
    count = len(dataset.y)
    parts = Split(np.arange(count), np.arange(count, count + len(y)))
    both = np.vstack([dataset.raw, raw])
    return replace(
        dataset,
        columns=columns,
        raw=both,
        x=encode(columns, both),
        y=np.concatenate([dataset.y, y]),
        own_test=parts,
        test_digest=table.digest,
        notes=tuple(notes),
        row_weights=_for_more(dataset.row_weights, len(y), 1.0),
        groups=_for_more(dataset.groups, len(y), -1),
    )


def _for_more(values: NDArray[Any] | None, rows: int, value: float) -> NDArray[Any] | None:
    """With a value for each test row, which nothing is learned from."""
    return None if values is None else np.append(values, np.full(rows, value, values.dtype))


def take(table: Table, rows: NDArray[np.intp]) -> Table:
    """Some rows of a table."""
    texts = {
        number: Texts(one.codes[rows], one.texts, one.overflowed)
        for number, one in table.texts.items()
    }
    weights, groups = table.row_weights, table.groups
    return replace(
        table,
        numbers=table.numbers[rows],
        texts=texts,
        lines=table.lines[rows],
        row_weights=None if weights is None else weights[rows],
        groups=None if groups is None else np.unique(groups[rows], return_inverse=True)[1],
    )


def _features(found: Sequence[ColumnKind], plan: Plan) -> list[ColumnKind]:
    """The columns that become features."""
    keeps = plan.constant == "keep"
    return [one for one in found if not one.useless or (keeps and one.constant)]


def _missing_rows(
    table: Table, column: int, y: NDArray[np.float64], found: Sequence[ColumnKind], plan: Plan
) -> NDArray[np.bool_]:
    """The rows to leave out; a DsgecError if nothing was said about missing values."""
    no_target = np.isnan(y)
    used = _features(found, plan)
    if plan.fills:
        return no_target
    counts = {one.number: one.missing for one in used if one.missing}
    if no_target.any():
        counts[column] = int(no_target.sum())
    if not counts:
        return no_target
    if plan.missing == "drop":
        rows = no_target.copy()
        for one in used:
            rows |= np.isnan(one.values)
        return rows
    fills = f"{mention('missing', 'fill')} fills them from the other rows"
    drops = f"{mention('missing', 'drop')} leaves those rows out"
    advice = f"{fills}, {drops}, {mention('ignore')} leaves a column out."
    if list(counts) == [column]:
        advice = f"{drops}: the target cannot be filled."
    elif column in counts:
        advice += " The target cannot be filled: each way leaves out the rows that lack it."
    columns_missing = [f"`{table.columns[i]}`: {counts[i]}" for i in sorted(counts)]
    others = len(columns_missing) - _MOST_NAMED
    more = f"; and {counted(others, 'more column')}" if others > 0 else ""
    raise DsgecError(
        f"{table.source} has missing values ({'; '.join(columns_missing[:_MOST_NAMED])}{more})",
        advice,
    )


def _left_out(missing: NDArray[np.bool_], plan: Plan, source: str = "") -> str:
    count = int(missing.sum())
    of = f" of {source}" if source else ""
    lack = "without a target" if plan.fills else "with missing values"
    return f"{counted(count, 'row')}{of} {lack} {'is' if count == 1 else 'are'} left out"


def _side_by_side(table: Table, used: Sequence[ColumnKind]) -> NDArray[np.float64]:
    if all(one.kind == "number" for one in used):
        return np.ascontiguousarray(table.numbers[:, [one.number for one in used]])
    return np.column_stack([one.values for one in used])


def _labels(table: Table, column: int, classes: tuple[Label, ...]) -> NDArray[np.float64]:
    """The numbers of the classes of a table to test with, or its values."""
    if not classes:
        return look_at_target(table, column, "regression")[1]
    known = {str(label): float(i) for i, label in enumerate(classes)}
    if all(isinstance(label, bool) for label in classes):
        known |= {word.lower(): place for word, place in known.items()}
    texts = table.texts.get(column)
    numbers = table.numbers[:, column]
    y = np.full(len(table), np.nan)
    for row in np.flatnonzero(~np.isnan(numbers)).tolist():
        y[row] = known.get(number_text(float(numbers[row])), -1.0)
    if texts is not None:
        of_codes = np.array(
            [
                *(known.get(text, np.nan if is_missing(text) else -1.0) for text in texts.texts),
                -1.0,
            ]
        )
        y[texts.codes >= 0] = of_codes[texts.codes[texts.codes >= 0]]
    new = np.flatnonzero(y == -1.0)
    if len(new):
        raise DsgecError(
            table.fault(
                int(new[0]),
                column,
                "no training row has this class",
                "Leave such rows out, or train with some.",
            )
        )
    return y


def _refuse_equal(names: tuple[str, ...], source: str) -> None:
    """A column may be called what a category of another would be."""
    if len(set(names)) < len(names):
        counts = Counter(names)
        twice = next(name for name in names if counts[name] > 1)
        raise DsgecError(f"{source} makes two features called `{twice}`", "Rename a column.")
