"""Profile the columns of a table: numbers, booleans, categories, or of no use as features."""

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.table import Table, TextColumn, category_label, looks_numeric, number_label
from dsgec.errors import MOST_ALIKE, DsgecError, Fault, and_more, mention

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Labels = tuple[tuple[str, ...], Array]
"""The distinct labels of a column in order, and the place of each row's label, NaN without one."""

MOST_CATEGORIES = 100
_MOST_DECLARED_CATEGORIES = 1000
_FEW = 10
_MOST_MIXED_LABELS = 20
_SAMPLE = 200
_BOOLEANS = ({"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"})
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2}.*)?|\d{1,2}[ -][A-Za-z]{3,9}\.?[ -]\d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_DURATION = re.compile(
    r"-?\d+ days?,? ?[+-]?(\d{1,2}:\d{2}:\d{2}(\.\d+)?)?"
    r"|-?P(?=[\dT])(\d+[YMWD])*(T(\d+(\.\d+)?[HMS])+)?"
    r"|-?\d+(\.\d+)?(e[+-]?\d+)? (nano|micro|milli)?seconds?|-?\d+ (minutes?|hours?|weeks?)"
)
_NUMBER_WITH_SIGNS = re.compile(
    r"[+-]?[^\w\s.,+-]?\s?[+-]?\d{1,3}(,\d{3})+(\.\d+)?\s?[^\w\s]?|[+-]?\d+([.,]\d+)?\s?[%$€£¥]"
    r"|[+-]?[$€£¥]\s?[+-]?\d+([.,]\d+)?"
)
_IDENTIFIER_NAME = re.compile(r"(?:^|[\W_])(?i:id|key|index|nr|no)$|[a-z]I[dD]$")
_PANDAS_UNNAMED = "Unnamed: "

DATES = (
    "it holds dates or times: make columns of numbers of it, such as hour and weekday, to use it"
)
DURATIONS = "it holds durations: write them as numbers, such as seconds, to use it"
SIGNED = "its numbers are written with signs: write plain ones to use it"
_NO_NAME = "it has no name: name it in the header to use it"
_HALF_NUMBERS = "it has numbers and texts: write one kind to use it"


@dataclass(frozen=True, slots=True, eq=False)
class ColumnProfile:
    """The kind of a column, its values, and why it may be of no use as a feature.

    `values` are its numbers or the places of its categories; a NaN is a missing value. `useless`
    says why it is no feature (a constant column may be one on request), `remark` what is worth
    knowing; with `is_index` it counts the rows or is a time. `strays` are the rows that have a text
    among numbers; their values are missing.
    """

    number: int
    name: str
    kind: str
    values: Array
    categories: tuple[str, ...] = ()
    useless: str = ""
    remark: str = ""
    constant: bool = False
    strays: Mask | None = None
    is_index: bool = False

    @property
    def missing(self) -> int:
        """Return the number of missing values."""
        return int(np.isnan(self.values).sum())


def profile_column(table: Table, number: int) -> ColumnProfile:
    """Return the profile of a column as a feature."""
    name = table.columns[number]
    numbers = table.numbers[:, number]
    texts = table.texts.get(number)
    is_text = np.zeros(len(table), dtype=bool) if texts is None else texts.has_text()
    is_number = ~np.isnan(numbers)
    if table.kinds.get(number) == "category" and (is_text.any() or is_number.any()):
        found = _profile_declared(number, name, _label_feature(numbers, texts, is_text))
    elif not is_text.any():
        found = _profile_numbers(number, name, numbers, is_number)
    elif is_number.any() and not _is_mixed_category(table, number, is_text, is_number):
        found = _profile_numbers(number, name, numbers, is_number)
        if not are_rare(is_text, is_number):
            found = replace(found, useless=_HALF_NUMBERS)
        found = replace(found, strays=is_text)
    else:
        found = _profile_texts(number, name, _label_feature(numbers, texts, is_text))
        if table.kinds.get(number) == "duration":
            found = replace(found, kind="durations", useless=DURATIONS)
    return found if name or found.useless else replace(found, useless=_NO_NAME)


def are_rare(is_text: Mask, is_number: Mask | None = None) -> bool:
    """Return whether texts among numbers are so few that they count as missing values."""
    rows = len(is_text) if is_number is None else int(is_text.sum() + is_number.sum())
    return 10 * int(is_text.sum()) < rows


def are_identifiers(labels: int, rows: int) -> bool:
    """Return whether there are so many distinct labels that they identify the rows."""
    return labels > _FEW and 2 * labels > rows


def refuse_strays(table: Table, found: ColumnProfile) -> None:
    """Raise a DsgecError for a text among numbers or a column without a name."""
    if found.strays is not None:
        raise not_numbers(table, found.number, found.strays)
    if found.useless == _NO_NAME:
        where = f"column {found.number + 1} of {table.source}"
        raise DsgecError(Fault(f"{where} has no name", "Name it in the header."))


def stray_note(table: Table, found: ColumnProfile) -> str:
    """Return a note on the texts among numbers, which count as missing values."""
    assert found.strays is not None
    count = int(found.strays.sum())
    first = int(np.flatnonzero(found.strays)[0])
    texts = "1 text" if count == 1 else f"{count:,} texts"
    return (
        f"`{found.name}` has {texts} among its numbers, such as"
        f" `{table.cell(first, found.number)[:30]}` in line {table.lines[first]}: taken for missing"
    )


def not_numbers(
    table: Table,
    number: int,
    is_text: Mask,
    otherwise: str = f"leave the column out with {mention('ignore')}",
) -> DsgecError:
    """Return an error that shows the first texts where numbers are expected."""
    rows = np.flatnonzero(is_text)
    advice = f"The rest of the column is numbers: correct these cells, or {otherwise}."
    if np.isnan(table.numbers[:, number]).all():
        advice = f"No cell of the column is a number: {otherwise}."
    faults = [table.fault(int(row), number, "not a finite number", "") for row in rows[:MOST_ALIKE]]
    count = len(rows) - len(faults)
    last = and_more(count) if count else "a column must be numbers or texts"
    return DsgecError([*faults, Fault(last, advice)])


def label_rows(numbers: Array, texts: TextColumn, is_text: Mask) -> Labels:
    """Label the rows of a column by their texts and numbers."""
    codes = np.where(is_text, texts.codes, -1)
    used = np.unique(codes[codes >= 0])
    known = {int(code): texts.texts[code] if code < len(texts.texts) else "…" for code in used}
    values = np.unique(numbers[~np.isnan(numbers)])
    labels = sorted({*known.values(), *map(number_label, values.tolist())})
    place = {label: i for i, label in enumerate(labels)}
    result = np.full(len(numbers), np.nan)
    of_codes = np.full(max(known, default=0) + 1, np.nan)
    for code, text in known.items():
        of_codes[code] = place[text]
    result[codes >= 0] = of_codes[codes[codes >= 0]]
    if len(values):
        is_number = ~np.isnan(numbers)
        of_values = np.array([float(place[number_label(value)]) for value in values.tolist()])
        result[is_number] = of_values[np.searchsorted(values, numbers[is_number])]
    return tuple(labels), result


def _label_feature(numbers: Array, texts: TextColumn | None, is_text: Mask) -> Labels:
    """Label the rows of a feature.

    A number has one label, however it is written, unless that would give one label to distinct
    texts such as `01` and `1`.
    """
    if texts is None:
        texts = TextColumn(np.full(len(numbers), -1, dtype=np.int32), ())
    labels = tuple(map(category_label, texts.texts))
    if len({*labels}) == len(labels):
        texts = replace(texts, texts=labels)
    return label_rows(numbers, texts, is_text)


def _profile_numbers(number: int, name: str, numbers: Array, known: Mask) -> ColumnProfile:
    useless = remark = ""
    constant = False
    values = numbers[known] if not known.all() else numbers
    if not len(values):
        useless = "it is empty"
    elif values.min() == values.max() and known.all():
        useless = f"it is {number_label(float(values[0]))} in every row"
        constant = True
    elif _counts_rows(values) and known.all():
        if not name or name.startswith(_PANDAS_UNNAMED):
            useless = "it has no name and numbers the rows"
        elif len(values) >= _FEW:
            remark = "numbers the rows"
    elif _IDENTIFIER_NAME.search(name) and len(values) >= _FEW and _are_distinct_integers(values):
        remark = "has another number in every row"
    return ColumnProfile(number, name, "number", numbers, (), useless, remark, constant)


def _counts_rows(values: Array) -> bool:
    return values[0] in (0.0, 1.0) and np.array_equal(values, values[0] + np.arange(len(values)))


def _are_distinct_integers(values: Array) -> bool:
    return bool(np.all(values == np.floor(values))) and len(np.unique(values)) == len(values)


def _profile_declared(number: int, name: str, labelled: Labels) -> ColumnProfile:
    """Profile a column that is declared as categorical, with as many categories as it has."""
    labels, values = labelled
    if len(labels) > _MOST_DECLARED_CATEGORIES:
        raise DsgecError(
            f"the column `{name}` has more than {_MOST_DECLARED_CATEGORIES:,} categories",
            f"Each is a feature: put some together, or leave it out with {mention('ignore')}.",
        )
    found = _profile_texts(number, name, labelled)
    if found.kind == "boolean" or found.constant:
        return found
    return ColumnProfile(number, name, "category", values, labels)


def _profile_texts(number: int, name: str, labelled: Labels) -> ColumnProfile:
    labels, values = labelled
    if {label.lower() for label in labels} in _BOOLEANS and len(labels) == 2:
        pair = tuple(sorted(labels, key=str.lower))
        flipped = values if pair == labels else 1.0 - values
        return ColumnProfile(number, name, "boolean", flipped, pair)
    if len(labels) == 1 and not np.isnan(values).any():
        useless = f"it is `{labels[0]}` in every row"
        return ColumnProfile(number, name, "category", values, labels, useless, constant=True)
    kind, useless = _classify_labels(labels, int((~np.isnan(values)).sum()), number, name)
    return ColumnProfile(number, name, kind, values, labels, useless)


def _classify_labels(labels: tuple[str, ...], rows: int, number: int, name: str) -> tuple[str, str]:
    """Return the kind of a column of texts, and why it is useless, if it is."""
    sample = labels[:_SAMPLE]
    if _match_mostly(_DATE, sample):
        return "dates", DATES
    if _match_mostly(_DURATION, sample) and len(labels) > _FEW:
        return "durations", DURATIONS
    if _match_mostly(_NUMBER_WITH_SIGNS, sample):
        return "text", SIGNED
    are_names = are_identifiers(len(labels), rows)
    if are_names or len(labels) > MOST_CATEGORIES:
        count = f"{len(labels):,}" if "…" not in labels else f"more than {len(labels) - 1:,}"
        reason = "as an identifier has" if are_names else f"more than {MOST_CATEGORIES} categories"
        return "text", f"it has {count} different texts in {rows:,} rows, {reason}"
    if not name and number == 0 and len(labels) == rows:
        return "text", "it has no name and names the rows"
    return "category", ""


def _is_mixed_category(table: Table, number: int, is_text: Mask, is_number: Mask) -> bool:
    """Return whether texts and numbers are labels: texts are not rare and labels are few."""
    texts = table.texts[number]
    used = {texts.texts[c] for c in np.unique(texts.codes[is_text]) if c < len(texts.texts)}
    rows = int(is_text.sum() + is_number.sum())
    labels = len(used) + len(np.unique(table.numbers[is_number, number]))
    return (
        not are_rare(is_text, is_number)
        and labels <= min(_MOST_MIXED_LABELS, rows // 2)
        and not any(map(looks_numeric, used))
    )


def _match_mostly(pattern: re.Pattern[str], texts: tuple[str, ...]) -> bool:
    return 10 * sum(pattern.fullmatch(text) is not None for text in texts) >= 9 * len(texts)
