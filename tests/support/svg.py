"""An independent reader of SVG pictures: shapes with their coordinates, and the axes of a chart."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np

NAMESPACE = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Shape:
    """An element with its class, its title and all points that its attributes name."""

    kind: str
    name: str
    title: str
    text: str
    points: tuple[tuple[float, float], ...]
    attributes: dict[str, str]

    @property
    def box(self):
        """The room of a text, generously estimated: left, top, right, bottom."""
        ((x, y),) = self.points
        size = float(self.attributes.get("font-size", 13))
        width = 0.55 * size * len(self.text)
        anchor = self.attributes.get("text-anchor", "start")
        left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        return left, y - 0.8 * size, left + width, y + 0.2 * size


def read_svg(text):
    """Return width, height and the shapes of a picture."""
    root = ET.fromstring(text)
    _, _, width, height = map(float, root.get("viewBox").split())
    shapes = []
    for element in root.iter():
        kind = element.tag.removeprefix(NAMESPACE)
        if kind in ("circle", "text", "path", "polyline", "polygon", "rect"):
            title = element.find(f"{NAMESPACE}title")
            shapes.append(
                Shape(
                    kind,
                    element.get("class", ""),
                    "" if title is None else title.text or "",
                    (element.text or "") if kind == "text" else "",
                    points_of(kind, element),
                    dict(element.attrib),
                )
            )
    return width, height, shapes


def points_of(kind, element):
    if kind == "circle":
        return ((float(element.get("cx")), float(element.get("cy"))),)
    if kind == "text":
        return ((float(element.get("x")), float(element.get("y"))),)
    if kind == "rect":
        if "%" in element.get("width"):
            return ()
        x, y, w, h = (float(element.get(a)) for a in ("x", "y", "width", "height"))
        return ((x + w / 2, y + h / 2),)
    if kind == "path":
        return tuple(path_points(element.get("d")))
    numbers = [float(n) for n in NUMBER.findall(element.get("points"))]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def path_points(path):
    """Yield the end of each segment of a path of M, L, C, H, V, h and v."""
    x = y = 0.0
    for command, rest in re.findall(r"([MLCHVhv])([^MLCHVhv]*)", path):
        numbers = [float(n) for n in NUMBER.findall(rest)]
        match command:
            case "M" | "L" | "C":
                x, y = numbers[-2:]
            case "H":
                (x,) = numbers
            case "V":
                (y,) = numbers
            case "h":
                x += numbers[0]
            case "v":
                y += numbers[0]
        yield x, y


def label_value(text):
    return float(text.replace(",", "").replace("−", "-"))


def axis(ticks, *, is_log=False):
    """Return a function from places to values, fitted to the ticks (place, value) of an axis."""
    places, values = np.array(sorted(ticks)).T
    if is_log:
        values = np.log(values)
    slope, offset = np.polyfit(places, values, 1)
    # Every tick lies on the line: the axis is what it seems to be.
    assert np.allclose(slope * places + offset, values, atol=1e-2 * np.ptp(values) + 1e-9)
    assert (np.diff(values) > 0).all() or (np.diff(values) < 0).all()
    return lambda place: np.exp(slope * place + offset) if is_log else slope * place + offset


def chart_axes(shapes, *, is_log=False):
    """Return the functions from places to values across and up, read from the labels of ticks."""
    ticks = [shape for shape in shapes if shape.kind == "text" and shape.name == "tick"]
    up = [s for s in ticks if s.attributes["text-anchor"] == "end"]
    across = [s for s in ticks if s.attributes["text-anchor"] == "middle"]
    return (
        axis([(s.points[0][0], label_value(s.text)) for s in across]),
        axis([(s.points[0][1] - 4, label_value(s.text)) for s in up], is_log=is_log),
    )


def overlapping(boxes):
    """Return the pairs of boxes that share some room."""
    return [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[i + 1 :]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]
