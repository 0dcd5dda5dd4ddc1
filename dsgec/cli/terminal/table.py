"""Describe a table: its columns, its target, and which shipped grammars fit."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dsgec.data.columns import ColumnProfile
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import declare_categories, profile_features
from dsgec.data.table import Table
from dsgec.errors import DsgecError, clean, counted
from dsgec.grammar.expand import expand
from dsgec.grammar.load import load_grammar
from dsgec.network.ir import Input
from dsgec.resources import GRAMMARS, shipped_names
from dsgec.search.check import check_language, check_task
from dsgec.search.defaults import default_grammar
from dsgec.search.settings import OPTIONS

_MOST_COLUMNS = 200
_MOST_LABELS = 12
_WIDEST_NAME = 40


def table_lines(table: Table, dataset: Dataset | None) -> list[str]:
    """Return the lines on a table, or only on its columns if no data set can be made of it."""
    header = "with" if table.has_header else "without"
    lines = [
        f"{table.name}: {counted(len(table), 'row')}, {counted(len(table.columns), 'column')}"
        + (f" ({table.format}, {header} a header)" if table.format else ""),
        *_column_lines(table, dataset),
    ]
    if dataset is not None:
        lines += ["", *_target_lines(dataset)]
        lines += [OPTIONS.write(f"  note        {note}") for note in dataset.notes]
        lines += ["", *_grammar_lines(dataset)]
    return list(map(clean, lines))


def _column_lines(table: Table, dataset: Dataset | None) -> Iterator[str]:
    preprocessing = dataset.preprocessing if dataset else Preprocessing()
    roles = {} if dataset is None else {preprocessing.group: "group", dataset.target: "target"}
    shown = table.columns[:_MOST_COLUMNS]
    lenient = replace(preprocessing, missing="fill")  # shows columns that it could not use, too
    profiles = profile_features(
        declare_categories(table, preprocessing), range(len(shown)), lenient
    )
    width = min(max(map(len, shown)), _WIDEST_NAME)
    for found in profiles:
        name = found.name
        start = f"  {found.number + 1:>4}  {name[:_WIDEST_NAME]:<{width}}  "
        missing = f"; {found.missing:,} missing" if found.missing else ""
        kind = (name and roles.get(name)) or ("left out" if found.useless else found.kind)
        yield f"{start}{kind:<9} {OPTIONS.write(_values(found))}{missing}"
    if len(table.columns) > len(shown):
        yield f"        and {counted(len(table.columns) - len(shown), 'more column')}"


def _values(found: ColumnProfile) -> str:
    """Describe the values of a column."""
    if found.useless:
        return found.useless
    known = found.values[~np.isnan(found.values)]
    if found.categories:
        return _labels(found.categories, known)
    whole = "whole numbers " if np.all(known == np.floor(known)) else ""
    remark = f"; {found.remark}" if found.remark else ""
    return f"{whole}{known.min():g} … {known.max():g}{remark}"


def _labels(labels: tuple[str | int, ...], numbers: np.ndarray) -> str:
    counts = np.bincount(numbers.astype(np.intp), minlength=len(labels)).tolist()
    counted = [f"{label} ({count:,})" for label, count in zip(labels, counts, strict=True)]
    more = f", and {len(counted) - _MOST_LABELS} more" if len(counted) > _MOST_LABELS else ""
    return ", ".join(counted[:_MOST_LABELS]) + more


def _target_lines(dataset: Dataset) -> list[str]:
    features = (
        f"  features    {len(dataset.features):,}, of {counted(len(dataset.inputs), 'column')}"
    )
    if not dataset.classes:
        low, high = dataset.y.min(), dataset.y.max()
        with np.errstate(all="ignore"):  # of numbers near the largest that there is
            mean, spread = dataset.y.mean(), dataset.y.std()
        return [
            f"  task        regression of {dataset.target!r}",
            f"  values      {low:g} … {high:g}, mean {mean:g}, deviation {spread:g}",
            features,
        ]
    largest = np.bincount(dataset.class_numbers).max() / len(dataset.y)
    return [
        f"  task        classification of {dataset.target!r}: {len(dataset.classes)} classes",
        f"  balance     {_labels(dataset.classes, dataset.y)}; the largest is {largest:.1%}",
        features,
    ]


def _grammar_lines(dataset: Dataset) -> Iterator[str]:
    """Yield the grammars that fit the task, the default first."""
    default = default_grammar(dataset)
    yield f"  {default:<20} fits: `dsgec evolve DATA` chooses it"
    for name in shipped_names(GRAMMARS, ".bnf"):
        if name == default:
            continue
        grammar = load_grammar(name).grammar
        try:
            expanded = expand(grammar, len(dataset.features), max(len(dataset.classes), 1))
            networks = check_language(expanded, len(dataset.features))
            remark = check_task(networks, dataset, grammar.directives.output)
            if not any(isinstance(node, Input) for one in networks for node in one.nodes):
                remark = "it reads no feature"
        except DsgecError:
            continue
        if not remark:
            yield f"  {name:<20} fits"
