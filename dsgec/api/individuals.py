"""The individuals of a run's populations, as `individuals` of a run returns them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dsgec.errors import DsgecError
from dsgec.grammar.genome.derivation_tree import TreeNode, make_tree
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.indentation import indent_lines
from dsgec.random import Stream
from dsgec.run.populations import PopulationLog
from dsgec.search.evolver import Member
from dsgec.search.individual import INFINITE
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings


@dataclass(frozen=True, slots=True)
class LoggedIndividual:
    """An individual of a population.

    :param genotype: Its integers, by rule and part.
    :param phenotype: Its text; empty if it has none.
    :param score: Its score, as it is reported; None if it is invalid.
    :param values: The cases or objectives that a fitness of your own gave.
    :param tree: Its derivation tree; None if it has no phenotype, or layers.
    """

    genotype: Genotype
    phenotype: str
    score: float | None
    values: tuple[float, ...]
    tree: TreeNode | None


@dataclass(frozen=True, slots=True, eq=False)
class Populations:
    """Makes the individuals of the last generation, or of a logged one."""

    problem: Problem
    settings: Settings
    logged: Mapping[str, bytes]
    last: Sequence[Member] | None = None

    def __call__(self, generation: int | None) -> tuple[LoggedIndividual, ...]:
        """Return the individuals of a generation, by default the last."""
        members = self.last
        if generation is not None:
            members = PopulationLog(given=self.logged).read(generation).members(generation)
        if members is None:
            raise DsgecError("the last generation is not known", "Say which generation you want.")
        return tuple(map(self._describe, members))

    def _describe(self, member: Member) -> LoggedIndividual:
        genotype, fitness, values = member
        derivation = self.problem.represent(self.settings).express(genotype, Stream(0, 0, 0))
        score = self.problem.as_score(fitness) + 0.0 if fitness < INFINITE else None
        if derivation.fault:
            return LoggedIndividual(genotype, "", None, (), None)
        language = self.problem.language
        tree = None if language.is_layered else make_tree(language.tables, derivation)
        text = derivation.phenotype
        if language.grammar.directives.indent:
            text = indent_lines(text)
        is_maximised = self.problem.fitness is not None and self.problem.fitness.maximise
        values = tuple((-one if is_maximised else one) + 0.0 for one in values)
        return LoggedIndividual(genotype, text, score, values, tree)


def no_populations(_: int | None) -> tuple[LoggedIndividual, ...]:
    """Raise an error, for a run that does not know its populations."""
    raise DsgecError(
        "this run does not know its populations",
        'A run that was made with log="populations" does; give `load` the grammar of a search.',
    )
