"""Linear models and perceptrons of scikit-learn that dsgec compiles, in fixed point."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.candidate import Candidate, Source
from benchmarks.kilobyte.case import Array, Case
from benchmarks.kilobyte.libraries import validate_scaled
from benchmarks.kilobyte.sources import HIDDEN, STRENGTHS, scaled_model
from dsgec import compile as compile_model
from dsgec.errors import DsgecError
from dsgec.export.artefact import FLAT, PACKED, Artefact
from dsgec.export.files import make_artefact
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.golden import classes_of_results
from dsgec.export.targets.c.emit import emit_module
from dsgec.export.targets.c.image import function_called
from dsgec.network.model import Model

DTYPE = "q7"


def compiled_models(case: Case) -> Iterator[Candidate]:
    """Yield logistic regressions and perceptrons as q7 in the smaller layout."""
    settings = [("linear", strength) for strength in STRENGTHS]
    settings += [("mlp", width) for width in HIDDEN]
    for kind, setting in settings:
        model = scaled_model(case, kind, setting, -1, np.arange(len(case.y)))
        network = compile_model(model, name="net", rows=case.x)
        validated = validate_scaled(case, kind, setting)
        layouts = both_layouts(network.model, network.ranges)
        yield from fixed_candidates(f"{kind} {setting:g}", validated, layouts)


def both_layouts(model: Model, ranges: Any, dtype: str = DTYPE) -> tuple[Artefact, ...]:
    """Return a model in fixed point, flat and packed; empty if it has none over the ranges."""
    try:
        flat = make_artefact(model, "net", dtype, recorded=ranges, layout=FLAT)
    except DsgecError:
        return ()
    return flat, flat.with_layout(PACKED)


def smaller(layouts: Sequence[Artefact], chip: str) -> Artefact:
    """Return the layout with the smaller estimated flash, as `--layout auto` does."""
    return min(layouts, key=lambda one: one.cost(chip).flash)


def fixed_candidates(
    setting: str, validated: float, layouts: Sequence[Artefact]
) -> Iterator[Candidate]:
    """Yield the C of a model in the layout that is smaller on one of the chips.

    Its labels are compared with those that the integers have in Python.
    """
    if not layouts:
        return
    chosen = {artefact.layout: artefact for artefact in (smaller(layouts, c) for c in CHIPS)}
    for layout, artefact in chosen.items():
        yield Candidate(
            f"{setting}, {layout}",
            validated,
            fixed_source(artefact),
            partial(_encode, artefact),
            partial(_labels, artefact),
            is_exact=True,
        )


def _labels(artefact: Artefact, rows: Array) -> Array:
    results = artefact.number_format.results(rows)
    return np.array(classes_of_results(artefact.model, results))


def _encode(artefact: Artefact, rows: Array) -> Array:
    fixed = artefact.number_format.fixed
    assert fixed
    return quantise(fixed.program, rows).astype(f"int{fixed.program.bits}")


def fixed_source(artefact: Artefact) -> Source:
    """Return the C of a model in fixed point, without names and batches."""
    fixed = artefact.number_format.fixed
    assert fixed
    files = {file.name: str(file.text) for file in emit_module(artefact)}
    return Source(
        files,
        f"int{fixed.program.bits}",
        function_called(artefact),
        ("-DNET_NO_BATCH", "-DNET_NO_NAMES"),
    )
