"""The files of a target to the proof that they work here: their own self-test, run."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dsgec.background import beside
from dsgec.errors import DsgecError, mention
from dsgec.export.artefact import Artefact
from dsgec.export.targets.running import CannotRun, SelfTestFailed, ToolMissing
from dsgec.export.targets.target import Files, Target


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of a self-test: passed, and `how` it was run; or not run, for a reason."""

    how: str = ""
    reason: str = ""

    def __str__(self) -> str:
        if not self.how:
            return f"self-test not run: {self.reason}"
        return f"self-test passed, {self.how}"


def run_selftest(artefact: Artefact, target: Target, files: Files) -> Check:
    """Run the self-test of what a target made, if this machine can; SelfTestFailed if it fails."""
    if target.check is None:
        return Check(reason="dsgec leaves that to the tools of the language")
    try:
        return Check(target.check(artefact, files))
    except ToolMissing as error:
        return Check(reason=str(error))
    except (CannotRun, OSError, subprocess.SubprocessError) as error:
        raise SelfTestFailed(str(error)) from error


def refuse_wrong(artefact: Artefact, maker: str, target: Target, files: Files) -> Check:
    """Run the self-test of an export that is to be written; a DsgecError if it fails.

    One that says of itself that it was checked has to be.
    """
    try:
        check = run_selftest(artefact, target, files)
        if artefact.checked and target.can_check and not check.how:
            raise SelfTestFailed(check.reason)
        return check
    except SelfTestFailed as error:
        raise DsgecError(
            f"the self-test of `{artefact.name}` for {maker} fails here: {error}",
            "Nothing was written. This is a fault of dsgec, or of the compiler: please report it."
            f" {mention('check', False)} writes the files all the same.",
        ) from error


@dataclass(frozen=True, slots=True)
class RunChecks:
    """A line for each target of a run's exports, and why the self-tests of some failed."""

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
