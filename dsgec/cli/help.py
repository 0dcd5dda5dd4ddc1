"""The help of a command: its options in groups, its summary in whole."""

from typing import Any

import click

GROUPS = {
    "search": "Search options",
    "data": "Data options",
    "output": "Output options",
    "machine": "Machine options",
}
"""In the order of the help, each with its title; what is in no group comes last."""

_NO_LIMIT = 1_000


class GroupedOption(click.Option):
    """An option that `--help` lists among those of its `group`."""

    def __init__(self, *names: Any, group: str = "", **more: Any) -> None:
        super().__init__(*names, **more)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help has a section for each group of its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS.values()}
        sections["Options"] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections[GROUPS.get(getattr(parameter, "group", ""), "Options")].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def get_short_help_str(self, limit: int = _NO_LIMIT) -> str:
        """In the list of commands: broken where a line ends, never cut off."""
        return super().get_short_help_str(_NO_LIMIT)
