"""Several populations in one run: islands, which exchange individuals, and ensembles.

Each population has a seed of its own. After every `migrate_every` generations, the best individuals
of each island replace the worst ones of the next, on all islands at once. The result does not
depend on where or how fast each island is evolved.

The members of an ensemble exchange nothing. The result is the mean of what they recommend: one
network. The mean is taken before the sigmoid or the softmax of the output, so that it has the same
form as the members; parts that members share are merged when it is simplified.
"""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from dsgec.errors import DsgecError, mention
from dsgec.random import Stream
from dsgec.search.evolver import Evolver, Generation, Island
from dsgec.search.individual import INFINITE, Champion, merge_halls
from dsgec.search.loop import rank
from dsgec.search.measure import Measurer
from dsgec.search.models import complete_phenotype
from dsgec.search.packing import damaged_state, pack, unpack
from dsgec.search.problem import Problem
from dsgec.search.recommend import Fits, Recommendation, always_fits
from dsgec.search.settings import Settings
from dsgec.search.walk.stage import WalkStage

_SEEDS = (1 << 64) - 1  # a generation that no run reaches, for drawing seeds
_SOFTMAX = "softmax("


def island_settings(settings: Settings) -> list[Settings]:
    """Return the settings of each island, with its own seed; the first has the run's."""
    seeds = [settings.seed]
    seeds += [Stream(settings.seed, _SEEDS, i).word() for i in range(1, settings.islands)]
    return [replace(settings, seed=seed, islands=1) for seed in seeds]


def member_settings(settings: Settings) -> list[Settings]:
    """Return the settings of each member of an ensemble, with its own seed."""
    return island_settings(replace(settings, islands=settings.ensemble, ensemble=1))


def send_best(island: Island, count: int) -> list[bytes]:
    """Return the best valid individuals, at most so many, the best first."""
    fitness = island.fitness()
    best = _rank(island, fitness)[:count]
    return [island.send(number) for number in best if fitness[number] < INFINITE]


def replace_worst(island: Island, migrants: Sequence[bytes]) -> None:
    """Replace the worst individual by the first migrant, the next by the second, and so on."""
    places = _rank(island, island.fitness())[::-1]
    for place, migrant in zip(places, migrants, strict=False):
        island.receive(place, migrant)


def _rank(island: Island, fitness: Sequence[float]) -> Sequence[int]:
    """Return the numbers of the individuals, the best first."""
    # If a cost is minimised, the population is sorted already.
    return range(len(fitness)) if island.problem.cost.is_minimised else rank(fitness)


def has_exchange(settings: Settings, generation: int) -> bool:
    """Return whether individuals are exchanged after this generation."""
    return 0 < generation < settings.generations and generation % settings.migrate_every == 0


def next_exchange(settings: Settings, generation: int) -> int:
    """Return the generation of the next exchange, or the last generation."""
    every = settings.migrate_every
    return min((generation // every + 1) * every, settings.generations)


def combine(states: Sequence[Generation], population: int) -> Generation:
    """Combine the figures of all islands; of equally good best individuals, take the first."""
    best = min(states, key=lambda state: state.best)
    total, valid = 0.0, 0
    for state in states:
        count = population - state.invalid
        total += state.mean * count if count else 0.0
        valid += count
    return replace(
        best,
        mean=total / valid if valid else INFINITE,
        invalid=sum(state.invalid for state in states),
        evaluations=sum(state.evaluations for state in states),
        reused=sum(state.reused for state in states),
    )


def best_island(fitness: Sequence[Sequence[float]]) -> int:
    """Return the number of the island with the best individual; of equals, the first."""
    return min(range(len(fitness)), key=lambda number: min(fitness[number]))


class IslandEvolver(Evolver):
    """Evolves islands on this machine, `side_by_side` of them at a time."""

    def __init__(
        self, problem: Problem, settings: Settings, islands: Sequence[Island], side_by_side: int
    ) -> None:
        super().__init__(problem, settings)
        self.islands = islands
        self.name, self.remark = islands[0].name, islands[0].remark
        self.compile_seconds = islands[0].compile_seconds
        self.description = (
            f"{islands[0].description}; {len(islands)} islands, {side_by_side} side by side"
        )
        self._side_by_side = side_by_side
        self._pool = ThreadPoolExecutor(side_by_side)
        self._waiting: list[deque[Generation]] = [deque() for _ in islands]
        self._done = -1  # the last generation that is complete on all islands
        self._best_phenotype = ""

    @property
    def next_generation(self) -> int:
        together = all(i.next_generation == self._done + 1 for i in self.islands)
        return self._done + 1 if together else -1

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        reached = [self._done + len(waiting) for waiting in self._waiting]
        # An island may be ahead of the others, but not beyond an exchange.
        goal = min(
            max(self._done + generations, *reached), next_exchange(self.settings, self._done)
        )

        share = seconds / -(-len(self.islands) // self._side_by_side)  # they take turns

        def advance_island(number: int) -> Sequence[Generation]:
            left = goal - reached[number]
            return self.islands[number].advance(left, share) if left > 0 else ()

        for waiting, states in zip(
            self._waiting, self._pool.map(advance_island, range(len(self.islands))), strict=True
        ):
            waiting.extend(states)
        return self._complete()

    def _complete(self) -> list[Generation]:
        """Return the generations that all islands have completed, and exchange after the last."""
        states: list[Generation] = []
        while all(self._waiting):
            each = [waiting.popleft() for waiting in self._waiting]
            states.append(combine(each, self.settings.population))
            self._done = states[-1].generation
            self._best_phenotype = states[-1].phenotype
        if states and has_exchange(self.settings, self._done):
            sent = [send_best(island, self.settings.migrants) for island in self.islands]
            for number, island in enumerate(self.islands):
                replace_worst(island, sent[number - 1])
        return states

    def save(self) -> bytes:
        return pack([encode(self._best_phenotype), *(island.save() for island in self.islands)])

    def restore(self, state: bytes) -> None:
        phenotype, *states = unpack(state, len(self.islands) + 1)
        for island, own in zip(self.islands, states, strict=True):
            island.restore(own)
        self._best_phenotype = decode(phenotype)
        self._done = self.islands[0].next_generation - 1
        if self.next_generation < 0:
            raise damaged_state()

    @property
    def best_phenotype(self) -> str:
        return self._best_phenotype

    @property
    def champions(self) -> list[Champion]:
        halls = (island.champions for island in self.islands)
        return merge_halls(self.problem.cost.is_minimised, halls)

    def measurer(self) -> Measurer:
        return self.islands[0].measurer()

    def refine(self) -> list[Champion]:
        # Only the best island, since a run may have a thousand of them.
        best = self.islands[best_island([island.fitness() for island in self.islands])]
        is_front = self.problem.cost.is_minimised
        return best.tune(merge_halls(is_front, (self.champions, best.prune())))

    def walker(self) -> WalkStage | None:
        return self.islands[0].walker()

    def recommend(
        self, champions: Sequence[Champion], fits: Fits = always_fits
    ) -> Recommendation | None:
        return self.islands[0].recommend(champions, fits)


class EnsembleEvolver(IslandEvolver):
    """Evolves the members of an ensemble, `side_by_side` of them at a time."""

    def __init__(
        self, problem: Problem, settings: Settings, members: Sequence[Island], side_by_side: int
    ) -> None:
        if problem.language.is_layered:
            raise DsgecError(
                "an ensemble needs a grammar without layers",
                f"Use such a grammar, as network, or {mention('islands', settings.ensemble)}.",
            )
        super().__init__(problem, replace(settings, migrants=0), members, side_by_side)
        self.description = self.description.replace("islands", "members of an ensemble")
        self._halls: list[list[Champion]] = []

    def refine(self) -> list[Champion]:
        self._halls = [member.refine() for member in self.islands]
        return merge_halls(self.problem.cost.is_minimised, self._halls)

    def recommend(
        self, champions: Sequence[Champion], fits: Fits = always_fits
    ) -> Recommendation | None:
        """Recommend the mean of what the members recommend, with the champions of all of them.

        The mean may be too large for the budget that its members fit.
        """
        pairs = [*zip(self.islands, self._halls, strict=True)]
        chosen = [choice for member, hall in pairs if (choice := member.recommend(hall, fits))]
        if not chosen or len(chosen) < sum(map(bool, self._halls)):
            return None
        mean = self._mean([choice.champion.phenotype for choice in chosen])
        halls = [choice.champions for choice in chosen]
        first = chosen[0]
        return Recommendation(
            mean,
            tuple(merge_halls(self.problem.cost.is_minimised, halls)),
            first.measure,
            first.baseline,
            first.rows,
            sum(one.candidates for one in chosen),
            unsupported=first.unsupported if all(one.unsupported for one in chosen) else None,
        )

    def winner(self, champions: Sequence[Champion], last: Generation) -> Champion:
        del champions, last
        if not self._halls:  # the run was stopped before it refined them
            return self._mean([member.best_phenotype for member in self.islands])
        best = [min(hall, key=lambda champion: champion.fitness) for hall in self._halls if hall]
        return self._mean([champion.phenotype for champion in best])

    def _mean(self, phenotypes: Sequence[str]) -> Champion:
        mean = mean_phenotype([complete_phenotype(self.problem, one) for one in phenotypes])
        size = self.problem.language.connections(mean)
        return Champion(size, self.islands[0].score(mean), mean)


def mean_phenotype(phenotypes: Sequence[str]) -> str:
    """Return a phenotype of the mean of networks, taken before a softmax."""
    share = repr(1.0 / len(phenotypes))
    if all(one.startswith(_SOFTMAX) and one.endswith(")") for one in phenotypes):
        outputs = [_arguments(one[len(_SOFTMAX) : -1]) for one in phenotypes]
        means = [_mean(own, share) for own in zip(*outputs, strict=True)]
        return f"{_SOFTMAX}{','.join(means)})"
    return _mean(phenotypes, share)


def _mean(terms: Sequence[str], share: str) -> str:
    return f"{share}*({'+'.join(f'({term})' for term in terms)})"


def _arguments(text: str) -> list[str]:
    """Split at the commas outside parentheses."""
    found, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def encode(phenotype: str) -> bytes:
    """Encode a phenotype as a part of a state."""
    return phenotype.encode("utf-8", "surrogatepass")


def decode(part: bytes) -> str:
    """Decode a phenotype, or raise the error of a damaged state."""
    try:
        return part.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged_state() from error
