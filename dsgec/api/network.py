"""A Model as a program uses it: rows in, labels or values out; drawn, exported, pickled as data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.api.notebook import picture_data
from dsgec.api.settings import one_of
from dsgec.api.symbolic import sympy_expressions
from dsgec.api.words import says_keywords
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.data.arrays import make_table
from dsgec.data.options import ReadingOptions
from dsgec.data.read import read_table
from dsgec.data.table import Table
from dsgec.errors import DsgecError, counted
from dsgec.export.artefact import DTYPES, model_id
from dsgec.export.files import export, make_artefact, parse_packages, parse_targets
from dsgec.export.names import safe_name
from dsgec.folder import write_whole
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP
from dsgec.network.decide import Classes, classify
from dsgec.network.description import describe_model, read_model
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network as Nodes
from dsgec.network.model import Label, Model, compose
from dsgec.network.model_text import model_text
from dsgec.network.notation import LATEX, formula_text, missing_text
from dsgec.network.ranges import NO_RANGES, Range, read_ranges
from dsgec.network.readers.foreign import Agreement
from dsgec.network.structure import measure_size
from dsgec.network.text import network_text
from dsgec.rendering import render_markup
from dsgec.report.network_drawing import network_svg
from dsgec.report.page import model_page
from dsgec.run.predict import model_rows

_PICKLED = "the pickled network"


@dataclass(frozen=True)
class Network:
    """An evolved network, or one that was compiled, over the raw columns of a table.

    :param model: Its nodes, columns and classes.
    :param name: What its exports are called.
    :param ranges: Of the columns in the training rows, for exports in fixed point.
    :param agreement: Of a compiled network, how it compares with the model that it was made of.
    """

    model: Model
    name: str = "network"
    ranges: tuple[Range | None, ...] = ()
    agreement: Agreement | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a row has, in their order."""
        return tuple(column.name for column in self.model.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """What x_1, x_2 … of the formula are: columns, or categories of columns."""
        return self.model.features

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels, in the order of `predict_proba`; none for a numeric target."""
        return self.model.classes

    @property
    def threshold(self) -> float:
        """Of two classes, `predict` gives the second where its probability reaches this."""
        return self.model.threshold

    @property
    @standard_arithmetic()
    def formula(self) -> str:
        """The equations in the units and with the names of the columns.

        Numbers have as many digits as keep predictions the same to 1e-4; `text` has all of them.
        """
        missing = missing_text(self.model)
        note = f"\n# missing values: {missing}" if missing else ""
        return formula_text(self.model, self.ranges) + note

    @property
    @standard_arithmetic()
    def text(self) -> str:
        """The network as `best.net` has it, exactly: columns, classes, an equation a neuron.

        `dsgec.compile` and `dsgec compile` read it from a file, as the same network.
        """
        return model_text(self.model)

    @standard_arithmetic()
    def latex(self) -> str:
        """The formula in LaTeX, for math mode."""
        return formula_text(self.model, self.ranges, LATEX)

    @standard_arithmetic()
    def sympy(self, *, exact: bool = False) -> Any:
        """The formula as an expression of SymPy in the columns; a tuple of them of many outputs.

        :param exact: With all digits, not as few as keep predictions the same to 1e-4.
        """
        found = sympy_expressions(self.model, self.ranges, exact=exact)
        return found[0] if len(found) == 1 else tuple(found)

    @property
    def size(self) -> dict[str, int]:
        """How many layers, neurons, features and connections it has."""
        return asdict(measure_size(self.model.network))

    @says_keywords
    @standard_arithmetic()
    def cost(
        self,
        chip: str = DEFAULT_CHIP,
        dtype: str = "double",
        *,
        range: Mapping[str, tuple[float, float]] | None = None,
    ) -> dict[str, int]:
        """Bytes of `flash` and `stack`, and `cycles` for a row, of its C: an estimate.

        :param chip: `"cortex-m0plus"`, `"cortex-m4f"`, `"avr"` or `"rv32imc"`.
        :param dtype: The numbers that the code computes with, as `export` takes it.
        :param range: For fixed point, the ranges of columns, as `export` takes them.
        """
        one_of("chip", chip, tuple(CHIPS))
        one_of("dtype", dtype, DTYPES)
        artefact = make_artefact(self.model, self.name, dtype, range or NO_RANGES, self.ranges)
        return asdict(artefact.cost(chip))

    @standard_arithmetic()
    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row, None where the outputs are not numbers; or the value of each row.

        :param X: A 2-D array, a list of rows, a data frame, a dictionary of columns, a dictionary
            that is one row, a list of such rows, or a table's file. Columns are found by name, in
            arrays and lists of rows by place.
        """
        rows = self.rows(X)
        if not self.classes:
            outputs = self.outputs(rows)
            return outputs[:, 0] if outputs.shape[1] == 1 else outputs
        labels = np.array(self.classes, dtype=None if _alike(self.classes) else object)
        chosen, nothing = self.classify(rows)
        found: NDArray[Any] = labels[chosen]
        if nothing.any():
            found = found.astype(object)
            found[nothing] = None
        return found

    @standard_arithmetic()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, a column each, in the order of `classes`.

        :param X: The rows, as `predict` takes them.
        """
        if not self.classes:
            raise DsgecError("this network predicts numbers, not classes", "Use predict.")
        return probabilities(self.outputs(self.rows(X)))

    def outputs(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """What comes out for raw rows.

        :param raw: All columns in order, texts as their numbers, as `rows` gives them.
        """
        result: NDArray[np.float64] = evaluate(self._whole, raw)
        return result

    def classify(self, raw: NDArray[np.float64]) -> tuple[Classes, NDArray[np.bool_]]:
        """The numbers of the classes of raw rows, and which rows have none.

        :param raw: All columns in order, texts as their numbers, as `rows` gives them.
        """
        return classify(self._whole, raw, self.model.threshold)

    def rows(self, X: Any) -> NDArray[np.float64]:
        """Raw rows of what a program has: all columns in order, texts as their numbers.

        :param X: The rows, as `predict` takes them.
        """
        if not isinstance(X, str | Path) and hasattr(X, "__len__") and not len(X):
            return self._no_rows(X)
        return model_rows(self.model, as_table(X, self.columns))

    def _no_rows(self, X: Any) -> NDArray[np.float64]:
        """Of a table without rows, which must still be as wide as the others."""
        absent = {*self.columns} - {*map(str, X.columns)} if hasattr(X, "columns") else ()
        shape = getattr(X, "shape", ())
        if absent or (not hasattr(X, "columns") and shape[1:] not in ((), (len(self.columns),))):
            raise DsgecError(
                f"X has other columns than the network, which has {len(self.columns)}",
                "The table to predict needs the columns that the network was evolved on.",
            )
        return np.empty((0, len(self.columns)))

    @says_keywords
    @standard_arithmetic()
    def export(
        self,
        to: str | Sequence[str],
        folder: str | Path,
        *,
        name: str = "",
        dtype: str = "double",
        package: str | Sequence[str] = (),
        wheel: bool = False,
        range: Mapping[str, tuple[float, float]] | None = None,
        check: bool = True,
    ) -> list[Path]:
        """Write the network as code; gives the files' paths.

        :param to: Targets such as `"c"` or `["c", "numpy"]`; docs/reference/targets.md has all.
            Empty with a `package` that is to be alone.
        :param folder: Where the files go.
        :param name: Name of the module and prefix of its C symbols; default: that of the network.
        :param dtype: The numbers that the code computes with: `"double"`, `"float"` or, in fixed
            point, `"q15"` or `"q7"`.
        :param package: Packages such as `"arduino"` or `["cmake", "zephyr"]`, each an archive.
        :param wheel: With the target `cffi`: also a wheel that pip installs.
        :param range: For fixed point, the low and the high number of columns by name, beyond which
            they saturate; `"*"` stands for all others. Default: those of the training rows,
            widened.
        :param check: Run the self-tests of the files before they are written, as far as this
            machine can: that of C compiled. Where one fails nothing is written.
        """
        one_of("dtype", dtype, DTYPES)
        packages = parse_packages(package if isinstance(package, str) else ",".join(package))
        named = to if isinstance(to, str) else ",".join(to)
        targets = parse_targets(named) if named or not packages else ()
        return export(
            self.model,
            targets,
            name or self.name,
            Path(folder),
            dtype,
            packages=packages,
            wheel=wheel,
            ranges=range or NO_RANGES,
            recorded=self.ranges,
            check=check,
        )

    @standard_arithmetic()
    def svg(self) -> str:
        """A drawing: blue weights are positive, orange ones negative, thick ones large."""
        return network_svg(self.model)

    @standard_arithmetic()
    def report(self, path: str | Path) -> Path:
        """Write a page with the network drawn, and running, one HTML file that needs nothing else.

        :param path: The file.
        """
        agreement = "" if self.agreement is None else str(self.agreement)
        write_whole(Path(path), model_page(self.model, self.name, agreement))
        return Path(path)

    def _repr_html_(self) -> str:
        """For notebooks: the drawing, as a run shows it."""
        return render_markup("html/network.html.j2", picture=picture_data(self.svg()))

    def __repr__(self) -> str:
        shape = ", ".join(
            counted(count, what.removesuffix("s")) for what, count in self.size.items()
        )
        goal = f"{len(self.classes)} classes" if self.classes else "a number"
        return f"<dsgec.Network {self.name}: {shape}; {len(self.columns)} columns → {goal}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """As data: what it is made from again, checked, when it is unpickled."""
        described = {**describe_model(self.model), "id": model_id(self.model)}
        return read_network, (
            described,
            network_text(self.model.network),
            self.name,
            [*self.ranges],
        )

    @cached_property
    def _whole(self) -> Nodes:
        return compose(self.model)


def read_network(description: Any, equations: Any, name: Any, ranges: Any = None) -> Network:
    """The network of a pickle, whose content is untrusted: checked, and nothing of it is run."""
    if not isinstance(equations, str) or not isinstance(name, str):
        raise DsgecError(f"{_PICKLED} is damaged")
    model = read_model(description, equations, _PICKLED, _PICKLED)
    if model_id(model) != description.get("id"):
        raise DsgecError(f"{_PICKLED} is not what it was when it was pickled")
    known = read_ranges(ranges, len(model.columns)) if ranges else ()
    if known is None:
        raise DsgecError(f"{_PICKLED} is damaged")
    return Network(model, safe_name(name), known)


def probabilities(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """A column for each class, also of a lone output, which is the second's probability."""
    return np.hstack([1.0 - outputs, outputs]) if outputs.shape[1] == 1 else outputs


def as_table(X: Any, names: Sequence[str] = ()) -> Table:
    """The table that a program means: a file's, or that of its rows."""
    if isinstance(X, str | Path):
        return read_table(str(X), ReadingOptions(names=tuple(names)))
    return make_table(X)


def _alike(labels: Sequence[Label]) -> bool:
    return len({type(label) for label in labels}) == 1
