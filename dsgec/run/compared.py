"""What a record says of baselines, of the comparison with them and of doubts: checked."""

from typing import Any

from dsgec.plain_data import is_count, is_figure, is_list, is_number, is_text
from dsgec.run.validation import is_validation

NO_BETTER = "no better"
"""How the verdict starts on a network that does not beat the baseline without features."""
_WORDS = ("with", "metric", "test", "verdict")


def is_compared(result: dict[str, Any]) -> bool:
    """Whether what is there is right; runs of earlier versions have none of it."""
    comparison = result.get("comparison")
    return (
        is_list(result.get("baselines", []), lambda one: _is_baseline(one, result))
        and is_list(result.get("warnings", []), is_text)
        and (comparison is None or _is_comparison(comparison))
        and all(_is_footprint(result[key]) for key in ("cost", "proposed") if key in result)
        and ("proposed" not in result or _is_pick(result["proposed"], result))
        and ("validation" not in result or is_validation(result["validation"]))
    )


def chance(comparison: dict[str, Any]) -> str:
    """The test behind the verdict, as it stands in brackets; none where that is not what it says.

    The test is of the difference from the linear model.
    """
    if comparison["verdict"].startswith(NO_BETTER):
        return ""
    p = f"p = {comparison['p']:.2g}" if comparison["p"] >= 0.001 else "p < 0.001"
    return f"{comparison['test']}, {p}"


def _is_baseline(found: Any, result: dict[str, Any]) -> bool:
    """It has the metrics of the network itself, in their order."""
    if not isinstance(found, dict) or not is_text(found.get("name")):
        return False
    parts = [found.get(part) for part in ("train", "test")]
    return all(
        isinstance(part, dict)
        and list(part) == list(result.get("train", ()))
        and all(map(is_figure, part.values()))
        for part in parts
    )


def _is_comparison(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and all(is_text(found.get(name)) for name in _WORDS)
        and all(is_number(found.get(name)) for name in ("difference", "p"))
    )


def _is_footprint(found: Any) -> bool:
    """Return whether this is what a network takes of a chip."""
    return (
        isinstance(found, dict)
        and all(is_text(found.get(name)) for name in ("chip", "dtype"))
        and all(is_count(found.get(name)) for name in ("flash", "stack", "cycles"))
    )


def _is_pick(found: dict[str, Any], result: dict[str, Any]) -> bool:
    """Return whether this names a smaller network of the hall of fame, with its test figures."""
    pick, test = found.get("pick"), found.get("test")
    return (
        is_list(pick, is_text, 2)
        and is_count(found.get("connections"))
        and isinstance(test, dict)
        and list(test) == list(result.get("train", ()))
        and all(map(is_figure, test.values()))
    )
