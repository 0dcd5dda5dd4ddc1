"""The options for reading a table and preprocessing its columns.

This module is light, because the command line imports it at its start.
"""

from dataclasses import dataclass
from typing import ClassVar

from dsgec.errors import setting_error
from dsgec.setting import check, setting, settings_of

TASKS = ("classification", "regression")
LABELS = ("last", "majority")
MOST_VOTES = 15  # as in dsgec.signal.plain, which is not light
LONGEST_WINDOW = 2048
"""Samples of a window; sums over longer ones would leave few bits for a sample."""


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """The settings that say what becomes of a table's columns and of its missing values."""

    GROUP: ClassVar = "data"

    ignore: tuple[str, ...] = setting((), "Columns to leave out, by name.", metavar="COLUMN")
    group: str = setting(
        "",
        "Column with the group of each row, such as a recording, patient or machine: training"
        " rows, test rows and folds do not share a group. It is not a feature.",
        metavar="COLUMN",
    )
    categorical: tuple[str, ...] = setting(
        (), "Columns of categories, even if they are numbers.", metavar="COLUMN"
    )
    index: str = setting(
        "keep",
        "Drop or keep columns that only count or increase steadily, such as row numbers and times.",
        choices=("drop", "keep"),
        learned="drop",
    )
    task: str = setting("", "The task; default: detected from the target.", choices=TASKS)
    missing: str = setting(
        "error",
        "Missing values: fill them where a table has some, by the median or the most frequent text"
        " (with a feature that marks them where the target differs); report an error; always fill"
        " them by the mean or the median; or drop their rows.",
        choices=("fill", "error", "mean", "median", "drop"),
        learned="fill",
    )
    scale: str = setting(
        "none",
        "Scale numbers to mean 0 and deviation 1 (standard) or to 0 … 1 (minmax), or do not.",
        choices=("none", "standard", "minmax"),
        learned="standard",
    )
    constant: str = setting(
        "drop", "Drop or keep columns with the same value in every row.", choices=("drop", "keep")
    )

    window: int | None = setting(
        None,
        "Samples of a window, for a log with a row for each sample: the features are those of"
        " windows.",
        *(2, LONGEST_WINDOW),
        metavar="SAMPLES",
    )
    step: int | None = setting(
        None,
        "Samples from the start of a window to that of the next; default: half a window.",
        *(1, LONGEST_WINDOW),
        metavar="SAMPLES",
    )
    label: str = setting(
        LABELS[0],
        "Target of a window: that of its last sample, or the most frequent one (of a numeric"
        " target, the mean).",
        choices=LABELS,
    )
    rate: float | None = setting(
        None,
        "Samples in a second; default: from the column with the time.",
        *(1e-6, 1e9),
        metavar="HERTZ",
    )

    smooth: int = setting(
        1,
        "The class of a window is that of most of the last windows, so many with itself; of equals,"
        " the latest. 1: each window alone.",
        *(1, MOST_VOTES),
        metavar="WINDOWS",
    )

    def __post_init__(self) -> None:
        check(self)
        if self.smooth > 1 and not self.window:
            raise setting_error(
                "smooth", f"is {self.smooth}, but there are no windows", "Give their length, too."
            )
        if self.step is not None and self.step > (self.window or 0):
            more = "more than a window" if self.window else "but there are no windows"
            raise setting_error(
                "step", f"is {self.step}, {more}", "It is at most the window's length."
            )

    @property
    def stride(self) -> int:
        """Return the number of samples from the start of a window to that of the next."""
        return self.step or max((self.window or 0) // 2, 1)

    @property
    def is_fitted(self) -> bool:
        """Return whether fill values or scales are computed from the training rows."""
        return self.scale != "none" or self.fills

    @property
    def fills(self) -> bool:
        """Return whether missing values are replaced."""
        return self.missing in ("fill", "mean", "median")


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The settings that say how a file is written; those that are empty or None are detected.

    `names` are columns that are expected: a first line that has all of them is a header.
    """

    GROUP: ClassVar = "data"

    separator: str = setting(
        "", "Separator of cells, such as `;`, tab or space; default: detected.", metavar="SIGN"
    )
    quote: str = setting("", "Quote character; default: detected.", metavar="SIGN")
    decimal: str = setting("", "Decimal separator; default: detected.", choices=(".", ","))
    encoding: str = setting("", "Encoding, such as utf-8, cp1252 or utf-16; default: detected.")
    header: bool | None = setting(
        None, "Whether the first line has the names of the columns; default: detected."
    )
    names: tuple[str, ...] = ()

    @property
    def explicit(self) -> tuple[tuple[str, str | bool], ...]:
        """Return the names and values of the settings that are not left to detection."""
        values = ((one.name, getattr(self, one.name)) for one in settings_of(ReadingOptions))
        return tuple((name, value) for name, value in values if value not in ("", None))

    def __post_init__(self) -> None:
        for name in ("separator", "quote", "decimal"):
            value = getattr(self, name)
            if len(value) > 1 or value in ("\n", "\r", "\0") or not value.isascii():
                raise setting_error(name, f"is `{value[:20]}`", "It must be one ASCII character.")
        check(self)
        if self.decimal and self.decimal == self.separator:
            raise setting_error("separator", "cannot be the decimal sign, too")
