"""An artefact to what its C costs on chips: the estimate, and what compilers here make of it."""

from dataclasses import replace

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.c.build import measure_image
from dsgec.network.chips import CHIPS
from dsgec.network.cost import dtypes_of
from dsgec.network.ranges import Range

_HEAD = "  chip          type      flash   linked  stack     cycles  a row takes"


def cost_lines(artefact: Artefact, ranges: tuple[Range | None, ...] = ()) -> list[str]:
    """A line for each chip and type: bytes, cycles and time of a row.

    `linked` is the flash that a cross compiler makes of it, where there is one. Fixed point needs
    the `ranges` of columns, and is left out where neither these are known nor the artefact's.
    """
    lines = [_HEAD]
    known = artefact.ranges or ranges
    estimated = (dtype for chip in CHIPS for dtype in dtypes_of(chip))
    for dtype in dict.fromkeys((artefact.dtype, *estimated)):
        if dtype in STORED_BITS and not known:
            continue
        try:
            other = replace(artefact, dtype=dtype, ranges=known if dtype in STORED_BITS else ())
        except DsgecError as error:
            lines.append(f"  {'':<13} {dtype:<6} not possible: {error.faults[0].message}")
            continue
        lines += filter(None, (_line(other, chip) for chip in CHIPS))
    return lines


def _line(artefact: Artefact, chip: str) -> str:
    """Empty where there is neither an estimate nor an image."""
    start = f"  {chip:<13} {artefact.dtype:<6}"
    image = measure_image(artefact, chip)
    linked = "-" if image is None else f"{image.flash:,}"
    try:
        own = artefact.cost(chip)
    except DsgecError as error:
        return f"{start} {'-':>8} {linked:>8}  {error.faults[0].message}" if image else ""
    megahertz = CHIPS[chip].megahertz
    return (
        f"{start} {own.flash:>8,} {linked:>8} {own.stack:>6,} {own.cycles:>10,}"
        f"  {_time(own.cycles / megahertz)} at {megahertz} MHz"
    )


def _time(microseconds: float) -> str:
    """To two digits or three, as a person reads it."""
    if microseconds < 1000:
        return f"{microseconds:.3g} µs"
    return f"{microseconds / 1000:,.3g} ms"
