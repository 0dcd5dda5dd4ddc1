"""An exported artefact to the proof that it is what dsgec makes of the model inside.

Files are compared as text. Only what is byte for byte ours is ever compiled, imported or run: then
its self-test is, because equal text shows nothing where the writer of both is wrong.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from dsgec import __version__
from dsgec.data.ir import Table
from dsgec.errors import DsgecError, Fault
from dsgec.export.artefact import model_id
from dsgec.export.bytecode import is_bytecode_of, source_of
from dsgec.export.check import run_selftest
from dsgec.export.execute import try_out
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

_NOT_RUN = "Nothing of it was run."
_OTHER = "this is not what dsgec makes of the model inside"
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Proved:
    """An artefact, the target or package that makes exactly its files, and those files."""

    found: ArtefactFile
    maker: str
    files: Files


def verify(path: Path, table: Table | None = None) -> list[str]:
    """What was proved, a line for each artefact; a DsgecError names all that could not be."""
    faults: list[Fault] = []
    listed: list[str] = []
    proved: list[Proved] = []
    with open_artefacts(path) as found:
        for one in found:
            try:
                maker, files = _prove(one)
            except DsgecError as error:
                faults += error.faults
                continue
            proved.append(Proved(one, maker, files))
        caches = {path for one in proved for path in _caches(one)}
        hiding = {path for one in proved for path in _hiding(one, proved)} - caches
        faults += map(_hiding_fault, sorted(hiding))
        faults += map(_obeyed_fault, sorted({path for one in proved for path in _obeyed(one)}))
        if path.is_dir():
            with open_folder(path) as folder:
                if has_record(folder):
                    faults += _of_run(folder, found, {*hiding, *caches})
                    listed.append(f"{path}: every file is as its {MANIFEST} lists it")
    if faults:
        raise DsgecError(faults)
    lines = [*_run_selftests(proved), *listed]
    if table is not None:
        for ours in proved:
            artefact = ours.found.artefact
            rows = model_rows(artefact.model, table)
            how = try_out(artefact, *_runnable(ours), rows)
            lines.append(f"{ours.found.path}: {len(rows)} rows of {table.source} {how}")
    return lines


def _run_selftests(proved: Sequence[Proved]) -> list[str]:
    """Run the self-tests of artefacts that are known to be ours; return a line for each."""
    faults: list[Fault] = []
    lines: list[str] = []
    for ours in proved:
        artefact, path = ours.found.artefact, ours.found.path
        try:
            check = run_selftest(artefact, *_runnable(ours))
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
                f"{path}: {ours.maker}, {artefact.dtype}, model {artefact.model_id}: every byte"
                f" is what dsgec makes of the model inside; {check}"
            )
    if faults:
        raise DsgecError(faults)
    return lines


def _hiding(ours: Proved, proved: Sequence[Proved]) -> Iterator[Path]:
    """The files that could be loaded in the place of an artefact's, or of what those import."""
    folder = ours.found.folder
    if ours.found.is_archive:
        return
    own = {file.name for one in proved if not one.found.is_archive for file in one.files}
    swept = _runnable(ours)[0].swept
    for name in shadows(folder, own, ours.found.artefact.name, swept):
        yield folder.path / name


def _caches(ours: Proved) -> Iterator[Path]:
    """The files in which Python keeps the artefact's modules, as it would make them again."""
    folder = ours.found.folder
    texts = {file.name: file.text for file in ours.files}
    for name in {f"{Path(file).parent}/__pycache__".removeprefix("./") for file in texts}:
        for cached in folder.below(name).names() if folder.has_folder(name) else ():
            file = f"{name}/{cached}"
            source = source_of(file)
            if source in texts and folder.has_file(file):
                data = folder.read(file, _MOST_BYTES)
                if is_bytecode_of(file, data, str(texts[source]), folder.path / source):
                    yield folder.path / file


def _obeyed(ours: Proved) -> Iterator[Path]:
    """The files here and in folders above that the tools of an artefact's language obey."""
    if not ours.found.is_archive:
        yield from obeyed_files(ours.found.folder.path, _runnable(ours)[0].obeyed)


def _obeyed_fault(path: Path) -> Fault:
    return Fault(
        f"{path} changes what tools do with what dsgec made",
        "Remove it, or have the export in a folder that is not below it.",
    )


def _hiding_fault(path: Path) -> Fault:
    makers = {".pyc": " Python writes it again.", "target": " cargo writes it again."}
    again = makers.get(path.suffix or path.name, "")
    return Fault(
        f"{path} can be loaded in the place of what dsgec made, or together with it",
        f"Remove it.{again}",
    )


def _of_run(
    folder: Folder, found: Sequence[ArtefactFile], known: Container[Path]
) -> Iterator[Fault]:
    """What is wrong with a run's folder, but for the files that are known."""
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


def _runnable(ours: Proved) -> tuple[Target, Files]:
    """The target whose files are run on rows; of a package, what it was made of."""
    maker = maker_of(ours.maker)
    if isinstance(maker, Package):
        return maker.target, maker.target.make(ours.found.artefact)
    return maker, ours.files


def _prove(found: ArtefactFile) -> tuple[str, Files]:
    """The target or package that makes exactly these files, and what it makes."""
    files = {maker: found.wanted(maker) for maker in found.makers}
    differences = {maker: _difference(found, maker, files[maker]) for maker in files}
    for maker in found.makers:
        if not differences[maker]:
            return maker, files[maker]
    made = found.artefact.version
    other = f" It was made by dsgec {made}, and this is {__version__}: use that one to verify it."
    raise DsgecError(_nearest(differences), _NOT_RUN + (other if made != __version__ else ""))


def _difference(found: ArtefactFile, maker: str, files: Files) -> str:
    """Where the files differ from what the target or package makes; empty if nowhere."""
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


def _nearest(differences: dict[str, str]) -> str:
    """Of several makers that could have made a file, the one that agrees with it longest."""

    def line(message: str) -> int:
        place = message.split(": ")[0].rpartition(":")[2]
        return int(place) if place.isdecimal() else 0

    return max(differences.values(), key=line)
