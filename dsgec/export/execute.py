"""An artefact that was proved to be ours, run on rows and compared with the interpreter."""

import subprocess

import numpy as np

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.golden import results_of
from dsgec.export.targets.running import CannotRun, SelfTestFailed, same_results
from dsgec.export.targets.target import Array, Files, Target
from dsgec.network.evaluate import evaluate


def try_out(artefact: Artefact, target: Target, files: Files, rows: Array) -> str:
    """How what the target made agrees with the interpreter on rows; a DsgecError if it does not."""
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(rows.astype(target.rows or artefact.numbers.row_type))
    try:
        given = target.run(artefact, files, rows)
    except (CannotRun, SelfTestFailed, OSError, subprocess.SubprocessError) as error:
        raise DsgecError(
            f"`{artefact.name}` could not be run: {error}", "Leave --data out: then nothing is run."
        ) from error
    # Within a tolerance, the double network is what counts, whatever computes in between.
    outputs = (
        results_of(artefact.model, evaluate(artefact.network, rows.astype(np.float64)))
        if target.tolerance
        else artefact.numbers.results(rows)
    )
    given = given.reshape(outputs.shape)
    with np.errstate(all="ignore"):
        if target.tolerance:
            outputs = outputs.astype(rows.dtype).astype(np.float64)
            same = np.abs(given - outputs) <= target.tolerance * np.maximum(1.0, np.abs(outputs))
            same |= given == outputs
        else:
            same = same_results(given, outputs)
    same |= np.isnan(given) & np.isnan(outputs)
    if not same.all():
        row = int(np.argmin(same.all(axis=1)))
        raise DsgecError(f"`{artefact.name}` gives other results here for row {row + 1}")
    if target.tolerance:
        return f"agree within {target.tolerance}"
    return f"give the same bits{artefact.numbers.remark(rows)}"
