"""A cell of the matrix: an environment for a Python and its dependencies, and the tour in it."""

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.matrix.pythons import ROOT, Python, project

EXTRAS = ("parquet", "tcc", "study", "paper", "cluster", "onnx", "sklearn")
STEPS = ("grammars", "runs", "gaps", "resuming", "exports", "predictions", *EXTRAS)
UV = [sys.executable, "-m", "uv", "--quiet"]

NOT_COMPARED = {
    "timing.json": "how long it took",
    "shop.parquet": "written by pyarrow, not by dsgec",
    ".so": "compiled with the header files of each Python; its source, `cffi.c`, is compared",
    ".whl": "holds one of those",
}
"""Files that may differ between environments, by name or suffix, and why."""


class CellError(Exception):
    """Why a cell cannot be made, or its tour failed."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A Python, and `highest` or `lowest-direct`: which of the declared versions it gets."""

    python: Python
    resolution: str

    def __str__(self) -> str:
        return f"{self.python}-{self.resolution.removesuffix('-direct')}"


@dataclass(slots=True)
class Outcome:
    """The result of a cell: the digest of each file, or the reason why it failed."""

    versions: str = ""
    digests: dict[str, str] = field(default_factory=dict)
    failure: str = ""


def build_wheel(folder: Path) -> Path:
    """The project's wheel, built in `folder`."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    _run([*build, str(ROOT)], "building the wheel")
    return next(folder.glob("*.whl"))


def make_environment(cell: Cell, wheel: Path, extras: tuple[str, ...], folder: Path) -> Path:
    """A fresh environment with the wheel; gives its Python.

    What the project declares must have a wheel for the Python; what that needs may be built.
    """
    python = folder / "bin" / "python"
    _run([*UV, "venv", "--clear", "--python", cell.python.path, str(folder)], "uv venv")
    # Of a wheel, what it needs is not direct; so pyproject.toml tells what to take the lowest of.
    wanted = ["--requirements", str(ROOT / "pyproject.toml"), str(wheel)]
    wanted += [word for name in extras for word in ("--extra", name)]
    wanted += [word for name in declared() for word in ("--only-binary", name)]
    install = ["pip", "install", "--python", str(python), "--resolution", cell.resolution]
    _run([*UV, *install, *wanted], "uv pip install")
    return python


def declared() -> list[str]:
    """The names of the packages that dsgec and its extras depend on."""
    extras = project()["optional-dependencies"]
    lines = [*project()["dependencies"], *(line for name in EXTRAS for line in extras[name])]
    names = {re.match(r"[\w-]+", line)[0] for line in lines}
    return sorted(names - {"dsgec"})


def take_tour(python: Path, steps: tuple[str, ...], folder: Path, cache: Path) -> Outcome:
    """The tour in `folder`, which is made for it; compiled code is shared through `cache`."""
    folder.mkdir(parents=True)
    tour = [str(python), "-P", str(Path(__file__).with_name("tour.py")), str(folder), *steps]
    variables = {"DSGEC_CACHE": str(cache), "COLUMNS": "100", "NO_COLOR": "1"}
    # Bytecode is no file of dsgec's, and tests have kept that of their own environment.
    bytecode = os.environ.get("PYTHONPYCACHEPREFIX", str(cache / "bytecode"))
    variables["PYTHONPYCACHEPREFIX"] = bytecode
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    _run(tour, "the tour", {**kept, **variables})
    return Outcome(_versions(python), digests(folder))


def digests(folder: Path) -> dict[str, str]:
    """By name, of every file that is to be the same in all cells."""
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*"))}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in files.items()
        if path.is_file() and NOT_COMPARED.keys().isdisjoint((path.name, path.suffix))
    }


def _versions(python: Path) -> str:
    ask = "from importlib.metadata import version as v; "
    ask += "print(*(f'{name} {v(name)}' for name in ('numpy', 'cffi', 'lark', 'click')))"
    return _run([str(python), "-c", ask], "asking for versions").strip()


def _run(words: list[str], what: str, variables: dict[str, str] | None = None) -> str:
    answer = subprocess.run(words, capture_output=True, text=True, env=variables, check=False)
    if answer.returncode:
        told = answer.stderr.strip().splitlines() or [f"ended with {answer.returncode}"]
        raise CellError(f"{what}: {told[-1] if what == 'the tour' else ' '.join(told)[:300]}")
    return answer.stdout
