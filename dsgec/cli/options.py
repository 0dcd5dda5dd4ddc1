"""Turn settings into options, and list the options of a command in groups in its help."""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from dsgec.resources import GRAMMARS, STUDIES, TABLES, shipped_names
from dsgec.search.presets import Execution
from dsgec.search.settings import OPTIONS, SETTINGS
from dsgec.setting import Setting, settings_of

GROUPS = {
    "search": "Search options",
    "data": "Data options",
    "output": "Output options",
    "machine": "Machine options",
}
"""The groups in the order of the help, with their titles; options without a group come last."""

HELP_ALL = "--help-all"

_NO_LIMIT = 1_000

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


class GroupedOption(click.Option):
    """An option that `--help` lists in its `group`."""

    def __init__(self, *names: Any, group: str = "", **more: Any) -> None:
        super().__init__(*names, **more)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help has a section for each group of its options.

    With `common`, the names of a few options, `--help` shows only these and `--help-all` shows all.
    `examples` are pairs of a command line and its purpose, which both show.
    """

    def __init__(
        self,
        *arguments: Any,
        common: Sequence[str] = (),
        examples: Sequence[tuple[str, str]] = (),
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.common, self.examples = tuple(common), tuple(examples)
        if common:
            self.params.append(
                click.Option(
                    [HELP_ALL],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_show_all,
                    help="Show all options, in groups, and exit.",
                )
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the options: the common ones first, or all in their groups."""
        if self.examples:
            with formatter.section("Examples"):
                formatter.write_dl(self.examples, col_max=formatter.width // 2)
        is_short = bool(self.common) and not ctx.meta.get(HELP_ALL)
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS.values()}
        sections = {"Common options": []} if is_short else sections
        sections["Options"] = []
        common = {name: place for place, name in enumerate(self.common)}
        parameters = self.get_params(ctx)
        if is_short:
            parameters.sort(key=lambda one: common.get(str(one.name), len(common)))
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            group = getattr(parameter, "group", "")
            if not is_short:
                sections[GROUPS.get(group, "Options")].append(record)
            elif parameter.name in common:
                sections["Common options"].append(record)
            elif not group:
                sections["Options"].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def get_short_help_str(self, limit: int = _NO_LIMIT) -> str:
        """Return the summary for the list of commands, which wraps it and never cuts it off."""
        return super().get_short_help_str(_NO_LIMIT)


def _show_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def option(setting: Setting, **more: Any) -> Decorator:
    """Return the option of a setting; `more` overrides the arguments for click."""
    name = OPTIONS.name(setting.word)
    if setting.kind is bool:
        name = name if setting.default is False else f"{name}/--no-{name[2:]}"
    is_multiple = setting.kind in (tuple, dict)
    has_default = not setting.is_optional and setting.learned is None
    options: dict[str, Any] = {
        "cls": GroupedOption,
        "group": setting.group,
        "default": setting.default if has_default else None,
        "help": _help(setting),
    }
    if setting.kind is bool:
        options |= {"is_flag": True, "default": setting.default}
    else:
        kind, metavar = _type(setting), setting.metavar or None
        options |= {"type": kind, "multiple": is_multiple, "metavar": metavar}
    return click.option(name, setting.name, **options | more)


def _type(setting: Setting) -> Any:
    if setting.choices:
        return click.Choice(setting.choices)
    if setting.instead:
        return _number_or(setting.instead)
    return {int: int, float: float, dict: _parse_depth}.get(setting.kind, str)


def _help(setting: Setting) -> str:
    parts = [setting.help.removesuffix(".")]
    if setting.kind in (tuple, dict):
        parts.append("can be given more than once")
    if setting.representations:
        parts.append(f"{' and '.join(setting.representations)} only")
    if setting.learned is not None:
        parts.append(f"default: {setting.default_text()}")
    elif setting.kind in (int, float, str) and not setting.is_optional:
        parts.append(f"default: {setting.default}")
    return "; ".join(parts) + "."


def options_of(kind: type) -> list[Decorator]:
    """Return the options of all settings that are the fields of a dataclass."""
    return [option(one) for one in settings_of(kind)]


def collect(
    function: Command,
    name: str,
    make: Callable[[dict[str, Any]], Any],
    options: Sequence[Decorator],
) -> Command:
    """Add options to a command, which receives `make(values)` as its argument `name`."""

    @functools.wraps(function)
    def call(**arguments: Any) -> Any:
        own = {key: value for key, value in arguments.items() if key in names}
        others = {key: value for key, value in arguments.items() if key not in names}
        return function(**{name: make(own)}, **others)

    command: Command = call
    before = len(getattr(function, "__click_params__", []))
    for each in reversed(options):
        command = each(command)
    names = {one.name for one in getattr(command, "__click_params__", [])[before:]}
    return command


def _parse_depth(value: Any) -> tuple[str, int]:
    symbol, _, depth = str(value).partition("=")
    if not symbol or not depth.isdecimal() or len(depth) > 6:
        raise click.BadParameter(f"{value!r} is not like sum=4")
    return symbol.strip("<>"), int(depth)


def _number_or(word: str) -> Callable[[Any], float | str]:
    """Return a parser of numbers and of one word."""

    def parse(value: Any) -> float | str:
        try:
            return word if value == word else float(value)
        except ValueError as error:
            raise click.BadParameter(f"{value!r} is neither a number nor {word}") from error

    return parse


_BY_NAME = {one.name: option(one) for one in (*SETTINGS, *settings_of(Execution))}
max_depth_option, connect_option = _BY_NAME["max_depth"], _BY_NAME["connect"]
backend_option = _BY_NAME["backend"]


def complete_grammar(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a shipped grammar, or a file."""
    return _completions(shipped_names(GRAMMARS, ".bnf"), incomplete)


def complete_table(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a table, or a file."""
    from dsgec.data import paper

    return _completions((*shipped_names(TABLES, ".csv"), *paper.NAMES), incomplete)


def complete_study(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a shipped study, or a file."""
    return _completions(shipped_names(STUDIES, ".toml"), incomplete)


def _completions(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return [*found, CompletionItem(incomplete, type="file")]
