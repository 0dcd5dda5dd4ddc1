"""dsgec: a grammar and a table in, a small neural network as source code out.

The names below are imported when they are asked for, so that `import dsgec` costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dsgec.bnf.load import GrammarFile as Grammar
    from dsgec.bnf.load import parse_grammar
    from dsgec.errors import DsgecError
    from dsgec.library.evolve import Progress, evolve
    from dsgec.library.network import Network
    from dsgec.library.run import Run, load
    from dsgec.sklearn import DSGEClassifier as DSGEClassifier
    from dsgec.sklearn import DSGERegressor as DSGERegressor

__version__ = "0.1.0"

# Without the estimators: `from dsgec import *` is not to need scikit-learn.
__all__ = [
    "DsgecError",
    "Grammar",
    "Network",
    "Progress",
    "Run",
    "evolve",
    "load",
    "parse_grammar",
]

_HOMES = {
    "DSGEClassifier": ("dsgec.sklearn", "DSGEClassifier"),
    "DSGERegressor": ("dsgec.sklearn", "DSGERegressor"),
    "DsgecError": ("dsgec.errors", "DsgecError"),
    "Grammar": ("dsgec.bnf.load", "GrammarFile"),
    "Network": ("dsgec.library.network", "Network"),
    "Progress": ("dsgec.library.evolve", "Progress"),
    "Run": ("dsgec.library.run", "Run"),
    "evolve": ("dsgec.library.evolve", "evolve"),
    "load": ("dsgec.library.run", "load"),
    "parse_grammar": ("dsgec.bnf.load", "parse_grammar"),
}


def __getattr__(name: str) -> Any:
    """A public name, from the module that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dsgec' has no attribute {name!r}")
    from importlib import import_module

    module, own_name = _HOMES[name]
    return getattr(import_module(module), own_name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
