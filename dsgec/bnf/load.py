"""The name of a grammar, a path or a shipped one, to the grammar."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from dsgec.bnf.ir import Grammar
from dsgec.bnf.parse import parse_with_warnings
from dsgec.bnf.text import text
from dsgec.errors import DsgecError, Fault
from dsgec.resources import GRAMMARS, shipped_names


@dataclass(frozen=True, slots=True)
class GrammarFile:
    """A grammar with its name; `digest` is of the rules, whatever their layout and comments."""

    name: str
    grammar: Grammar
    digest: str
    warnings: tuple[Fault, ...]


def load_grammar(name: str) -> GrammarFile:
    """The grammar in the file `name`, or the shipped grammar of that name."""
    path = Path(name)
    shipped = shipped_names(GRAMMARS, ".bnf")
    if path.is_dir():
        raise DsgecError(f"{name} is a folder, not a grammar", "Give the path of a BNF file.")
    if not path.exists() and name not in shipped:
        raise DsgecError(
            f"there is no grammar {name}",
            f"Give the path of a BNF file, or the name of a shipped one: {', '.join(shipped)}.",
        )
    try:
        data = path.read_bytes() if path.exists() else _shipped(name)
    except OSError as error:
        raise DsgecError(f"cannot read {name}: {error.strerror or error}") from error
    grammar, warnings = parse_with_warnings(data, name)
    digest = hashlib.sha256(text(grammar).encode("utf-8", "surrogatepass")).hexdigest()
    return GrammarFile(path.name.split(".")[0] or "grammar", grammar, digest, warnings)


def _shipped(name: str) -> bytes:
    return GRAMMARS.joinpath(f"{name}.bnf").read_bytes()
