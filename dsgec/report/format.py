"""Metrics, numbers and names as people read them."""

import math
import unicodedata
from functools import lru_cache

METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auroc": "AUROC",
    "f1": "F1",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
GREATER = ("accuracy", "balanced_accuracy", "auroc", "f1", "r2")
"""The metrics that are better the greater they are."""


def metric_label(name: str) -> str:
    """Return a metric as people write it."""
    return METRICS.get(name, name.replace("_", " "))


def format_metric(value: float | None) -> str:
    """Format a metric with four decimals, as the command line prints it."""
    if value is None:
        return "–"
    return (f"{value:.4f}" if abs(value) < 1e5 else f"{value:.3g}").replace("-", "−")


def format_number(value: float | None) -> str:
    """Format a number with four significant digits and a typographic minus."""
    if value is None or not math.isfinite(value):
        return "–" if value is None or math.isnan(value) else "∞" if value > 0 else "−∞"
    size = abs(value)
    if size and (size >= 1e6 or size < 1e-4):
        digits, power = f"{value:.3e}".split("e")
        text = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    elif value == int(value):
        text = f"{int(value):,}"
    else:
        text = f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}" if size else "0"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def text_width(text: str) -> int:
    """Return the number of columns of a terminal that a printable text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


@lru_cache(1024)
def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, width: int) -> str:
    """Cut a text to a width, and end it with an ellipsis if it was longer."""
    if text_width(text) <= width:
        return text
    kept = ""
    room = width - 1
    for character in text:
        room -= _character_width(character)
        if room < 0:
            break
        kept += character
    return kept + "…" if width > 0 else ""
