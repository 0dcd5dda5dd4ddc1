"""Presets, the defaults of settings that a user did not give, and how a run is executed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dsgec.errors import mention, setting_error
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP
from dsgec.search.budget import AMOUNTS, FIXED_POINT
from dsgec.search.settings import (
    BACKENDS,
    CODON_MUTATION,
    COSTS,
    DTYPES,
    NOTHING,
    PROBABILISTIC,
    Settings,
)
from dsgec.setting import check, make, setting

PRESETS = ("learning", "paper")
EFFORTS = ("quick", "normal", "thorough")
_OF_TREES = ("population", "crossover", "mutation", "variation", "parsimony")
_DEFAULTS = Settings()


def make_settings(given: Mapping[str, Any], preset: "Preset") -> Settings:
    """Return the settings that a user gave, with the defaults of a preset for the others.

    SGE and GE have the paper's operators with its rates, even if they learn.
    """
    given = {**given, **_check_number_type(given)}
    has_front = given.get("minimise") not in (NOTHING, None)
    if has_front and given.get("elites") is None:  # all parents compete with the children
        given = {**given, "elites": 0}
    settings = make(Settings, given, learned=preset.learns)
    if settings.representation == "dsge":
        return settings
    paper = {name: getattr(_DEFAULTS, name) for name in _OF_TREES if given.get(name) is None}
    if settings.representation in PROBABILISTIC and "mutation" in paper:
        paper["mutation"] = CODON_MUTATION
    return replace(settings, **paper)


def _check_number_type(given: Mapping[str, Any]) -> dict[str, str]:
    """Refuse types that the search cannot estimate; return float for a chip without double."""
    chip, dtype = given.get("chip") or DEFAULT_CHIP, given.get("dtype") or DTYPES[0]
    if chip not in CHIPS:
        return {}  # which is refused with the other settings
    has_budget = any(given.get(name) for name in AMOUNTS)
    if has_budget and given.get("minimise") in (NOTHING, None):
        # The option has a default of its own, which nobody may have asked for.
        return {"dtype": FIXED_POINT[-1] if dtype == DTYPES[0] else dtype}
    estimated = DTYPES if CHIPS[chip].has_double else DTYPES[1:]
    if dtype in FIXED_POINT:
        wanted = ("minimise", given.get("minimise") or COSTS[1])
        options = (wanted, ("chip", chip), ("dtype", estimated[-1]))
        raise setting_error(
            "dtype",
            f"is {dtype}, but the search estimates {' and '.join(DTYPES)} only",
            f"Use {' '.join(mention(*one) for one in options)} and export the network that it finds"
            f" with `dsgec export RUN --dtype {dtype}`.",
        )
    return {} if dtype in estimated or dtype not in DTYPES else {"dtype": estimated[0]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """The preset, and the effort that a search that learns makes, which choose the defaults."""

    GROUP: ClassVar = "search"

    preset: str = setting(
        "learning",
        "Defaults of the other settings: for a search that learns weights, or as in the paper.",
        choices=PRESETS,
    )
    effort: str = setting(
        "normal",
        "How long to search. normal: depending on the size of the table, a few seconds for a small"
        " one; quick: a quarter of that; thorough: a walk four times as long or, with generations,"
        " an ensemble of five.",
        choices=EFFORTS,
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def learns(self) -> bool:
        """True if the search learns weights."""
        return self.preset == "learning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The settings of how a run is executed, on which its result does not depend."""

    GROUP: ClassVar = "machine"

    backend: str = setting(
        "auto", "Backend of the evolution; all give the same results.", choices=BACKENDS
    )
    threads: int | None = setting(
        None, "Number of threads of the engine; default: chosen by the size of the table.", 1, 256
    )

    def __post_init__(self) -> None:
        check(self)
