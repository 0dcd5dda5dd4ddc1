"""The page about programs shows what is really printed."""

from pathlib import Path

from dsgec.export.artefact import Artefact
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.program.print_c import CPrinter
from dsgec.program.text import program_text

PAGE = Path(__file__).parents[2] / "docs" / "program.md"


def test_the_page_shows_the_program_and_the_c_of_its_network():
    network, text, source = (
        block.strip() for block in PAGE.read_text(encoding="utf-8").split("```")[1::2]
    )
    columns = tuple(Column(name) for name in ("speed", "current", "pressure"))
    model = Model(parse(network), columns, ("idle", "running", "fault"))
    ranges = ((-1.0, 1.0),) * 3
    packed = Artefact(model, "pump", "q7", ranges=ranges, layout="packed").packed

    assert text == program_text(packed.program).strip()
    assert source == CPrinter(packed.program, "pump").print().strip()
