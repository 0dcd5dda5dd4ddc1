"""Find shipped templates, grammars, tables and studies, and read files that users name."""

import stat
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from dsgec.errors import DsgecError, reason


def _shipped_folder(kind: str) -> Traversable:
    """Return a folder of shipped files: in the package if installed, beside it in a checkout."""
    inside = files("dsgec").joinpath(kind)
    return inside if inside.is_dir() else Path(__file__).parents[1] / kind


TEMPLATES = _shipped_folder("templates")
GRAMMARS = _shipped_folder("grammars")
TABLES = _shipped_folder("tables")
STUDIES = _shipped_folder("studies")
START = TEMPLATES.joinpath("start")


def template(name: str) -> Traversable:
    """Return the template of this name, such as `c/module.c.j2`."""
    return TEMPLATES.joinpath(name)


def refuse_pipe(path: Path, shown: str, *, inherited: bool) -> None:
    """Raise a DsgecError for a pipe, which might block for ever, unless it may be `inherited`.

    /dev/stdin and the pipes that a shell makes for `<(…)` are under /dev, and do end.
    """
    is_ours = inherited and path.is_absolute() and path.parts[1:2] in (("dev",), ("proc",))
    if path.is_fifo() and not is_ours:
        raise DsgecError(
            f"{shown} is a pipe, not a file", "Give a file, or `-` and the pipe as standard input."
        )


def read_bytes(path: Path | Traversable, shown: str, most: int, *, pipe: bool = False) -> bytes:
    """Return the bytes of a file that a user named, or of an inherited pipe if `pipe`.

    A DsgecError is raised if there are more than `most`.
    """
    try:
        if isinstance(path, Path) and path.is_char_device():
            raise DsgecError(f"{shown} is a device, not a file")
        if isinstance(path, Path):
            refuse_pipe(path, shown, inherited=pipe)
        with path.open("rb") as file:
            data: bytes = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise DsgecError(f"cannot read {shown}: {reason(error)}") from error
    if len(data) > most:
        raise DsgecError(f"{shown} is larger than {most >> 20} MB")
    return data


def find(
    name: str, folder: Traversable, suffix: str, kind: str, more: str = ""
) -> Path | Traversable:
    """Return the file that a user named, or the shipped file of this name if there is no such file.

    A folder that has the name of a shipped file does not hide it. `more` is added to the advice.
    """
    shipped = shipped_names(folder, suffix)
    path = Path(name)
    try:
        is_folder = path.is_dir()
        if path.exists() and not is_folder:
            return path
    except (OSError, ValueError) as error:
        raise DsgecError(f"cannot read {name[:200]}: {reason(error)}") from error
    if name in shipped:
        return folder.joinpath(name + suffix)
    if is_folder:
        raise DsgecError(f"{name} is a folder, not a {kind}", "Give the path of a file.")
    raise DsgecError(
        f"there is no {kind} {name[:200]}",
        f"Give the path of a {suffix} file, or the name of a shipped one: {', '.join(shipped)}."
        + (f" {more}" if more else ""),
    )


def beside(file: str, folder: Path | None) -> str:
    """Return the path of a file beside those in `folder` if it exists; otherwise as written."""
    if folder is None or not file:
        return file
    near = folder / file
    try:
        return str(near) if stat.S_ISREG(near.stat().st_mode) else file
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return file
    except OSError:  # reading it will report the error
        return str(near)


def shipped_names(folder: Traversable, suffix: str) -> tuple[str, ...]:
    """Return the names, without the suffix, of the shipped files in a folder."""
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(n.removesuffix(suffix) for n in names if n.endswith(suffix)))
