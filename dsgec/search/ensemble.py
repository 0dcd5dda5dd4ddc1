"""Several populations that never meet, and the mean of what they find: one network.

The mean is taken before the sigmoid or the softmax of the output, so that the members and their
mean are networks of the same form; equal parts of members become one when it is simplified.
"""

from collections.abc import Sequence
from dataclasses import replace

from dsgec.errors import DsgecError, mention
from dsgec.network.structure import count_connections
from dsgec.search.evolver import Generation, Island
from dsgec.search.hall import merged
from dsgec.search.individual import Champion
from dsgec.search.islands import IslandEvolver, island_settings
from dsgec.search.problem import Problem
from dsgec.search.recommend import Recommendation
from dsgec.search.settings import Settings

_SOFTMAX = "softmax("


def member_settings(settings: Settings) -> list[Settings]:
    """Those of each member: a seed of its own, of which the first is the run's."""
    return island_settings(replace(settings, islands=settings.ensemble, ensemble=1))


class EnsembleEvolver(IslandEvolver):
    """Members on this machine, `side_by_side` of them at a time."""

    def __init__(
        self, problem: Problem, settings: Settings, members: Sequence[Island], side_by_side: int
    ) -> None:
        if problem.grammar.directives.layer:
            raise DsgecError(
                "an ensemble needs a grammar without layers",
                f"Use such a grammar, as network, or {mention('islands', settings.ensemble)}.",
            )
        super().__init__(problem, replace(settings, migrants=0), members, side_by_side)
        self.description = self.description.replace("islands", "members of an ensemble")
        self._halls: list[list[Champion]] = []

    def tuned(self) -> list[Champion]:
        self._halls = [member.tuned() for member in self.islands]
        return merged(self.problem, self._halls)

    def recommend(self, champions: Sequence[Champion]) -> Recommendation | None:
        """The mean of what the members recommend, beside the champions of all of them."""
        pairs = [*zip(self.islands, self._halls, strict=True)]
        chosen = [choice for member, hall in pairs if (choice := member.recommend(hall))]
        if not chosen or len(chosen) < sum(map(bool, self._halls)):
            return None
        mean = self._mean([choice.champion.phenotype for choice in chosen])
        everybody = tuple(merged(self.problem, [choice.champions for choice in chosen]))
        first = chosen[0]
        return Recommendation(
            mean,
            everybody,
            first.measure,
            first.baseline,
            first.rows,
            sum(one.candidates for one in chosen),
            unsupported=first.unsupported if all(one.unsupported for one in chosen) else None,
        )

    def winner(self, champions: Sequence[Champion], last: Generation) -> Champion:
        del champions, last
        if not self._halls:  # somebody did not want to wait
            return self._mean([member.best_text for member in self.islands])
        best = [min(hall, key=lambda champion: champion.fitness) for hall in self._halls if hall]
        return self._mean([champion.phenotype for champion in best])

    def _mean(self, texts: Sequence[str]) -> Champion:
        text = mean_text([self.problem.complete(text) for text in texts])
        size = count_connections(text, layered=False)
        return Champion(size, self.islands[0].score(text), text)


def mean_text(texts: Sequence[str]) -> str:
    """The text of the mean of networks: of each output, before a softmax."""
    share = repr(1.0 / len(texts))
    if all(text.startswith(_SOFTMAX) and text.endswith(")") for text in texts):
        outputs = [_arguments(text[len(_SOFTMAX) : -1]) for text in texts]
        means = [_mean(own, share) for own in zip(*outputs, strict=True)]
        return f"{_SOFTMAX}{','.join(means)})"
    return _mean(texts, share)


def _mean(texts: Sequence[str], share: str) -> str:
    return f"{share}*({'+'.join(f'({text})' for text in texts)})"


def _arguments(text: str) -> list[str]:
    """What stands between the commas outside parentheses."""
    found, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]
