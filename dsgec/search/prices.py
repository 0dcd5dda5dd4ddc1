"""Check that the networks of a grammar can be priced for a chip, and say what users should know."""

from collections.abc import Sequence

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.errors import DsgecError, mention
from dsgec.network.cost.chips import CHIPS, chip_prices
from dsgec.network.ir import Apply, Network
from dsgec.search.settings import DTYPES, Settings


def functions_of(networks: Sequence[Network]) -> set[str]:
    """Return the names of the functions that any of the networks applies."""
    nodes = (node for network in networks for node in network.nodes)
    return {node.function for node in nodes if isinstance(node, Apply)}


def check_prices(settings: Settings, used: set[str]) -> None:
    """Refuse a chip and a type without an estimate, and a grammar that uses a function without."""
    unknown = sorted(
        (used & {*FUNCTIONS}) - chip_prices(settings.chip, settings.dtype).needs.keys()
    )
    if unknown:
        raise DsgecError(
            f"there is no estimate of {', '.join(unknown)} on {settings.chip}",
            f"Use {mention('minimise', 'connections')}, or a grammar without it. In a clone of the"
            " project, `python -m benchmarks.chips` measures new functions.",
        )


def price_note(settings: Settings) -> str:
    """Return what a user should know who expects the default type on a chip that has none."""
    if CHIPS[settings.chip].has_double:
        return ""
    return (
        f"{settings.chip} has no {DTYPES[0]}: {settings.minimise} is estimated for C with"
        f" {mention('dtype', settings.dtype)}; export it with that, too"
    )
