"""What the templates of C see of names: tables of fixed width, which need no pointers."""

import json
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.view import TemplateView
from dsgec.rendering import Code

_PIECE = 88  # characters of a line of the description


@dataclass(frozen=True)
class CNames:
    """The same whatever numbers the C computes with."""

    m: TemplateView

    @property
    def row_function(self) -> str:
        return "predict_proba" if self.m.classes else "regress"

    @property
    def index(self) -> Code:
        return Code("unsigned char" if self.m.inputs <= 256 else "unsigned")

    @property
    def required(self) -> Code:
        return Code(", ".join(map(str, self.m.required)))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """C has no arrays of no elements."""
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
        """The metadata as JSON, which is ASCII, in pieces; the last one is empty."""
        text = json.dumps(self.m.metadata)
        return (*(text[i : i + _PIECE] for i in range(0, len(text), _PIECE)), "")

    @property
    def description_width(self) -> int:
        return _PIECE + 1

    @property
    def golden_classes(self) -> Code:
        return Code(", ".join(map(str, self.m.golden.classes)))


def _width(texts: tuple[str, ...]) -> int:
    """Bytes of the longest, and the one that ends it."""
    return max(len(text.encode("utf-8", "surrogatepass")) for text in texts) + 1
