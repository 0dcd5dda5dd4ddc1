"""Run the files of a target here: their own self-test, or rows compared with the interpreter."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dsgec.background import beside
from dsgec.errors import DsgecError, mention
from dsgec.export.artefact import Artefact
from dsgec.export.golden import results_of
from dsgec.export.targets.running import CannotRun, SelfTestFailed, ToolMissing, same_results
from dsgec.export.targets.target import Array, Files, Target
from dsgec.network.evaluate import evaluate


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of a self-test: passed, and `how` it was run; or not run, for a `reason`."""

    how: str = ""
    reason: str = ""

    def __str__(self) -> str:
        if not self.how:
            return f"self-test not run: {self.reason}"
        return f"self-test passed, {self.how}"


def run_selftest(artefact: Artefact, target: Target, files: Files) -> Check:
    """Run the self-test of a target's files if this machine can; raise SelfTestFailed if it fails.

    Errors of the tools that run it count as a failure, except for a tool that is missing.
    """
    if target.check is None:
        return Check(reason="dsgec leaves that to the tools of the language")
    try:
        return Check(target.check(artefact, files))
    except ToolMissing as error:
        return Check(reason=str(error))
    except (CannotRun, OSError, subprocess.SubprocessError) as error:
        raise SelfTestFailed(str(error)) from error


def require_selftest(artefact: Artefact, maker: str, target: Target, files: Files) -> None:
    """Run the self-test of an export that is to be written; raise a DsgecError if it fails.

    It must also have been run if the files state that it was.
    """
    try:
        check = run_selftest(artefact, target, files)
        if artefact.checked and target.can_check and not check.how:
            raise SelfTestFailed(check.reason)
    except SelfTestFailed as error:
        raise DsgecError(
            f"the self-test of `{artefact.name}` for {maker} fails here: {error}",
            "Nothing was written. This is a fault of dsgec, or of the compiler: please report it."
            f" {mention('check', False)} writes the files all the same.",
        ) from error


@dataclass(frozen=True, slots=True)
class RunChecks:
    """The outcome of the self-tests of a run's exports: a line each, and the reasons of failures.

    Both are keyed by the name of the target.
    """

    lines: dict[str, str]
    failed: dict[str, str]

    def error(self, folder: Path, network: str) -> DsgecError | None:
        """Return the error of a run in `folder` that was written without the failed exports."""
        if not self.failed:
            return None
        whys = (f"the self-test of {maker} fails: {why}" for maker, why in self.failed.items())
        return DsgecError(
            "; ".join(whys),
            f"The rest of the run is in {folder}, without these files. This is a fault of dsgec,"
            f" or of the compiler: please report it, with {network} of that folder.",
        )


def run_selftests(artefact: Artefact, made: Mapping[str, tuple[Target, Files]]) -> RunChecks:
    """Run the self-tests of several exports side by side."""
    calls = {
        maker: beside(run_selftest, artefact, target, files)
        for maker, (target, files) in made.items()
    }
    checks = RunChecks({}, {})
    for maker, call in calls.items():
        try:
            checks.lines[maker] = str(call())
        except SelfTestFailed as error:
            checks.lines[maker] = f"self-test failed: {error}"
            checks.failed[maker] = str(error)
    return checks


def compare_on_rows(artefact: Artefact, target: Target, files: Files, rows: Array) -> str:
    """Run the files of a target on rows and describe how they agree with the interpreter.

    A DsgecError is raised if they do not.
    """
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(rows.astype(target.rows or artefact.number_format.row_type))
    try:
        given = target.run(artefact, files, rows)
    except (CannotRun, SelfTestFailed, OSError, subprocess.SubprocessError) as error:
        raise DsgecError(
            f"`{artefact.name}` could not be run: {error}", "Leave --data out: then nothing is run."
        ) from error
    # A target with a tolerance is compared with the double network, whatever it computes with.
    outputs = (
        results_of(artefact.model, evaluate(artefact.network, rows.astype(np.float64)))
        if target.tolerance
        else artefact.number_format.results(rows)
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
    return f"give the same bits{artefact.number_format.remark(rows)}"
