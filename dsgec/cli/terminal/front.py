"""The front of a run that minimises a cost to a few lines of a terminal."""

from collections.abc import Sequence

from dsgec.errors import counted
from dsgec.folder import open_folder
from dsgec.run.folder import read_hall
from dsgec.run.hall import HallRow
from dsgec.run.job import WrittenRun
from dsgec.search.settings import NOTHING

_MOST_SHOWN = 8
_UNITS = {"connections": "connections", "flash": "bytes of flash", "cycles": "cycles a row"}


def front_lines(run: WrittenRun) -> list[str]:
    """Some networks of the front, from the cheapest to the best; none where there is no front."""
    settings, result = run.record.settings, run.record.result
    what = settings.get("minimise", NOTHING)
    if what == NOTHING:
        return []
    with open_folder(run.folder) as folder:
        front = [one for one in read_hall(folder) if one.front]
    front.sort(key=lambda one: one.cost(what) or 0)
    metric = next(iter(result.test))
    head = (_UNITS[what], result.objective, f"test {metric.replace('_', ' ')}")
    widths = [max(len(word), 9) + 2 for word in head]
    shown = _some(front)
    some = f", {len(shown)} of them" if len(shown) < len(front) else ""
    lines = [f"front: {counted(len(front), 'network')} that no cheaper one is as good as{some}"]
    if what != "connections":
        lines[0] += f" ({settings['chip']}, {settings['dtype']})" if "chip" in settings else ""
    lines.append("".join(f"{word:>{width}}" for word, width in zip(head, widths, strict=True)))
    for one in shown:
        test = one.test.get(metric)
        cells = (f"{one.cost(what):,}", f"{one.score:.4f}", "-" if test is None else f"{test:.4f}")
        lines.append("".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)))
    return lines


def _some(front: Sequence[HallRow]) -> list[HallRow]:
    """At most so many, evenly chosen, the first and the last among them."""
    last = len(front) - 1
    if last < _MOST_SHOWN:
        return [*front]
    return [front[round(number * last / (_MOST_SHOWN - 1))] for number in range(_MOST_SHOWN)]
