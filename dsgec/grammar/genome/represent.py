"""The representation that a run asks for, or why its grammar cannot have it."""

from dsgec.errors import DsgecError, mention
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.ge import Ge
from dsgec.grammar.genome.ir import Representation
from dsgec.grammar.genome.sge import Sge
from dsgec.grammar.genome.tables import Tables


def represent(
    representation: str,
    tables: Tables,
    *,
    connect: str,
    max_size: int,
    codons: int,
    wraps: int,
    growth: float | None = None,
) -> Representation:
    """One of REPRESENTATIONS for a grammar; only DSGE can make rules while it maps."""
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
    sge = Sge(tables, max_size)
    _ = sge.sizes  # refuses what is too large
    return sge
