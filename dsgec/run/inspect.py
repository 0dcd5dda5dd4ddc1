"""Describe an exported artefact or a run: what it is, and what it costs on chips."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from dsgec.errors import DsgecError, clean, counted
from dsgec.export.artefact import Artefact, with_smaller_layout
from dsgec.export.files import run_artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.golden import round_up
from dsgec.export.read import artefact_files, open_artefacts
from dsgec.export.streams.cost import deployed_cost
from dsgec.export.targets.c.image import measure_image
from dsgec.folder import open_folder
from dsgec.network.cost.chips import CHIPS, priced_dtypes
from dsgec.network.ir import Apply, Constant, Input, Network, multiplications
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges
from dsgec.network.structure import measure_size
from dsgec.run.cost_text import duration, time_share
from dsgec.run.folder import has_record, read_model, read_record

_HEAD = "  chip          type      flash   linked  stack     cycles  a row takes"
_SIGNAL_HEAD = "  chip          type      flash   linked    RAM   a sample    + a window  at most"
_SIGNS = {"add": "additions", "sub": "additions", "mul": "multiplications", "div": "divisions"}


def holds_artefacts(path: Path) -> bool:
    """Return whether a folder is a run, or has exported files in it."""
    with open_folder(path) as folder:
        return has_record(folder) or bool(artefact_files(folder))


def inspect_artefact(path: Path) -> list[str]:
    """Return the lines that describe an exported file, all of a folder, or a run."""
    if path.is_dir():
        with open_folder(path) as folder:
            if has_record(folder):
                model, name = read_model(folder)
                recorded = read_record(folder).ranges
                ranges = choose_ranges(model.columns, recorded, NO_RANGES) if recorded else ()
                return _describe(f"the run in {path}", run_artefact(model, name), ranges)
    with open_artefacts(path) as found:
        return [
            line
            for one in found
            for line in _describe(f"{one.path} ({' or '.join(one.makers)})", one.artefact)
        ]


def operations(network: Network) -> Counter[str]:
    """Count the operations for a row: arithmetic by kind, and calls of functions by name."""
    counts: Counter[str] = Counter()
    for node in network.nodes:
        if not isinstance(node, Apply):
            continue
        if node.function == "pow":
            exponent = network.nodes[node.arguments[1]]
            assert isinstance(exponent, Constant)
            counts["multiplications"] += len(multiplications(int(exponent.value)))
            counts["divisions"] += exponent.value < 0
        else:
            counts[_SIGNS.get(node.function, node.function)] += 1
    if network.softmax:
        counts["softmax"] += 1
    return +counts


def _precision(artefact: Artefact) -> list[str]:
    """Describe the difference from double precision, for other number formats."""
    loss, fixed = artefact.loss, artefact.number_format.fixed
    if loss is None:
        return []
    proved = f"proved {round_up(max(fixed.bounds)):g}, " if fixed else ""
    labels = (
        f"; {counted(loss.flips, 'label')} {'differs' if loss.flips == 1 else 'differ'}"
        if artefact.model.is_classifier
        else ""
    )
    return [
        f"  differs     from double precision by at most: {proved}measured {loss.worst:g}"
        f" ({loss.rows:,} random rows{labels})"
    ]


def _describe(title: str, artefact: Artefact, ranges: tuple[Range | None, ...] = ()) -> list[str]:
    model, network = artefact.model, artefact.network
    used = sum(isinstance(node, Input) for node in network.nodes)
    filled = sum(column.fill is not None for column in model.columns)
    texts = sum(bool(column.categories) for column in model.columns)
    what = ", ".join(ascii(label) for label in model.classes[:20]) or "a number"
    measure = measure_size(model.network)
    counts = operations(network)
    first = counts.pop("multiplications", 0)
    calls = ", ".join(f"{count} {name}" for name, count in counts.items())
    return [
        clean(title),
        f"  model       {artefact.model_id}, made by dsgec {artefact.version}",
        f"  predicts    {what}" + (f" (`{ascii(model.target)[1:-1]}`)" if model.target else ""),
        f"  row         {counted(len(model.columns), 'column')}, {used} of them read;"
        f" {texts} of texts;"
        f" {filled} may be missing",
        f"  network     {counted(measure.neurons, 'neuron')} in {counted(measure.layers, 'layer')},"
        f" {counted(measure.connections, 'connection')}; type {artefact.dtype}",
        f"  a row costs {first} multiplications" + (f", {calls}" if calls else ""),
        f"  self-test   {counted(len(artefact.golden.rows), 'row')}",
        *_precision(artefact),
        *_cost_lines(artefact, ranges),
    ]


def _cost_lines(artefact: Artefact, ranges: tuple[Range | None, ...]) -> list[str]:
    """Return a line for each chip and type: bytes, cycles and time of a row.

    `linked` is the flash that a cross compiler makes of it, if there is one. Of other types than
    the artefact's own it is C in the layout that would be exported for the chip. Fixed point needs
    the ranges of the columns, and is left out if neither the artefact's nor `ranges` are known.

    Of a signal, RAM is the state of a stream and the stack, and the time is that of the last sample
    of a window.
    """
    lines = [_HEAD if artefact.model.signal is None else _SIGNAL_HEAD]
    known = artefact.ranges or ranges
    estimated = (dtype for chip in CHIPS for dtype in priced_dtypes(chip))
    for dtype in dict.fromkeys((artefact.dtype, *estimated)):
        if dtype in STORED_BITS and not known:
            continue
        try:
            other = replace(artefact, dtype=dtype, ranges=known if dtype in STORED_BITS else ())
        except DsgecError as error:
            lines.append(f"  {'':<13} {dtype:<6} not possible: {error.faults[0].message}")
            continue
        is_own = dtype == artefact.dtype
        for chip in CHIPS:
            shown = other if is_own else with_smaller_layout(other, chip)
            lines += filter(None, [_cost_line(shown, chip)])
    return lines


def _cost_line(artefact: Artefact, chip: str) -> str:
    """Return the line of a chip; empty if there is neither an estimate nor an image."""
    start = f"  {chip:<13} {artefact.dtype:<6}"
    image = measure_image(artefact, chip)
    linked = "-" if image is None else f"{image.flash:,}"
    try:
        own = deployed_cost(artefact, chip)
    except DsgecError as error:
        return f"{start} {'-':>8} {linked:>8}  {error.faults[0].message}" if image else ""
    start += f" {own.flash:>8,} {linked:>8}"
    megahertz, signal = CHIPS[chip].megahertz, artefact.model.signal
    shown = f"{duration(own.longest / megahertz)} at {megahertz} MHz"
    if own.sample is None or signal is None:
        return f"{start} {own.stack:>6,} {own.cycles:>10,}  {shown}"
    if signal.rate:
        shown += f", {time_share(own, chip, signal.rate):.2g} % of the time"
    return f"{start} {own.ram:>6,} {own.sample:>10,} {own.cycles:>13,}  {shown}"
