"""Problems whose phenotypes are any text, scored by a user's fitness instead of a table."""

from dataclasses import replace

import numpy as np

from dsgec.data.dataset import Dataset, Split
from dsgec.errors import DsgecError, mention
from dsgec.grammar.expand import expand, needs_features, needs_outputs
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.ir import Grammar
from dsgec.search.fitness import Evaluator, TextFitness
from dsgec.search.problem import OBJECTIVES_OF_USER, CostObjective, PhenotypeLanguage, Problem
from dsgec.search.settings import NOTHING
from dsgec.search.text_settings import TextSettings


def make_text_problem(
    grammar: Grammar, evaluate: Evaluator, settings: TextSettings, *, name: str, digest: str
) -> Problem:
    """Return the problem of a grammar and a fitness, which has this name and digest."""
    language = make_text_language(grammar, settings)
    fitness = TextFitness(
        name,
        digest,
        evaluate,
        settings.objectives,
        settings.maximise,
        settings.variation == "trees",
    )
    minimised = OBJECTIVES_OF_USER if settings.has_fronts else NOTHING
    rows = np.arange(1)
    problem = Problem(
        language,
        Dataset(name, ("none",), "", (), np.zeros((1, 1)), np.zeros(1), digest),
        Split(rows, rows[:0]),
        "rmse",  # of which nothing is computed
        cost=CostObjective(minimised),
        fitness=fitness,
    )
    problem.represent(settings)
    return problem


def expand_text_grammar(grammar: Grammar, features: int) -> Grammar:
    """Return a grammar without ranges and without the roles that symbols of networks have."""
    if needs_outputs(grammar) or (needs_features(grammar) and not features):
        what = "outputs (m)" if needs_outputs(grammar) else "features (n)"
        raise DsgecError(
            f"the grammar has a range up to the number of {what}, which only a table has",
            f"Write the last one, such as x_5, or say how many with {mention('features', 5)}."
            if needs_features(grammar)
            else "Write the last one, such as y_3.",
        )
    expanded = expand(grammar, features, 1)
    roles = replace(expanded.directives, layer="", features="", output_layer="", output="")
    return replace(expanded, directives=roles)


def make_text_language(grammar: Grammar, settings: TextSettings) -> PhenotypeLanguage:
    """Make the rule tables of a grammar whose phenotypes are any text."""
    expanded = expand_text_grammar(grammar, settings.features)
    tables = make_rule_tables(expanded, dict(settings.max_depth))
    return PhenotypeLanguage(expanded, tables, max(settings.features, 1))
