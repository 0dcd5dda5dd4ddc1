"""Files that are whole or not there."""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from dsgec.errors import DsgecError, reason

_TEMPORARY = ".new-"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a kill at any moment leaves the old one or the new one.

    A link stays a link, and what is no file (a device, a pipe) is written to as it is.
    """
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
        path = path.resolve()
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        made = _missing(path.parent)
        temporary = path.with_name(f"{_TEMPORARY}{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            for folder in made:
                remove_if_empty(folder)
            raise
        _sync_folder(path.parent)
    except RuntimeError as error:  # as pathlib says it
        raise DsgecError(f"cannot write {path}: it is a link to itself") from error
    except (OSError, UnicodeError) as error:
        raise DsgecError(f"cannot write {path}: {reason(error)}") from error


def remove_unfinished(folder: Path) -> None:
    """Take away what a kill left half written; only for a folder that nobody else writes to."""
    for path in folder.glob(f"{_TEMPORARY}*"):
        with contextlib.suppress(OSError):
            path.unlink()


def make_folder(folder: Path) -> None:
    """Make a folder, before hours of work go into what it is to hold."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(0, "no permission to write there")
    except OSError as error:
        raise DsgecError(
            f"cannot write to {folder}: {reason(error)}", "Choose another with --out."
        ) from error


@contextlib.contextmanager
def locked(folder: Path, what: str) -> Iterator[None]:
    """Keep the folder of a run or a study to this process; the lock dies with it.

    What a kill left half written there is taken away; so is the folder if nothing comes into it.
    """
    make_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DsgecError(
                f"another process is at work on the {what} in {folder}",
                "Wait until it has ended, or choose another folder with --out.",
            ) from error
        except OSError:
            pass  # a file system without locks
        try:
            remove_unfinished(folder)
            yield
        finally:
            remove_if_empty(folder)
    finally:
        os.close(descriptor)


def remove_if_empty(folder: Path) -> None:
    """Take a folder away again that nothing came into."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def _missing(folder: Path) -> list[Path]:
    """The folders that have to be made for this one, and it first."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems have no such thing
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
