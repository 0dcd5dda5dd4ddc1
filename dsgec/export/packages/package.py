"""A package: the files of a target in one archive, laid out as a tool expects it."""

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgec.errors import DsgecError, mention
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.targets.target import Build, Files, Target

_MOST_BYTES = 256 << 20
# The methods of archives that are read; Python's readers of others raise errors of their own.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # of a zip file: the same files give the same bytes


@dataclass(frozen=True, slots=True)
class Package:
    """An archive, named by `file`, with `entries` that are made from the files of a target.

    The first entry carries the metadata, as in the target. Tools recognise such an archive by an
    entry whose name ends in `known_by`. An artefact cannot have a name that is `taken`, because it
    would hide something of the tool. `notes` are about number types.
    """

    target: Target
    file: Callable[[Artefact], str]
    entries: Callable[[Artefact, Files], Files]
    known_by: str
    suffix: str = ".zip"
    taken: frozenset[str] = frozenset()
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def dtypes(self) -> tuple[str, ...]:
        return self.target.dtypes

    @property
    def mark(self) -> bytes:
        return self.target.mark

    @property
    def build(self) -> Build | None:
        return self.target.build

    def read(self, data: bytes) -> Any:
        """Return the metadata in an archive, or None if there are none."""
        first = _unpack_first(data, self.known_by)
        return None if first is None else self.target.read(first)

    def make(self, artefact: Artefact, made: Files | None = None) -> Files:
        """Return the archive of the files that the target `made`, or makes now."""
        if artefact.name in self.taken:
            raise DsgecError(
                f"a package cannot be named `{artefact.name}`: its tool uses that name",
                f"Choose another with {mention('name')}.",
            )
        entries = self.entries(artefact, self.target.make(artefact) if made is None else made)
        return (_pack(self.file(artefact), entries),)


def _pack(name: str, files: Files) -> SourceFile:
    """Return an archive of files, in their order."""
    archive = io.BytesIO()
    # Stored, not deflated: versions of zlib give different bytes, and archives are compared whole.
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as zipped:
        for file in files:
            entry = zipfile.ZipInfo(file.name, _FIRST_DATE)
            entry.external_attr = 0o644 << 16
            zipped.writestr(entry, file.text, zipfile.ZIP_STORED)
    return SourceFile(name, archive.getvalue())


def _unpack_first(data: bytes, known_by: str) -> bytes | None:
    """Return the first file of an archive, or None unless some name in it ends in `known_by`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            entries = zipped.infolist()
            is_known = any(entry.filename.endswith(known_by) for entry in entries)
            is_readable = is_known and entries[0].compress_type in _METHODS
            if is_readable and entries[0].file_size <= _MOST_BYTES:
                return zipped.read(entries[0])
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError):
        pass
    return None
