"""Options and arguments that several commands share, and what they name."""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.help import GroupedOption
from dsgec.cli.output import complain
from dsgec.search.settings import OPTIONS, SETTINGS, Execution
from dsgec.setting import Setting, settings_of

if TYPE_CHECKING:
    from dsgec.grammar.load import GrammarFile


Command = Callable[..., Any]


def option(setting: Setting, **more: Any) -> Callable[[Command], Command]:
    """The option that gives a setting."""
    name = OPTIONS.name(setting.word)
    if setting.kind is bool:
        names = name if setting.default is False else f"{name}/--no-{name[2:]}"
        return click.option(
            *(names, setting.name),
            cls=GroupedOption,
            group=setting.group,
            is_flag=True,
            default=setting.default,
            help=setting.help,
        )
    is_multiple = setting.kind in (tuple, dict)
    has_one = not setting.is_optional and setting.learned is None
    options = {
        "type": _type(setting),
        "default": setting.default if has_one else None,
        "show_default": has_one and not is_multiple,
        "multiple": is_multiple,
        "metavar": setting.metavar or None,
        "help": _help(setting, "can be given again" if is_multiple else ""),
        "cls": GroupedOption,
        "group": setting.group,
    }
    return click.option(name, setting.name, **options | more)


def _type(setting: Setting) -> Any:
    if setting.choices:
        return click.Choice(setting.choices)
    if setting.instead:
        return NumberOr(setting.instead)
    return {int: int, float: float, dict: DepthLimit()}.get(setting.kind, str)


def _help(setting: Setting, *more: str) -> str:
    only = f"{' and '.join(setting.representations)} only" if setting.representations else ""
    usual = ""
    if setting.learned is not None:
        usual = f"default: {setting.default_text()}"
    return "; ".join([setting.help.removesuffix("."), *filter(None, (*more, only, usual))]) + "."


def options_of(kind: type) -> list[Callable[[Command], Command]]:
    """The options of all settings that are the fields of a dataclass."""
    return [option(one) for one in settings_of(kind)]


def collecting(
    function: Command,
    name: str,
    make: Callable[[dict[str, Any]], Any],
    options: Sequence[Callable[[Command], Command]],
) -> Command:
    """The command with these options, of whose values it gets what is made, as `name`."""

    @functools.wraps(function)
    def collected(**arguments: Any) -> Any:
        own = {key: value for key, value in arguments.items() if key in names}
        others = {key: value for key, value in arguments.items() if key not in names}
        return function(**{name: make(own)}, **others)

    command: Command = collected
    before = len(getattr(function, "__click_params__", []))
    for each in reversed(options):
        command = each(command)
    names = {one.name for one in getattr(command, "__click_params__", [])[before:]}
    return command


class DepthLimit(click.ParamType):  # type: ignore[type-arg]  # no generic before click 8.4
    """`symbol=depth`."""

    name = "SYMBOL=DEPTH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        symbol, _, depth = str(value).partition("=")
        if not symbol or not depth.isdecimal() or len(depth) > 6:
            self.fail(f"{value!r} is not like sum=4", param, ctx)
        return symbol.strip("<>"), int(depth)


class NumberOr(click.ParamType):  # type: ignore[type-arg]
    """A number, or one word."""

    def __init__(self, word: str) -> None:
        self.word, self.name = word, f"NUMBER|{word}"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        if value == self.word:
            return self.word
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor {self.word}", param, ctx)


class Migration(click.ParamType):  # type: ignore[type-arg]
    """`every:count`."""

    name = "EVERY:COUNT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        every, _, count = str(value).partition(":")
        if not (every.isdecimal() and count.isdecimal()) or len(every + count) > 15:
            self.fail(f"{value!r} is not like 25:2", param, ctx)
        return int(every), int(count)


_BY_NAME = {one.name: option(one) for one in (*SETTINGS, *settings_of(Execution))}
max_depth_option, connect_option = _BY_NAME["max_depth"], _BY_NAME["connect"]
backend_option = _BY_NAME["backend"]


def load_grammar_file(name: str) -> "GrammarFile":
    """The grammar that a user named; its warnings are printed."""
    from dsgec.grammar.load import load_grammar

    file = load_grammar(name)
    warn(file)
    return file


def warn(file: "GrammarFile") -> None:
    """Tell what is odd about a grammar."""
    for warning in file.warnings:
        complain(str(warning))
