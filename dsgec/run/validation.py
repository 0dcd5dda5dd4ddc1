"""How a run chose its network by cross-validation, as its record says it: written and checked."""

from collections.abc import Iterator
from typing import Any

from dsgec.plain_data import is_count, is_number, is_text
from dsgec.search.problem import Problem
from dsgec.search.recommend import Recommendation

RISING = "r2"
"""The measure that is the better the higher it is; the others are losses."""
_NUMBERS = ("score", "error", "baseline", "factor")
_COUNTS = ("rows", "candidates")


def validation(choice: Recommendation | None) -> dict[str, Any]:
    """The part of run.json that says how the network was chosen; empty if by its fitness.

    The mean of an ensemble has no score, because its members are validated each on its own.
    """
    if choice is None:
        return {}
    own = choice.champion.validated
    found: dict[str, Any] = {
        "measure": choice.measure,
        **({"score": own.score, "error": own.error} if own else {}),
        "baseline": choice.baseline,
        "rows": choice.rows,
        "candidates": choice.candidates,
        "supported": choice.unsupported is None,
        **({"factor": choice.factor} if choice.factor != 1.0 else {}),
    }
    return {"validation": found}


def is_validation(found: Any) -> bool:
    """Return whether a part of a record is what `validation` wrote."""
    return (
        isinstance(found, dict)
        and is_text(found.get("measure"))
        and all(is_number(found.get(name, 0.0)) for name in _NUMBERS)
        and all(is_count(found.get(name)) for name in _COUNTS)
        and isinstance(found.get("supported"), bool)
    )


def unsupported(problem: Problem, choice: Recommendation | None) -> Iterator[str]:
    """Warn of a network that held-out rows do not show to be better than no network."""
    if choice is None or choice.unsupported is None:
        return
    measure = "R²" if choice.measure == RISING else choice.measure
    simple = "the shares of the classes" if problem.dataset.classes else "the mean"
    doubt = (
        "cross-validation on the training rows does not support the network:"
        f" {measure} {_figures(choice)} on held-out rows, where {simple}"
        f" {'have' if problem.dataset.classes else 'has'} {choice.baseline:.3f}"
    )
    if choice.factor == 0.0:
        yield f"{doubt}; so the result is the mean of the training rows"
    elif choice.factor < 1.0:
        yield f"{doubt}; so its distance from the mean is multiplied by {choice.factor:.2f}"
    else:
        yield doubt


def _figures(choice: Recommendation) -> str:
    assert choice.unsupported is not None
    return f"{choice.unsupported.score:.3f} ± {choice.unsupported.error:.3f}"
