"""Files beside an artefact that a tool could load in its place, or together with it."""

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from dsgec.export.names import C_HEADERS, TAKEN
from dsgec.folder import Folder

_CACHE = "__pycache__"
_IMPORTED = (".py", ".pyc", ".so", ".pyd")
# Modules that an import loads, besides the standard library; Python runs the last two at start.
_MODULES = TAKEN | {"_cffi_backend", "pycparser", "sitecustomize", "usercustomize"}


def shadows(folder: Folder, own: set[str], name: str, swept: Iterable[str] = ()) -> list[str]:
    """Return the files of a folder that could hide an artefact's `own` files, or join them.

    For a module `net`, Python finds `net/__init__.py` and `net.abi3.so` before `net.py`, loads a
    cached `__pycache__/net.cpython-311.pyc` instead of it, and finds `numpy.py` before the numpy
    that it imports. `name` is the artefact's, `swept` has the patterns of its target: every `.go`
    file in the folder of a Go package is part of it.
    """
    is_python = any(file.endswith(".py") for file in own)
    found = [*_modules(folder, "", _MODULES | {name})] if is_python else []
    if f"{name}/__init__.py" in own:
        found += _modules(folder, f"{name}/", {"__init__", f"_{name}"})
    if any(file.endswith(".c") for file in own):
        found += (each for each in folder.names() if _is_header(each))
    for pattern in swept:
        around = pattern.removeprefix("../")
        found += _matching(folder, PurePosixPath("" if around != pattern else name, around))
    return sorted(set(found) - own)


def obeyed_files(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the files of these names in a folder and in all folders above it.

    The user's own settings of cargo apply everywhere, so they are left out.
    """
    above = folder.resolve()
    own = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo").resolve()
    paths = [each / name for name in names for each in (above, *above.parents)]
    return [path for path in paths if os.path.lexists(path) and path.parent.resolve() != own]


def _modules(folder: Folder, start: str, modules: set[str] | frozenset[str]) -> Iterator[str]:
    """Yield the files that Python finds under one of these names in a folder or a package."""
    with folder.below(start.rstrip("/") or ".") as inside:
        for file in inside.names():
            is_folder = inside.has_folder(file)
            is_link = not is_folder and not inside.has_file(file)
            stem = file.split(".")[0]
            if file == _CACHE and is_folder:
                yield from _modules(folder, f"{start}{_CACHE}/", modules)
            elif file == _CACHE or (stem in modules and is_link):
                yield start + file
            elif file in modules and is_folder:
                with inside.below(file) as package:
                    yield from (
                        f"{start}{file}/{each}"
                        for each in package.names()
                        if each.startswith("__init__.")
                    )
            elif stem in modules and file.endswith(_IMPORTED):
                yield start + file


def _matching(folder: Folder, pattern: PurePosixPath) -> Iterator[str]:
    """Yield the files whose names match the last part of a pattern."""
    with folder.below(str(pattern.parent)) as inside:
        for each in inside.names():
            if fnmatchcase(each, pattern.name):
                yield str(pattern.with_name(each))


def _is_header(file: str) -> bool:
    path = PurePosixPath(file)
    return path.suffix == ".h" and path.stem in C_HEADERS
