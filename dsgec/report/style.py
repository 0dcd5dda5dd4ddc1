"""The styles of pages, and of a chart that stands alone as a picture."""

from dsgec.rendering import load_template, render_markup
from dsgec.report.chart import Chart

_CHART, _PAGE = "report/chart.css", "report/style.css"


def page_style() -> str:
    """The style sheet of a page."""
    return f"{load_template(_CHART)}{load_template(_PAGE)}"


def chart_picture(chart: Chart) -> str:
    """A chart as an SVG file, with the style that it needs."""
    return render_markup("svg/chart.svg.j2", c=chart, style=load_template(_CHART))
