"""dsgec: a grammar and a table in, a small neural network as source code out.

The names below are imported when they are asked for, so that `import dsgec` costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dsgec.api.compile import compile as compile
    from dsgec.api.estimators import DSGEClassifier as DSGEClassifier
    from dsgec.api.estimators import DSGERegressor as DSGERegressor
    from dsgec.api.evolve import Progress, evolve
    from dsgec.api.hall import HallEntry, HallOfFame
    from dsgec.api.network import Network
    from dsgec.api.run import History, Run, load
    from dsgec.api.search import SearchRun
    from dsgec.api.search import search as search
    from dsgec.errors import DsgecError
    from dsgec.grammar.genome.derivation_tree import TreeNode
    from dsgec.grammar.load import GrammarFile as Grammar
    from dsgec.grammar.load import parse_grammar
    from dsgec.network.readers.foreign import Agreement

__version__ = "0.1.0"

# Without the estimators: `from dsgec import *` is not to need scikit-learn. And without `compile`,
# which is a name of Python's own.
__all__ = [
    "Agreement",
    "DsgecError",
    "Grammar",
    "HallEntry",
    "HallOfFame",
    "History",
    "Network",
    "Progress",
    "Run",
    "SearchRun",
    "TreeNode",
    "evolve",
    "load",
    "parse_grammar",
    "search",
]

_HOMES = {
    "Agreement": ("dsgec.network.readers.foreign", "Agreement"),
    "DSGEClassifier": ("dsgec.api.estimators", "DSGEClassifier"),
    "DSGERegressor": ("dsgec.api.estimators", "DSGERegressor"),
    "DsgecError": ("dsgec.errors", "DsgecError"),
    "Grammar": ("dsgec.grammar.load", "GrammarFile"),
    "HallEntry": ("dsgec.api.hall", "HallEntry"),
    "HallOfFame": ("dsgec.api.hall", "HallOfFame"),
    "History": ("dsgec.api.run", "History"),
    "Network": ("dsgec.api.network", "Network"),
    "Progress": ("dsgec.api.evolve", "Progress"),
    "Run": ("dsgec.api.run", "Run"),
    "SearchRun": ("dsgec.api.search", "SearchRun"),
    "TreeNode": ("dsgec.grammar.genome.derivation_tree", "TreeNode"),
    "compile": ("dsgec.api.compile", "compile"),
    "evolve": ("dsgec.api.evolve", "evolve"),
    "load": ("dsgec.api.run", "load"),
    "parse_grammar": ("dsgec.grammar.load", "parse_grammar"),
}


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    if name == "search":  # the room, which is called as the function: see its `__init__`
        from importlib import import_module

        return import_module("dsgec.search")
    if name not in _HOMES:
        raise AttributeError(f"module 'dsgec' has no attribute {name!r}")
    from importlib import import_module

    module, own_name = _HOMES[name]
    return getattr(import_module(module), own_name)


def __dir__() -> list[str]:
    return sorted(["__version__", "search", *_HOMES])
