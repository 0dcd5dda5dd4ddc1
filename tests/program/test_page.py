"""The page about programs shows what is really printed."""

from pathlib import Path

from dsgec.export.artefact import LAYOUTS, Artefact
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.program.print_c import CPrinter
from dsgec.program.print_python import PythonPrinter
from dsgec.program.print_rust import RustPrinter
from dsgec.program.text import program_text

PAGE = Path(__file__).parents[2] / "docs" / "program.md"


def made(network, dtype, layout):
    """Return the artefact of the network on the page."""
    columns = tuple(Column(name) for name in ("speed", "current", "pressure"))
    model = Model(parse(network), columns, ("idle", "running", "fault"))
    return Artefact(model, "pump", dtype, ranges=((-1.0, 1.0),) * 3, layout=layout)


def shown(network, layout):
    """Return the program of the network in doubles as text, C, Rust and Python."""
    program = made(network, "double", layout).program
    printers = CPrinter(program, "pump"), RustPrinter(program), PythonPrinter(program)
    return [text.strip() for text in (program_text(program), *(p.print() for p in printers))]


def test_the_page_shows_one_network_in_every_layout():
    network, *blocks = (
        block.strip() for block in PAGE.read_text(encoding="utf-8").split("```")[1::2]
    )
    floats = [text for layout in LAYOUTS for text in shown(network, layout)]
    packed = made(network, "q7", "packed").packed

    assert blocks[: len(floats)] == floats
    assert blocks[len(floats) :] == [
        program_text(packed.program).strip(),
        CPrinter(packed.program, "pump").print().strip(),
    ]
