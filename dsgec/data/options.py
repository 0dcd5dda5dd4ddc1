"""The options for reading a table and preprocessing its columns.

This module is light, because the command line imports it at its start.
"""

from dataclasses import dataclass
from typing import ClassVar

from dsgec.errors import setting_error
from dsgec.setting import check, setting, settings_of

TASKS = ("classification", "regression")


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """The settings that say what becomes of a table's columns and of its missing values."""

    GROUP: ClassVar = "data"

    ignore: tuple[str, ...] = setting((), "Columns to leave out, by name.", metavar="COLUMN")
    group: str = setting(
        "",
        "Column that says which rows belong together, such as those of one recording, patient or"
        " machine: training and test rows and folds do not share a group, and it is no feature.",
        metavar="COLUMN",
    )
    categorical: tuple[str, ...] = setting(
        (), "Columns of categories, also if they are written as numbers.", metavar="COLUMN"
    )
    index: str = setting(
        "keep",
        "Columns that only count or rise steadily, as row numbers and times do.",
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
        "drop", "Columns that are the same in every row.", choices=("drop", "keep")
    )

    def __post_init__(self) -> None:
        check(self)

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
        "", "Between cells, such as `;`, tab or blank; default: detected.", metavar="SIGN"
    )
    quote: str = setting("", "Around texts; default: detected.", metavar="SIGN")
    decimal: str = setting("", "Decimal sign; default: detected.", choices=(".", ","))
    encoding: str = setting("", "Such as utf-8, cp1252, utf-16; default: detected.")
    header: bool | None = setting(None, "Whether the first line has the names.")
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
