"""An exported artefact to the proof that it is what dsgec makes of the model inside.

Files are compared as text. Only what is byte for byte ours is ever compiled, imported or run.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from dsgec import __version__
from dsgec.codegen.artefact import SourceFile, model_id
from dsgec.data.ir import Table
from dsgec.errors import DsgecError, Fault
from dsgec.folder import Folder, open_folder
from dsgec.run.artefacts import Found, open_artefacts
from dsgec.run.hall import read_rows
from dsgec.run.manifest import NAME as MANIFEST
from dsgec.run.manifest import check_manifest
from dsgec.run.package import package_compiler
from dsgec.run.predict import model_rows
from dsgec.run.record import HALL, has_record, read_model
from dsgec.run.shadows import shadows
from dsgec.run.trial import try_out

_NOT_RUN = "Nothing of it was run."


def verify(path: Path, table: Table | None = None) -> list[str]:
    """What was proved, a line for each artefact; a DsgecError names all that could not be."""
    faults: list[Fault] = []
    lines: list[str] = []
    proved: list[tuple[Found, str, Sequence[SourceFile]]] = []
    with open_artefacts(path) as found:
        for one in found:
            try:
                target, files = _prove(one)
            except DsgecError as error:
                faults += error.faults
                continue
            proved.append((one, target, files))
            lines.append(
                f"{one.path}: {target}, {one.artefact.dtype}, model {one.artefact.model_id}:"
                " every byte is what dsgec makes of the model inside"
            )
        faults += _hiding(proved)
        if path.is_dir():
            with open_folder(path) as folder:
                if has_record(folder):
                    faults += _of_run(folder, found, faults)
                    lines.append(f"{path}: every file is as its {MANIFEST} lists it")
    if faults:
        raise DsgecError(faults)
    for one, target, files in proved if table is not None else ():
        assert table is not None
        rows = model_rows(one.artefact.model, table)
        how = try_out(one.artefact, target, files, rows)
        lines.append(f"{one.path}: {len(rows)} rows of {table.source} {how}")
    return lines


def _hiding(proved: Sequence[tuple[Found, str, Sequence[SourceFile]]]) -> Iterator[Fault]:
    """A fault for each file that could be found in the place of one of the artefacts'."""
    own = {file.name for one, _, files in proved for file in files if not one.is_wheel}
    hiding = {
        one.folder.path / name
        for one, _, _ in proved
        if not one.is_wheel
        for name in shadows(one.folder, own, one.artefact.name)
    }
    for path in sorted(hiding):
        again = " Python writes it again." if path.suffix == ".pyc" else ""
        yield Fault(
            f"{path} can be loaded in the place of what dsgec made, or of what that imports",
            f"Remove it.{again}",
        )


def _of_run(folder: Folder, found: Sequence[Found], before: Sequence[Fault]) -> Iterator[Fault]:
    """What is wrong with a run's folder, and was not found before."""
    model, _ = read_model(folder)
    ids = {model_id(model)}
    if folder.has(HALL):
        ids |= {row.model_id for row in read_rows(folder)}
    for one in found:
        if one.artefact.model_id not in ids:
            yield Fault(f"{one.path} is not of the run that {folder.path} holds")
    known = "\n".join(fault.message for fault in before)
    for message in check_manifest(folder):
        if message.partition(": ")[0] not in known:
            yield Fault(
                message,
                "`dsgec evolve … --overwrite` makes the folder again; files of your own belong"
                " elsewhere.",
            )


def _prove(found: Found) -> tuple[str, Sequence[SourceFile]]:
    """The target that makes exactly these files, and what it makes."""
    files = {target: found.emitted(target) for target in found.targets}
    differences = {target: _difference(found, target, files[target]) for target in files}
    for target in found.targets:
        if not differences[target]:
            return target, files[target]
    made = found.artefact.version
    other = f" It was made by dsgec {made}, and this is {__version__}: use that one to verify it."
    raise DsgecError(_nearest(differences), _NOT_RUN + (other if made != __version__ else ""))


def _difference(found: Found, target: str, files: Sequence[SourceFile]) -> str:
    """Where the files differ from what the target makes; empty if nowhere."""
    wanted = found.wanted(files)
    given = found.given(wanted)
    differ = [name for name, data in wanted.items() if given.get(name) != data]
    missing = [name for name in differ if name not in given]
    built = [name for name in differ if name.endswith((".so", ".whl"))]
    texts = [name for name in differ if name not in built]
    what = "this is not what dsgec makes of the model inside"
    if missing:
        return f"cannot read {found.folder.path / missing[0]}: it is not there"
    if texts and target != "onnx":
        pairs = zip_longest(given[texts[0]].split(b"\n"), wanted[texts[0]].split(b"\n"))
        line = next(number for number, (a, b) in enumerate(pairs, 1) if a != b)
        return f"{found.folder.path / texts[0]}:{line}: {what}"
    if built:
        return (
            f"{found.folder.path / built[0]}: not what {package_compiler().identity} makes of the"
            " model inside: it was built by another compiler, or changed, and cannot be proved here"
        )
    return f"{found.folder.path / differ[0]}: {what}" if differ else ""


def _nearest(differences: dict[str, str]) -> str:
    """Of several targets that could have made a file, the one that agrees with it longest."""

    def line(message: str) -> int:
        place = message.split(": ")[0].rpartition(":")[2]
        return int(place) if place.isdecimal() else 0

    return max(differences.values(), key=line)
