"""What can be asked of a table; light, as the command line lists it at its start."""

from dataclasses import dataclass
from typing import ClassVar

from dsgec.errors import wrong
from dsgec.setting import check, setting, settings_of

TASKS = ("classification", "regression")
_SIGNS = ("separator", "quote", "decimal")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a user asks of the columns: some ignored, missing values dealt with, numbers scaled."""

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
    task: str = setting("", "What is learnt; default: by what the target holds.", choices=TASKS)
    missing: str = setting(
        "error",
        "Missing values: filled in where a table has some, by the median or the most frequent text"
        " (and marked by a feature where the target differs); an error; always filled in; or their"
        " rows dropped.",
        choices=("fill", "error", "mean", "median", "drop"),
        learned="fill",
    )
    scale: str = setting(
        "none",
        "Numbers to mean 0 and deviation 1, or to 0 … 1, or as they are.",
        choices=("none", "standard", "minmax"),
        learned="standard",
    )
    constant: str = setting(
        "drop", "Columns that are the same in every row.", choices=("drop", "keep")
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def learns(self) -> bool:
        """Whether numbers are taken from the training rows."""
        return self.scale != "none" or self.fills

    @property
    def fills(self) -> bool:
        """Whether something stands for a missing value."""
        return self.missing in ("fill", "mean", "median")


DEFAULT = Plan()
"""Nothing is asked."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is said about a table; what is empty or None is found out.

    A first line that has all of `names` is a header.
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
    def said(self) -> tuple[tuple[str, str | bool], ...]:
        """What is not left to be found out."""
        given = ((one.name, getattr(self, one.name)) for one in settings_of(Reading))
        return tuple((name, value) for name, value in given if value not in ("", None))

    def __post_init__(self) -> None:
        for name in _SIGNS:
            value = getattr(self, name)
            if len(value) > 1 or value in ("\n", "\r", "\0") or not value.isascii():
                raise wrong(name, f"is `{value[:20]}`", "It must be one ASCII character.")
        check(self)
        if self.decimal and self.decimal == self.separator:
            raise wrong("separator", "cannot be the decimal sign, too")
