"""The names of the files in a run's folder, and its manifest: SHA256SUMS, a digest for each file.

The format is that of `sha256sum`, so `sha256sum -c SHA256SUMS` checks a folder without dsgec. The
same run leaves the same manifest: it lists neither timing.json, which varies, nor the checkpoint,
which has a digest of its own.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from dsgec.errors import DsgecError
from dsgec.folder import Folder

RECORD = "run.json"
HISTORY = "history.csv"
NETWORK = "best.net"
BEST = "best.txt"
DIVERSITY = "diversity.csv"
GENEALOGY = "genealogy.csv"
HALL = "hall_of_fame.csv"
EVIDENCE = "report.json"
PAGE = "report.html"
TIMING = "timing.json"
CONFIG = "config.toml"
CHECKPOINT = "checkpoint"
MANIFEST = "SHA256SUMS"

POPULATIONS = "populations"
"""The folder of logged populations, and the value of `--log`."""

SCORES = "cv.json"
"""The scores of a cross-validation, beside the folders of its folds."""

UNLISTED = (MANIFEST, TIMING, CHECKPOINT)

_MOST_BYTES, _MOST_FILE_BYTES = 16 << 20, 1 << 30
_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")

Files = Mapping[str, str | bytes]


def write_files(folder: Folder, files: Files) -> None:
    """Write files and, in the folder of a run, enter them in its manifest."""
    is_run = folder.has(MANIFEST)
    if is_run:
        folder.lock("run")
    folder.remove_unfinished(files)
    for name, content in files.items():
        folder.write(name, content)
    if is_run:
        write_manifest(folder, {**read_manifest(folder), **digests(files)})


def digests(files: Files) -> dict[str, str]:
    """Return the digests of files by name."""
    return {
        name: _digest(content.encode("utf-8") if isinstance(content, str) else content)
        for name, content in files.items()
    }


def write_manifest(folder: Folder, entries: Mapping[str, str]) -> None:
    """Write SHA256SUMS, sorted by name."""
    folder.write(MANIFEST, "".join(f"{entries[name]}  {name}\n" for name in sorted(entries)))


def read_manifest(folder: Folder) -> dict[str, str]:
    """Return the digests that the manifest of a folder lists, by file name."""
    entries = {}
    for line in folder.read_text(MANIFEST, _MOST_BYTES).splitlines():
        entry = _LINE.fullmatch(line)
        if entry is None or not _is_inside(entry[2]):
            raise DsgecError(
                f"{folder.path / MANIFEST} is not the manifest of a run",
                "`dsgec evolve … --overwrite` runs it again and writes another.",
            )
        entries[entry[2]] = entry[1]
    return entries


def check_manifest(folder: Folder) -> dict[str, str]:
    """Return the differences between a folder and its manifest: a message by file name."""
    if not folder.has(MANIFEST):
        return {MANIFEST: "not there, so nothing in the folder can be checked"}
    entries = read_manifest(folder)
    there = set(folder.files())
    messages = {
        **dict.fromkeys(entries.keys() - there, "in the manifest, but not there"),
        **dict.fromkeys(there - entries.keys() - {*UNLISTED}, "not in the manifest"),
        **{name: _change(folder, name, entries[name]) for name in entries.keys() & there},
    }
    return {name: messages[name] for name in sorted(messages) if messages[name]}


def _change(folder: Folder, name: str, digest: str) -> str:
    if not folder.has_file(name):
        return "a link, or not a file"
    return "" if _digest(folder.read(name, _MOST_FILE_BYTES)) == digest else "changed"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and str(path) == name
