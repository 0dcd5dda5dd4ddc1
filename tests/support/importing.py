"""Packages of the target cffi, built as an export builds them, and imported."""

import importlib
import itertools
import sys

import numpy as np

from dsgec.export.files import export

_numbers = itertools.count()


def package(model, folder, dtype="double", name=None):
    """The imported package of a model, under a name that no other test uses."""
    name = name or f"pack{next(_numbers)}"
    export(model, ["cffi"], name, folder, dtype)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def levels(module):
    """The sets of instructions that this machine has."""
    return range(getattr(module._lib, f"{module.__name__}_level")() + 1)


def run(module, table, level, width):
    """The rows through one set of instructions."""
    out = np.full((len(table), width), 7, table.dtype)
    real = module._REALS
    module._run(
        module._ffi.from_buffer(real, table), len(table), module._ffi.from_buffer(real, out), level
    )
    return out


class Frame:
    """The part of a data frame that modules use."""

    def __init__(self, **columns):
        self.data, self.columns = columns, list(columns)

    def __getitem__(self, name):
        return self.data[name]

    def __len__(self):
        return len(next(iter(self.data.values())))
