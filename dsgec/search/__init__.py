"""Search for networks: score, select, vary and learn them, and choose the one to recommend.

`dsgec.search(grammar, fitness)` is also a function, `dsgec.api.search.search`. Python has one name
for both, so this package can be called.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _CallableRoom(ModuleType):
    """The package, which is called as the function of the same name."""

    def __call__(self, grammar: Any, fitness: Any, **keywords: Any) -> Any:
        """Call `dsgec.api.search.search`, which is documented there."""
        return import_module("dsgec.api.search").search(grammar, fitness, **keywords)


sys.modules[__name__].__class__ = _CallableRoom
