"""The settings of a search with a user's fitness, and those of its grammar."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from dsgec.errors import mention, setting_error
from dsgec.search.settings import (
    BY_CASES,
    CODON_MUTATION,
    PROBABILISTIC,
    SELECTIONS,
    VARIATIONS,
    Settings,
    is_recorded,
)
from dsgec.setting import Setting, make, read_recorded, setting, settings_of

SEARCH_BACKENDS = ("auto", "engine", "reference")
"""The backends that can call a fitness function."""

_SHARED = (
    *("representation", "population", "generations", "seed", "selection", "tournament"),
    *("down_sample", "crossover", "mutation", "elites", "variation", "max_depth", "max_size"),
    *("codons", "wraps", "maximise", "objectives", "features", "outputs", "stop_at", "patience"),
    *("islands", "migrate_every", "migrants", "diversity"),
)
_LATER = (
    *("learning_factor", "grammar_mutation", "grammar_deviation"),
    *("adaptive", "rate_mutation", "rate_deviation", "initialisation"),
)
"""Settings that are recorded only if they have an effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSettings(Settings):
    """The settings that a search with a user's fitness depends on.

    Those of networks, such as gradient steps, have no effect.
    """

    GROUP: ClassVar = "search"

    population: int = setting(500, "Number of individuals.", 2, 1_000_000)
    generations: int = setting(100, "Number of generations after the random one.", 0, 100_000_000)
    variation: str = setting(
        "trees",
        "What mutation and crossover change: one place of the derivation tree, or integers of the"
        " lists.",
        choices=VARIATIONS,
        representations=("dsge",),
    )
    crossover: float = setting(0.9, "Probability of crossover.", 0.0, 1.0)
    mutation: float = setting(0.5, "Probability of mutation.", 0.0, 1.0)
    elites: int = setting(
        1,
        "Best individuals that are kept for the next generation; with several objectives, all"
        " parents compete with the children.",
        *(0, 999_999),
    )
    selection: str = setting(
        SELECTIONS[0],
        "Selection of parents: the best of a few individuals, or by the cases that a fitness"
        " returns, taken in random order.",
        choices=SELECTIONS,
    )
    down_sample: float = setting(
        1.0, "Share of the cases by which lexicase selects in a generation.", 0.0, 1.0
    )
    maximise: bool = setting(False, "Maximise the fitness instead of minimising it.")
    objectives: int = setting(
        1, "Number of objectives that the fitness returns; with two or more, by NSGA-II.", 1, 100
    )
    features: int = setting(
        0,
        "Number of features, for a grammar with a range such as x_1 | ... | x_n.",
        *(0, 100_000),
    )
    outputs: int = setting(
        0, "Number of outputs, for a grammar with a range such as y_1 | ... | y_m.", 0, 10_000
    )

    diversity: bool = setting(
        False, "Measure the diversity of every generation; diversity.csv has it.", group="output"
    )

    def __post_init__(self) -> None:
        # Not `super()`: a dataclass with slots is another class than the one in this scope.
        Settings.__post_init__(self)
        if self.objectives > 1 and self.elites:
            raise setting_error(
                "elites",
                f"is {self.elites}, but with {mention('objectives', self.objectives)} all parents"
                " compete with the children",
                "Leave it out.",
            )
        if self.objectives > 1 and self.selection in BY_CASES:
            raise setting_error(
                "selection",
                f"is {self.selection}, but the values of a fitness with several objectives are not"
                " cases",
                f"Use {mention('selection', SELECTIONS[0])}.",
            )

    @property
    def has_fronts(self) -> bool:
        """True if there is more than one objective: the population is then sorted."""
        return self.objectives > 1

    def as_json(self) -> dict[str, Any]:
        """Return the settings as run.json has them."""
        return {
            one.name: one.plain(getattr(self, one.name))
            for one in TEXT_SETTINGS
            if one.name not in _LATER or is_recorded(one, self)
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "TextSettings":
        """Read the settings that `as_json` returned, or raise a DsgecError."""
        return read_recorded(cls, values)


_BY_NAME = {one.name: one for one in settings_of(TextSettings)}
TEXT_SETTINGS: tuple[Setting, ...] = tuple(_BY_NAME[name] for name in (*_SHARED, *_LATER))


def make_text_settings(given: Mapping[str, Any]) -> TextSettings:
    """Return the settings that a user gave, with defaults for the others.

    SGE and GE have lists only. With several objectives there is no elite.
    """
    values = {name: value for name, value in given.items() if value is not None}
    if values.get("objectives", 1) != 1:
        values.setdefault("elites", 0)
    if values.get("representation", "dsge") != "dsge":
        values.setdefault("variation", "lists")
    if values.get("representation") in PROBABILISTIC:
        values.setdefault("mutation", CODON_MUTATION)
    settings = make(TextSettings, values)
    if settings.representation != "dsge" and settings.variation != "lists":
        raise setting_error(
            "variation",
            f"is {settings.variation}, but {settings.representation.upper()} has lists only",
            f"Leave it out, or use {mention('representation', 'dsge')}.",
        )
    return settings
