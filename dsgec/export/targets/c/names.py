"""The view of names for the templates of C: tables of fixed width, which need no pointers."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dsgec.export.view import TemplateView
from dsgec.rendering import Code

if TYPE_CHECKING:
    from dsgec.export.targets.c.stream import CStream

_PIECE = 88  # characters per line of the description


@dataclass(frozen=True)
class CNames:
    """The part of the view that does not depend on the number format."""

    m: TemplateView

    @cached_property
    def stream(self) -> "CStream | None":
        if self.m.stream is None:
            return None
        from dsgec.export.targets.c.stream import CStream

        return CStream(self.m.stream, self.m.prefix)

    @property
    def row_function(self) -> str:
        return "predict_proba" if self.m.classes else "regress"

    @property
    def index_bits(self) -> int:
        """Return the bits that the number of a column needs."""
        return 8 if self.m.inputs <= 256 else 16

    @property
    def index(self) -> Code:
        return Code("unsigned char" if self.index_bits == 8 else "unsigned")

    @property
    def required(self) -> Code:
        return Code(", ".join(map(str, self.m.required)))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Return the names of columns, at least one: C has no empty arrays."""
        return self.m.features or ("",)

    @cached_property
    def feature_width(self) -> int:
        return _width(self.features)

    @cached_property
    def class_width(self) -> int:
        return _width(self.m.class_names)

    @cached_property
    def text_width(self) -> int:
        return _width(self.m.texts)

    @cached_property
    def description(self) -> tuple[str, ...]:
        """Return the metadata as ASCII JSON in pieces, the last of which is empty."""
        text = json.dumps(self.m.metadata)
        return (*(text[i : i + _PIECE] for i in range(0, len(text), _PIECE)), "")

    @property
    def description_width(self) -> int:
        return _PIECE + 1

    @property
    def golden_classes(self) -> Code:
        windows = self.m.stream.recording.classes if self.m.stream else ()
        return Code(", ".join(map(str, (*self.m.golden.classes, *windows))))

    @property
    def more_rows(self) -> Code:
        """Return ` + N` for the N windows of a stream that the self-test checks after its rows."""
        return Code(f" + {len(self.m.stream.recording.ends)}" if self.m.stream else "")


def _width(texts: tuple[str, ...]) -> int:
    """Return the bytes of the longest text, including its final 0."""
    return max(len(text.encode("utf-8", "surrogatepass")) for text in texts) + 1
