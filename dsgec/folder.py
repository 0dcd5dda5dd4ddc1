"""Folders that are opened once and used beneath their descriptor, never through links.

The folder of a run may come from somebody else. A link in it could point at any file of the user,
so links are followed in paths that a user names, and nowhere inside a folder: reading a link is an
error, writing to it replaces it, and removing it removes the link itself.
"""

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from dsgec.errors import DsgecError, mention, reason

_TEMPORARY = re.compile(r"\.new-[0-9a-f]{16}")
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NOT_FOR_FOLDERS = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}  # fsync, on some file systems
_LINKED = (errno.ELOOP, errno.ENOTDIR)


class Folder:
    """An open folder; close it, or use it in a `with` statement.

    `path` is what messages call it. Names are relative, with `/` between a subfolder and a file.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the folder and release its lock, if there is one."""
        if self._descriptor >= 0:
            _close(self._descriptor)
            self._descriptor = -1

    def has(self, name: str) -> bool:
        """Return whether there is anything of this name, even a link."""
        return self._mode(name) is not None

    def has_file(self, name: str) -> bool:
        """Return whether there is a file of this name, not a link."""
        mode = self._mode(name)
        return mode is not None and stat.S_ISREG(mode)

    def has_folder(self, name: str) -> bool:
        """Return whether there is a folder of this name, not a link."""
        mode = self._mode(name)
        return mode is not None and stat.S_ISDIR(mode)

    def _mode(self, name: str) -> int | None:
        try:
            with self._parent(name) as (parent, last):
                return os.stat(last, dir_fd=parent, follow_symlinks=False).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:  # a link in the place of a subfolder
                return None
            raise self._error("read", name, error) from error

    def names(self) -> list[str]:
        """Return the sorted names in the folder, without those in subfolders."""
        try:
            return sorted(os.listdir(self._descriptor))  # noqa: PTH208  (a descriptor)
        except OSError as error:
            raise DsgecError(f"cannot read {self.path}: {reason(error)}") from error

    def files(self) -> Iterator[str]:
        """Yield the relative names of all files and links in the folder and its subfolders."""
        for name in self.names():
            if not self.has_folder(name):
                yield name
                continue
            with self.below(name) as inner:
                yield from (f"{name}/{file}" for file in inner.files())

    def below(self, name: str, *, make: bool = False) -> "Folder":
        """Open a subfolder; with `make`, create it if it is missing, or a link."""
        try:
            with self._parent(f"{name}/.", make=make) as (parent, _):
                return Folder(self.path / name, os.dup(parent))
        except OSError as error:
            raise self._error("open", name, error) from error

    def read(self, name: str, most: int, *, cut: bool = False) -> bytes:
        """Return the bytes of a file of at most so many; with `cut`, the first of a longer one."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with self._parent(name) as (parent, last):
                descriptor = os.open(last, flags, dir_fd=parent)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise DsgecError(f"{self.path / name} is not a file")
                data = file.read(most if cut else most + 1)
        except OSError as error:
            raise self._error("read", name, error) from error
        if len(data) > most:
            raise DsgecError(f"{self.path / name} is larger than {most >> 20} MB")
        return data

    def read_text(self, name: str, most: int) -> str:
        """Return the text of a file of at most so many bytes."""
        try:
            return self.read(name, most).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DsgecError(f"cannot read {self.path / name}: {error}") from error

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file so that a kill at any moment leaves the old one or the new one."""
        try:
            data = content.encode("utf-8") if isinstance(content, str) else content
            with self._parent(name, make=True) as (parent, last):
                _replace(parent, last, data)
        except (OSError, UnicodeError) as error:
            raise self._error("write", name, error) from error

    def remove(self, name: str) -> None:
        """Remove a file or a link, and the subfolder that it leaves empty; it may be missing."""
        try:
            with self._parent(name) as (parent, last):
                os.unlink(last, dir_fd=parent)
        except OSError as error:
            if isinstance(error, FileNotFoundError) or error.errno in _LINKED:
                return  # what a link leads to is not ours to remove
            raise self._error("remove", name, error) from error
        if "/" in name:
            with contextlib.suppress(OSError):
                os.rmdir(str(PurePosixPath(name).parent), dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove a subfolder with all that is in it; a link is left alone."""
        with contextlib.suppress(OSError), self._parent(name) as (parent, last):
            shutil.rmtree(last, dir_fd=parent)

    def remove_unfinished(self, files: Iterable[str] = ()) -> None:
        """Remove half-written files of a killed process, here and in the subfolders of `files`."""
        for name in self.names():
            if _TEMPORARY.fullmatch(name):
                _remove_leftover(self._descriptor, name)
        for name in {str(PurePosixPath(file).parent) for file in files} - {"."}:
            if self.has_folder(name):
                with self.below(name) as inner:
                    inner.remove_unfinished()

    def lock(self, what: str) -> None:
        """Lock the folder for this process, until it ends or calls `close`."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DsgecError(
                f"another process is at work on the {what} in {self.path}",
                f"Wait until it has ended, or choose another folder with {mention('out')}.",
            ) from error
        except OSError:
            pass  # a file system without locks

    @contextlib.contextmanager
    def _parent(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder that contains a name; yield its descriptor and the name's last part."""
        *folders, last = name.split("/")
        if not last or ".." in (*folders, last):
            raise DsgecError(f"{name!r} is not the name of a file in {self.path}")
        descriptor = os.dup(self._descriptor)
        try:
            for folder in folders:
                inner = _open_below(descriptor, folder, make=make)
                _close(descriptor)
                descriptor = inner
            yield descriptor, last
        finally:
            _close(descriptor)

    def _error(self, verb: str, name: str, error: Exception) -> DsgecError:
        path = self.path / name
        if isinstance(error, OSError) and error.errno in _LINKED:
            link = next((each for each in (*path.parents, path) if each.is_symlink()), None)
            if link is not None and link.is_relative_to(self.path) and link != self.path:
                return DsgecError(
                    f"{link} is a link; links inside {self.path} are not followed",
                    "Put the file itself in its place.",
                )
        return DsgecError(f"cannot {verb} {path}: {reason(error)}")


def open_folder(path: Path) -> Folder:
    """Open a folder that a user named."""
    try:
        return Folder(path, os.open(path, _DIRECTORY))
    except FileNotFoundError as error:
        raise DsgecError(
            f"there is no folder {path}", "`dsgec evolve` makes the folder of a run."
        ) from error
    except NotADirectoryError as error:
        raise DsgecError(f"{path} is not a folder") from error
    except (OSError, ValueError) as error:
        raise DsgecError(
            f"cannot open {path}: {reason(error)}",
            "Its owner can allow it with `chmod u+rwx`."
            if isinstance(error, PermissionError)
            else "",
        ) from error


def make_folder(path: Path) -> Folder:
    """Open a folder that a user named for writing; create it if it is missing."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no permission to write there")
    except (OSError, ValueError) as error:
        raise DsgecError(
            f"cannot write to {path}: {reason(error)}", f"Choose another with {mention('out')}."
        ) from error
    return open_folder(path)


@contextlib.contextmanager
def open_writable(path: Path) -> Iterator[Folder]:
    """Open a folder that a user named for writing; remove it again if it is new and stays empty."""
    is_new = not path.exists()
    with make_folder(path) as folder:
        try:
            yield folder
        finally:
            if is_new:
                remove_if_empty(path)


@contextlib.contextmanager
def open_locked(path: Path, what: str, inside: str = "") -> Iterator[Folder]:
    """Open and lock the folder of a run or a study, or a subfolder `inside` it.

    It is created if it is missing, and removed again if it stays empty. Half-written files of a
    killed process are removed.
    """
    with contextlib.ExitStack() as held:
        folder = held.enter_context(make_folder(path))
        if inside:
            folder = held.enter_context(folder.below(inside, make=True))
        folder.lock(what)
        try:
            folder.remove_unfinished()
            yield folder
        finally:
            for each in (path / inside, path):
                remove_if_empty(each)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that a user named so that a kill leaves the old one or the new one.

    A link stays a link; a device or a pipe is written to directly.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            return
        made = [each for each in target.parents if not each.exists()]
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open_folder(target.parent) as folder:
                folder.remove_unfinished()
                folder.write(target.name, content)
        except BaseException:
            for each in made:
                remove_if_empty(each)
            raise
    except RuntimeError as error:  # raised by pathlib
        raise DsgecError(f"cannot write {path}: it is a link to itself") from error
    except (OSError, UnicodeError) as error:
        raise DsgecError(f"cannot write {path}: {reason(error)}") from error


def _open_below(parent: int, name: str, *, make: bool) -> int:
    """Return the descriptor of a subfolder that is not a link."""
    flags = _DIRECTORY | os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=parent)
    except OSError as error:
        if not make:
            raise
        if error.errno in _LINKED:
            if not stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
                raise
            os.unlink(name, dir_fd=parent)
        elif not isinstance(error, FileNotFoundError):
            raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
        return os.open(name, flags, dir_fd=parent)


def _close(descriptor: int) -> None:
    """Close a folder; nothing was written through it, so an error means nothing."""
    with contextlib.suppress(OSError):
        os.close(descriptor)


def _replace(parent: int, name: str, data: bytes) -> None:
    temporary, descriptor = _new_file(parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=parent)
        raise
    try:
        os.fsync(parent)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS:
            raise


def _new_file(parent: int) -> tuple[str, int]:
    """Create a temporary file, locked while it is open so that nobody takes it for a leftover."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        name = f".new-{secrets.token_hex(8)}"
        descriptor = os.open(name, flags, 0o666, dir_fd=parent)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink == 0:  # another process was faster and removed it
                os.close(descriptor)
                continue
        return name, descriptor


def _remove_leftover(parent: int, name: str) -> None:
    """Remove a temporary file that no process writes to any more."""
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with contextlib.suppress(OSError):
        descriptor = os.open(name, flags, dir_fd=parent)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=parent)
        finally:
            os.close(descriptor)


def remove_if_empty(path: Path) -> None:
    """Remove a folder if it is empty; a link is left alone."""
    with contextlib.suppress(OSError):
        path.rmdir()
