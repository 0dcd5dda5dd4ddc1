"""scikit-learn's estimators: arrays in, an evolved network that predicts."""

import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dsgec.api.evolve import Progress
from dsgec.api.fit import Fitted, fit, frame_dataset, numbers_dataset
from dsgec.api.network import probabilities
from dsgec.api.notebook import live_curve
from dsgec.api.printed.keywords import ClassifierParameters, Parameters
from dsgec.api.run import Run
from dsgec.api.settings import (
    CLASSIFIER_PARAMETERS,
    PARAMETERS,
    documented,
    python_default,
    read_keywords,
    suggests_parameters,
)
from dsgec.api.weights import rows_that_count, with_class_weights
from dsgec.data.arrays import has_text_columns
from dsgec.data.row_metadata import parse_groups
from dsgec.errors import DsgecError
from dsgec.network.model import Label

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import (
        assert_all_finite,
        check_consistent_length,
        check_random_state,
        column_or_1d,
    )
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        "DSGEClassifier and DSGERegressor need scikit-learn 1.6 or newer:"
        " `pip install 'dsgec[sklearn]'` installs it"
    ) from error

__all__ = ["DSGEClassifier", "DSGERegressor"]

_LARGEST_LABEL = 2**53
Numbers = NDArray[np.float64]


class _Evolved(Parameters, BaseEstimator):  # type: ignore[misc]
    """What both estimators share: parameters, evolution, going on from the last population."""

    run_: Run

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _validated(self, X: Any, y: Any, **more: Any) -> tuple[Any, NDArray[Any]]:
        """Rows and targets as they are learnt from: an array, or a data frame that has texts."""
        y = _plain_labels(y)
        if not has_text_columns(X):
            checks = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}
            x, y = validate_data(self, X, y, **checks, **more)
            return x, y
        validate_data(self, X, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(X, y)
        return X, y

    def _evolve(
        self,
        x: Any,
        y: Numbers,
        classes: tuple[Label, ...],
        row_weights: Numbers | None,
        groups: NDArray[np.intp] | None,
    ) -> None:
        before = None
        if self.warm_start and hasattr(self, "run_"):
            before = Fitted(self.run_, getattr(self, "_state", None))
        with _as_value_error():
            said = read_keywords(self._given(), seed=self._seed(before))
            of_rows = (classes, said.preprocessing, row_weights, groups)
            if isinstance(x, np.ndarray) and not said.preprocessing.categorical:
                dataset = numbers_dataset(x, y, self._names(), *of_rows)
            else:
                dataset = frame_dataset(self._named(x), y, *of_rows)
            fitted = fit(
                dataset,
                self.grammar,
                said.settings_for(dataset),
                execution=said.execution,
                callback=(live_curve() or _told) if self.verbose else None,
                before=before,
                keeps_state=self.warm_start,
            )
        self.run_, self._state = fitted.run, fitted.state
        self.n_iter_ = fitted.run.generations

    def _given(self) -> dict[str, Any]:
        """The parameters as keywords of `dsgec.evolve`."""
        return {one.name: getattr(self, one.name) for one in PARAMETERS}

    def _seed(self, before: Fitted | None) -> int:
        """A whole number is the seed; what only draws one draws it once for a warm start."""
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        if before is not None:
            return int(before.run.record["settings"]["seed"])
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _names(self) -> list[str]:
        """The columns' names, where a network can have them."""
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        if not names or len(set(names)) < len(names) or not all(map(_is_plain, names)):
            return [f"x_{number}" for number in range(1, self.n_features_in_ + 1)]
        return names

    def _named(self, x: Any) -> Any:
        """The rows with the names of their columns, where they were taken from a data frame."""
        if not isinstance(x, np.ndarray):
            return x
        return dict(zip(self._names(), x.T, strict=True))

    def _outputs(self, X: Any) -> Numbers:
        rows = self._rows(X)
        return self.run_.network.outputs(rows)

    def _rows(self, X: Any) -> Numbers:
        check_is_fitted(self, "run_")
        network = self.run_.network
        if has_text_columns(X) or any(column.categories for column in network.model.columns):
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")
            if not np.isnan(X).any():
                rows: Numbers = X
                return rows
        with _as_value_error():
            return network.rows(X)


@suggests_parameters
@documented(CLASSIFIER_PARAMETERS, python_default)
class DSGEClassifier(ClassifierParameters, ClassifierMixin, _Evolved):  # type: ignore[misc]
    """A small network for two classes or many, evolved by DSGE.

    Without a `grammar`, two classes get `network` and more `network_softmax`. Features are
    scaled to mean 0 and deviation 1 within the network (`scale="none"` leaves them as they are).
    `run_` is the whole run, with its network, history and exports.

    :param grammar: A file, the name of a shipped grammar, or what `parse_grammar` gives.
    :param class_weight: A dictionary of the weights of classes in the objective, or "balanced" for
        weights by which all classes count the same.
    :param warm_start: `fit` goes on from the last population, if data and parameters are the same.
    :param random_state: The seed, or what draws one.
    :param verbose: 1 prints a line a few times a second; in a notebook, it draws a curve.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Evolve a network on all rows.

        :param X: The rows: an array, or a data frame, whose texts become features, too. What is NaN
            or None is missing.
        :param y: The class of each row.
        :param sample_weight: How much each row counts in the objective; a row of weight 0 is left
            out.
        :param groups: The group of each row, such as its recording: folds that are made of the rows
            to choose a network keep groups together.
        """
        x, y = self._validated(X, y)
        check_classification_targets(y)
        with _as_value_error():
            group_codes = None if groups is None else parse_groups(groups, len(y))
            x, y, row_weights, groups = rows_that_count(x, y, sample_weight, group_codes)
            classes, codes = np.unique(y, return_inverse=True)
            row_weights = with_class_weights(row_weights, self.class_weight, classes, codes)
        if len(classes) < 2:
            raise ValueError("y has one class only: there is nothing to classify")
        self._evolve(x, codes.astype(np.float64), _labels(classes), row_weights, groups)
        self.classes_ = classes
        return self

    def _given(self) -> dict[str, Any]:
        balance = isinstance(self.class_weight, str)  # which is "balanced"
        return {**super()._given(), "threshold": self.threshold, "balance": balance}

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row.

        :param X: The rows, with the columns of `fit`.
        """
        rows = self._rows(X)
        chosen, nothing = self.run_.network.classify(rows)
        if nothing.any():
            row = int(np.flatnonzero(nothing)[0])
            raise ValueError(
                f"row {row} is of no class: what the network gives for it is not a number"
            )
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_proba(self, X: Any) -> Numbers:
        """The probability of each class, in the order of `classes_`.

        :param X: The rows, with the columns of `fit`.
        """
        return probabilities(self._outputs(X))


@suggests_parameters
@documented(PARAMETERS, python_default)
class DSGERegressor(RegressorMixin, _Evolved):  # type: ignore[misc]
    """A small network or a formula for a numeric target, evolved by DSGE.

    Without a `grammar` it is `regression`; `formula` makes formulas. Features are scaled to
    mean 0 and deviation 1 within the network (`scale="none"` leaves them as they are). `run_` is
    the whole run, with its network, history and exports.

    :param grammar: A file, the name of a shipped grammar, or what `parse_grammar` gives.
    :param warm_start: `fit` goes on from the last population, if data and parameters are the same.
    :param random_state: The seed, or what draws one.
    :param verbose: 1 prints a line a few times a second; in a notebook, it draws a curve.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Evolve a network on all rows.

        :param X: The rows: an array, or a data frame, whose texts become features, too. What is NaN
            or None is missing.
        :param y: The value of each row.
        :param sample_weight: How much each row counts in the objective; a row of weight 0 is left
            out.
        :param groups: The group of each row, such as its recording: folds that are made of the rows
            to choose a network keep groups together.
        """
        x, y = self._validated(X, y, y_numeric=True)
        with _as_value_error():
            group_codes = None if groups is None else parse_groups(groups, len(y))
            x, y, row_weights, groups = rows_that_count(x, y, sample_weight, group_codes)
        self._evolve(x, np.ascontiguousarray(y, dtype=np.float64), (), row_weights, groups)
        return self

    def predict(self, X: Any) -> Numbers:
        """The value of each row.

        :param X: The rows, with the columns of `fit`.
        """
        return self._outputs(X)[:, 0]


@contextmanager
def _as_value_error() -> Iterator[None]:
    """Parameters and data that cannot be used, in the form that scikit-learn's users expect."""
    try:
        yield
    except DsgecError as error:
        raise ValueError(str(error)) from error


def _labels(classes: NDArray[Any]) -> tuple[Label, ...]:
    """The classes as a network has them: booleans, whole numbers or texts, or else their places."""
    if classes.tolist() == [False, True] and all(isinstance(c, bool) for c in classes.tolist()):
        return (False, True)
    if classes.dtype.kind in "iu" and all(abs(int(label)) < _LARGEST_LABEL for label in classes):
        return tuple(int(label) for label in classes)
    texts = tuple(str(label) for label in classes)
    if len(set(texts)) < len(texts) or not all(map(_is_plain, texts)):
        return tuple(range(len(texts)))
    return texts


def _plain_labels(y: Any) -> Any:
    """The labels of a column of pandas' own types, or of polars, in the type of numpy's that they
    have; scikit-learn would make floats of some."""
    if isinstance(getattr(y, "dtype", np.dtype(float)), np.dtype):
        return y
    plain = np.asarray(y)
    return plain if plain.dtype.kind in "biu" else y


def _is_plain(text: str) -> bool:
    """Whether a file can hold it."""
    return bool(text) and "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def _told(progress: Progress) -> None:
    print(
        f"generation {progress.generation}/{progress.generations}"
        f"  best {progress.best:.6g}  mean {progress.mean:.6g}"
        f"  {progress.evaluations:,} evaluations"
    )
