"""`dsgec.Network`: a network that predicts, is drawn and exported, and is pickled as data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.api.notebook import encode_picture
from dsgec.api.settings import check_choice, raise_with_keywords
from dsgec.api.symbolic import sympy_expressions
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.data.arrays import make_table
from dsgec.data.options import ReadingOptions
from dsgec.data.read import read_table
from dsgec.data.series import is_series, series_windows
from dsgec.data.windows import Windows
from dsgec.errors import DsgecError, counted
from dsgec.export.artefact import AUTO, DTYPES, LAYOUTS, model_id
from dsgec.export.files import export, make_artefact, parse_packages, parse_targets
from dsgec.export.names import safe_name
from dsgec.export.streams.cost import deployed_cost
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
from dsgec.network.unknown import with_unknown
from dsgec.rendering import render_markup
from dsgec.report.network_drawing import network_svg
from dsgec.report.page import model_page
from dsgec.run.predict import expected_columns, model_rows, model_windows, smoothed, window_rows

_PICKLED = "the pickled network"


@dataclass(frozen=True)
class Network:
    """A network that was evolved or compiled, which takes the raw columns of a table.

    :param model: Its nodes, columns and classes.
    :param name: The name of its exports.
    :param ranges: The ranges of the columns in the training rows, for exports in fixed point.
    :param agreement: How a compiled network compares with the model that it was made from.
    """

    model: Model
    name: str = "network"
    ranges: tuple[Range | None, ...] = ()
    agreement: Agreement | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns of a row, in order."""
        return tuple(column.name for column in self.model.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """Return the names of the features x_1, x_2 …: columns, or categories of columns."""
        return self.model.features

    @property
    def classes(self) -> tuple[Label, ...]:
        """Return the labels in the order of `predict_proba`; empty for a numeric target.

        The last one may stand for rows of no class: the output of `unknown` is its limit.
        """
        return with_unknown(self.model).classes

    @property
    def threshold(self) -> float:
        """Return the probability from which `predict` gives the second of two classes."""
        return self.model.threshold

    @property
    @standard_arithmetic()
    def formula(self) -> str:
        """Return the equations in the units and with the names of the columns.

        Numbers have enough digits to keep predictions the same to 1e-4; `text` has all digits.
        """
        missing = missing_text(self.model)
        note = f"\n# missing values: {missing}" if missing else ""
        return formula_text(self.model, self.ranges) + note

    @property
    @standard_arithmetic()
    def text(self) -> str:
        """Return the exact network as in `best.net`: columns, classes, an equation per neuron.

        `dsgec.compile` and `dsgec compile` read the same network from a file with this text.
        """
        return model_text(self.model)

    @standard_arithmetic()
    def latex(self) -> str:
        """Return the formula in LaTeX, for math mode."""
        return formula_text(self.model, self.ranges, LATEX)

    @standard_arithmetic()
    def sympy(self, *, exact: bool = False) -> Any:
        """Return the formula as a SymPy expression, or a tuple of them if there are many outputs.

        :param exact: Keep all digits, instead of enough to keep predictions the same to 1e-4.
        """
        found = sympy_expressions(self.model, self.ranges, exact=exact)
        return found[0] if len(found) == 1 else tuple(found)

    @property
    def size(self) -> dict[str, int]:
        """Return the number of layers, neurons, features and connections."""
        return asdict(measure_size(self.model.network))

    @raise_with_keywords
    @standard_arithmetic()
    def cost(
        self,
        chip: str = DEFAULT_CHIP,
        dtype: str = "double",
        *,
        range: Mapping[str, tuple[float, float]] | None = None,
    ) -> dict[str, int]:
        """Return an estimate of the bytes of `flash` and `stack` and the `cycles` per row of its C.

        Of a signal, a row is a window; its stream is included, with its bytes of RAM as `state` and
        the cycles that a `sample` takes.

        :param chip: `"cortex-m0plus"`, `"cortex-m4f"`, `"avr"` or `"rv32imc"`.
        :param dtype: The type of the numbers in the code, as in `export`.
        :param range: For fixed point, the ranges of columns, as in `export`.
        """
        check_choice("chip", chip, tuple(CHIPS))
        check_choice("dtype", dtype, DTYPES)
        known = range or NO_RANGES
        artefact = make_artefact(self.model, self.name, dtype, known, self.ranges, chip=chip)
        return {
            name: value
            for name, value in asdict(deployed_cost(artefact, chip)).items()
            if value is not None
        }

    @standard_arithmetic()
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label or the value of each row; the label is None if an output is NaN.

        :param X: A 2-D array, a list of rows, a data frame, a dictionary of columns, a dictionary
            that is one row, a list of such rows, or the file of a table. Columns are found by
            name; in arrays and lists of rows, by position. For a network of a signal, X has the
            samples of its channels, or is an array of series × channels × samples, and each window
            is predicted.
        """
        rows, windows = self._rows(X)
        if not self.classes:
            outputs = self.outputs(rows)
            return outputs[:, 0] if outputs.shape[1] == 1 else outputs
        are_alike = len({type(label) for label in self.classes}) == 1
        labels = np.array(self.classes, dtype=None if are_alike else object)
        chosen, undefined = self.classify(rows)
        chosen = smoothed(self.model, windows, chosen)
        predicted: NDArray[Any] = labels[chosen]
        if undefined.any():
            predicted = predicted.astype(object)
            predicted[undefined] = None
        return predicted

    @standard_arithmetic()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in columns in the order of `classes`.

        :param X: The rows, as in `predict`.
        """
        if not self.classes:
            raise DsgecError("this network predicts numbers, not classes", "Use predict.")
        return probabilities(self.outputs(self.rows(X)))

    def outputs(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs of the network for raw rows.

        :param raw: All columns in order, with texts as numbers, as from `rows`.
        """
        result: NDArray[np.float64] = evaluate(self._raw_network, raw)
        return result

    def classify(self, raw: NDArray[np.float64]) -> tuple[Classes, NDArray[np.bool_]]:
        """Return the class numbers of raw rows, and which rows have no class.

        :param raw: All columns in order, with texts as numbers, as from `rows`.
        """
        return classify(self._raw_network, raw, self.model.threshold)

    def rows(self, X: Any) -> NDArray[np.float64]:
        """Return the raw rows of a table: all columns in order, with texts as numbers.

        :param X: The rows, as in `predict`.
        """
        return self._rows(X)[0]

    def _rows(self, X: Any) -> tuple[NDArray[np.float64], Windows | None]:
        """Return the raw rows of a table, or those of the windows of a log."""
        if not isinstance(X, str | Path) and hasattr(X, "__len__") and not len(X):
            return self._no_rows(X), None
        if is_series(X):
            return self._series_rows(X)
        if isinstance(X, str | Path):
            table = read_table(str(X), ReadingOptions(names=expected_columns(self.model)))
        else:
            table = make_table(X)
        windows = model_windows(self.model, table)
        if windows is not None:
            return window_rows(self.model, windows), windows
        return model_rows(self.model, table), None

    def _series_rows(self, X: Any) -> tuple[NDArray[np.float64], Windows]:
        """Return the raw rows of the windows of series."""
        signal = self.model.signal
        if signal is None:
            raise DsgecError("X has three dimensions, but this network takes the rows of a table")
        windows = series_windows(signal, X)
        return window_rows(self.model, windows), windows

    def _no_rows(self, X: Any) -> NDArray[np.float64]:
        """Check the columns of a table without rows, and return its empty array."""
        absent = {*self.columns} - {*map(str, X.columns)} if hasattr(X, "columns") else ()
        shape = getattr(X, "shape", ())
        if absent or (not hasattr(X, "columns") and shape[1:] not in ((), (len(self.columns),))):
            raise DsgecError(
                f"X has other columns than the network, which has {len(self.columns)}",
                "The table to predict needs the columns that the network was evolved on.",
            )
        return np.empty((0, len(self.columns)))

    @raise_with_keywords
    @standard_arithmetic()
    def export(
        self,
        to: str | Sequence[str],
        folder: str | Path,
        *,
        name: str = "",
        dtype: str = "double",
        package: str | Sequence[str] = (),
        range: Mapping[str, tuple[float, float]] | None = None,
        check: bool = True,
        layout: str = AUTO,
    ) -> list[Path]:
        """Write the network as source code, and return the paths of the files.

        :param to: Targets such as `"c"` or `["c", "numpy"]`; docs/reference/targets.md lists all.
            Empty if only a `package` is wanted.
        :param folder: The folder to write the files to.
        :param name: The name of the module and prefix of its C symbols. Default: the name of the
            network.
        :param dtype: The type of the numbers in the code: `"double"`, `"float"` or, for fixed
            point, `"q15"` or `"q7"`.
        :param package: Packages such as `"arduino"` or `["cmake", "zephyr"]`, each an archive.
        :param range: For fixed point, the low and the high value of columns by name, which saturate
            outside it; `"*"` stands for all others. Default: the ranges of the training rows,
            widened.
        :param check: Run the self-tests of the files before they are written, as far as this
            machine can; C is compiled for them. If one fails, nothing is written.
        :param layout: For C in fixed point: `"flat"`, straight-line code, `"packed"`, tables that
            one loop reads, or `"auto"`, the one that takes less flash by dsgec's estimate for the
            Cortex-M0+; the results are the same.
        """
        check_choice("dtype", dtype, DTYPES)
        check_choice("layout", layout, (AUTO, *LAYOUTS))
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
            ranges=range or NO_RANGES,
            recorded=self.ranges,
            check=check,
            layout=layout,
        )

    @standard_arithmetic()
    def svg(self) -> str:
        """Return a drawing as SVG: positive weights are blue, negative orange, large ones thick."""
        return network_svg(self.model)

    @standard_arithmetic()
    def report(self, path: str | Path) -> Path:
        """Write a self-contained HTML page with the network drawn and running.

        :param path: The file.
        """
        agreement = "" if self.agreement is None else str(self.agreement)
        write_whole(Path(path), model_page(self.model, self.name, agreement))
        return Path(path)

    def _repr_html_(self) -> str:
        """Return the drawing for a notebook."""
        return render_markup("html/network.html.j2", picture=encode_picture(self.svg()))

    def __repr__(self) -> str:
        shape = ", ".join(
            counted(count, what.removesuffix("s")) for what, count in self.size.items()
        )
        goal = f"{len(self.classes)} classes" if self.classes else "a number"
        return f"<dsgec.Network {self.name}: {shape}; {len(self.columns)} columns → {goal}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the network as data, which `read_network` checks."""
        description = {**describe_model(self.model), "id": model_id(self.model)}
        equations = network_text(self.model.network)
        return read_network, (description, equations, self.name, [*self.ranges])

    @cached_property
    def _raw_network(self) -> Nodes:
        return compose(with_unknown(self.model))


def read_network(description: Any, equations: Any, name: Any, ranges: Any = None) -> Network:
    """Return the network of a pickle; its content is untrusted data, which is checked."""
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
    """Return a column for each class; a single output is the probability of the second."""
    return np.hstack([1.0 - outputs, outputs]) if outputs.shape[1] == 1 else outputs
