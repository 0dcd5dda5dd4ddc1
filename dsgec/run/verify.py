"""Prove that an exported artefact is what dsgec makes of the model inside.

Files are compared as text. Only files that are byte for byte ours are compiled, imported or run:
their self-test is, because equal text proves nothing if the writer of both is wrong.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from dsgec import __version__
from dsgec.data.table import Table
from dsgec.errors import DsgecError, Fault
from dsgec.export.artefact import model_id
from dsgec.export.check import compare_on_rows, run_selftest
from dsgec.export.packages.package import Package
from dsgec.export.packages.registry import maker_of
from dsgec.export.read import ArtefactFile, open_artefacts
from dsgec.export.shadows import obeyed_files, shadows
from dsgec.export.targets.running import SelfTestFailed
from dsgec.export.targets.target import Files, Target
from dsgec.folder import Folder, open_folder
from dsgec.manifest import HALL, MANIFEST, check_manifest
from dsgec.run.folder import has_record, read_hall, read_model
from dsgec.run.predict import model_rows

_OTHER = "this is not what dsgec makes of the model inside"
# The tools that write files which verify refuses, by their suffix or name.
_WRITERS = {".pyc": "Python", "target": "cargo"}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An artefact, and the target or package that makes exactly its files."""

    found: ArtefactFile
    maker: str
    files: Files

    @property
    def runnable(self) -> tuple[Target, Files]:
        """The target and files that can be run; for a package, those of the target inside it."""
        maker = maker_of(self.maker)
        if isinstance(maker, Package):
            return maker.target, maker.target.make(self.found.artefact)
        return maker, self.files


def verify(path: Path, table: Table | None = None) -> list[str]:
    """Verify an artefact, a folder of them or a run; return a line for each thing proved.

    A DsgecError names everything that could not be proved. The rows of a table, if there is one,
    are also run through each artefact.
    """
    faults: list[Fault] = []
    listed: list[str] = []
    proved: list[Reproduction] = []
    with open_artefacts(path) as found:
        for one in found:
            try:
                proved.append(_reproduce(one))
            except DsgecError as error:
                faults += error.faults
        hiding = {path for ours in proved for path in _hiding_files(ours, proved)}
        faults += map(_hiding_fault, sorted(hiding))
        faults += map(
            _configuration_fault,
            sorted({path for ours in proved for path in _configuration_files(ours)}),
        )
        if path.is_dir():
            with open_folder(path) as folder:
                if has_record(folder) or folder.has(MANIFEST):
                    faults += _run_faults(folder, found, hiding)
                    listed.append(f"{path}: every file is as its {MANIFEST} lists it")
    if faults:
        raise DsgecError(faults)
    lines = [*_run_selftests(proved), *listed]
    if table is not None:
        for ours in proved:
            rows = model_rows(ours.found.artefact.model, table)
            how = compare_on_rows(ours.found.artefact, *ours.runnable, rows)
            lines.append(f"{ours.found.path}: {len(rows)} rows of {table.source} {how}")
    return lines


def _run_selftests(proved: Sequence[Reproduction]) -> list[str]:
    """Run the self-tests of artefacts that are known to be ours; return a line for each."""
    faults: list[Fault] = []
    lines: list[str] = []
    for one in proved:
        artefact, path = one.found.artefact, one.found.path
        try:
            check = run_selftest(artefact, *one.runnable)
        except SelfTestFailed as error:
            faults.append(
                Fault(
                    f"{path}: its self-test fails here: {error}",
                    "Every byte is what dsgec makes of the model inside, so this is a fault of"
                    " dsgec, or of the compiler: do not use it, and please report it.",
                )
            )
        else:
            lines.append(
                f"{path}: {one.maker}, {artefact.dtype}, model {artefact.model_id}: every byte"
                f" is what dsgec makes of the model inside; {check}"
            )
    if faults:
        raise DsgecError(faults)
    return lines


def _hiding_files(one: Reproduction, proved: Sequence[Reproduction]) -> Iterator[Path]:
    """Yield the files that could be loaded instead of an artefact's, or of what those import."""
    folder = one.found.folder
    if one.found.is_archive:
        return
    own = {file.name for each in proved if not each.found.is_archive for file in each.files}
    for name in shadows(folder, own, one.found.artefact.name, one.runnable[0].swept):
        yield folder.path / name


def _hiding_fault(path: Path) -> Fault:
    writer = _WRITERS.get(path.suffix or path.name)
    return Fault(
        f"{path} can be loaded in the place of what dsgec made, or together with it",
        f"Remove it.{f' {writer} writes it again.' if writer else ''}",
    )


def _configuration_files(one: Reproduction) -> Iterator[Path]:
    """Yield the files, here and in folders above, that configure the tools of the language."""
    if not one.found.is_archive:
        yield from obeyed_files(one.found.folder.path, one.runnable[0].obeyed)


def _configuration_fault(path: Path) -> Fault:
    return Fault(
        f"{path} changes what tools do with what dsgec made",
        "Remove it, or have the export in a folder that is not below it.",
    )


def _run_faults(
    folder: Folder, found: Sequence[ArtefactFile], known: Container[Path]
) -> Iterator[Fault]:
    """Yield what is wrong with the folder of a run, except for files that are reported already."""
    model, _ = read_model(folder)
    ids = {model_id(model)}
    if folder.has(HALL):
        ids |= {row.model_id for row in read_hall(folder)}
    for one in found:
        if one.artefact.model_id not in ids:
            yield Fault(f"{one.path} is not of the run that {folder.path} holds")
    for name, what in check_manifest(folder).items():
        if folder.path / name not in known:
            yield Fault(
                f"{folder.path / name}: {what}",
                "`dsgec evolve … --overwrite` makes the folder again; files of your own belong"
                " elsewhere.",
            )


def _reproduce(found: ArtefactFile) -> Reproduction:
    """Find the target or package that makes exactly these files; raise a DsgecError if none."""
    differences = {}
    for maker in found.makers:
        files = found.wanted(maker)
        differences[maker] = _difference(found, maker, files)
        if not differences[maker]:
            return Reproduction(found, maker, files)
    version, advice = found.artefact.version, "Nothing of it was run."
    if version != __version__:
        advice += f" It was made by dsgec {version}, and this is {__version__}:"
        advice += " use that one to verify it."
    raise DsgecError(_closest_message(differences), advice)


def _difference(found: ArtefactFile, maker: str, files: Files) -> str:
    """Describe the first difference from what a target or package makes; empty if there is none."""
    wanted = {file.name: file.text for file in files}
    given = found.given(wanted)
    folder, build = found.folder.path, maker_of(maker).build
    missing = [name for name in wanted if name not in given]
    if missing:
        return f"cannot read {folder / missing[0]}: it is not there"
    for name, text in wanted.items():
        if isinstance(text, str) and text.encode() != given[name]:
            pairs = zip_longest(given[name].split(b"\n"), text.encode().split(b"\n"))
            line = next(number for number, (a, b) in enumerate(pairs, 1) if a != b)
            return f"{folder / name}:{line}: {_OTHER}"
    for name, data in wanted.items():
        if isinstance(data, bytes) and data != given[name]:
            return f"{folder / name}: " + (
                f"not what {build.compiler()} makes of the model inside: it was built by another"
                " compiler, or changed, and cannot be proved here"
                if build
                else _OTHER
            )
    return ""


def _closest_message(differences: dict[str, str]) -> str:
    """Return the message of the maker whose output agrees with the file longest."""

    def line(message: str) -> int:
        place = message.split(": ")[0].rpartition(":")[2]
        return int(place) if place.isdecimal() else 0

    return max(differences.values(), key=line)
