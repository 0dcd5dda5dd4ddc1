"""The drawing of a network is well-formed, whatever the names, and shows every connection."""

import xml.etree.ElementTree as ET

import pytest

from dsgec.network.model import Model, plain_columns, unnamed_model
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import Link, find_links
from dsgec.report.network_drawing import network_svg
from tests.support.random_networks import random_network

SVG = "{http://www.w3.org/2000/svg}"


def test_weights_are_found_in_sums_of_products():
    net = parse_phenotype("sig(0.5*x_1 - x_2*2 + 1)--sig(-(3*h_1_1) + x_1)", layered=True)
    h = net.layers[0][0]
    x1, x2 = (net.nodes.index(node) for node in net.nodes if type(node).__name__ == "Input")

    assert find_links(net) == [
        Link(x1, h, 0.5),
        Link(x2, h, -2.0),
        Link(h, 0, -3.0, output=True),
        Link(x1, 0, 1.0, output=True),
    ]


def test_a_connection_that_is_no_product_has_no_weight():
    net = parse("sig(x_1 * x_2) + min(x_1, 3)")

    assert [link.weight for link in find_links(net)] == [None, None, 1.0, None]


def test_every_part_is_drawn():
    net = simplify(
        parse_phenotype("sig(x_1)-sig(x_2-x_3)--softmax(h_1_1, 2*h_1_2, x_1)", layered=True)
    )
    root = ET.fromstring(
        network_svg(Model(net, plain_columns(("a", "b", "c")), ("no", "yes", "perhaps")))
    )

    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts == ["a", "b", "c", "h_1_1", "h_1_2", "p(no)", "p(yes)", "p(perhaps)"]
    assert len(list(root.iter(f"{SVG}path"))) == len(find_links(net)) == 6


@pytest.mark.parametrize("name", ['<script>"&', "\0\x1b[31m", "]]>", "\ud800", "x" * 500])
def test_a_name_stays_a_name(name):
    text = network_svg(Model(parse("sig(x_1)"), plain_columns((name,)), ("a", name)))
    root = ET.fromstring(text.encode("utf-8"))

    assert not list(root.iter("script"))
    assert "<script>" not in text


@pytest.mark.parametrize("seed", range(40))
def test_random_networks_are_drawn(seed):
    root = ET.fromstring(network_svg(unnamed_model(simplify(random_network(seed)))))

    assert len(list(root.iter(f"{SVG}circle"))) >= 1
