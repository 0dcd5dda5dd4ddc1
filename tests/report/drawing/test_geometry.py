"""Drawings have the right geometry, as an independent reading of the SVG finds it."""

import io
import math

import numpy as np
import pytest
from PIL import Image

from dsgec.folder import open_folder
from dsgec.network.model import Model, plain_columns, unnamed_model
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import find_links
from dsgec.report.chart import linear_scale, suitable_scale
from dsgec.report.curve_figure import Curve, draw_curves, figure_png, figure_svg
from dsgec.report.history_charts import fitness_chart, size_chart
from dsgec.report.network_drawing import named_nodes, network_svg
from dsgec.report.page import chart_picture
from dsgec.report.quality_charts import calibration_chart, roc_chart, value_charts
from dsgec.run.result_folder import read_result
from dsgec.search.evolver import HistoryRow
from tests.support.random_networks import random_network
from tests.support.run_folders import many_classes, numeric_target, two_classes
from tests.support.svg import chart_axes, label_value, overlapping, read_svg


def layered(phenotype, names):
    return Model(simplify(parse_phenotype(phenotype, layered=True)), plain_columns(names))


MODELS = {
    "random": [unnamed_model(simplify(random_network(seed))) for seed in range(30)],
    "layers": [
        layered(
            "sig(0.5*x_1-2*x_2+1)-sig(4*x_3)--sig(h_1_1-8*h_1_2+x_4)--sig(h_2_1+0.25*h_1_1)",
            ("a", "b", "c", "d"),
        )
    ],
    "wide": [
        layered(
            "-".join(f"sig({i}.5*x_{i}+x_{i % 60 + 1})" for i in range(1, 61))
            + "--sig("
            + "+".join(f"{i}*h_1_{i}" for i in range(1, 61))
            + ")",
            tuple(f"feature {i}" for i in range(60)),
        )
    ],
}
EACH_MODEL = pytest.mark.parametrize("model", [model for some in MODELS.values() for model in some])


@EACH_MODEL
def test_dots_of_a_network_are_inside_and_apart(model):
    width, height, shapes = read_svg(network_svg(model))
    dots = [shape.points[0] for shape in shapes if shape.kind == "circle"]

    assert len(dots) == len(named_nodes(model))
    assert all(9 <= x <= width - 9 and 9 <= y <= height - 9 for x, y in dots)
    assert all(math.dist(a, b) >= 18 for i, a in enumerate(dots) for b in dots[i + 1 :])
    labels = [shape.box for shape in shapes if shape.kind == "text"]
    assert len(labels) == len(dots)
    assert all(top >= 0 and bottom <= height for _, top, _, bottom in labels)


@EACH_MODEL
def test_every_connection_is_drawn_once_between_its_dots(model):
    _, _, shapes = read_svg(network_svg(model))
    dots = {shape.points[0]: shape for shape in shapes if shape.kind == "circle"}
    wires = [shape for shape in shapes if shape.kind == "path"]
    ends = [(wire.points[0], wire.points[-1]) for wire in wires]
    nodes = named_nodes(model)
    sources = {node.position: node.place for node in nodes if node.kind != "output"}
    outputs = [node.place for node in nodes if node.kind == "output"]
    by_place = dict(enumerate(shape.points[0] for shape in shapes if shape.kind == "circle"))
    expected = {
        (sources[link.source], outputs[link.target] if link.output else sources[link.target])
        for link in find_links(model.network)
    }

    assert len(set(ends)) == len(ends)
    assert {*ends} == {(by_place[start], by_place[end]) for start, end in expected}
    layer = {p: i for i, some in enumerate(model.network.layers) for p in some}
    for start, end in expected:
        (x, _), (reader_x, _) = by_place[start], by_place[end]
        assert dots[by_place[end]].name in ("neuron", "output")
        # A neuron that another one contains may be of the same layer, or of a later one.
        first, last = (layer.get(nodes[place].position, -1) for place in (start, end))
        assert x < reader_x or (nodes[end].kind == "neuron" and first >= last)


@EACH_MODEL
def test_the_width_of_a_wire_grows_with_its_weight_and_its_colour_is_its_sign(model):
    _, _, shapes = read_svg(network_svg(model))
    known = []
    for wire in (shape for shape in shapes if shape.kind == "path"):
        texts = wire.title.rpartition(": ")[2].split(" and ")
        if "not a plain weight" in texts or any("∞" in text for text in texts):
            continue
        weight = sum(map(label_value, texts))
        known.append((abs(weight), float(wire.attributes["stroke-width"])))
        if len(texts) == 1:
            assert wire.name == ("minus" if weight < 0 else "plus")
    if known:
        weights, widths = np.array(known).T
        largest = weights.max() or 1.0
        assert widths == pytest.approx(0.7 + 4.3 * weights / largest, abs=0.02)


def test_layers_are_columns_from_left_to_right():
    _, _, shapes = read_svg(network_svg(MODELS["layers"][0]))
    dots = [shape for shape in shapes if shape.kind == "circle"]
    columns = {}
    for dot in dots:
        name = dot.title.split(" = ")[0]
        key = name.rpartition("_")[0] if name.startswith("h_") else dot.name
        columns.setdefault(key, set()).add(dot.points[0][0])

    assert all(len(places) == 1 for places in columns.values())
    places = [min(columns[key]) for key in ("feature", "h_1", "h_2", "output")]
    assert places == sorted(places)
    assert len({*np.diff(places)}) == 1


@pytest.mark.parametrize("seed", range(30))
def test_scales_are_monotone_evenly_labelled_and_cover_their_values(seed):
    rng = np.random.default_rng(seed)
    values = (rng.normal(size=8) * 10.0 ** rng.integers(-8, 9)).tolist()
    for scale in (linear_scale(values, 254.0, 30.0), suitable_scale([*map(abs, values)], 0.0, 9.0)):
        inside = values if scale.low <= min(values) else [*map(abs, values)]
        assert scale.low <= min(inside) <= max(inside) <= scale.high
        places = [scale.place(value) for value in sorted(inside)]
        assert places == sorted(places, reverse=scale.end < scale.start)
        assert {scale.place(scale.low), scale.place(scale.high)} == {scale.start, scale.end}
        assert len({label for _, label in scale.labels()}) == len(scale.ticks)
        if not scale.is_log:
            assert np.diff(scale.ticks) == pytest.approx(np.diff(scale.ticks)[0])


def assert_inside(width, height, shapes):
    for shape in shapes:
        assert all(0 <= x <= width and 0 <= y <= height for x, y in shape.points), shape
    ticks = [shape.box for shape in shapes if shape.name == "tick"]
    assert not overlapping(ticks)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The result of a run for each kind of target."""
    found = {}
    for make in (two_classes, many_classes, numeric_target):
        folder = tmp_path_factory.mktemp(make.__name__)
        make(folder)
        with open_folder(folder / "run") as opened:
            found[make.__name__] = read_result(opened)
    return found


def history(best, mean=None):
    rows = zip(best, mean or best, strict=True)
    return [HistoryRow(i, b, m, 0, 10 * i, 0, 5 + i % 7) for i, (b, m) in enumerate(rows)]


@pytest.mark.parametrize(
    "best", [[3.0, 2.5, 2.5, 2.0], [900.0, 90.0, 30.0, 2.0, 1.0], [0.5] * 40, [1e-5, 9e-6, 8e-6]]
)
def test_the_fitness_chart_draws_every_generation(best):
    chart = fitness_chart(history(best), "fitness")
    width, height, shapes = read_svg(chart_picture(chart))
    assert_inside(width, height, shapes)
    across, up = chart_axes(shapes, is_log=chart.up.is_log)
    (line,) = (shape for shape in shapes if shape.name == "line s0")
    places = [p for i, p in enumerate(line.points) if i % 2 == 0]  # a step is an H and a V
    drawn = [(across(x), up(y)) for x, y in places]

    assert [x for x, _ in drawn] == pytest.approx(range(len(best)), abs=0.1)
    spread = max(best) - min(best) or max(best)
    assert [y for _, y in drawn] == pytest.approx(best, abs=0.02 * spread)


def test_the_size_chart_draws_the_connections():
    rows = history([1.0] * 12)
    width, height, shapes = read_svg(chart_picture(size_chart(rows)))
    assert_inside(width, height, shapes)
    _, up = chart_axes(shapes)
    (line,) = (shape for shape in shapes if shape.name == "line s0")

    drawn = [up(y) for i, (_, y) in enumerate(line.points) if i % 2 == 0]
    assert drawn == pytest.approx([row.size for row in rows], abs=0.05)


@pytest.mark.parametrize("kind", ["two_classes", "many_classes"])
def test_roc_curves_rise_from_corner_to_corner(results, kind):
    run = results[kind]
    for part in ("train", "test"):
        width, height, shapes = read_svg(chart_picture(roc_chart(run, part)))
        assert_inside(width, height, shapes)
        across, up = chart_axes(shapes)
        lines = [shape for shape in shapes if shape.name.startswith("line ")]
        curves = [curve for curve in run.evidence.roc[part] if curve.points]
        assert len(lines) == len(curves)
        for line, curve in zip(lines, curves, strict=True):
            drawn = np.array([(across(x), up(y)) for x, y in line.points])
            rates = np.array(curve.points) / (curve.negatives, curve.positives)
            assert drawn == pytest.approx(rates, abs=0.003)
            assert drawn[0] == pytest.approx((0, 0), abs=0.003)
            assert drawn[-1] == pytest.approx((1, 1), abs=0.003)
            assert (np.diff(drawn, axis=0) >= -1e-9).all()
            area = np.trapezoid(drawn[:, 1], drawn[:, 0])
            assert area == pytest.approx(curve.auc, abs=0.01)


def test_calibration_is_drawn_where_its_bins_are(results):
    run = results["many_classes"]
    width, height, shapes = read_svg(chart_picture(calibration_chart(run)))
    assert_inside(width, height, shapes)
    across, up = chart_axes(shapes)
    for style, part in enumerate(("train", "test")):
        marks = [shape for shape in shapes if shape.name == f"mark s{style}"]
        bins = [one for one in run.evidence.calibration[part] if one.rows >= 5]
        drawn = [(across(x), up(y)) for ((x, y),) in (mark.points for mark in marks)]
        expected = [(one.promised, one.true / one.rows) for one in bins]
        assert np.array(drawn).reshape(-1, 2) == pytest.approx(
            np.array(expected).reshape(-1, 2), abs=0.003
        )


def test_predictions_and_residuals_are_drawn_where_they_are(results):
    run = results["numeric_target"]
    values, residuals = (read_svg(chart_picture(chart)) for chart in value_charts(run))
    for (width, height, shapes), point in (
        (values, lambda actual, predicted: (actual, predicted)),
        (residuals, lambda actual, predicted: (predicted, actual - predicted)),
    ):
        assert_inside(width, height, shapes)
        across, up = chart_axes(shapes)
        for style, part in enumerate(("train", "test")):
            marks = [shape for shape in shapes if shape.name == f"mark s{style}"]
            drawn = np.array([(across(x), up(y)) for ((x, y),) in (mark.points for mark in marks)])
            expected = np.array([point(*pair) for pair in run.evidence.pairs[part]])
            assert drawn == pytest.approx(expected, abs=0.01 * np.ptp(expected))


def curves(count=3):
    generations = np.arange(0.0, 101.0, 10.0)
    return [
        Curve(
            f"row {i}", 5, generations, 3.0 - i + np.exp(-generations / 20), 0.1 + generations / 500
        )
        for i in range(count)
    ]


@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_curve_is_drawn_in_the_middle_of_its_band(count):
    given = curves(count)
    width, height, shapes = read_svg(figure_svg(draw_curves(given, "title", "subtitle")))
    lines = [s for s in shapes if s.attributes.get("stroke-width") == "2.4"]
    bands = [s for s in shapes if s.kind == "polygon"]
    ticks = [s for s in shapes if s.kind == "text" and s.attributes["text-anchor"] == "end"]
    places = np.array([(s.points[0][1] - 4.5, label_value(s.text)) for s in ticks])
    slope, offset = np.polyfit(places[:, 0], places[:, 1], 1)

    assert len(lines) == len(bands) == count
    for shape in shapes:
        assert all(0 <= x <= width and 0 <= y <= height for x, y in shape.points)
    for curve, line, band in zip(given, lines, bands, strict=True):
        upper, lower = band.points[: len(line.points)], band.points[len(line.points) :][::-1]
        for (x, y), (x_upper, top), (x_lower, bottom) in zip(
            line.points, upper, lower, strict=True
        ):
            assert x == x_upper == x_lower
            assert top < y < bottom
            assert y == pytest.approx((top + bottom) / 2, abs=0.2)
        drawn = [slope * y + offset for _, y in line.points]
        assert drawn == pytest.approx(curve.mean, abs=0.02)
        spread = [
            slope * (y - bottom) for (_, y), (_, bottom) in zip(line.points, lower, strict=True)
        ]
        assert spread == pytest.approx(curve.deviation, abs=0.02)


def test_names_at_the_ends_of_curves_do_not_overlap():
    same = [Curve(f"row {i}", 5, *(np.ones(2) * 4,) * 3) for i in range(8)]
    _, height, shapes = read_svg(figure_svg(draw_curves(same, "title", "subtitle")))
    names = [shape for shape in shapes if shape.text.startswith("row ")]

    assert len(names) == 8
    assert not overlapping([name.box for name in names])
    assert all(0 < name.points[0][1] < height for name in names)


def test_the_png_has_the_colours_of_the_svg_where_its_curves_are():
    figure = draw_curves(curves(2), "title", "subtitle")
    picture = np.asarray(Image.open(io.BytesIO(figure_png(figure))).convert("RGB")).astype(int)
    width, height, shapes = read_svg(figure_svg(figure))

    assert picture.shape == (2 * height, 2 * width, 3)
    assert (picture[0, 0] == 255).all()
    solid = [
        s
        for s in shapes
        if s.attributes.get("stroke-width") == "2.4" and "stroke-dasharray" not in s.attributes
    ]
    assert solid
    for line in solid:
        colour = [int(line.attributes["stroke"][i : i + 2], 16) for i in (1, 3, 5)]
        for x, y in line.points[1:-1]:
            row, column = round(2 * y), round(2 * x)
            near = picture[row - 2 : row + 3, column - 2 : column + 3].reshape(-1, 3)
            assert abs(near - colour).sum(axis=1).min() <= 30
