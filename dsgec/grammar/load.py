"""The name of a grammar, a path or a shipped one, to the grammar."""

import hashlib
from dataclasses import dataclass

from dsgec.errors import DsgecError, Fault, clean, listed
from dsgec.grammar.ir import Grammar
from dsgec.grammar.parse import parse_with_warnings
from dsgec.grammar.text import text
from dsgec.resources import GRAMMARS, find, read_bytes

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, repr=False)
class GrammarFile:
    """A grammar with its name.

    :param name: What runs and their folders call it.
    :param grammar: Its rules.
    :param digest: Of the rules, whatever their layout and comments.
    :param warnings: What is odd about it, but not wrong.
    """

    name: str
    grammar: Grammar
    digest: str
    warnings: tuple[Fault, ...]

    def __repr__(self) -> str:
        names = listed([f"<{rule.name}>" for rule in self.grammar.rules], 8)
        return clean(f"<dsgec.Grammar {self.name}: {names}>")


def load_grammar(name: str) -> GrammarFile:
    """The grammar in the file `name`, or the shipped grammar of that name."""
    path = find(name, GRAMMARS, ".bnf", "grammar")
    if path.name.lower().endswith((".csv", ".tsv")):
        raise DsgecError(f"{name} is a table, not a grammar", "The grammar comes first.")
    content = read_bytes(path, name, _MOST_BYTES, pipe=True)
    return _file(content, path.name.split(".")[0] or "grammar", name)


def parse_grammar(source: str, name: str = "grammar") -> GrammarFile:
    """The grammar that a text is; DsgecError with every fault if it is none.

    :param source: The text, in BNF.
    :param name: What runs on it are called after.
    """
    return _file(source, name, name)


def _file(source: str | bytes, name: str, shown: str) -> GrammarFile:
    grammar, warnings = parse_with_warnings(source, shown)
    digest = hashlib.sha256(text(grammar).encode("utf-8", "surrogatepass")).hexdigest()
    return GrammarFile(name, grammar, digest, warnings)
