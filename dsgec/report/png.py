"""A figure to the bytes of a PNG file.

Painted by Pillow (7 MB, 0.02 s to import), which brings a font of its own, so the picture is the
same wherever that version of Pillow paints it; matplotlib is ten times as large and as slow.
"""

import io
import math
from collections.abc import Iterator

from dsgec.report.figure import Figure, Point, Stroke

_SCALE = 2  # pixels of the picture to a unit of the figure
_FINER = 3  # painted so many times larger, then averaged: that is what smooths the edges


def png(figure: Figure) -> bytes:
    """The figure as PNG."""
    from PIL import Image, ImageColor, ImageDraw, ImageFont

    scale = _SCALE * _FINER
    size = (round(figure.width) * scale, round(figure.height) * scale)
    picture = Image.new("RGB", size, "#ffffff")
    for area in figure.areas:
        mask = Image.new("L", size, 0)
        opacity = round(255 * area.opacity)
        ImageDraw.Draw(mask).polygon([(x * scale, y * scale) for x, y in area.points], opacity)
        box = mask.getbbox()
        if box is not None:  # what lies outside stays as it is, and takes most of the time
            picture.paste(ImageColor.getrgb(area.colour), box, mask.crop(box))
    brush = ImageDraw.Draw(picture)
    for stroke in figure.strokes:
        for piece in _pieces(stroke):
            points = [(x * scale, y * scale) for x, y in piece]
            brush.line(points, stroke.colour, round(stroke.width * scale), joint="curve")
    picture = picture.resize((size[0] // _FINER, size[1] // _FINER), Image.Resampling.BOX)
    brush = ImageDraw.Draw(picture)
    anchors = {"start": "ls", "middle": "ms", "end": "rs"}
    for label in figure.labels:
        font = ImageFont.load_default(label.size * _SCALE)
        place = (label.x * _SCALE, label.y * _SCALE)
        brush.text(place, label.text, label.colour, font, anchors[label.anchor])
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def _pieces(stroke: Stroke) -> Iterator[list[Point]]:
    """The dashes of a line, or the line as a whole."""
    if not stroke.dashes:
        yield list(stroke.points)
        return
    number, left = 0, stroke.dashes[0]
    piece = [stroke.points[0]]
    for start, end in zip(stroke.points, stroke.points[1:], strict=False):
        (x, y), length = start, math.dist(start, end)
        done = 0.0
        while length - done > left:
            done += left
            share = done / length
            x, y = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
            piece.append((x, y))
            if number % 2 == 0:
                yield piece
            piece = [(x, y)]
            number += 1
            left = stroke.dashes[number % len(stroke.dashes)]
        left -= length - done
        piece.append(end)
    if number % 2 == 0:
        yield piece
