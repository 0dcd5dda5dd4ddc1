"""A column of a Table to what it is: numbers, a boolean, a category, or of no use, and why."""

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import is_missing, label, reads_as_number
from dsgec.data.ir import Table, Texts, number_text
from dsgec.errors import MOST_ALIKE, DsgecError, Fault, and_more, mention

Array = NDArray[np.float64]

_BOOLEANS = ({"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"})
MOST_CATEGORIES = 100
_MOST_DECLARED = 1000
_FEW = 10
_MOST_MIXED = 20
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
_DRESSED = re.compile(
    r"[+-]?[^\w\s.,+-]?\s?[+-]?\d{1,3}(,\d{3})+(\.\d+)?\s?[^\w\s]?|[+-]?\d+([.,]\d+)?\s?[%$€£¥]"
    r"|[+-]?[$€£¥]\s?[+-]?\d+([.,]\d+)?"
)
_SAMPLE = 200
_IDENTIFIER = re.compile(r"(?:^|[\W_])(?i:id|key|index|nr|no)$|[a-z]I[dD]$")
DATES = (
    "it holds dates or times: make columns of numbers of it, such as hour and weekday, to use it"
)
DURATIONS = "it holds durations: write them as numbers, such as seconds, to use it"
SIGNED = "its numbers are written with signs: write plain ones to use it"
_NO_NAME = "it has no name: name it in the header to use it"
_HALF_NUMBERS = "it has numbers and texts: write one kind to use it"
_UNNAMED = "Unnamed: "  # what pandas calls a column without a name


@dataclass(frozen=True, slots=True, eq=False)
class ColumnKind:
    """What a column is. `values` are its numbers, or those of its texts; a NaN is missing.

    With `useless`, which says why, it is no feature unless constants are asked for and it is one;
    `remark` is worth knowing. `strays` are the rows with a text among numbers; their values are
    missing.
    """

    number: int
    name: str
    kind: str
    values: Array
    categories: tuple[str, ...] = ()
    useless: str = ""
    remark: str = ""
    constant: bool = False
    strays: NDArray[np.bool_] | None = None

    @property
    def missing(self) -> int:
        return int(np.isnan(self.values).sum())


def look(table: Table, number: int) -> ColumnKind:
    """What the column is as a feature."""
    name = table.columns[number]
    numbers = table.numbers[:, number]
    texts = table.texts.get(number)
    is_text = np.zeros(len(table), dtype=bool) if texts is None else text_rows(texts)
    is_number = ~np.isnan(numbers)
    if table.kinds.get(number) == "category" and (is_text.any() or is_number.any()):
        found = _declared(number, name, _label_features(numbers, texts, is_text))
    elif not is_text.any():
        found = _numbers(number, name, numbers, is_number)
    elif is_number.any() and not _is_mixed_category(table, number, is_text, is_number):
        found = _numbers(number, name, numbers, is_number)
        if not are_rare(is_text, is_number):
            found = replace(found, useless=_HALF_NUMBERS)
        found = replace(found, strays=is_text)
    else:
        assert texts is not None
        found = _texts(number, name, _label_features(numbers, texts, is_text))
        if table.kinds.get(number) == "duration":
            found = replace(found, kind="durations", useless=DURATIONS)
    return found if name or found.useless else replace(found, useless=_NO_NAME)


def are_rare(is_text: NDArray[np.bool_], is_number: NDArray[np.bool_] | None = None) -> bool:
    """Whether texts among numbers are so few that they are taken for missing values."""
    rows = len(is_text) if is_number is None else int(is_text.sum() + is_number.sum())
    return 10 * int(is_text.sum()) < rows


def refuse_strays(table: Table, found: ColumnKind) -> None:
    """A DsgecError for a text among numbers, or a column without a name."""
    if found.strays is not None:
        raise not_numbers(table, found.number, found.strays)
    if found.useless == _NO_NAME:
        where = f"column {found.number + 1} of {table.source}"
        raise DsgecError(Fault(f"{where} has no name", "Name it in the header."))


def stray_note(table: Table, found: ColumnKind) -> str:
    """What is said about texts that are taken for missing values."""
    assert found.strays is not None
    count = int(found.strays.sum())
    first = int(np.flatnonzero(found.strays)[0])
    texts = "1 text" if count == 1 else f"{count:,} texts"
    return (
        f"`{found.name}` has {texts} among its numbers, such as"
        f" `{table.cell(first, found.number)[:30]}` in line {table.lines[first]}: taken for missing"
    )


def text_rows(texts: Texts, *, may_be_class: bool = False) -> NDArray[np.bool_]:
    """Which rows have a text that is no word for a missing value, in a feature or in a target."""
    counts = [not is_missing(text, may_be_class=may_be_class) for text in texts.texts]
    return np.array([*counts, texts.overflowed, False])[texts.codes]


def not_numbers(
    table: Table,
    number: int,
    is_text: NDArray[np.bool_],
    otherwise: str = f"leave the column out with {mention('ignore')}",
) -> DsgecError:
    """The first cells that are texts where numbers should be, and what can be done."""
    rows = np.flatnonzero(is_text)
    advice = f"The rest of the column is numbers: correct these cells, or {otherwise}."
    if np.isnan(table.numbers[:, number]).all():
        advice = f"No cell of the column is a number: {otherwise}."
    faults = [table.fault(int(row), number, "not a finite number", "") for row in rows[:MOST_ALIKE]]
    count = len(rows) - len(faults)
    last = and_more(count) if count else "a column must be numbers or texts"
    return DsgecError([*faults, Fault(last, advice)])


def label_texts(
    numbers: Array, texts: Texts, is_text: NDArray[np.bool_]
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Distinct labels in order, and the number of each row's; NaN for a row without."""
    codes = np.where(is_text, texts.codes, -1)
    used = np.unique(codes[codes >= 0])
    known = {int(code): texts.texts[code] if code < len(texts.texts) else "…" for code in used}
    values = np.unique(numbers[~np.isnan(numbers)])
    labels = sorted({*known.values(), *map(number_text, values.tolist())})
    place = {label: i for i, label in enumerate(labels)}
    result = np.full(len(numbers), np.nan)
    table = np.full(max(known, default=0) + 1, np.nan)
    for code, text in known.items():
        table[code] = place[text]
    result[codes >= 0] = table[codes[codes >= 0]]
    is_number = ~np.isnan(numbers)
    of_values = np.array([place[number_text(value)] for value in values.tolist()], dtype=np.float64)
    if len(values):
        result[is_number] = of_values[np.searchsorted(values, numbers[is_number])]
    return tuple(labels), result


def numbers_the_rows(values: Array) -> bool:
    """Whether a column only counts, as the index of a table does."""
    return values[0] in (0.0, 1.0) and np.array_equal(values, values[0] + np.arange(len(values)))


def _numbers(number: int, name: str, numbers: Array, known: NDArray[np.bool_]) -> ColumnKind:
    useless = remark = ""
    constant = False
    values = numbers[known] if not known.all() else numbers
    if not len(values):
        useless = "it is empty"
    elif values.min() == values.max() and known.all():
        useless = f"it is {number_text(float(values[0]))} in every row"
        constant = True
    elif numbers_the_rows(values) and known.all():
        if not name or name.startswith(_UNNAMED):
            useless = "it has no name and numbers the rows"
        elif len(values) >= _FEW:
            remark = "numbers the rows"
    elif _IDENTIFIER.search(name) and len(values) >= _FEW and _all_differ(values):
        remark = "has another number in every row"
    return ColumnKind(number, name, "number", numbers, (), useless, remark, constant)


def identifies(labels: int, rows: int) -> bool:
    """Whether there are so many labels that they name the rows."""
    return labels > _FEW and 2 * labels > rows


def _label_features(
    numbers: Array, texts: Texts | None, is_text: NDArray[np.bool_]
) -> tuple[tuple[str, ...], Array]:
    """Return the labels of a feature, and the number of each row's.

    Digits are the label of their number, however they are written, unless that would make one label
    of different texts, such as `01` and `1`.
    """
    if texts is None:
        texts = Texts(np.full(len(numbers), -1, dtype=np.int32), ())
    labels = tuple(map(label, texts.texts))
    if len({*labels}) == len(labels):
        texts = replace(texts, texts=labels)
    return label_texts(numbers, texts, is_text)


def _declared(number: int, name: str, labelled: tuple[tuple[str, ...], Array]) -> ColumnKind:
    """A column that somebody calls categorical, however many categories it has."""
    labels, values = labelled
    if len(labels) > _MOST_DECLARED:
        raise DsgecError(
            f"the column `{name}` has more than {_MOST_DECLARED:,} categories",
            f"Each is a feature: put some together, or leave it out with {mention('ignore')}.",
        )
    found = _texts(number, name, labelled)
    if found.kind == "boolean" or found.constant:
        return found
    return ColumnKind(number, name, "category", values, labels)


def _all_differ(values: Array) -> bool:
    return bool(np.all(values == np.floor(values))) and len(np.unique(values)) == len(values)


def _texts(number: int, name: str, labelled: tuple[tuple[str, ...], Array]) -> ColumnKind:
    labels, values = labelled
    rows = int((~np.isnan(values)).sum())
    sample = labels[:_SAMPLE]
    if len(labels) == 1 and rows == len(values):
        useless = f"it is `{labels[0]}` in every row"
        return ColumnKind(number, name, "category", values, labels, useless, constant=True)
    if {label.lower() for label in labels} in _BOOLEANS and len(labels) == 2:
        pair = tuple(sorted(labels, key=str.lower))
        flipped = values if pair == labels else 1.0 - values
        return ColumnKind(number, name, "boolean", flipped, pair)
    if _most(_DATE, sample):
        return ColumnKind(number, name, "dates", values, labels, DATES)
    if _most(_DURATION, sample) and len(labels) > _FEW:
        return ColumnKind(number, name, "durations", values, labels, DURATIONS)
    if _most(_DRESSED, sample):
        return ColumnKind(number, name, "text", values, labels, SIGNED)
    names_rows = identifies(len(labels), rows)
    if names_rows or len(labels) > MOST_CATEGORIES:
        count = f"{len(labels):,}" if "…" not in labels else f"more than {len(labels) - 1:,}"
        reason = "as an identifier has" if names_rows else f"more than {MOST_CATEGORIES} categories"
        why = f"it has {count} different texts in {rows:,} rows, {reason}"
        return ColumnKind(number, name, "text", values, labels, why)
    if not name and number == 0 and len(labels) == rows:
        return ColumnKind(number, name, "text", values, labels, "it has no name and names the rows")
    return ColumnKind(number, name, "category", values, labels)


def _is_mixed_category(
    table: Table, number: int, is_text: NDArray[np.bool_], is_number: NDArray[np.bool_]
) -> bool:
    """Texts and numbers are labels where texts are not rare, labels few, and each comes again."""
    texts = table.texts[number]
    used = {texts.texts[c] for c in np.unique(texts.codes[is_text]) if c < len(texts.texts)}
    rows = int(is_text.sum() + is_number.sum())
    labels = len(used) + len(np.unique(table.numbers[is_number, number]))
    return (
        not are_rare(is_text, is_number)
        and labels <= min(_MOST_MIXED, rows // 2)
        and not any(map(reads_as_number, used))
    )


def _most(pattern: re.Pattern[str], texts: tuple[str, ...]) -> bool:
    return 10 * sum(pattern.fullmatch(text) is not None for text in texts) >= 9 * len(texts)
