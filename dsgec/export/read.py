"""Read the artefact that exported files describe; the files are read as text and never run."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from dsgec.errors import DsgecError
from dsgec.export.artefact import DTYPES, EFFORTS, FLAT, FULL, LAYOUTS, Artefact, model_id
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.packages.package import Package
from dsgec.export.packages.registry import PACKAGES, maker_of
from dsgec.export.targets.target import TARGETS, Files, Target
from dsgec.folder import Folder, open_folder
from dsgec.network.description import read_model
from dsgec.network.model import Model
from dsgec.network.ranges import Range, read_ranges

_MOST_BYTES = 256 << 20
_HEAD = 200  # bytes at the beginning of a file that contain its mark
_VERSION = re.compile(r"dsgec ([0-9][0-9A-Za-z.+-]{0,40})")
_ARCHIVES = tuple(dict.fromkeys(package.suffix for package in PACKAGES.values()))
# Files with the same name in every export, in a folder that has the name of the export.
_INSIDE = {target.inside(target.files[0]) for target in TARGETS.values()} - {""}
# The endings of files that accompany a file with metadata, with the name of that file.
_MAINS = {
    file.format(""): target.files[0]
    for target in TARGETS.values()
    for file in target.files[1:]
    if not target.inside(file)
}


@dataclass(frozen=True, slots=True)
class ArtefactFile:
    """An artefact as its file describes it, and the targets or packages that make such a file.

    The names of the file and of all files of the artefact are relative to `folder`.
    """

    folder: Folder
    name: str
    artefact: Artefact
    makers: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.folder.path / self.name

    @property
    def is_archive(self) -> bool:
        return self.path.suffix in _ARCHIVES

    def wanted(self, maker: str) -> Files:
        """Return the files that this target or package makes; an archive may have another name."""
        files = maker_of(maker).make(self.artefact)
        return (replace(files[0], name=self.name),) if self.is_archive else files

    def given(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of those of the named files that exist in the folder."""
        return {n: self.folder.read(n, _MOST_BYTES) for n in names if self.folder.has(n)}


@contextlib.contextmanager
def open_artefacts(path: Path) -> Iterator[list[ArtefactFile]]:
    """Open the artefact of a file that a user named, or all artefacts of a folder."""
    with contextlib.ExitStack() as held:
        if path.is_dir():
            folder = held.enter_context(open_folder(path))
            names = artefact_files(folder)
            if names and _INSIDE.issuperset(names):  # a folder that is an artefact
                folder = held.enter_context(open_folder(path / ".."))
                names = [f"{path.resolve().name}/{name}" for name in names]
        else:
            path = _main(path)
            real = path.resolve() if path.is_symlink() else path  # the user named it
            inside = _inside(real.absolute())
            own = _above(real, inside) if inside else real.parent
            folder = held.enter_context(open_folder(own / ".." if inside else own))
            names = [f"{own.resolve().name}/{inside}" if inside else real.name]
        if not names:
            raise DsgecError(
                f"{path} holds nothing that dsgec exported", "`dsgec export` makes it."
            )
        yield [read_artefact(folder, name) for name in names]


def is_exported_name(name: str) -> bool:
    """Return whether dsgec may have exported a file of this name."""
    return name.endswith(
        (*_ARCHIVES, *_MAINS, *(target.main.suffix for target in TARGETS.values()))
    )


def artefact_files(folder: Folder) -> list[str]:
    """Return the files of a folder that claim to be artefacts."""
    names = folder.names()
    inside = (f"{name}/{file}" for name in names for file in _INSIDE)
    return [name for name in sorted({*names, *_INSIDE, *inside}) if _is_ours(folder, name)]


def read_artefact(folder: Folder, file: str) -> ArtefactFile:
    """Read the artefact that a file claims to be; nothing in it is trusted."""
    path = folder.path / file
    data = folder.read(file, _MOST_BYTES)
    found = {maker: read for maker in _makers(path) if (read := maker_of(maker).read(data))}
    metadata = next(iter(found.values()), None)
    if not isinstance(metadata, dict) or not isinstance(metadata.get("network"), str):
        kinds = dict.fromkeys(target.main.suffix for target in TARGETS.values())
        raise DsgecError(
            f"{path} does not carry the model that it was made of",
            f"Give an exported file ({', '.join((*kinds, *_ARCHIVES))}) or its folder.",
        )
    model = read_model(metadata, metadata["network"], str(path), str(path))
    version = _VERSION.fullmatch(str(metadata.get("generator")))
    dtype = metadata.get("dtype")
    selftest = metadata.get("selftest", FULL)
    if version is None or dtype not in DTYPES or selftest not in EFFORTS:
        raise DsgecError(f"{path} does not say what made it, and of which type")
    ranges = _read_ranges(metadata.get("ranges"), model, dtype, path)
    if metadata.get("model_id") != model_id(model):
        raise DsgecError(f"the model in {path} is not the one whose id it states")
    name, checked = str(metadata.get("name")), metadata.get("checked")
    if checked not in (None, True, False):
        raise DsgecError(f"{path} does not say whether it was checked")
    layout = metadata.get("layout", FLAT)
    if layout not in LAYOUTS:
        raise DsgecError(f"{path} does not say how it is laid out")
    artefact = Artefact(model, name, dtype, version[1], selftest, ranges, checked, layout)
    able = (maker for maker in found if dtype in maker_of(maker).dtypes)
    return ArtefactFile(folder, file, artefact, tuple(able))


def _read_ranges(value: Any, model: Model, dtype: Any, path: Path) -> tuple[Range | None, ...]:
    """Return the ranges of the columns that an artefact in fixed point was made with."""
    if dtype not in STORED_BITS:
        return ()
    ranges = read_ranges(value, len(model.columns))
    if ranges is None:
        raise DsgecError(f"{path} does not say which ranges its columns have")
    return ranges


def _makers(path: Path) -> dict[str, Target | Package]:
    """Return the targets and packages whose file with metadata can have this name."""
    if path.suffix in _ARCHIVES:
        return {name: each for name, each in PACKAGES.items() if each.suffix == path.suffix}
    inside = _inside(path)
    return {
        name: target
        for name, target in TARGETS.items()
        if target.inside(target.files[0]) == inside
        and (inside or target.main.suffix == path.suffix)
    }


def _main(path: Path) -> Path:
    """Return the file with the metadata for one that accompanies it, such as a header."""
    for target in TARGETS.values():
        for file in filter(None, map(target.inside, target.files[1:])):
            if _ends_in(path.absolute(), file):
                return _above(path, file) / target.inside(target.files[0])
    end = max((end for end in _MAINS if path.name.endswith(end)), key=len, default="")
    return path.with_name(_MAINS[end].format(path.name.removesuffix(end))) if end else path


def _inside(path: Path) -> str:
    """Return the name of a file inside the folder of an export, if it carries metadata there."""
    return next((inside for inside in _INSIDE if _ends_in(path, inside)), "")


def _ends_in(path: Path, inside: str) -> bool:
    parts = PurePosixPath(inside).parts
    return path.parts[-len(parts) :] == parts


def _above(path: Path, inside: str) -> Path:
    """Return the folder of an export that contains a file."""
    return path.parent.joinpath(*[".."] * inside.count("/"))


def _is_ours(folder: Folder, name: str) -> bool:
    return any(
        maker.mark in folder.read(name, _HEAD, cut=True)
        for maker in _makers(Path(name)).values()
        if folder.has_file(name) and not name.endswith(tuple(_MAINS))
    )
