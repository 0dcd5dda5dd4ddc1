"""Cache compiled libraries and objects by content: one verified file for each entry.

The key is a digest of the source, the compiler and its flags, so an entry never goes stale. Files
are renamed into place, so any number of processes can share the folder. Code from it gets loaded:
a folder that another user could write to is not used.
"""

import atexit
import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LIMIT = 256 << 20
"""Bytes; beyond it, the least recently used entries are removed."""

_SECONDS_LEFT_BEHIND = 3600.0
_MAGIC = b"dsgec-library-1:"
_TRAILER = len(_MAGIC) + hashlib.sha256().digest_size


def key(*parts: str) -> str:
    """Return the name of the entry for these parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@cache
def folder() -> Path:
    """Return the user's cache folder, or a private one of this process if it cannot be trusted."""
    try:
        wanted = _configured_folder()
        wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_private(wanted) and os.access(wanted, os.W_OK | os.X_OK):
            return wanted
    except (OSError, RuntimeError):
        pass
    return private_folder()


def is_shared() -> bool:
    """Return whether the folder outlives this process."""
    return folder() == _configured_folder()


def _configured_folder() -> Path:
    own, home = os.environ.get("DSGEC_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).absolute()
    return (Path(home).absolute() if home else Path.home() / ".cache") / "dsgec"


@cache
def private_folder() -> Path:
    """Return a folder that is removed when the process ends."""
    path = Path(tempfile.mkdtemp(prefix="dsgec-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@contextlib.contextmanager
def elsewhere(path: Path) -> Iterator[None]:
    """Use another folder for a while, for measurements that must begin with an empty one."""
    before = os.environ.get("DSGEC_CACHE")
    os.environ["DSGEC_CACHE"] = str(path)
    folder.cache_clear()
    try:
        yield
    finally:
        if before is None:
            del os.environ["DSGEC_CACHE"]
        else:
            os.environ["DSGEC_CACHE"] = before
        folder.cache_clear()


def is_private(path: Path) -> bool:
    """Return whether `path` is a folder of this user that nobody else can write to or replace."""
    status = path.lstat()
    above = (parent.stat() for parent in path.absolute().parents)
    return stat.S_ISDIR(status.st_mode) and _is_own(status) and all(map(_is_safe_above, above))


def _is_own(status: os.stat_result) -> bool:
    mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return mine and not status.st_mode & 0o022


def _is_safe_above(status: os.stat_result) -> bool:
    """Return whether others cannot replace what is in a folder, as in a sticky one."""
    owned = not hasattr(os, "getuid") or status.st_uid in (0, os.getuid())
    return owned and bool(not status.st_mode & 0o022 or status.st_mode & stat.S_ISVTX)


def find(name: str) -> Path | None:
    """Return the path of the library if it is there and complete."""
    path = folder() / f"{name}.so"
    return None if _read_entry(path) is None else path


def read_object(name: str) -> bytes | None:
    """Return the object if it is there and complete."""
    return _read_entry(folder() / f"{name}.o")


def has_object(name: str) -> bool:
    """Return whether there is such an object, which may be damaged."""
    return (folder() / f"{name}.o").exists()


def _read_entry(path: Path) -> bytes | None:
    """Return the contents of an entry and mark it as used; remove it if it is damaged."""
    try:
        data = _read_own(path)
    except OSError:
        return None
    body, trailer = data[:-_TRAILER], data[-_TRAILER:]
    if trailer != _trailer(body):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # used now
    return body


def _read_own(path: Path) -> bytes:
    """Return the bytes of a file of this user; none if others could have written it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return file.read() if stat.S_ISREG(status.st_mode) and _is_own(status) else b""


def store(name: str, library: Path) -> None:
    """Put a compiled library into the cache."""
    # A loader does not look behind the last section, so the digest can stand in the same file.
    _store(f"{name}.so", library.read_bytes())


def store_object(name: str, body: bytes) -> None:
    """Put an object into the cache."""
    _store(f"{name}.o", body)


def _store(file_name: str, body: bytes) -> None:
    target = folder() / file_name
    descriptor, temporary = tempfile.mkstemp(dir=folder(), prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(body + _trailer(body))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o700)
        Path(temporary).replace(target)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
    _evict()


def _trailer(body: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(body).digest()


def _evict() -> None:
    """Remove the least recently used entries, and what killed processes left behind."""
    for left in (*folder().glob(".new-*"), *folder().glob(".build-*")):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _SECONDS_LEFT_BEHIND:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    entries = []
    for path in (*folder().glob("*.so"), *folder().glob("*.o")):
        with contextlib.suppress(OSError):
            status = path.stat()
            entries.append((status.st_mtime, status.st_size, path))
    excess = sum(size for _, size, _ in entries) - LIMIT
    for _, size, path in sorted(entries):
        if excess <= 0:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        excess -= size
