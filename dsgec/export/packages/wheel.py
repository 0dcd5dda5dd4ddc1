"""A built package of Python to a wheel that pip installs."""

import base64
import hashlib
import sysconfig

from dsgec.engine.extension import ABI_TAG
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.packages.archive import as_bytes
from dsgec.export.packages.version import full_version
from dsgec.export.targets.target import Files


def wheel_file(artefact: Artefact) -> str:
    """The name of the wheel, which says what it runs on."""
    return f"{artefact.name}-{full_version(artefact)}-{_tag()}.whl"


def wheel_entries(artefact: Artefact, files: Files) -> Files:
    """What is in a wheel of a built package, for every Python of this platform."""
    version = full_version(artefact)
    info = f"{artefact.name}-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {artefact.name}\nVersion: {version}\n"
        f"Summary: A neural network, compiled.\nRequires-Python: >=3.9\n"
        f"Requires-Dist: cffi\n"
    )
    wheel = (
        f"Wheel-Version: 1.0\nGenerator: dsgec {artefact.version}\n"
        f"Root-Is-Purelib: false\nTag: {_tag()}\n"
    )
    content = (
        *files,
        SourceFile(f"{info}/METADATA", metadata),
        SourceFile(f"{info}/WHEEL", wheel),
    )
    lines = [f"{file.name},{_digest(as_bytes(file.text))}" for file in content]
    record = "\n".join([*lines, f"{info}/RECORD,,", ""])
    return (*content, SourceFile(f"{info}/RECORD", record))


def _tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{ABI_TAG}-{platform}"


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
    return f"sha256={digest},{len(data)}"
