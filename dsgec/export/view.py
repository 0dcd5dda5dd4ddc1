"""The views of templates: prepared values of an artefact, so that templates decide nothing."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.fixed.ir import Fixed, FunctionTable, largest
from dsgec.export.fixed.outputs import least_result
from dsgec.export.golden import Golden, Loss, round_up
from dsgec.export.names import macro_endings
from dsgec.literals import number_lines
from dsgec.network.decide import DEFAULT_THRESHOLD, is_decided_before_softmax
from dsgec.network.ir import Input
from dsgec.network.model import MISSING_WORDS
from dsgec.rendering import Code

if TYPE_CHECKING:
    from dsgec.export.streams.view import StreamView


class TemplateView:
    """An artefact as the templates of a language see it."""

    def __init__(self, artefact: Artefact) -> None:
        model = artefact.model
        self.artefact = artefact
        self.real = Code("float" if artefact.dtype == "float" else "double")
        self.prefix, self.macro = artefact.name, artefact.name.upper()
        self.version, self.model_id = Code(artefact.version), artefact.model_id
        self.checked = artefact.checked
        # How the difference from double precision was measured.
        self.measured_with = Code(
            "this C" if self.checked else "dsgec's interpreter, not with this C,"
        )
        self.columns, self.classes = model.columns, model.classes
        self.features = tuple(column.name for column in self.columns)
        self.class_names = tuple(map(str, self.classes))
        self.class_count = len(self.classes)
        self.inputs = len(self.columns)  # of a raw row
        self.outputs = _outputs(artefact)  # one is enough for two classes
        self.results = self.class_count or self.outputs  # probabilities or values of a row
        self.feature_slots = max(self.inputs, 1)  # C has no arrays without elements
        # The columns that the network reads, and those whose values must not be missing.
        self.used = used_columns(artefact)
        self.required = tuple(n for n in self.used if self.columns[n].fill is None)
        # The second class is chosen if its result reaches the threshold. In the type of the
        # outputs, every language compares the same two numbers.
        self.has_threshold = model.has_threshold
        self.threshold = (
            float(np.float32(model.threshold)) if artefact.dtype == "float" else model.threshold
        )
        # The class may be that of the largest sum before a softmax; in fixed point, of a result.
        self.by_sums = (
            model.is_classifier
            and artefact.number_format.fixed is None
            and is_decided_before_softmax(model.network, model.threshold)
        )
        self.choice = Code(
            "the most probable class"
            if model.threshold == DEFAULT_THRESHOLD
            else "the class by the threshold"
        )
        self.texts = tuple(text for column in self.columns for text in column.categories)
        self.missing = sorted(MISSING_WORDS)  # texts that stand for a missing value, in lower case

    @property
    def metadata(self) -> dict[str, Any]:
        return self.artefact.metadata

    @property
    def golden(self) -> Golden:
        return self.artefact.golden

    @property
    def golden_pairs(self) -> list[tuple[Code, Code]]:
        """Self-test rows and their results as lists in the syntax of Python and JavaScript."""
        golden = self.golden
        return [
            (python_list(row), python_list(result))
            for row, result in zip(golden.rows, golden.results, strict=True)
        ]

    @property
    def loss(self) -> Loss | None:
        """The difference of single from double precision; None for other types."""
        return None if self.fixed else self.artefact.loss

    @cached_property
    def fixed(self) -> "FixedView | None":
        """The view of fixed point; None for other types."""
        fixed = self.artefact.number_format.fixed
        if not fixed:
            return None
        return FixedView(fixed, self.artefact.loss, self.used, self.artefact.model.threshold)

    @cached_property
    def stream(self) -> "StreamView | None":
        """The view of the stream of samples; None for a model of a table."""
        if self.artefact.model.signal is None:
            return None
        from dsgec.export.streams.view import StreamView

        return StreamView(self.artefact, self.artefact.model.signal)

    @cached_property
    def class_macros(self) -> tuple[tuple[str, int, str], ...]:
        """A macro for each class, its number, and its label if the macro does not show it."""
        return tuple(
            (f"{self.macro}_CLASS_{ending}", number, label if label.upper() != ending else "")
            for number, (ending, label) in enumerate(
                zip(macro_endings(self.classes), self.class_names, strict=True)
            )
        )

    @cached_property
    def groups(self) -> tuple[tuple[int, int, int], ...]:
        """The columns with categories, each with the range of its texts among all `texts`."""
        found = []
        first = 0
        for number, column in enumerate(self.columns):
            if column.categories:
                found.append((number, first, first + len(column.categories)))
                first += len(column.categories)
        return tuple(found)


class FixedView:
    """The further values that templates see in fixed point."""

    def __init__(
        self, fixed: Fixed, loss: Loss | None, used: Sequence[int], threshold: float
    ) -> None:
        self.program = program = fixed.program
        self.bits, self.most = program.bits, largest(program.bits)  # of a column and a weight
        self.missing, self.fraction, self.tables = program.missing, program.fraction, program.tables
        self.unit = 2.0**-program.fraction  # the value of a result of 1
        self.threshold = least_result(threshold, program.fraction)  # that reaches the threshold
        self.bound = round_up(max(fixed.bounds))  # of the difference from double precision
        loss = loss or Loss(0, 0.0, 0)
        self.rows, self.worst, self.flips = loss.rows, loss.worst, loss.flips
        # The formats of the columns that are read, and for all columns their fractions and zeros.
        self.formats = tuple((number, program.columns[number]) for number in used)
        own = [format_ if n in used else None for n, format_ in enumerate(program.columns)]
        self.fractions = [format_.fraction if format_ else 0 for format_ in own]
        self.zeros = [format_.zero if format_ else 0 for format_ in own]
        # How a column becomes an integer: number, factor, least and most product, zero.
        self.scales = tuple(
            (
                number,
                2.0**format_.fraction,
                float(format_.zero - self.most),
                float(format_.zero + self.most),
                format_.zero,
            )
            for number, format_ in self.formats
        )

    def golden_rows(self, golden: Golden) -> list[list[int]]:
        """Return the rows of the self-test as integers."""
        shape = len(golden.rows), len(self.program.columns)
        rows: list[list[int]] = quantise(self.program, np.reshape(golden.rows, shape)).tolist()
        return rows

    def golden_results(self, results: Sequence[Sequence[float]]) -> list[list[int]]:
        """Return results of the self-test as integers."""
        return [[round(value / self.unit) for value in row] for row in results]

    def lines(self, table: FunctionTable) -> list[Code]:
        """Return the entries of a table as lines of numbers."""
        return [*map(Code, number_lines(table.entries))]

    def limits(self, table: FunctionTable) -> Code:
        """Return the arguments that follow the table and its argument in a call."""
        return Code(", ".join(map(str, table.limits)))


def _outputs(artefact: Artefact) -> int:
    fixed = artefact.number_format.fixed
    return len(fixed.program.results if fixed else artefact.network.outputs)


def used_columns(artefact: Artefact) -> tuple[int, ...]:
    """Return the columns that the network reads."""
    nodes = artefact.network.nodes
    return tuple(sorted(node.column for node in nodes if isinstance(node, Input)))


def python_list(values: Sequence[object]) -> Code:
    """Return a list of literals, with names for numbers that have none."""
    names = {"inf": "_INF", "-inf": "-_INF", "nan": "_NAN"}
    return Code("[" + ", ".join(names.get(repr(v), repr(v)) for v in values) + "]")
