"""Problems whose phenotypes are any text, scored by a user's fitness instead of a table."""

from dataclasses import replace

import numpy as np

from dsgec.data.dataset import Dataset, Split
from dsgec.errors import DsgecError, mention
from dsgec.grammar.expand import expand, needs_features, needs_outputs
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.ir import Grammar
from dsgec.search.fitness import Evaluator, TextFitness
from dsgec.search.operators import NO_OPERATORS, Operators
from dsgec.search.problem import OBJECTIVES_OF_USER, CostObjective, PhenotypeLanguage, Problem
from dsgec.search.settings import NOTHING
from dsgec.search.text_settings import TextSettings


def make_text_problem(
    grammar: Grammar,
    evaluate: Evaluator,
    settings: TextSettings,
    *,
    name: str,
    digest: str,
    operators: Operators = NO_OPERATORS,
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
        operators,
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


def expand_text_grammar(grammar: Grammar, features: int, outputs: int) -> Grammar:
    """Return a grammar without ranges and without the roles that symbols of networks have."""
    for name, needed, given, last in (
        ("features", needs_features(grammar), features, "x_5"),
        ("outputs", needs_outputs(grammar), outputs, "y_5"),
    ):
        if needed and not given:
            raise DsgecError(
                f"the grammar has a range up to the number of {name}, which only a table has",
                f"Write the last one, such as {last}, or say how many with {mention(name, 5)}.",
            )
    expanded = expand(grammar, features, outputs)
    roles = replace(expanded.directives, layer="", features="", output_layer="", output="")
    return replace(expanded, directives=roles)


def make_text_language(grammar: Grammar, settings: TextSettings) -> PhenotypeLanguage:
    """Make the rule tables of a grammar whose phenotypes are any text."""
    expanded = expand_text_grammar(grammar, settings.features, settings.outputs)
    tables = make_rule_tables(expanded, dict(settings.max_depth))
    return PhenotypeLanguage(expanded, tables, max(settings.features, 1))
