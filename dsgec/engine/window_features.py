"""Compute the features of windows by compiled code, which has the results of the interpreter."""

import re

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.procedures import with_library
from dsgec.arithmetic.source import integer_source
from dsgec.engine.library import load
from dsgec.engine.toolchain import CompileError, find_toolchain, quickest_toolchain
from dsgec.program.print_c import CPrinter
from dsgec.rendering import Code, render
from dsgec.signal.compute import Integers, check_samples, compute_features
from dsgec.signal.description import Signal
from dsgec.signal.prove import shifts_of
from dsgec.signal.window import window_program

_DECLARATION = """\
void dsgec_windows(const int16_t *samples, const int64_t *starts, int64_t count, int32_t *features);
"""
_MUCH = 1 << 26
"""Samples of windows times features from which on optimised code is worth its compilation."""


def compile_features(
    signal: Signal, samples: Integers, starts: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the features of windows, as `compute_features` does, by compiled code if possible."""
    is_much = len(starts) * signal.window * len(signal.features) >= _MUCH
    toolchain = find_toolchain() if is_much else quickest_toolchain()
    if toolchain is None:
        return compute_features(signal, samples, starts)
    samples = np.ascontiguousarray(samples, np.int16)
    starts = np.ascontiguousarray(starts, np.int64)
    check_samples(signal, samples, starts)
    found = np.empty((len(starts), len(signal.features)), np.int32)
    try:
        flags = ("-O1",) if is_much else ("-O0",)
        library = load(features_source(signal), _DECLARATION, toolchain, flags)
    except CompileError:
        return compute_features(signal, samples, starts)
    arrays = [
        library.ffi.from_buffer(kind, array, require_writable=array is found)
        for kind, array in (
            ("int16_t[]", samples),
            ("int64_t[]", starts),
            ("int32_t[]", found),
        )
    ]
    library.functions.dsgec_windows(arrays[0], arrays[1], len(starts), arrays[2])
    return found


def features_source(signal: Signal) -> str:
    """Return the C of a function that computes the features of windows."""
    program = with_library(window_program(signal, shifts_of(signal)), "whole")
    text = CPrinter(program, "dsgec").print()
    called = {*re.findall(r"\bdsgec_(\w+)\(", text)} - {p.name for p in program.procedures}
    return render(
        "engine/windows.c.j2",
        arithmetic=Code(integer_source("c", called)),
        program=Code(text),
        declaration=Code(_DECLARATION),
        channels=len(signal.channels),
        width=len(signal.features),
    )
