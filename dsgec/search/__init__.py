"""Search for networks: score, select, vary and learn them, and choose the one to recommend.

`dsgec.search(grammar, fitness)` is also a function, `dsgec.api.search.search`. Python has one name
for both, so this package can be called, and its help is that of the function.
"""

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def _function() -> Any:
    return import_module("dsgec.api.search").search


class _CallableRoom(ModuleType):
    """The package, which is called as the function of the same name."""

    def __call__(self, grammar: Any, fitness: Any, **keywords: Any) -> Any:
        """Call `dsgec.api.search.search`, which is documented there."""
        return _function()(grammar, fitness, **keywords)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(_function())


setattr(_CallableRoom, "__doc__", property(lambda _: _function().__doc__))  # noqa: B010
sys.modules[__name__].__class__ = _CallableRoom
