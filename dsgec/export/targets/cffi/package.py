"""The sources of a package to the package: its C compiled."""

from dsgec.engine.extension import build_extension
from dsgec.engine.toolchain import CompileError, Toolchain, compilers
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.targets.target import Files

_WITHOUT = "The targets python, numpy and js need no compiler."


def build_package(artefact: Artefact, files: Files) -> Files:
    """The package of what `emit_cffi` gave: its Python as it is, its C compiled."""
    name = artefact.name
    texts = {file.name: file.text for file in files}
    source, declarations = texts[f"{name}/_{name}.c"], texts[f"{name}/_{name}.h"]
    toolchain = package_compiler()
    try:
        module = f"{name}._{name}"
        library = build_extension(module, str(source), str(declarations), toolchain)
    except CompileError as error:
        raise DsgecError(str(error), _WITHOUT) from error
    return (files[0], SourceFile(f"{name}/_{name}.abi3.so", library))


def package_compiler() -> Toolchain:
    """The compiler that makes packages here."""
    toolchain = next((each for each in compilers() if each.tcc is None), None)
    if toolchain is None:
        raise DsgecError(
            "the target cffi needs a C compiler, and there is none",
            f"Install gcc or clang. {_WITHOUT}",
        )
    return toolchain
