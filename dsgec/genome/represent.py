"""The representation that a run asks for, or why its grammar cannot have it."""

from dsgec.errors import DsgecError
from dsgec.genome.dsge import Dsge
from dsgec.genome.ge import Ge
from dsgec.genome.ir import Representation
from dsgec.genome.sge import Sge
from dsgec.genome.tables import Tables


def represent(
    engine: str, tables: Tables, *, connect: str, max_size: int, codons: int, wraps: int
) -> Representation:
    """One of ENGINES for a grammar; only DSGE can make rules while it maps."""
    if engine == "dsge":
        return Dsge(tables, connect, max_size)
    if tables.has_dynamic_rules:
        features = tables.names[tables.features]
        raise DsgecError(
            f"{engine.upper()} cannot evolve this grammar: `<{features}>` is made again for each"
            " layer, and only DSGE can do that",
            "Use --engine dsge, or a grammar without layers, such as one_layer.",
        )
    if engine == "ge":
        return Ge(tables, max_size, codons, wraps)
    sge = Sge(tables, max_size)
    _ = sge.sizes  # refuses what is too large
    return sge
