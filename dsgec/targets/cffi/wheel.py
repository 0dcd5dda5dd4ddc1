"""A built package to a wheel that pip installs, and a wheel back to its metadata."""

import base64
import hashlib
import io
import sysconfig
import zipfile
import zlib
from typing import Any

from dsgec.codegen.artefact import DTYPES, Artefact, SourceFile
from dsgec.native.extension import ABI_TAG
from dsgec.targets.python import read_python
from dsgec.targets.target import Files

_MOST_BYTES = 256 << 20
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # that a zip file can hold: the same package, the same bytes


def build_wheel(artefact: Artefact, files: Files) -> SourceFile:
    """A wheel of a built package, for every Python of this platform."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{ABI_TAG}-{platform}"
    # Two wheels of one model that compute with other numbers are two versions.
    local = (
        artefact.model_id
        if artefact.dtype == DTYPES[0]
        else f"{artefact.model_id}.{artefact.dtype}"
    )
    version = f"{artefact.version}+{local}"
    info = f"{artefact.name}-{version}.dist-info"
    content = {file.name: _bytes(file.text) for file in files}
    content[f"{info}/METADATA"] = _bytes(
        f"Metadata-Version: 2.1\nName: {artefact.name}\nVersion: {version}\n"
        f"Summary: A neural network, compiled.\nRequires-Python: >=3.9\n"
        f"Requires-Dist: cffi\n"
    )
    content[f"{info}/WHEEL"] = _bytes(
        f"Wheel-Version: 1.0\nGenerator: dsgec {artefact.version}\n"
        f"Root-Is-Purelib: false\nTag: {tag}\n"
    )
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in content.items()]
    content[f"{info}/RECORD"] = _bytes("\n".join([*lines, f"{info}/RECORD,,", ""]))
    archive = io.BytesIO()
    # Stored, not deflated: every zlib gives other bytes, and a wheel is compared as a whole.
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, _FIRST_DATE)
            entry.external_attr = 0o644 << 16
            file.writestr(entry, data, zipfile.ZIP_STORED)
    return SourceFile(f"{artefact.name}-{version}-{tag}.whl", archive.getvalue())


def read_wheel(data: bytes) -> Any:
    """The metadata of the package in a wheel; None where there are none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            entries = [e for e in file.infolist() if e.filename.endswith("/__init__.py")]
            if len(entries) == 1 and entries[0].file_size <= _MOST_BYTES:
                return read_python(file.read(entries[0]))
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError):
        pass
    return None


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
