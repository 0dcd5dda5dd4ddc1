"""Make the representation of a grammar by its name."""

from dsgec.errors import DsgecError, mention
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.ge import Ge
from dsgec.grammar.genome.genotype import Representation
from dsgec.grammar.genome.psge import CoPsge, ProbabilitySettings, Psge
from dsgec.grammar.genome.rule_tables import RuleTables
from dsgec.grammar.genome.sge import Sge


def represent(
    representation: str,
    tables: RuleTables,
    *,
    connect: str,
    max_size: int,
    codons: int,
    wraps: int,
    growth: float | None = None,
    probabilities: ProbabilitySettings | None = None,
) -> Representation:
    """Return one of REPRESENTATIONS, or raise a DsgecError if the grammar cannot have it."""
    if representation == "dsge":
        return Dsge(tables, connect, max_size, growth)
    if tables.has_dynamic_rules:
        features = tables.names[tables.features]
        raise DsgecError(
            f"{representation.upper()} cannot evolve this grammar: `<{features}>` is made again for"
            " each layer, and only DSGE can do that",
            f"Use {mention('representation', 'dsge')}, or a grammar without layers, such as"
            " one_layer.",
        )
    if representation == "ge":
        return Ge(tables, max_size, codons, wraps)
    if representation == "psge":
        return Psge(tables, max_size, probabilities or ProbabilitySettings())
    if representation == "copsge":
        return CoPsge(tables, max_size, probabilities or ProbabilitySettings())
    sge = Sge(tables, max_size)
    _ = sge.sizes  # raises if they are too large
    return sge
