"""DSGEClassifier and DSGERegressor, the estimators for scikit-learn."""

import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dsgec.api.datasets import (
    apply_class_weights,
    drop_zero_weights,
    make_array_dataset,
    make_frame_dataset,
)
from dsgec.api.evolve import FitResult, Progress, fit
from dsgec.api.network import probabilities
from dsgec.api.notebook import live_curve
from dsgec.api.printed.keywords import ClassifierParameters, Parameters
from dsgec.api.run import Run
from dsgec.api.settings import (
    CLASSIFIER_PARAMETERS,
    PARAMETERS,
    document_settings,
    read_keywords,
    suggest_parameters,
)
from dsgec.data.arrays import has_text_columns
from dsgec.data.row_metadata import parse_groups
from dsgec.data.series import is_series, make_series_dataset
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


class _DsgeEstimator(Parameters, BaseEstimator):  # type: ignore[misc]
    """The common base of both estimators: parameters, evolution and warm starts."""

    run_: Run
    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Evolve a network on all rows.

        :param X: The rows: an array, or a data frame, whose texts become features, too. NaN and
            None are missing values. Or windows: an array of windows × channels × samples, whose
            features a grammar of signals names.
        :param y: The class of each row, or its value for a regressor.
        :param sample_weight: The weight of each row in the objective; rows of weight 0 are left
            out.
        :param groups: The group of each row, such as its recording: the folds by which a network is
            chosen do not share a group.
        """
        x, y = self._validate(X, y)
        if isinstance(self, ClassifierMixin):
            check_classification_targets(y)
        with _as_value_error():
            group_codes = None if groups is None else parse_groups(groups, len(y))
            x, y, row_weights, groups = drop_zero_weights(x, y, sample_weight, group_codes)
            y, classes, row_weights = self._encode_targets(y, row_weights)
        labels = () if classes is None else _labels(classes)
        self._evolve(x, y, labels, row_weights, groups)
        if classes is not None:
            self.classes_ = classes
        return self

    def _encode_targets(
        self, y: NDArray[Any], row_weights: Numbers | None
    ) -> tuple[Numbers, NDArray[Any] | None, Numbers | None]:
        """Return numeric targets, the classes, if any, and the row weights."""
        return np.ascontiguousarray(y, dtype=np.float64), None, row_weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        return tags

    def _validate(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """Check rows and targets; rows become an array, unless they are a data frame with texts."""
        y = _plain_labels(y)
        if not has_text_columns(X):
            checks = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}
            checks["allow_nd"] = is_series(X)
            y_numeric = isinstance(self, RegressorMixin)
            x, y = validate_data(self, X, y, y_numeric=y_numeric, **checks)
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
            before = FitResult(self.run_, getattr(self, "_state", None))
        with _as_value_error():
            options = read_keywords(self._keywords(), seed=self._seed(before))
            others = (classes, options.preprocessing, row_weights, groups)
            if is_series(x):
                if row_weights is not None:
                    raise DsgecError("windows cannot have weights", "Leave sample_weight out.")
                dataset = make_series_dataset(x, y, classes, options.preprocessing, groups)
            elif isinstance(x, np.ndarray) and not options.preprocessing.categorical:
                dataset = make_array_dataset(x, y, self._column_names(), *others)
            else:
                if isinstance(x, np.ndarray):
                    x = dict(zip(self._column_names(), x.T, strict=True))
                dataset = make_frame_dataset(x, y, *others)
            fitted = fit(
                dataset,
                self.grammar,
                options,
                callback=(live_curve() or _print_progress) if self.verbose else None,
                before=before,
                keeps_state=self.warm_start,
            )
        self.run_, self._state = fitted.run, fitted.state
        self.n_iter_ = fitted.run.generations

    def _keywords(self) -> dict[str, Any]:
        """Return the parameters as keywords of `dsgec.evolve`."""
        return {one.name: getattr(self, one.name) for one in PARAMETERS}

    def _seed(self, before: FitResult | None) -> int:
        """Return `random_state` if it is an integer, the seed of a warm start, or a random seed."""
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        if before is not None:
            return int(before.run.record["settings"]["seed"])
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _column_names(self) -> list[str]:
        """Return the names of the columns, or x_1, x_2 … if a network cannot have them."""
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        if not names or len(set(names)) < len(names) or not all(map(_is_plain, names)):
            return [f"x_{number}" for number in range(1, self.n_features_in_ + 1)]
        return names

    def _outputs(self, X: Any) -> Numbers:
        rows = self._rows(X)  # which checks that there is a run
        return self.run_.network.outputs(rows)

    def _rows(self, X: Any) -> Numbers:
        """Return the raw rows to predict."""
        check_is_fitted(self, "run_")
        network = self.run_.network
        if has_text_columns(X) or any(column.categories for column in network.model.columns):
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            checks = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
            X = validate_data(self, X, reset=False, allow_nd=is_series(X), **checks)
            if not is_series(X) and not np.isnan(X).any():
                rows: Numbers = X
                return rows
        with _as_value_error():
            return network.rows(X)


@suggest_parameters
@document_settings(CLASSIFIER_PARAMETERS)
class DSGEClassifier(ClassifierParameters, ClassifierMixin, _DsgeEstimator):  # type: ignore[misc]
    """A classifier that evolves a small network by DSGE.

    The network standardises the features itself (`scale="none"` uses them unchanged). After `fit`,
    `run_` is the run, with its network, history and exports.

    :param grammar: A file, the name of a shipped grammar, or a grammar from `parse_grammar`.
        Default: that of `dsgec.evolve`, such as `shared`, or `signal` for windows.
    :param class_weight: A dictionary of the weights of classes in the objective, or "balanced" to
        give all classes the same weight.
    :param warm_start: `fit` continues from the last population if the data and the parameters are
        the same.
    :param random_state: The random seed, or a generator that draws one.
    :param verbose: With 1, print the progress a few times a second, or draw a curve in a notebook.
    """

    def _encode_targets(
        self, y: NDArray[Any], row_weights: Numbers | None
    ) -> tuple[Numbers, NDArray[Any] | None, Numbers | None]:
        classes, codes = np.unique(y, return_inverse=True)
        row_weights = apply_class_weights(row_weights, self.class_weight, classes, codes)
        if len(classes) < 2:
            raise ValueError("y has one class only: there is nothing to classify")
        return codes.astype(np.float64), classes, row_weights

    def _keywords(self) -> dict[str, Any]:
        balance = isinstance(self.class_weight, str)  # it is "balanced"
        return {**super()._keywords(), "threshold": self.threshold, "balance": balance}

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        :param X: The rows, with the columns of `fit`.
        """
        rows = self._rows(X)
        chosen, undefined = self.run_.network.classify(rows)
        if undefined.any():
            row = int(np.flatnonzero(undefined)[0])
            raise ValueError(
                f"row {row} is of no class: what the network gives for it is not a number"
            )
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of each class, in the order of `classes_`.

        :param X: The rows, with the columns of `fit`.
        """
        return probabilities(self._outputs(X))


@suggest_parameters
@document_settings(PARAMETERS)
class DSGERegressor(RegressorMixin, _DsgeEstimator):  # type: ignore[misc]
    """A regressor that evolves a small network or a formula by DSGE.

    The network standardises the features itself (`scale="none"` uses them unchanged). After `fit`,
    `run_` is the run, with its network, history and exports.

    :param grammar: A file, the name of a shipped grammar, or a grammar from `parse_grammar`;
        `formula` evolves formulas. Default: `regression`.
    :param warm_start: `fit` continues from the last population if the data and the parameters are
        the same.
    :param random_state: The random seed, or a generator that draws one.
    :param verbose: With 1, print the progress a few times a second, or draw a curve in a notebook.
    """

    def predict(self, X: Any) -> Numbers:
        """Return the value of each row.

        :param X: The rows, with the columns of `fit`.
        """
        return self._outputs(X)[:, 0]


@contextmanager
def _as_value_error() -> Iterator[None]:
    """Raise errors as ValueError, which scikit-learn's users expect."""
    try:
        yield
    except DsgecError as error:
        raise ValueError(str(error)) from error


def _labels(classes: NDArray[Any]) -> tuple[Label, ...]:
    """Return the class labels that a network can store, or 0, 1, … if they cannot be stored."""
    if classes.tolist() == [False, True] and all(isinstance(c, bool) for c in classes.tolist()):
        return (False, True)
    if classes.dtype.kind in "iu" and all(abs(int(label)) < _LARGEST_LABEL for label in classes):
        return tuple(int(label) for label in classes)
    texts = tuple(str(label) for label in classes)
    if len(set(texts)) < len(texts) or not all(map(_is_plain, texts)):
        return tuple(range(len(texts)))
    return texts


def _plain_labels(y: Any) -> Any:
    """Return labels of pandas or polars types as numpy's; scikit-learn would make some floats."""
    if isinstance(getattr(y, "dtype", np.dtype(float)), np.dtype):
        return y
    plain = np.asarray(y)
    return plain if plain.dtype.kind in "biu" else y


def _is_plain(text: str) -> bool:
    """Return whether a run's files can hold a text."""
    return bool(text) and "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def _print_progress(progress: Progress) -> None:
    print(
        f"generation {progress.generation}/{progress.generations}"
        f"  best {progress.best:.6g}  mean {progress.mean:.6g}"
        f"  {progress.evaluations:,} evaluations"
    )
