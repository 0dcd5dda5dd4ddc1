"""Blocks of bytes to lines of text, so that whoever wants the bytes of the rest can have them."""

import io
from collections.abc import Iterator


class TextStream:
    """`line` counts the lines that have been taken; `rest` is what is left of the block."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._block = b""
        self._at = 0
        self.line = 0

    def more(self) -> bool:
        """Whether there is anything left."""
        while self._at == len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return False
            self._block, self._at = block, 0
        return True

    @property
    def rest(self) -> bytes:
        return self._block[self._at :]

    def skip(self, count: int, lines: int) -> None:
        """Take so many bytes of the rest, which are so many lines."""
        self._at += count
        self.line += lines

    def lines(self) -> Iterator[str]:
        """The lines with their ends; one is taken when it is given."""
        while self.more():
            for line in io.StringIO(self.rest.decode("utf-8"), newline=""):
                self.skip(len(line.encode("utf-8")), 1)
                yield line
