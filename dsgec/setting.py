"""Settings, the same for every interface: type, allowed values, default and help.

Settings are the fields of a dataclass: `settings_of` returns them, and `make` fills the class with
the values that a user gave.
"""

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from dsgec.errors import DsgecError, Fault, Words, setting_error

Depths = tuple[tuple[str, int], ...]
"""The recursion limits of symbols by name: for users a dictionary, here in a fixed order."""

_KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a string",
    bool: "True or False",
    tuple: "a list of strings",
    dict: 'a dictionary, such as {"sum": 4}',
}
_MOST_SHOWN = 60
_LARGEST = sys.float_info.max

Dataclass = TypeVar("Dataclass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting of kind int, float, str, bool, tuple (of strings) or dict (of depths).

    It belongs to some `representations` only, or to all. On the command line it is `--name`, or
    `--option` if that is given. `formerly` is an earlier name, which files still have. With
    `recorded_with`, run.json has it only if that other setting is not the default: a new setting
    leaves the bytes of other runs as they were. `default` is that of the paper preset, `learned`
    the default of runs that learn, if it differs; `chosen` describes it if it is not constant. The
    word `instead` can be given in place of a number. `group` is the section of the help that lists
    it, by default the `GROUP` of its class.
    """

    default: Any
    help: str
    name: str = ""
    kind: type = str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    metavar: str = ""
    representations: tuple[str, ...] = ()
    option: str = ""
    formerly: str = ""
    recorded_with: str = ""
    learned: Any = None
    chosen: str = ""
    instead: str = ""
    group: str = ""

    @property
    def key(self) -> str:
        """The name of the setting in files."""
        return self.formerly or self.name

    @property
    def word(self) -> str:
        """The name that people write: that of the option, with underscores."""
        return self.option or self.name

    def default_text(self, write: Callable[[Any], str] = str) -> str:
        """Return the default as help shows it, followed by the default of the paper preset."""
        if self.chosen:
            return self.chosen
        return f"{write(self.learned)} (paper preset: {write(self.default)})"

    @property
    def is_optional(self) -> bool:
        """True if the setting may have no value."""
        return self.default is None or self.default == ""

    def read(self, given: Any) -> Any:
        """Convert a value from a program or a file, which may be a number of numpy."""
        if given is None and (self.is_optional or self.kind is dict):
            return self.default
        try:
            return self._convert(given)
        except (TypeError, ValueError, OverflowError) as error:
            kinds = f"one of {', '.join(self.choices)}" if self.choices else _KINDS[self.kind]
            kinds += f" or {self.instead!r}" if self.instead else ""
            raise setting_error(
                self.name, f"is {_shortened_repr(given)}", f"It must be {kinds}."
            ) from error

    def _convert(self, given: Any) -> Any:
        if self.instead and isinstance(given, str) and given == self.instead:
            return given
        if isinstance(given, bool) != (self.kind is bool):
            raise TypeError
        if self.kind is int:
            return operator.index(given)
        if self.kind is float:
            return float("x" if isinstance(given, str) else given)
        if self.kind is dict:
            depths = ((str(k).strip("<>"), operator.index(v)) for k, v in dict(given).items())
            return tuple(sorted(depths))
        if self.kind is tuple and not isinstance(given, Mapping):
            return (given,) if isinstance(given, str) else tuple(map(str, given))
        if not isinstance(given, self.kind):
            raise TypeError
        return given

    def plain(self, value: Any) -> Any:
        """Return a value as JSON data."""
        if self.kind is dict:
            return dict(value)
        return list(value) if self.kind is tuple else value

    def check(self, value: Any, highest: float | None = None) -> None:
        """Raise a DsgecError for a value out of bounds; `highest` replaces its own upper bound."""
        if (self.is_optional and value == self.default) or (self.instead and value == self.instead):
            return
        if self.choices:
            self._check_choices(value if self.kind is tuple else (value,))
        low, high = self.low, self.high if highest is None else highest
        bounds = f"between {low} and {high}" if high < math.inf else f"at least {low}"
        if low == -math.inf:
            low, high, bounds = -_LARGEST, _LARGEST, "a finite number"
        numbers = dict(value).values() if self.kind is dict else (value,)
        for number in numbers if self.kind in (int, float, dict) else ():
            if not low <= number <= high:
                raise setting_error(self.name, f"is {number}", f"It must be {bounds}.")

    def _check_choices(self, values: Iterable[Any]) -> None:
        for one in values:
            if one not in self.choices:
                advice = f"Choose from {', '.join(self.choices)}."
                raise setting_error(self.name, f"is {_shortened_repr(one)}", advice)


def _shortened_repr(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def setting(
    default: Any, help: str, low: float = -math.inf, high: float = math.inf, **more: Any
) -> Any:
    """Return a field of a dataclass that is a setting; a number is from `low` to `high`."""
    one = Setting(default=default, help=help, low=low, high=high, **more)
    return field(default=default, metadata={"setting": one})


def settings_of(kind: type) -> tuple[Setting, ...]:
    """Return the settings that are fields of a dataclass."""
    return _settings_of(kind)


@cache
def _settings_of(kind: type) -> tuple[Setting, ...]:
    hints = get_type_hints(kind)
    group = getattr(kind, "GROUP", "")
    found = [
        replace(one.metadata["setting"], name=one.name, kind=_kind(hints[one.name]))
        for one in fields(kind)
        if "setting" in one.metadata
    ]
    return tuple(replace(one, group=one.group or group) for one in found)


def _kind(hint: Any) -> type:
    if hint == Depths:
        return dict
    if get_origin(hint) is tuple:
        return tuple
    found: type = next((one for one in get_args(hint) if one is not type(None)), hint)
    return found


def make(kind: type[Dataclass], given: Mapping[str, Any], *, learned: bool = False) -> Dataclass:
    """Fill a dataclass with the values that a user gave; all mistakes are reported at once.

    A setting that was not given, or is None, has its default; with `learned`, that of runs that
    learn.
    """
    defaults = {one.name: one.learned for one in settings_of(kind) if one.learned is not None}
    values: dict[str, Any] = {**defaults} if learned else {}
    given = {name: one for name, one in given.items() if one is not None or name not in defaults}

    def read(one: Setting) -> None:
        for name in (one.formerly, one.name):
            if name in given:
                values[one.name] = one.read(given[name])

    _for_all(kind, read)
    return kind(**values)


def read_recorded(kind: type[Dataclass], values: dict[str, Any]) -> Dataclass:
    """Read the settings that the `as_json` of a dataclass returned, or raise a DsgecError."""
    try:
        settings: Any = make(kind, values)
        same = settings.as_json()
    except (DsgecError, TypeError) as error:
        raise DsgecError("these are not the settings of a run") from error
    if same != values or any(type(same[name]) is not type(values[name]) for name in same):
        raise DsgecError("these are not the settings of a run")
    made: Dataclass = settings
    return made


def check(made: Any, highest: Mapping[str, float] | None = None) -> None:
    """Raise a DsgecError for a dataclass with values out of bounds; all are reported at once."""
    most = highest or {}
    _for_all(type(made), lambda one: one.check(getattr(made, one.name), most.get(one.name)))


def _for_all(kind: type, action: Callable[[Setting], None]) -> None:
    faults: list[Fault] = []
    for one in settings_of(kind):
        try:
            action(one)
        except DsgecError as error:
            faults += error.faults
    if faults:
        raise DsgecError(faults)


def names_of(settings: Iterable[Setting]) -> set[str]:
    """Return all names by which the settings can be given."""
    return {name for one in settings for name in (one.name, one.formerly) if name}


class CommandLine(Words):
    """The syntax of settings on the command line: `--max-depth`, `--missing drop`."""

    def __init__(self, settings: Iterable[Setting]) -> None:
        self._options = {one.name: one.option for one in settings if one.option}

    def name(self, setting: str) -> str:
        return f"--{self._options.get(setting, setting).replace('_', '-')}"

    def advice(self, setting: str, values: list[Any]) -> str:
        if values in ([True], [False]):
            return self.given(setting, values[0])[0]
        texts = " or ".join(self.given(setting, value)[-1] for value in values)
        return f"{self.name(setting)} {texts}".rstrip()

    def given(self, setting: str, value: Any) -> list[str]:
        """Return the words that give a setting a value."""
        name = self.name(setting)
        if isinstance(value, bool):
            return [name if value else f"--no-{name[2:]}"]
        if isinstance(value, dict):
            value = [f"{key}={inner}" for key, inner in value.items()]
        values = value if isinstance(value, list | tuple) else [value]
        return [word for one in values for word in (name, str(one))]
