"""The help of a command: its options in groups, its summary in whole."""

from collections.abc import Sequence
from typing import Any

import click

GROUPS = {
    "search": "Search options",
    "data": "Data options",
    "output": "Output options",
    "machine": "Machine options",
}
"""In the order of the help, each with its title; what is in no group comes last."""

HELP_ALL = "--help-all"

_NO_LIMIT = 1_000


class GroupedOption(click.Option):
    """An option that `--help` lists among those of its `group`."""

    def __init__(self, *names: Any, group: str = "", **more: Any) -> None:
        super().__init__(*names, **more)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help has a section for each group of its options.

    With `common`, the names of a few options, `--help` shows only these and `--help-all` shows all.
    `examples` are command lines with what each is for; both show them.
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
        """In the list of commands: broken where a line ends, never cut off."""
        return super().get_short_help_str(_NO_LIMIT)


def _show_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the help with all options and end the command."""
    if value and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
