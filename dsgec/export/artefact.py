"""Model to what every target needs of it: the composed network, names, metadata, golden rows."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dsgec import __version__
from dsgec.export.cover import WORK
from dsgec.export.fixed_view import FixedView
from dsgec.export.golden import Golden, Loss
from dsgec.export.integers import INTEGERS, IntegerSyntax, integer_functions, integer_program
from dsgec.export.names import check_name, macro_endings
from dsgec.export.numbers import DTYPES, NumberSystem, numbers_of
from dsgec.export.statements import Program, Syntax, functions_used, program
from dsgec.network.cost.chips import Cost
from dsgec.network.cost.work import work_cost
from dsgec.network.decide import DEFAULT_THRESHOLD, is_decided_before_softmax
from dsgec.network.description import describe_model, model_identity
from dsgec.network.ir import Input, Network
from dsgec.network.model import MISSING_WORDS, Column, Label, Model, compose
from dsgec.network.ranges import Range
from dsgec.network.text import network_text
from dsgec.rendering import Code

__all__ = ["DTYPES", "Artefact", "SourceFile", "TemplateView", "view"]

QUICK, FULL = EFFORTS = tuple(WORK)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's name, which may have folders before it, and its content."""

    name: str
    text: str | bytes


@dataclass(frozen=True)
class Artefact:
    """A model that is to be printed under a name; targets share what was computed of it.

    `selftest` is the effort that goes into the rows of the self-test; `ranges` has, for fixed
    point, those of the columns, None of one that is not read or has categories. `checked` tells
    whether its C is compiled and its self-test run before it is written; None of a run's, whose
    files are the same on machines without a compiler.
    """

    model: Model
    name: str
    dtype: str = "double"
    version: str = __version__
    selftest: str = FULL
    ranges: tuple[Range | None, ...] = ()
    checked: bool | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.name)
        self.numbers.refuse_unfit()

    @cached_property
    def numbers(self) -> NumberSystem:
        """What depends on the type."""
        return numbers_of(self.model, self.network, self.dtype, self.ranges)

    @cached_property
    def network(self) -> Network:
        """From raw columns to outputs: what is printed."""
        return compose(self.model)

    @cached_property
    def golden(self) -> Golden:
        """Rows, and what must come of them."""
        return self.numbers.golden(self.selftest)

    @cached_property
    def loss(self) -> Loss | None:
        """What single precision or fixed point costs; None of double."""
        return self.numbers.loss

    def cost(self, chip: str) -> Cost:
        """What its C takes of a chip, for a row: an estimate."""
        return work_cost(self.numbers.work, chip, self.dtype)

    @cached_property
    def model_id(self) -> str:
        return model_id(self.model)

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """Plain data, the same in every target, from which the artefact can be made again."""
        return {
            "model_id": self.model_id,
            "generator": f"dsgec {self.version}",
            "name": self.name,
            "dtype": self.dtype,
            **({"ranges": [range_ and [*range_] for range_ in self.ranges]} if self.ranges else {}),
            **({} if self.selftest == FULL else {"selftest": self.selftest}),
            **({} if self.checked is None else {"checked": self.checked}),
            "network": network_text(self.model.network),
            **describe_model(self.model),
        }


@dataclass(frozen=True)
class TemplateView:
    """What a template sees of an artefact."""

    artefact: Artefact
    program: Program

    @property
    def prefix(self) -> str:
        return self.artefact.name

    @property
    def macro(self) -> str:
        return self.prefix.upper()

    @property
    def version(self) -> Code:
        return Code(self.artefact.version)

    @property
    def model_id(self) -> str:
        return self.artefact.model_id

    @property
    def metadata(self) -> dict[str, Any]:
        return self.artefact.metadata

    @property
    def golden(self) -> Golden:
        return self.artefact.golden

    @property
    def checked(self) -> bool | None:
        """Whether the C was compiled and its self-test run before it was written."""
        return self.artefact.checked

    @property
    def measured_with(self) -> Code:
        """What the stated difference to double precision was measured with."""
        return Code("this C" if self.checked else "dsgec's interpreter, not with this C,")

    @property
    def golden_pairs(self) -> list[tuple[Code, Code]]:
        """Golden rows and results as lists that Python and JavaScript read."""
        golden = self.golden
        return [
            (Code(_numbers(row)), Code(_numbers(result)))
            for row, result in zip(golden.rows, golden.results, strict=True)
        ]

    @property
    def loss(self) -> Loss | None:
        """Of single precision."""
        return None if self.fixed else self.artefact.loss

    @cached_property
    def fixed(self) -> FixedView | None:
        """What is only there in fixed point."""
        fixed = self.artefact.numbers.fixed
        if not fixed:
            return None
        return FixedView(fixed, self.artefact.loss, self.used, self.artefact.model.threshold)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.artefact.model.columns

    @cached_property
    def features(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def class_macros(self) -> tuple[tuple[str, int, str], ...]:
        """A macro for each class, its number, and its label where that reads otherwise."""
        return tuple(
            (f"{self.macro}_CLASS_{ending}", number, label if label.upper() != ending else "")
            for number, (ending, label) in enumerate(
                zip(macro_endings(self.classes), self.class_names, strict=True)
            )
        )

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The categories of all columns."""
        return tuple(text for column in self.columns for text in column.categories)

    @cached_property
    def groups(self) -> tuple[tuple[int, int, int], ...]:
        """The columns that have categories, with the first of their texts and the one after."""
        found = []
        first = 0
        for number, column in enumerate(self.columns):
            if column.categories:
                found.append((number, first, first + len(column.categories)))
                first += len(column.categories)
        return tuple(found)

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.artefact.model.classes

    @property
    def has_threshold(self) -> bool:
        """Whether the second class is chosen where its result reaches the threshold."""
        return self.artefact.model.has_threshold

    @property
    def by_sums(self) -> bool:
        """Whether the class is that of the largest sum that goes into a softmax.

        In fixed point it is that of the largest result, too.
        """
        model, is_fixed = self.artefact.model, self.artefact.numbers.fixed is not None
        return (
            model.is_classifier
            and not is_fixed
            and is_decided_before_softmax(model.network, model.threshold)
        )

    @property
    def threshold(self) -> float:
        """As the outputs' type has it, so that every language compares the same two numbers."""
        threshold = self.artefact.model.threshold
        return float(np.float32(threshold)) if self.artefact.dtype == "float" else threshold

    @property
    def choice(self) -> Code:
        """The predicted class, in words."""
        is_usual = self.artefact.model.threshold == DEFAULT_THRESHOLD
        return Code("the most probable class" if is_usual else "the class by the threshold")

    @property
    def missing(self) -> list[str]:
        """What a text stands for a missing value by, in small letters."""
        return sorted(MISSING_WORDS)

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        return tuple(map(str, self.classes))

    @property
    def class_count(self) -> int:
        return len(self.classes)

    @property
    def inputs(self) -> int:
        """Of the raw row."""
        return len(self.columns)

    @property
    def outputs(self) -> int:
        """Of the program; one is enough for two classes."""
        return len(self.program.outputs)

    @property
    def results(self) -> int:
        """Of a row: probabilities, or values."""
        return self.class_count or self.outputs

    @property
    def feature_slots(self) -> int:
        """C has no arrays of no elements."""
        return max(self.inputs, 1)

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that the network reads; nobody looks at the others."""
        nodes = self.artefact.network.nodes
        return tuple(sorted(node.column for node in nodes if isinstance(node, Input)))

    @cached_property
    def required(self) -> tuple[int, ...]:
        """Those of them whose missing values nothing stands for."""
        return tuple(number for number in self.used if self.columns[number].fill is None)


def _numbers(values: tuple[float, ...]) -> str:
    """Literals, with a name for what has none."""
    known = {"inf": "_INF", "-inf": "-_INF", "nan": "_NAN"}
    return "[" + ", ".join(known.get(repr(v), repr(v)) for v in values) + "]"


def model_id(model: Model) -> str:
    """A digest of what the model computes, the same in every target."""
    return identity_digest(model_identity(model))


def identity_digest(text: str) -> str:
    """The model_id of the model whose identity this is."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def view(artefact: Artefact, language: Syntax, integers: IntegerSyntax = INTEGERS) -> TemplateView:
    """The artefact as a template for this language sees it."""
    fixed = artefact.numbers.fixed
    if fixed:
        return TemplateView(artefact, integer_program(fixed.program, integers))
    return TemplateView(artefact, program(artefact.network, language))


def functions_called(artefact: Artefact, language: Syntax) -> set[str]:
    """The functions of the arithmetic that its program calls: of the one of its numbers."""
    fixed = artefact.numbers.fixed
    if fixed:
        return integer_functions(fixed.program)
    return functions_used(artefact.network, language)
