"""Names that a shell completes: those of what is shipped, and files."""

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from dsgec.resources import GRAMMARS, STUDIES, TABLES, shipped_names


def complete_grammar(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Shipped grammars, and files."""
    return _items(shipped_names(GRAMMARS, ".bnf"), incomplete)


def complete_table(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Tables that are known by a name, and files."""
    from dsgec.data import paper

    names = (*shipped_names(TABLES, ".csv"), *paper.NAMES)
    return _items(names, incomplete)


def complete_study(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Shipped studies, and files."""
    return _items(shipped_names(STUDIES, ".toml"), incomplete)


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return [*found, CompletionItem(incomplete, type="file")]
