"""The graph for Graphviz: every connection is there, and names are only ever names."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from dsgec.literals import dot_string
from dsgec.network.model import Model, plain_columns, unnamed_model
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import find_links
from dsgec.report.dot import network_dot
from tests.support.random_networks import random_network

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    'a"; b -> c; "',
    "ends in \\",
    '\\"',
    "\\N \\G \\n \\l",
    "&lt;b&gt; &amp; &#60;",
    "<b>bold</b>",
    "two\nlines\r\0\x1b[31m",
    "größe 列",
    "{a|b}",
    "",
]


def drawn(text):
    """Return the layout that Graphviz computes."""
    program = shutil.which("dot")
    if program is None:
        pytest.skip("Graphviz is not installed")
    answer = subprocess.run(
        [program, "-Tsvg"], input=text.encode(), capture_output=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == b""
    return ET.fromstring(answer.stdout)


def example():
    net = parse_phenotype("sig(x_1)-relu(x_2-x_3)--softmax(h_1_1, -2*h_1_2, x_1*x_2)", layered=True)
    return Model(simplify(net), plain_columns(("a", "b", "c")), ("no", "yes", "perhaps"))


def test_layers_are_ranks_and_weights_stand_on_the_edges():
    text = network_dot(example())

    assert re.findall(r"rank=(\w+);", text) == ["source", "same", "sink"]
    assert re.findall(r"^  (\w+ -> \w+) ", text, re.MULTILINE) == [
        "x1 -> h_1_1",
        "x2 -> h_1_2",
        "x3 -> h_1_2",
        "h_1_1 -> y_1",
        "h_1_2 -> y_2",
        "x1 -> y_3",
        "x2 -> y_3",
    ]
    assert re.findall(r'label="(-?[0-9.]+)", penwidth=([0-9.]+)', text) == [
        ("1", "2.3"),
        ("1", "2.3"),
        ("-1", "2.3"),
        ("1", "2.3"),
        ("-2", "4.0"),
    ]
    assert text.count("style=dashed") == 2
    for weight, colour in re.findall(r'label="(-?[0-9.]+)".*, color="([^"]+)"', text):
        assert colour == ("#c05621" if weight.startswith("-") else "#2b6cb0")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_drawn_as_it_stands(name):
    net = parse("y_1 = sig(2 * x_1)\n")
    root = drawn(network_dot(Model(net, plain_columns((name,)), ("no", name))))
    shown = "".join(c if c.isprintable() else "�" for c in name)
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    nodes = [g for g in root.iter(f"{SVG}g") if g.get("class") == "node"]

    assert len(nodes) == 2
    # Graphviz keeps blanks together with a character of their own.
    assert [text.replace("\u00a0", " ") for text in texts] == [
        text for text in (shown, f"p({shown}): sig", "2") if text
    ]


def test_a_string_is_one_line_and_ends_where_it_should():
    for name in HOSTILE:
        quoted = dot_string(name)
        inside = quoted[1:-1].replace("\\\\", "").replace('\\"', "")
        assert '"' not in inside
        assert "\\" not in inside
        assert quoted.isprintable()


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_have_all_their_connections(seed):
    net = simplify(random_network(seed))
    text = network_dot(unnamed_model(net))

    assert len(re.findall(r"^  \w+ -> \w+ ", text, re.MULTILINE)) == len(find_links(net))
    if len(find_links(net)) < 60:
        root = drawn(text)
        edges = [g for g in root.iter(f"{SVG}g") if g.get("class") == "edge"]
        assert len(edges) == len(find_links(net))
