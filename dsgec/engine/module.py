"""Load generated Python text as a module, through the import machinery."""

import importlib.abc
import importlib.util
from types import ModuleType


class _Source(importlib.abc.InspectLoader):
    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, fullname: str) -> str:
        return self.text


def load_module(text: str, name: str) -> ModuleType:
    """Return the module of a generated `text`; it is not added to sys.modules."""
    loader = _Source(text)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
