"""Charts of the quality of a network: ROC curves, calibration, predicted values, residuals."""

from dsgec.errors import counted
from dsgec.report.chart import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Chart,
    DataTable,
    Mark,
    Scale,
    Series,
    line_path,
    linear_scale,
    make_marks,
)
from dsgec.report.format import format_metric, format_number, shorten
from dsgec.run.result import Result

MOST_TABLE_ROWS = 25
_LARGEST = 1e300
_LONGEST_NAME = 24
_LEAST_IN_BIN = 5
_SQUARE_RIGHT = LEFT + BOTTOM - TOP
_RATES = tuple(
    Scale(0.0, 1.0, start, end, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    for start, end in ((LEFT, _SQUARE_RIGHT), (BOTTOM, TOP))
)
_DIAGONAL = f"M{LEFT} {BOTTOM} L{_SQUARE_RIGHT} {TOP}"
_PARTS = (("train", "training rows", 0), ("test", "test rows", 1))


def roc_chart(run: Result, part: str) -> Chart | None:
    """Draw true against false positives, for many classes each against the rest."""
    every = (run.evidence.roc or {})[part] if run.evidence else ()
    curves = [curve for curve in every if curve.points]
    if not curves:
        return None
    across, up = _RATES
    series = []
    for style, curve in enumerate(curves):
        label = str(run.model.classes[curve.class_])
        points = [
            (fp / (curve.negatives or 1), tp / (curve.positives or 1)) for fp, tp in curve.points
        ]
        area = f", AUC {format_metric(curve.auc)}"
        series.append(
            Series(f"{shorten(label, _LONGEST_NAME)}{area}", style, line_path(points, across, up))
        )
    words = "training rows" if part == "train" else "test rows"
    rows = tuple(
        (
            str(run.model.classes[curve.class_]),
            format_metric(curve.auc),
            f"{curve.positives:,}",
            f"{curve.negatives:,}",
        )
        for curve in every
    )
    left_out = len(every) - len(curves)
    return Chart(
        f"roc-{part}",
        f"ROC, {words}",
        "A line chart of the share of a class that is found against the share of the other rows"
        " that are taken for it. The dotted diagonal is chance.",
        across,
        up,
        "false positive rate",
        "true positive rate",
        tuple(series),
        DataTable(("class", "AUC", "rows of it", "other rows"), rows),
        guide=_DIAGONAL,
        notes=(f"Curves of the {len(curves)} most frequent classes; the table has all.",)
        if left_out and len(run.model.classes) > 2
        else (),
        width=_SQUARE_RIGHT + 14,
        right=_SQUARE_RIGHT,
    )


def calibration_chart(run: Result) -> Chart | None:
    """Draw probabilities against the share that came true; None without enough rows."""
    bins = (run.evidence.calibration if run.evidence else None) or {}
    drawn = [(part, words, style) for part, words, style in _PARTS if bins.get(part)]
    if not drawn:
        return None
    across, up = _RATES
    series, rows = [], []
    for part, words, style in drawn:
        known = [one for one in bins[part] if one.rows >= _LEAST_IN_BIN]
        points = [(one.promised, one.true / one.rows) for one in known]
        dots = tuple(
            Mark(across.place(x), up.place(y), f"{counted(one.rows, 'row')}: {format_metric(y)}")
            for one, (x, y) in zip(known, points, strict=True)
        )
        series.append(Series(words, style, line_path(points, across, up), dots))
        rows += [
            (
                words,
                format_metric(one.promised),
                format_metric(one.true / one.rows),
                f"{one.rows:,}",
            )
            for one in bins[part]
        ]
    classes = run.model.classes
    lone = f"the probability of {shorten(str(classes[-1]), _LONGEST_NAME)}"
    promised = lone if len(classes) == 2 else "the probability of the predicted class"
    return Chart(
        "calibration",
        "Calibration",
        f"A line chart: rows by {promised}, in ten bins, against the share of them for which it"
        " came true. On the dotted diagonal, probabilities mean what they say.",
        across,
        up,
        "mean predicted probability",
        "share that came true",
        tuple(series),
        DataTable(("rows", "mean probability", "came true", "number of rows"), tuple(rows)),
        guide=_DIAGONAL,
        notes=(
            f"Rows by {promised}. Below the diagonal, probabilities are too high; above it, too"
            f" low. Bins of fewer than {_LEAST_IN_BIN} rows are only in the table.",
        ),
        width=_SQUARE_RIGHT + 14,
        right=_SQUARE_RIGHT,
    )


def value_charts(run: Result) -> list[Chart]:
    """Draw predicted against actual values of a numeric target, and residuals."""
    found = (run.evidence.pairs if run.evidence else None) or {}
    pairs = {
        part: [(a, p) for a, p in found[part] if max(abs(a), abs(p)) < _LARGEST]
        for part in ("train", "test")
    }
    every = [value for part in pairs.values() for pair in part for value in pair]
    if not every:
        return []
    target = shorten(run.model.target or "the target", _LONGEST_NAME)
    across, up = linear_scale(every, LEFT, RIGHT), linear_scale(every, BOTTOM, TOP)
    residuals = {
        part: [(predicted, actual - predicted) for actual, predicted in values]
        for part, values in pairs.items()
    }
    left_over = [y for part in residuals.values() for _, y in part]
    below = linear_scale([x for part in residuals.values() for x, _ in part], LEFT, RIGHT)
    beside = linear_scale([*left_over, 0.0], BOTTOM, TOP)
    shown = ", ".join(f"{len(pairs[part])} of the {words}" for part, words, _ in _PARTS)
    table = tuple(
        (words, format_number(actual), format_number(predicted), format_number(actual - predicted))
        for part, words, _ in _PARTS
        for actual, predicted in pairs[part][:MOST_TABLE_ROWS]
    )
    data = DataTable(("rows", "actual", "predicted", "residual"), table, "The first rows of each.")
    return [
        Chart(
            "values",
            "Predicted against actual",
            f"A scatter chart: {shown}. On the dotted diagonal, predictions are exact.",
            across,
            up,
            f"actual {target}",
            "predicted",
            tuple(
                Series(words, style, "", make_marks(pairs[part], across, up))
                for part, words, style in _PARTS
                if pairs[part]
            ),
            data,
            guide=line_path([(across.low, across.low), (across.high, across.high)], across, up),
        ),
        Chart(
            "residuals",
            "Residuals",
            f"A scatter chart of actual less predicted values: {shown}.",
            below,
            beside,
            f"predicted {target}",
            "actual − predicted",
            tuple(
                Series(words, style, "", make_marks(residuals[part], below, beside))
                for part, words, style in _PARTS
                if pairs[part]
            ),
            data,
            guide=line_path([(below.low, 0.0), (below.high, 0.0)], below, beside),
        ),
    ]
