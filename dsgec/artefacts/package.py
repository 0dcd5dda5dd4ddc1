"""The sources of the target cffi to a package that can be imported, and to a wheel."""

import base64
import hashlib
import io
import sysconfig
import zipfile
from collections.abc import Sequence

from dsgec.codegen.artefact import DTYPES, Artefact, SourceFile
from dsgec.errors import DsgecError
from dsgec.native.extension import ABI_TAG, build_extension
from dsgec.native.toolchain import CompileError, Toolchain, compilers

_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # that a zip file can hold: the same package, the same bytes


def build_package(artefact: Artefact, files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The package of what `emit_cffi` gave: its Python as it is, its C compiled."""
    name = artefact.name
    texts = {file.name: file.text for file in files}
    source, declarations = texts[f"{name}/_{name}.c"], texts[f"{name}/_{name}.h"]
    toolchain = package_compiler()
    try:
        module = f"{name}._{name}"
        library = build_extension(module, str(source), str(declarations), toolchain)
    except CompileError as error:
        raise DsgecError(
            str(error), "The targets python, numpy and js need no compiler."
        ) from error
    return (files[0], SourceFile(f"{name}/_{name}.abi3.so", library))


def package_compiler() -> Toolchain:
    """The compiler that makes packages here."""
    toolchain = next((each for each in compilers() if each.tcc is None), None)
    if toolchain is None:
        raise DsgecError(
            "the target cffi needs a C compiler, and there is none",
            "Install gcc or clang; the targets python, numpy and js need no compiler.",
        )
    return toolchain


def build_wheel(artefact: Artefact, files: Sequence[SourceFile]) -> SourceFile:
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


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
