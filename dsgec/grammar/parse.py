"""BNF text to a checked Grammar, or every fault of the text at once."""

from dsgec.errors import DsgecError, Fault
from dsgec.grammar.build import build
from dsgec.grammar.check import check
from dsgec.grammar.directives import read_directives, settle
from dsgec.grammar.ir import Grammar
from dsgec.grammar.source import in_order, read


def parse(text: str | bytes, source: str) -> Grammar:
    """The grammar that `text` is; DsgecError with every fault if it is none."""
    return parse_with_warnings(text, source)[0]


def parse_with_warnings(text: str | bytes, source: str) -> tuple[Grammar, tuple[Fault, ...]]:
    """The grammar, and what looks like a mistake in it but may be meant."""
    origin = read(text, source)
    draft = build(origin)
    stated = read_directives(origin, draft.directives)
    faults = in_order(draft.faults + stated.faults + check(origin, draft, stated))
    if any(not fault.warning for fault in faults):
        raise DsgecError(faults)
    names = {rule.name for rule in draft.rules}
    directives = settle(names, draft.rules[0].name, stated)
    return Grammar(tuple(draft.rules), directives, origin.lines), faults
