"""BNF text to a checked Grammar, or every fault of the text at once."""

from dsgec.bnf.build import build
from dsgec.bnf.check import check
from dsgec.bnf.directives import read_directives, settle
from dsgec.bnf.ir import Grammar
from dsgec.bnf.source import in_order, read
from dsgec.errors import DsgecError, Fault


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
