"""The course of a run to a curve in a notebook, drawn again and again in one place."""

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
    """A callback that draws how far a run is; None outside a notebook."""
    if not is_notebook():
        return None
    from IPython.display import HTML, display

    history: list[HistoryRow] = []
    handle: Any = None

    def draw(progress: "Progress") -> None:
        nonlocal handle
        history.extend(progress.rows)
        page = HTML(_page(progress, history))
        if handle is None:
            handle = display(page, display_id=True)
        else:
            handle.update(page)

    return draw


def is_notebook() -> bool:
    """Whether an IPython kernel runs this, so that somebody sees pictures."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def picture_data(svg: str) -> str:
    """A picture as the data of a link, so that its styles stay its own."""
    return base64.b64encode(svg.encode("utf-8")).decode("ascii")


def _page(progress: "Progress", history: list[HistoryRow]) -> str:
    chart = fitness_chart(history, "fitness; less is better")
    return render_markup(
        "html/progress.html.j2",
        progress=progress,
        best=format_number(progress.best),
        evaluations=f"{progress.evaluations:,}",
        seconds=f"{progress.seconds:.1f}",
        description=chart.description,
        picture=picture_data(chart_picture(chart)),
    )
