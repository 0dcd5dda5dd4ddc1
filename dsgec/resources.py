"""Where the shipped templates, grammars and tables are: the only module that knows."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def _shipped(kind: str) -> Traversable:
    """The folder `kind`: inside the package in a wheel, beside it in a checkout."""
    inside = files("dsgec").joinpath(kind)
    return inside if inside.is_dir() else Path(__file__).parents[1] / kind


TEMPLATES = _shipped("templates")
GRAMMARS = _shipped("grammars")
TABLES = _shipped("tables")


def shipped_names(folder: Traversable, suffix: str) -> tuple[str, ...]:
    """The names, without the suffix, that `folder` answers to."""
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(n.removesuffix(suffix) for n in names if n.endswith(suffix)))
