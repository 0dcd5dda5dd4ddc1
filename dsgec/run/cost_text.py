"""Say in words what a network takes of a chip: cycles, RAM, and the share of the time."""

from dsgec.network.cost.chips import CHIPS, Cost


def cycles_text(cost: Cost) -> str:
    """Return the cycles of a row, or of a signal those of a sample and of a window."""
    if cost.sample is None:
        return f"{cost.cycles:,} cycles a row"
    return f"{cost.sample:,} cycles a sample and {cost.cycles:,} more a window"


def ram_text(cost: Cost) -> str:
    """Return the bytes of RAM of a signal; empty for a table, which needs stack only."""
    if cost.state is None:
        return ""
    return f"{cost.state:,} bytes of RAM a stream and {cost.stack:,} of stack"


def time_text(cost: Cost, chip: str, rate: float) -> str:
    """Return how much of the time between two samples is used, at the clock of a chip."""
    megahertz = CHIPS[chip].megahertz
    share = time_share(cost, chip, rate)
    text = (
        f"at {rate:g} samples a second and {megahertz} MHz, the last sample of a window takes"
        f" {duration(cost.longest / megahertz)}, {share:.2g} % of the time between two samples"
    )
    return text if share <= 100.0 else f"{text}, which is too much"


def time_share(cost: Cost, chip: str, rate: float) -> float:
    """Return the per cent of the time between two samples that the last one of a window takes."""
    return 100.0 * cost.longest * rate / (CHIPS[chip].megahertz * 1e6)


def duration(microseconds: float) -> str:
    """Return a time with three digits, in microseconds or milliseconds."""
    if microseconds < 1000:
        return f"{microseconds:.3g} µs"
    return f"{microseconds / 1000:,.3g} ms"
