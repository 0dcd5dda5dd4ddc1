"""Parse a grammar, or load the grammar of a file or a shipped one by its name."""

import hashlib
from dataclasses import dataclass, replace

from dsgec.errors import DsgecError, Fault, clean, join_names
from dsgec.grammar.check import check_grammar
from dsgec.grammar.directives import complete_directives, read_directives
from dsgec.grammar.draft import read_draft
from dsgec.grammar.ir import Grammar
from dsgec.grammar.source import read_source, sort_faults
from dsgec.grammar.text import grammar_text
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
        names = join_names([f"<{rule.name}>" for rule in self.grammar.rules], 8)
        return clean(f"<dsgec.Grammar {self.name}: {names}>")


def load_grammar(name: str, *, any_text: bool = False) -> GrammarFile:
    """Load the grammar in the file `name`, or the shipped grammar of that name.

    With `any_text`, its phenotypes need not be networks.
    """
    path = find(name, GRAMMARS, ".bnf", "grammar")
    if path.name.lower().endswith((".csv", ".tsv")):
        raise DsgecError(f"{name} is a table, not a grammar", "The grammar comes first.")
    content = read_bytes(path, name, _MOST_BYTES, pipe=True)
    return _make_file(content, path.name.split(".")[0] or "grammar", name, any_text=any_text)


def parse_grammar(source: str, name: str = "grammar", *, any_text: bool = False) -> GrammarFile:
    """Parse a grammar, or raise a DsgecError with every fault of its text.

    :param source: The text, in BNF.
    :param name: What runs on it are called after.
    :param any_text: Whether its phenotypes need not be networks, for `dsgec.search`.
    """
    return _make_file(source, name, name, any_text=any_text)


def _make_file(source: str | bytes, name: str, shown: str, *, any_text: bool) -> GrammarFile:
    grammar, warnings = parse_with_warnings(source, shown, any_text=any_text)
    digest = hashlib.sha256(grammar_text(grammar).encode("utf-8", "surrogatepass")).hexdigest()
    return GrammarFile(name, grammar, digest, warnings)


def parse_with_warnings(
    text: str | bytes, source: str, *, any_text: bool = False
) -> tuple[Grammar, tuple[Fault, ...]]:
    """Return the grammar of a BNF text and its warnings.

    Raise a DsgecError with every fault of the text if it is not a grammar. Messages call the text
    `source`.
    """
    origin = read_source(text, source)
    draft = read_draft(origin, any_text=any_text)
    stated = read_directives(origin, draft.directives)
    faults = sort_faults(draft.faults + stated.faults + check_grammar(origin, draft, stated))
    if any(not fault.warning for fault in faults):
        raise DsgecError(faults)
    names = {rule.name for rule in draft.rules}
    directives = complete_directives(names, draft.rules[0].name, stated)
    if draft.indents:
        directives = replace(directives, indent="python")
    return Grammar(tuple(draft.rules), directives, origin.lines), faults


def parse(text: str | bytes, source: str) -> Grammar:
    """Return the grammar of a BNF text, as `parse_with_warnings` does."""
    return parse_with_warnings(text, source)[0]
