"""Run an engine for any text: it breeds, and the caller scores the phenotypes."""

import numpy as np
from numpy.typing import NDArray

from dsgec.engine.engine import NativeEngine
from dsgec.engine.values import EngineIndividual


class TextEngine(NativeEngine):
    """A native engine that was compiled as EXTERNAL; it must not be used by two threads at once."""

    def waiting(self) -> list[str]:
        """Return the phenotypes that wait for a score, in an engine for any text."""
        found = self._ffi.new("dsgec_engine_phenotypes *")
        self._check_code(self._lib.dsgec_engine_waiting(self._engine, found))
        if not found.count:
            return []
        ends = self._ffi.unpack(found.ends, found.count)
        data = bytes(self._ffi.buffer(found.texts, ends[-1])) if ends[-1] else b""
        starts = [0, *ends[:-1]]
        if data.isascii():
            text = data.decode("ascii")
            return [text[start:end] for start, end in zip(starts, ends, strict=True)]
        return [
            data[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(starts, ends, strict=True)
        ]

    def give(
        self, fitness: NDArray[np.float64], sizes: NDArray[np.int32], values: NDArray[np.float64]
    ) -> None:
        """Score all phenotypes that wait: a row of `values` has the cases or objectives of each."""
        code = self._lib.dsgec_engine_give(
            self._engine,
            self._ffi.from_buffer("double[]", fitness),
            self._ffi.from_buffer("int32_t[]", sizes),
            self._ffi.from_buffer("double[]", values),
            values.shape[1],
        )
        self._check_code(code)

    def abandon(self) -> None:
        """Give up an unfinished generation, in an engine for any text."""
        self._check_code(self._lib.dsgec_engine_abandon(self._engine))

    def look_waiting(self, number: int) -> EngineIndividual:
        """Return one of the individuals whose phenotypes wait for a score."""
        view = self._ffi.new("dsgec_engine_individual *")
        self._check_code(self._lib.dsgec_engine_look_waiting(self._engine, number, view))
        return self._individual(view)
