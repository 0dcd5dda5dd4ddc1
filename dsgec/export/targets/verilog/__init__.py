"""A pipeline in Verilog that takes a row of integers a clock, with a top level and a test bench."""

import re
from typing import Any

from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.target import Target, parse_json
from dsgec.export.targets.verilog.emit import FILES, emit_verilog
from dsgec.export.targets.verilog.run import run_verilog

_METADATA = re.compile(rb"^// metadata: (.*)$", re.MULTILINE)


def read_verilog(data: bytes) -> Any:
    """The metadata, which are JSON in a comment; None where there are none."""
    found = _METADATA.search(data)
    return parse_json(found[1]) if found else None


TARGET = Target(tuple(FILES), emit_verilog, read_verilog, run_verilog, dtypes=tuple(STORED_BITS))
