"""The Pythons of a machine that the project declares to support."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ASK = "import json, sys; print(json.dumps([*sys.version_info[:4], sys._base_executable]))"


@dataclass(frozen=True, slots=True, order=True)
class Python:
    """An interpreter that is installed."""

    version: tuple[int, ...]
    path: str

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def project() -> dict:
    """Return the table `project` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def find_pythons(more: list[str] | None = None) -> list[Python]:
    """One of each version, the oldest first: those of the PATH, of pyenv, of uv, and `more`."""
    least = tuple(map(int, project()["requires-python"].removeprefix(">=").split(".")))
    asked = map(_ask, [*_candidates(least[1]), *filter(None, map(shutil.which, more or []))])
    found = {python.version: python for python in asked if python}
    return sorted(python for version, python in found.items() if version >= least)


def _candidates(least: int) -> list[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    uv = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local/share")) / "uv" / "python"
    folders = [folder / "bin" for root in (pyenv, uv) for folder in sorted(root.glob("*"))]
    folders += [Path(folder) for folder in os.get_exec_path()]
    paths = sorted({path for folder in folders for path in folder.glob("python3.*")})
    minors = [(path, re.fullmatch(r"python3\.(\d+)", path.name)) for path in paths]
    return [str(path) for path, minor in minors if minor and int(minor[1]) >= least]


@cache
def _ask(path: str) -> Python | None:
    """None for what does not run, as the shim of a version that is not active, and for betas."""
    try:
        answer = subprocess.run([path, "-c", _ASK], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    *version, kind, base = json.loads(answer.stdout)
    return Python(tuple(version), base) if kind == "final" else None
