"""Link a stream for a chip and run it there: bytes, and the cycles of samples and windows."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.chips.measure import run_image, tool
from dsgec.export.artefact import Artefact
from dsgec.export.targets.c.image import function_called, link
from dsgec.signal.stream import MISSING

_CALLS = r"""
#include "NAME.h"
int measured_push(const int16_t *sample, NAME_stream *s) { return NAME_push(s, sample); }
int measured_window(const NAME_stream *s, NAME_RESULT *out) { return CALL; }
int measured_row(const NAME_stream *s, NAME_NUMBER *x) { NAME_row(s, x); return 0; }
NAME_stream measured_stream;
"""


@dataclass(frozen=True, slots=True)
class Line:
    """What a stream takes of a chip: `network` are the bytes of its network alone.

    `sample` are the cycles of a push, on average over whole periods, and `longest` the most; `row`
    are those of the row of a window, and `window` those of its prediction. `labels` are the numbers
    of the classes of the windows.
    """

    chip: str
    name: str
    network: int
    flash: int
    state: int
    stack: int
    sample: float
    longest: int
    row: float
    window: float
    labels: tuple[int, ...]


def measure(
    artefact: Artefact, chip: str, samples: NDArray[np.int32], name: str, most_windows: int = 4
) -> Line:
    """Link the C of an artefact for a chip, and push samples there."""
    model, own = artefact.model, artefact.name
    signal = model.signal
    assert signal is not None
    push, called = f"{own}_push", f"{function_called(artefact)}_window"
    width = len(model.network.outputs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        network = link(artefact, chip, folder)
        image = link(artefact, chip, folder, (push, called))
        call = f"{called}(s)" if model.is_classifier else f"{called}(s, out)"
        fixed = artefact.number_format.fixed is not None
        text = _CALLS.replace("NAME", own).replace("CALL", call)
        text = text.replace("RESULT", "result" if fixed else "real")
        text = text.replace("NUMBER", "number" if fixed else "real")
        measured = ("measured_push", "measured_window", "measured_row", "measured_stream")
        link(artefact, chip, folder, measured, text)
        state = _symbol_bytes(chip, folder, "measured_stream")
        start = np.full((1, len(signal.channels)), MISSING)
        given = np.ascontiguousarray(np.vstack([start, samples]), np.int16)
        pushes = run_image(chip, folder, "measured_push", given, state)[1:]
        complete = [np.frombuffer(call[1], np.uint8) for call in pushes if call[0]]
        states = np.array(complete[:most_windows])
        windows = run_image(chip, folder, "measured_window", states, 8 * width)
        rows = run_image(chip, folder, "measured_row", states, 8 * len(model.columns))
    period = signal.overlap * signal.step
    steady = [call[3] for call in pushes[period:]]
    whole = steady[: len(steady) // period * period] or steady
    return Line(
        *(chip, name, network.flash, image.flash, state),
        max(call[2] for call in (*pushes, *windows)),
        float(np.mean(whole)),
        max(call[3] for call in pushes),
        float(np.mean([call[3] for call in rows])),
        float(np.mean([call[3] for call in windows])),
        tuple(call[0] for call in windows),
    )


def _symbol_bytes(chip: str, folder: Path, name: str) -> int:
    """Return the size of a variable of `net.elf`, as the compiler for the chip has laid it out."""
    lines = tool(chip, "nm", folder, "-S").splitlines()
    (size,) = [line.split()[1] for line in lines if line.endswith(f" {name}")]
    return int(size, 16)
