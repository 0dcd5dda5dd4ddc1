"""Files to a zip archive, the same bytes on every machine, and back to the first of them."""

import io
import zipfile
import zlib

from dsgec.export.artefact import SourceFile
from dsgec.export.targets.target import Files

_MOST_BYTES = 256 << 20
# What an archive may be packed by again; Python's readers of others raise errors of their own.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # that a zip file can hold: the same files, the same bytes


def pack(name: str, files: Files) -> SourceFile:
    """An archive of files, in their order."""
    archive = io.BytesIO()
    # Stored, not deflated: every zlib gives other bytes, and an archive is compared as a whole.
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as zipped:
        for file in files:
            entry = zipfile.ZipInfo(file.name, _FIRST_DATE)
            entry.external_attr = 0o644 << 16
            zipped.writestr(entry, as_bytes(file.text), zipfile.ZIP_STORED)
    return SourceFile(name, archive.getvalue())


def unpack_first(data: bytes, known_by: str) -> bytes | None:
    """The first file of an archive that also holds one whose name ends so; None if it is not."""
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


def as_bytes(content: str | bytes) -> bytes:
    """The content of a file as it is written."""
    return content.encode("utf-8") if isinstance(content, str) else content
