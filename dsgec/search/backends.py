"""Backends: evaluate networks on rows, through the code that an export would have."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.engine.library import load
from dsgec.engine.module import load_module
from dsgec.engine.toolchain import CompileError, Toolchain
from dsgec.errors import DsgecError, mention
from dsgec.export.batch import emit_c_batch, emit_numpy_batch
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network

Array = NDArray[np.float64]

_ROWS_WORTH_OPTIMISING = 10_000


class Backend(Protocol):
    """A way to evaluate many networks on the same rows; all give the same bits."""

    name: str
    description: str

    def outputs(self, networks: Sequence[Network], rows: Array) -> list[Array]:
        """Return the outputs of each network: an array with a row for each row."""
        ...


class ReferenceBackend:
    """Evaluates networks with the interpreter."""

    name = "reference"
    description = "reference: the plain interpreter"

    def outputs(self, networks: Sequence[Network], rows: Array) -> list[Array]:
        return [evaluate(network, rows) for network in networks]


class NumpyBackend:
    """Evaluates networks with generated numpy code."""

    name = "numpy"
    description = "numpy: generated numpy modules"

    @standard_arithmetic()
    def outputs(self, networks: Sequence[Network], rows: Array) -> list[Array]:
        module = load_module(emit_numpy_batch(networks), "generation")
        columns = np.ascontiguousarray(rows.T)
        results = []
        with np.errstate(all="ignore"):
            for number, network in enumerate(networks):
                outputs = np.empty((len(rows), len(network.outputs)))
                values = getattr(module, f"_net{number}_outputs")(columns)
                for index, value in enumerate(values):
                    outputs[:, index] = value
                results.append(outputs)
        return results


class CBackend:
    """Evaluates networks with generated C, a generation in one file, compiled through cffi."""

    name = "c"

    def __init__(self, toolchain: Toolchain) -> None:
        self.toolchain = toolchain
        self.description = f"c: generated C, compiled by {toolchain.identity}"

    def outputs(self, networks: Sequence[Network], rows: Array) -> list[Array]:
        declarations = "".join(
            f"void net{number}_evaluate_batch(const double *, size_t, double *);"
            for number in range(len(networks))
        )
        # Each is run once: on a small table nearly all the time is the compiler's.
        level = "-O0" if len(rows) < _ROWS_WORTH_OPTIMISING else "-O1"
        source = f"{emit_c_batch(networks)}\n{declarations}"
        try:
            library = load(source, declarations, self.toolchain, (level,))
        except CompileError as error:
            raise DsgecError(
                str(error), f"{mention('backend', 'numpy')} needs no compiler."
            ) from error
        ffi = library.ffi
        table = np.ascontiguousarray(rows)
        results = []
        for number, network in enumerate(networks):
            outputs = np.empty((len(rows), len(network.outputs)))
            function = getattr(library.functions, f"net{number}_evaluate_batch")
            function(
                ffi.cast("const double *", table.ctypes.data),
                len(rows),
                ffi.cast("double *", outputs.ctypes.data),
            )
            results.append(outputs)
        library.close()
        return results
