"""Open a table file, a shipped table or standard input, and read it as UTF-8."""

import codecs
import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from dsgec.data import paper
from dsgec.errors import DsgecError, Fault, Span, mention, reason
from dsgec.resources import TABLES, find, refuse_pipe, shipped_names

BLOCK = 1 << 20
LONGEST_LINE = 32 << 20
_MOST_BYTES = 64 << 30
_GZIP = b"\x1f\x8b"
_UNSUSPICIOUS = 256 << 20
_MOST_UNPACKED = 200  # times the compressed size; tables of numbers have 2 to 20
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 4096
_LEAST_ZEROS = 0.7
_WINDOWS = "cp1252"
# Python lists these among its encodings, but they are not encodings of text files.
_NO_TEXT_FILES = {"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"}


def is_shipped(name: str) -> bool:
    """Return whether `name` is a shipped table or a table of the paper's optional package."""
    return name in paper.NAMES or name in shipped_names(TABLES, ".csv")


def open_source(name: str, encoding: str = "") -> "TableSource":
    """Open the file, the shipped table or the paper's table of this name; `-` is standard input."""
    if name == "-":
        if sys.stdin is None:
            raise DsgecError("there is no standard input")
        return TableSource(sys.stdin.buffer, "standard input", "stdin", encoding)
    if name in paper.NAMES and (Path(name).is_dir() or not Path(name).exists()):
        return TableSource(io.BytesIO(paper.paper_table(name)), name, name)
    path = find(name, TABLES, ".csv", "table", paper.describe_tables())
    try:
        if isinstance(path, Path) and path.is_char_device():
            raise DsgecError(f"{name} is a device, not a file")
        if isinstance(path, Path):
            refuse_pipe(path, name, inherited=True)
        stream = cast(BinaryIO, path.open("rb"))
    except OSError as error:
        raise DsgecError(f"cannot read {name}: {reason(error)}") from error
    try:
        return TableSource(stream, name, path.name.split(".")[0] or "table", encoding)
    except BaseException:
        stream.close()
        raise


class TableSource:
    """The bytes of a table, decompressed and in UTF-8, whole lines at a time.

    `shown` is what messages call it, `name` what a run on it is called. When everything has been
    read, `digest` is that of the decompressed bytes.
    """

    def __init__(self, stream: BinaryIO, shown: str, name: str, encoding: str = "") -> None:
        self.shown, self.name = shown, name
        self.encoding = _canonical_encoding(encoding)
        self.notes: list[str] = []
        self._stream = stream
        self._hash = hashlib.sha256()
        self._size = 0
        self._packed: _PrependedStream | None = None
        self._line = 1
        self._head = self._read(BLOCK)
        if self._head.startswith(_GZIP):
            self._packed = _PrependedStream(self._head, stream)
            packed = io.BufferedReader(cast(io.RawIOBase, self._packed))
            self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=packed))
            self._hash, self._size = hashlib.sha256(), 0
            self._head = self._read(BLOCK)

    @property
    def head(self) -> bytes:
        """Return the first bytes of the decompressed file."""
        return self._head

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def close(self) -> None:
        try:
            self._stream.close()
        except OSError as error:
            raise DsgecError(f"cannot read {self.shown}: {reason(error)}") from error

    def read_all(self) -> bytes:
        """Return all bytes of the decompressed file."""
        parts = [self._head]
        while part := self._read(BLOCK):
            parts.append(part)
        return b"".join(parts)

    def blocks(self) -> Iterator[bytes]:
        """Yield blocks of whole lines in UTF-8; the last line may lack its line end."""
        rest: list[bytes] = []
        for text in self._decode():
            cut = text.rfind(b"\n") + 1
            if cut:
                whole = b"".join([*rest, text[:cut]])
                yield whole
                self._line += whole.count(b"\n")
                rest = []
            rest.append(text[cut:])
            if sum(map(len, rest)) > LONGEST_LINE:
                raise DsgecError(
                    Fault(
                        f"this line is longer than {LONGEST_LINE >> 20} MB",
                        "A table has a line for each row: is this the right file?",
                        Span(self.shown, self._line, 1),
                    )
                )
        if last := b"".join(rest):
            yield last

    def _decode(self) -> Iterator[bytes]:
        """Yield the bytes of the table, converted to UTF-8."""
        if not self.encoding:
            self._detect_encoding()
        decoder = codecs.getincrementaldecoder(self.encoding)()
        part = self._head
        begun = False
        while True:
            try:
                text = decoder.decode(part, final=not part)
            except UnicodeDecodeError as error:
                raise self._encoding_error(error.object[: error.start]) from error
            except UnicodeError as error:  # without a position, such as a missing byte order mark
                raise self._encoding_error(b"") from error
            if "\0" in text:
                raise self._nul_error(text[: text.index("\0")])
            if text and not begun:  # utf-16-le and its like keep the byte order mark
                text, begun = text.removeprefix("\ufeff"), True
            # A lone surrogate cannot be encoded.
            yield text.encode("utf-8", "replace")
            if not part:
                return
            part = self._read(BLOCK)

    def _detect_encoding(self) -> None:
        for mark, encoding in _BOMS.items():
            if self._head.startswith(mark):
                self.encoding = encoding
                return
        if wide := _wide_encoding(self._head[:_SAMPLE]):
            self.encoding = wide
            self.notes.append(
                f"{self.shown} is read as {wide}, by its zeros; {mention('encoding')} names another"
                " encoding"
            )
            return
        try:
            codecs.getincrementaldecoder("utf-8")().decode(self._head)
            self.encoding = "utf-8"
        except UnicodeDecodeError as error:
            if any(byte < 32 and byte not in b"\t\n\r\f" for byte in self._head):
                raise self._encoding_error(self._head[: error.start]) from error
            self.encoding = _WINDOWS
            self.notes.append(
                f"{self.shown} is not UTF-8: read as {_WINDOWS};"
                f" {mention('encoding')} names another encoding"
            )

    def _nul_error(self, before: str) -> DsgecError:
        return DsgecError(
            Fault(
                "a NUL character, as binary files have and logs after a power cut",
                "If the rest is a table, remove them, as `tr -d '\\0' < FILE > clean.csv` does; if"
                " it is text of another encoding, name that, such as"
                f" {mention('encoding', 'utf-16-le')}. A table is CSV, ARFF or Parquet.",
                Span(self.shown, self._line + before.count("\n"), 1),
            )
        )

    def _encoding_error(self, before: bytes) -> DsgecError:
        line = self._line + before.count(b"\n")
        return DsgecError(
            Fault(
                f"this is not {self.encoding or 'UTF-8'} text",
                "Save the table as UTF-8, or name its encoding, such as"
                f" {mention('encoding', 'cp1252')}.",
                Span(self.shown, line, 1),
            )
        )

    def _read(self, count: int) -> bytes:
        try:
            data = self._stream.read(count)
        except EOFError as error:
            raise DsgecError(f"{self.shown} ends within its packed data") from error
        except (OSError, zlib.error) as error:
            raise DsgecError(f"cannot read {self.shown}: {reason(error)}") from error
        self._hash.update(data)
        self._size += len(data)
        if self._size > _MOST_BYTES:
            raise DsgecError(f"{self.shown} is larger than {_MOST_BYTES >> 30} GB")
        if self._packed is not None:
            self.refuse_unpacked(self._size, "unpack it first")
        return data

    def refuse_unpacked(self, size: int, instead: str) -> None:
        """Raise a DsgecError if the compressed size is implausibly small for this many bytes."""
        packed = self._size if self._packed is None else self._packed.count
        if size > max(_UNSUSPICIOUS, _MOST_UNPACKED * packed):
            raise DsgecError(
                f"{self.shown} unpacks to more than {_MOST_UNPACKED} times its size, "
                f"and to more than {_UNSUSPICIOUS >> 20} MB",
                f"No table of data does that: is it the right file? If it is, {instead}.",
            )


def _wide_encoding(sample: bytes) -> str:
    """Return the UTF-16 variant of a text whose every second byte, and no other, is mostly 0."""
    first, second = sample[0::2], sample[1::2]
    zeros = first.count(0), second.count(0)
    if len(second) < 2 or min(zeros) > 0 or max(zeros) < _LEAST_ZEROS * len(second):
        return ""
    return "utf-16-le" if zeros[1] else "utf-16-be"


class _PrependedStream(io.RawIOBase):
    """A stream with bytes put back in front of it, which counts what is read."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._head[: len(view)] or self._stream.read(len(view))
        self._head = self._head[len(data) :] if self._head else b""
        view[: len(data)] = data
        self.count += len(data)
        return len(data)


def _canonical_encoding(encoding: str) -> str:
    """Return the codec's name for an encoding, or raise a DsgecError if there is none."""
    if not encoding:
        return ""
    try:
        info = codecs.lookup(encoding)
        "a".encode(info.name)
        if info.name in _NO_TEXT_FILES:
            raise LookupError
    except (LookupError, UnicodeError, ValueError) as error:
        raise DsgecError(
            f"there is no encoding `{encoding[:60]}`", "Such as utf-8, cp1252, latin-1, utf-16."
        ) from error
    return "utf-8-sig" if info.name == "utf-8" else info.name


class LineReader:
    """Blocks of bytes, to be taken as lines of text or as the bytes that are left of a block.

    `line` is the number of lines taken so far.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._block = b""
        self._position = 0
        self.line = 0

    def has_more(self) -> bool:
        """Return whether anything is left, after moving to the next block if necessary."""
        while self._position == len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return False
            self._block, self._position = block, 0
        return True

    @property
    def rest(self) -> bytes:
        """Return the rest of the present block."""
        return self._block[self._position :]

    def skip(self, count: int, lines: int) -> None:
        """Take this many bytes, which are this many lines, of the present block."""
        self._position += count
        self.line += lines

    def lines(self) -> Iterator[str]:
        """Yield the lines with their line ends; each is taken when it is yielded."""
        while self.has_more():
            for line in io.StringIO(self.rest.decode("utf-8"), newline=""):
                self.skip(len(line.encode("utf-8")), 1)
                yield line
