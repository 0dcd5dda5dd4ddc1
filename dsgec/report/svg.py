"""Model to a drawing of its network as SVG: features on the left, outputs on the right."""

from dsgec.network.model import Model
from dsgec.rendering import render_markup
from dsgec.report.layout import draw
from dsgec.report.nodes import named_nodes


def svg(model: Model) -> str:
    """The whole network: weights by colour and width, formulas as titles."""
    drawing = draw(model, named_nodes(model), whole=True)
    return render_markup("svg/network.svg.j2", drawing=drawing)
