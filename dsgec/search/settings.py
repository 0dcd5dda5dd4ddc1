"""The settings of a run: the one table from which all surfaces are made.

docs/how-to/add-a-setting.md shows how to add one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dsgec.errors import DsgecError, mention, setting_error
from dsgec.grammar.genome.genotype import REPRESENTATIONS
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP
from dsgec.setting import CommandLine, check, make, setting, settings_of

AUTO = "auto"
"""Of a threshold: chosen by the training rows."""
PRESETS = ("learning", "paper")
EFFORTS = ("quick", "normal", "thorough")
VARIATIONS = ("trees", "lists")
WEIGHTS = ("real", "grammar")
BY_SHAPE = 600
"""Generations of a run that learns on a small table; `dsgec.search.defaults` has the others'."""
CHOICES = ("cv", "fitness")
CONNECTIONS = ("all", "previous")
NOTHING = "none"
COSTS = ("connections", "flash", "cycles")
"""What can be minimised beside the objective."""
DTYPES = ("double", "float")
"""The types of numbers whose cost on a chip can be estimated during a search."""
FIXED_POINT = ("q15", "q7")
"""The types whose cost depends on the ranges of a network's values."""
RIVALS = ("linear", "forest", "boosting")
"""The models that a network can be compared with; the last two need scikit-learn."""
BACKENDS = ("auto", "engine", "c", "numpy", "reference")
MOST_GENERATIONS = 100_000_000
_SEEDS = (0, 2**64 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run's result depends on; the paper's parameters are the defaults."""

    GROUP: ClassVar = "search"

    representation: str = setting(
        "dsge",
        "How individuals are written as integers; grammars with layers need dsge.",
        choices=REPRESENTATIONS,
        formerly="engine",
    )
    population: int = setting(100, "Individuals in a generation.", 2, 1_000_000, learned=30)
    generations: int = setting(
        500,
        "Generations after the random one.",
        *(0, MOST_GENERATIONS),
        learned=BY_SHAPE,
        chosen=f"{BY_SHAPE} or fewer, by the shape of the table (paper preset: 500)",
    )
    seed: int = setting(1, "Seed of the random numbers of evolution.", *_SEEDS)
    tournament: int = setting(3, "Individuals among which a parent is chosen.", 1, 1_000_000)
    crossover: float = setting(
        0.95, "Probability that a child has two parents.", 0.0, 1.0, learned=0.0
    )
    mutation: float = setting(0.95, "Probability that a child is mutated.", 0.0, 1.0, learned=1.0)
    elites: int = setting(
        1,
        "Best individuals that stay in the next generation.",
        *(0, 999_999),
        learned=1,
        chosen="1, or with a second objective 0, since then all parents may stay",
    )
    variation: str = setting(
        "lists",
        "What changes in a child: one place of its derivation tree, or integers of its lists, as"
        " in the paper.",
        choices=VARIATIONS,
        representations=("dsge",),
        recorded_with="variation",
        learned="trees",
    )
    steps: int = setting(
        0,
        "Gradient steps that the numbers of a child take; 0: numbers are only mutated.",
        *(0, 1_000),
        recorded_with="steps",
        learned=1,
    )
    l2: float = setting(
        0.15,
        "Strength of the penalty on large numbers, which is divided by the training rows.",
        *(0.0, 1e6),
        recorded_with="l2",
        learned=0.15,
        chosen="0.15, or for a numeric target 0.25; for more than two classes 0.3 / classes",
    )
    parsimony: float = setting(
        0.0,
        "Penalty of each connection.",
        *(0.0, 1e6),
        recorded_with="parsimony",
        learned=2e-4,
        chosen="0.0002, or with batches 0.0001; for more than two classes 2 / classes of that;"
        " with --minimise half of that",
    )
    batch: int = setting(
        0,
        "Training rows of a generation, drawn again for each; every tenth generation uses all"
        " rows; 0: all.",
        *(0, 1_000_000_000),
        recorded_with="batch",
        learned=0,
        chosen="by the shape of the table (paper preset: 0)",
    )
    pruning: int = setting(
        0,
        "Rounds in which the best network gets smaller in the end, to fill the hall of fame.",
        *(0, 100_000),
        recorded_with="pruning",
        learned=1_000,
    )
    tuning: int = setting(
        0,
        "Evaluations with which the numbers of each of the best networks are tuned in the end.",
        *(0, 1_000_000),
        recorded_with="tuning",
        learned=200,
    )
    weights: str = setting(
        "grammar",
        "Numbers of a tuned network: in full precision, or as the grammar writes them.",
        choices=WEIGHTS,
        recorded_with="weights",
        learned="real",
    )
    choose: str = setting(
        "fitness",
        "What chooses the network that a run recommends from its hall of fame: cross-validation on"
        " the training rows, or the fitness.",
        choices=CHOICES,
        recorded_with="choose",
        learned="cv",
    )
    connect: str = setting(
        "all",
        "What a neuron may read: all layers before its own, or the previous one.",
        choices=CONNECTIONS,
        representations=("dsge",),
    )
    max_depth: tuple[tuple[str, int], ...] = setting(
        (), "How deep a symbol may recurse, where not as the grammar says.", 0, 999_999
    )
    max_size: int = setting(250_000, "Size of the largest valid phenotype.", 1, 10_000_000)
    codons: int = setting(200, "Integers of an individual.", 1, 1_000_000, representations=("ge",))
    wraps: int = setting(0, "How often they may be read again.", 0, 1_000, representations=("ge",))
    test: float = setting(0.3, "Share of rows to test with (0.3), or a file.", 0, 0.9, group="data")
    split_seed: int = setting(
        1, "Seed of the split into training and test rows.", *_SEEDS, group="data"
    )
    objective: str = setting(
        "",
        "What is optimised: exp-rmse, log-loss or accuracy for classes, r2 for a numeric target,"
        " rmse, mse or mae for either; default: log-loss for classes (paper preset: exp-rmse),"
        " otherwise rmse.",
        metavar="NAME",
    )
    minimise: str = setting(
        NOTHING,
        "A second objective: what a network costs in connections, or in bytes of flash or cycles"
        " on a chip. The search then finds the front of those that nothing cheaper equals.",
        choices=(NOTHING, *COSTS),
        recorded_with="minimise",
    )
    chip: str = setting(
        DEFAULT_CHIP,
        "The chip that flash and cycles are estimated for; avr, which has no double, implies"
        " float.",
        choices=tuple(CHIPS),
        recorded_with="chip",
    )
    dtype: str = setting(
        DTYPES[0],
        "The type of the numbers of the C that they are estimated for; a result can be exported in"
        " any other.",
        choices=DTYPES,
        recorded_with="dtype",
    )
    balance: bool = setting(
        False,
        "Give all classes the same weight in the objective, however many rows each has.",
        recorded_with="balance",
    )
    threshold: float | str = setting(
        0.5,
        "Least probability at which the second of two classes is predicted; auto: chosen by the"
        " training rows.",
        *(0.0, 1.0),
        instead=AUTO,
        metavar="NUMBER|auto",
        recorded_with="threshold",
    )
    folds: int = setting(
        0,
        "Folds of a cross-validation, each a run.",
        *(0, 1_000_000),
        metavar="K",
        option="cv",
        group="data",
    )
    fold: int = setting(0, "Which of the folds to test with.", 0, 999_999)
    stop_at: float | None = setting(
        None,
        "Stop when the best score of the objective is as good as this.",
        metavar="SCORE",
        recorded_with="stop_at",
    )
    patience: int = setting(
        0,
        "Stop after this many generations without a better best; 0: never.",
        *(0, MOST_GENERATIONS),
        recorded_with="patience",
        learned=150,
    )
    ensemble: int = setting(
        1,
        "Networks from populations of their own, whose mean is the result.",
        *(1, 100),
        recorded_with="ensemble",
        learned=1,
        chosen="1, or with a thorough effort 5",
    )
    islands: int = setting(
        1, "Populations that exchange their best individuals.", 1, 1_000, recorded_with="islands"
    )
    migrate_every: int = setting(
        25,
        "Generations between two exchanges of islands.",
        *(1, MOST_GENERATIONS),
        recorded_with="islands",
    )
    migrants: int = setting(
        2, "Individuals that an island sends to the next.", 0, 1_000_000, recorded_with="islands"
    )
    compare: tuple[str, ...] = setting(
        (),
        "A model to compare with on the same rows. A run has linear; others need scikit-learn.",
        choices=RIVALS,
        recorded_with="compare",
        group="data",
    )

    def __post_init__(self) -> None:
        highest = {"fold": max(self.folds - 1, 0)}
        if self.population > 1:  # otherwise that is what is wrong
            highest["elites"] = self.population - 1
        if self.islands > 1 and self.population > 1:
            highest["migrants"] = self.population - 1
        check(self, highest)
        if self.minimise != NOTHING:
            self._check_front()
        if self.ensemble > 1 and self.islands > 1:
            raise setting_error(
                "ensemble",
                f"is {self.ensemble}, but members of an ensemble have no islands",
                f"Leave it out, or {mention('islands')}.",
            )

    def _check_front(self) -> None:
        if self.ensemble > 1:
            raise setting_error(
                "ensemble",
                f"is {self.ensemble}, but the mean of networks costs as much as all of them, which"
                f" {mention('minimise')} is there to avoid",
                f"Leave it out, or use {mention('islands', self.ensemble)}.",
            )
        if self.elites:
            raise setting_error(
                "elites",
                f"is {self.elites}, but with {mention('minimise', self.minimise)} all parents"
                " compete with the children",
                "Leave it out.",
            )

    def as_json(self) -> dict[str, Any]:
        """The settings as run.json has them."""
        return {
            one.key: one.plain(getattr(self, one.name))
            for one in SETTINGS
            if not one.recorded_with
            or getattr(self, one.recorded_with) != getattr(_DEFAULTS, one.recorded_with)
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Settings":
        """The settings that `as_json` gave; a DsgecError where they are none."""
        try:
            settings = make(cls, values)
            same = settings.as_json()
        except (DsgecError, TypeError) as error:
            raise DsgecError("these are not the settings of a run") from error
        if same != values or any(type(same[name]) is not type(values[name]) for name in same):
            raise DsgecError("these are not the settings of a run")
        return settings


SETTINGS = settings_of(Settings)
OPTIONS = CommandLine(SETTINGS)
_OF_TREES = ("population", "crossover", "mutation", "variation", "parsimony")
_DEFAULTS = Settings()


def make_settings(given: Mapping[str, Any], preset: "Preset") -> Settings:
    """The settings with what a user gave, and the defaults of a preset.

    SGE and GE have the paper's operators with its rates, also where they learn.
    """
    given = {**given, **_number_type(given)}
    has_front = given.get("minimise") not in (NOTHING, None)
    if has_front and given.get("elites") is None:  # all parents compete with the children
        given = {**given, "elites": 0}
    settings = make(Settings, given, learned=preset.learns)
    if settings.representation == "dsge":
        return settings
    usual = {name: getattr(_DEFAULTS, name) for name in _OF_TREES if given.get(name) is None}
    return replace(settings, **usual)


def _number_type(given: Mapping[str, Any]) -> dict[str, str]:
    """Return float for a chip without double, and refuse the types that have no estimate here."""
    chip, dtype = given.get("chip") or DEFAULT_CHIP, given.get("dtype") or DTYPES[0]
    if chip not in CHIPS:
        return {}  # which is refused with the other settings
    estimated = DTYPES if CHIPS[chip].has_double else DTYPES[1:]
    if dtype in FIXED_POINT:
        minimise = given.get("minimise") or COSTS[1]
        options = (("minimise", minimise), ("chip", chip), ("dtype", estimated[-1]))
        raise setting_error(
            "dtype",
            f"is {dtype}, but the search estimates {' and '.join(DTYPES)} only",
            f"Use {' '.join(mention(*one) for one in options)} and export the network that it finds"
            f" with `dsgec export RUN --dtype {dtype}`.",
        )
    return {} if dtype in estimated or dtype not in DTYPES else {"dtype": estimated[0]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Which defaults the other settings have; `effort` has a say in those of runs that learn."""

    GROUP: ClassVar = "search"

    preset: str = setting(
        "learning",
        "Defaults: those of a search that learns its numbers, or those of the paper.",
        choices=PRESETS,
    )
    effort: str = setting(
        "normal",
        "How long to search. normal: by the shape of the table, a few seconds for a small one;"
        " quick: a quarter of that; thorough: five networks, each searched for as long, whose mean"
        " is the result.",
        choices=EFFORTS,
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def learns(self) -> bool:
        """Whether the defaults are those of a search that learns."""
        return self.preset == "learning"

    @property
    def is_quick(self) -> bool:
        """Whether a result is wanted soon rather than the best."""
        return self.effort == "quick"

    @property
    def is_thorough(self) -> bool:
        """Whether the best result is wanted, however long it takes."""
        return self.effort == "thorough"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How a run is carried out, which does not change its result."""

    GROUP: ClassVar = "machine"

    backend: str = setting(
        "auto", "What runs the generations; all give the same results.", choices=BACKENDS
    )
    threads: int | None = setting(
        None, "Threads of the engine; default: by the size of the table.", 1, 256
    )

    def __post_init__(self) -> None:
        check(self)
