"""The name of a grammar, a path or a shipped one, to the grammar."""

import hashlib
from dataclasses import dataclass

from dsgec.bnf.ir import Grammar
from dsgec.bnf.parse import parse_with_warnings
from dsgec.bnf.text import text
from dsgec.errors import DsgecError, Fault
from dsgec.resources import GRAMMARS, find, read_bytes

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class GrammarFile:
    """A grammar with its name; `digest` is of the rules, whatever their layout and comments."""

    name: str
    grammar: Grammar
    digest: str
    warnings: tuple[Fault, ...]


def load_grammar(name: str) -> GrammarFile:
    """The grammar in the file `name`, or the shipped grammar of that name."""
    path = find(name, GRAMMARS, ".bnf", "grammar")
    if path.name.lower().endswith((".csv", ".tsv")):
        raise DsgecError(f"{name} is a table, not a grammar", "The grammar comes first.")
    grammar, warnings = parse_with_warnings(read_bytes(path, name, _MOST_BYTES, pipe=True), name)
    digest = hashlib.sha256(text(grammar).encode("utf-8", "surrogatepass")).hexdigest()
    return GrammarFile(path.name.split(".")[0] or "grammar", grammar, digest, warnings)
