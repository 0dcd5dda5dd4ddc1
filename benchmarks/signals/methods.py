"""The methods by name: the labels that each gives to the test windows, and more figures."""

import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.compiled import fixed_source
from benchmarks.kilobyte.image import labels_on_host, link
from benchmarks.signals.rocket import MiniRocket
from benchmarks.signals.sets import Array, Case
from dsgec import Network, evolve
from dsgec.data.options import Preprocessing
from dsgec.data.series import add_test_series, make_series_dataset
from dsgec.data.window_features import fit_window_features
from dsgec.errors import DsgecError
from dsgec.export.files import make_artefact
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.targets.c.image import image_bytes
from dsgec.grammar.load import load_grammar
from dsgec.network.in_use import columns_in_use, in_use
from dsgec.network.ranges import NO_RANGES
from dsgec.search.defaults import default_grammar
from dsgec.search.signal_features import name_features

TREES, FOLDS = 300, 3
STRENGTHS = (0.01, 0.1, 1.0, 10.0)
DTYPES = "q15", "q7"
_FUNCTIONS = "-Wl,-u,net_restart", "-Wl,-u,net_predict_window"

Figures = dict[str, Any]


def dsgec(case: Case) -> tuple[Array, Figures]:
    """Evolve on the samples by default, and link the streams."""
    return _evolved(case)


def limited(case: Case) -> tuple[Array, Figures]:
    """Evolve for 2 KB of flash and 256 bytes of RAM of an ATmega328."""
    return _evolved(case, chip="avr", flash="2KB", ram="256")


def _evolved(case: Case, **budget: str) -> tuple[Array, Figures]:
    options: dict[str, Any] = {"seed": case.number + 1, "threads": 1, "test": 0.0, **budget}
    run = evolve(case.x, case.y, groups=case.groups, **options)
    network = run.network
    figures: Figures = {**network.size, "streams": measure_streams(network, case)}
    return np.asarray(network.predict(case.x_test)).astype(str), figures


def measure_streams(network: Network, case: Case) -> Figures:
    """Return the test accuracy of a network in fixed point, and the bytes of its streams on chips.

    The state of a stream and all static data count as RAM, what calls need of the stack does not.
    """
    model, found = in_use(network.model), {}
    ranges = network.ranges and [network.ranges[k] for k in columns_in_use(network.model)]
    rows = replace(network, model=model).rows(case.x_test)
    for dtype in DTYPES:
        try:
            artefact = make_artefact(model, "net", dtype, NO_RANGES, ranges)
        except DsgecError as error:
            found[dtype] = {"error": str(error)[:200]}
            continue
        source = fixed_source(artefact)
        fixed = artefact.number_format.fixed
        assert fixed is not None
        labels = np.array(model.classes)[labels_on_host(source, quantise(fixed.program, rows))]
        figures = {"test": round(float(np.mean(labels.astype(str) == case.y_test)), 5)}
        for chip in CHIPS:
            stream = replace(source, function="net_push", flags=(*source.flags, *_FUNCTIONS))
            with tempfile.TemporaryDirectory() as name:
                link(stream, chip, Path(name), len(case.x[0]))
                flash, ram = image_bytes(chip, Path(name))
            state = int(source.files["net.h"].split("_STREAM_BYTES ")[1].split()[0])
            figures[chip] = {"flash": flash, "ram": state + ram}
        found[dtype] = figures
    return found


def features_of(case: Case) -> tuple[Array, Array]:
    """Return the features of the training and the test windows that dsgec's grammar names."""
    return case.once("features", lambda: _features_of(case))


def _features_of(case: Case) -> tuple[Array, Array]:
    labels, codes = np.unique(case.y, return_inverse=True)
    dataset = make_series_dataset(case.x, codes, tuple(labels.tolist()), Preprocessing())
    dataset = add_test_series(dataset, case.x_test, np.zeros(len(case.x_test)))
    _, dataset = name_features(load_grammar(default_grammar(dataset)), dataset)
    train = np.arange(len(case.y))
    dataset = fit_window_features(dataset, train)
    used = [number for number, one in enumerate(dataset.columns) if one.kind != "constant"]
    assert dataset.raw is not None
    raw = dataset.raw[:, used]
    return raw[: len(case.y)], raw[len(case.y) :]


def forest(case: Case) -> tuple[Array, Figures]:
    """Fit a forest on the features."""
    from sklearn.ensemble import RandomForestClassifier

    x, x_test = features_of(case)
    model = RandomForestClassifier(TREES, random_state=case.number).fit(x, case.y)
    return model.predict(x_test), {"features": x.shape[1]}


def logistic(case: Case) -> tuple[Array, Figures]:
    """Fit a logistic regression on the features, its penalty chosen by cross-validation."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, x_test = features_of(case)
    count = min(FOLDS, *np.unique(case.y, return_counts=True)[1].tolist())
    folds = StratifiedKFold(count) if case.groups is None else GroupKFold(FOLDS)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200, tol=1e-3))
    search = GridSearchCV(model, {"logisticregression__C": STRENGTHS}, cv=folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(x, case.y, groups=case.groups)
    return search.predict(x_test), {"features": x.shape[1]}


def rocket(case: Case) -> tuple[Array, Figures]:
    """Fit a ridge classifier on the features of MiniRocket."""
    from sklearn.linear_model import RidgeClassifierCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    transform = MiniRocket(case.x, case.number)
    model = make_pipeline(
        StandardScaler(with_mean=False), RidgeClassifierCV(np.logspace(-3, 3, 10))
    )
    model.fit(transform.transform(case.x), case.y)
    return model.predict(transform.transform(case.x_test)), {}


METHODS: Mapping[str, Callable[[Case], tuple[Array, Figures]]] = {
    "dsgec": dsgec,
    "limited": limited,
    "forest": forest,
    "logistic": logistic,
    "rocket": rocket,
}
