"""Draw the progress of a run as a curve that is updated in a notebook."""

import base64
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dsgec.rendering import render_markup
from dsgec.report.format import format_number
from dsgec.report.history_charts import fitness_chart
from dsgec.report.page import chart_picture
from dsgec.search.evolver import HistoryRow

if TYPE_CHECKING:
    from dsgec.api.evolve import Progress


def live_curve() -> "Callable[[Progress], None] | None":
    """Return a callback that draws the progress of a run, or None outside a notebook."""
    if not is_notebook():
        return None
    from IPython.display import HTML, display

    history: list[HistoryRow] = []
    handle: Any = None

    def draw(progress: "Progress") -> None:
        nonlocal handle
        history.extend(progress.rows)
        page = HTML(_render(progress, history))
        if handle is None:
            handle = display(page, display_id=True)
        else:
            handle.update(page)

    return draw


def is_notebook() -> bool:
    """Return whether this runs in an IPython kernel, which shows pictures."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def encode_picture(svg: str) -> str:
    """Return a picture in base64 for a data URL, which keeps its styles apart from the page's."""
    return base64.b64encode(svg.encode("utf-8")).decode("ascii")


def _render(progress: "Progress", history: list[HistoryRow]) -> str:
    chart = fitness_chart(history, "fitness; less is better")
    return render_markup(
        "html/progress.html.j2",
        progress=progress,
        best=format_number(progress.best),
        evaluations=f"{progress.evaluations:,}",
        seconds=f"{progress.seconds:.1f}",
        description=chart.description,
        picture=encode_picture(chart_picture(chart)),
    )
