"""A draft of a grammar to everything that is wrong with it as a whole."""

from collections.abc import Iterator

from dsgec.errors import Fault, Span
from dsgec.grammar.directives import ROLES, Stated, settle
from dsgec.grammar.draft import Draft
from dsgec.grammar.ends import explain_endless, find_ending, find_reachable, find_steps, references
from dsgec.grammar.ir import Alternative, Dots, Grammar, NonTerminal, Rule, Terminal
from dsgec.grammar.measure import measure
from dsgec.grammar.nearest import Nearest
from dsgec.grammar.ranges import (
    GE_RANGE,
    MOST_ALTERNATIVES,
    REPEAT_ADVICE,
    find_range,
    find_repeats,
    is_dots,
)
from dsgec.grammar.source import GrammarSource, shorten


def check(source: GrammarSource, draft: Draft, stated: Stated) -> list[Fault]:
    """Faults first; warnings about the whole only if there are none, for they would be noise."""
    if not draft.rules:
        return _report_no_rules(source, draft)
    names = {rule.name for rule in draft.rules} | draft.known
    nearest = Nearest(names)
    faults = [
        *_duplicates(source, draft.rules),
        *_undefined(source, draft.rules, names, nearest),
        *_unnamed(source, stated, names, nearest),
        *_endless(source, draft, names),
    ]
    for rule in draft.rules:
        faults += _dots(source, rule)
        faults += _ge_ranges(source, rule)
    if any(not fault.warning for fault in [*draft.faults, *stated.faults, *faults]):
        return faults
    directives = settle(names, draft.rules[0].name, stated)
    grammar = Grammar(tuple(draft.rules), directives, source.lines)
    return faults + _unreachable(source, grammar) + _idle_depths(source, grammar, stated)


def _report_no_rules(source: GrammarSource, draft: Draft) -> list[Fault]:
    if any(not fault.warning for fault in draft.faults):
        return []
    message = "the file has no rule" if source.text.strip() else "the file is empty"
    advice = "Write a rule, for example `<start> ::= x_1 | ... | x_n`."
    return [source.fault(message, advice, source.span(1, 1))]


def _duplicates(source: GrammarSource, rules: list[Rule]) -> Iterator[Fault]:
    first: dict[str, Rule] = {}
    for rule in rules:
        earlier = first.setdefault(rule.name, rule)
        if earlier is not rule and earlier.span:
            advice = (
                f"The first is in line {earlier.span.line}. "
                "Join their alternatives with `|`, or rename one."
            )
            yield source.fault(f"`<{rule.name}>` is defined twice", advice, rule.span)


def _undefined(
    source: GrammarSource, rules: list[Rule], names: set[str], nearest: Nearest
) -> Iterator[Fault]:
    """Each undefined symbol once, where it is used first."""
    seen = set(names)
    for rule in rules:
        for alternative in rule.alternatives:
            for symbol in alternative.symbols:
                if isinstance(symbol, NonTerminal) and symbol.name not in seen:
                    seen.add(symbol.name)
                    yield _not_defined(source, symbol.name, symbol.span, nearest)


def _not_defined(
    source: GrammarSource, name: str, span: Span | None, nearest: Nearest, message: str = ""
) -> Fault:
    advice = nearest.advice(name, f"Add a rule `<{shorten(name)}> ::= …`.")
    return source.fault(message or f"`<{shorten(name)}>` is not defined", advice, span)


def _unnamed(
    source: GrammarSource, stated: Stated, names: set[str], nearest: Nearest
) -> Iterator[Fault]:
    for word in ("start", *ROLES):
        said = stated.words.get(word)
        if said and said.value not in names and (said.value or word == "start"):
            message = f"`%{word}` names `<{said.value}>`, which is not defined"
            yield _not_defined(source, said.value, said.span, nearest, message)
    for name, said in stated.depths.items():
        if name not in names:
            message = f"`%max-depth` names `<{name}>`, which is not defined"
            yield _not_defined(source, name, said.span, nearest, message)


def _endless(source: GrammarSource, draft: Draft, names: set[str]) -> Iterator[Fault]:
    assumed = draft.known | draft.broken
    ending = find_ending(draft.rules, names, assumed)
    used = {name for rule in draft.rules for alt in rule.alternatives for name in references(alt)}
    steps = find_steps(draft.rules, ending | (used - names))
    reported: set[str] = set()
    for rule in draft.rules:
        if rule.name not in ending and rule.name not in reported:
            reported.add(rule.name)
            advice = explain_endless(rule, steps)
            yield source.fault(f"`<{rule.name}>` can never end", advice, rule.span)


def _dots(source: GrammarSource, rule: Rule) -> Iterator[Fault]:
    for index, alternative in enumerate(rule.alternatives):
        if is_dots(alternative):
            yield from _range_dots(source, rule, index)
            continue
        for dots, repeat in find_repeats(alternative):
            if repeat is None:
                message = "`...` stands between no two equal symbols"
                yield source.fault(message, REPEAT_ADVICE, dots.span)


def _range_dots(source: GrammarSource, rule: Rule, index: int) -> Iterator[Fault]:
    span = rule.alternatives[index].span
    ends = rule.alternatives[max(0, index - 1) : index + 2]
    if index == 0 or len(ends) != 3:
        message = "`...` has no alternative on " + ("its left" if index == 0 else "its right")
        yield source.fault(message, "Write both ends, for example `x_1 | ... | x_n`.", span)
        return
    if any(isinstance(symbol, Dots) for end in (ends[0], ends[2]) for symbol in end.symbols):
        if not is_dots(ends[0]):
            advice = "Write both ends, for example `x_1 | ... | x_n`."
            yield source.fault("`...` stands beside `...`", advice, span)
        return
    found = find_range(ends[0], ends[2])
    shown = f"`{_show(ends[0])} | ... | {_show(ends[2])}`"
    if found is None:
        advice = "The ends must differ in one number or letter: `x_1 | ... | x_n`, `a | ... | e`."
        yield source.fault(f"{shown} is not a range", advice, span)
    elif isinstance(found.end, int) and found.end < found.start:
        yield source.fault(f"{shown} runs backwards", "Exchange its ends.", span)
    elif isinstance(found.end, int) and found.end - found.start >= MOST_ALTERNATIVES:
        advice = f"A grammar may have {MOST_ALTERNATIVES} alternatives."
        yield source.fault(f"{shown} is too long", advice, span)


def _show(alternative: Alternative) -> str:
    parts = []
    for symbol in alternative.symbols[:5]:
        match symbol:
            case Terminal(text):
                parts.append(text[:40])
            case NonTerminal(name):
                parts.append(f"<{name}>")
            case Dots():
                parts.append("...")
    return " ".join(parts)


def _ge_ranges(source: GrammarSource, rule: Rule) -> Iterator[Fault]:
    for alternative in rule.alternatives:
        for symbol in alternative.symbols:
            if not isinstance(symbol, Terminal) or "GE_RANGE" not in symbol.text:
                continue
            match = GE_RANGE.fullmatch(symbol.text)
            size = match["size"] if match else ""
            advice = "Write `GE_RANGE:dataset_n_vars` or, for example, `GE_RANGE:7`."
            if len(alternative.symbols) > 1:
                message = "PonyGE2's GE_RANGE must be a whole alternative"
                advice = "Give it a rule of its own: `<i> ::= GE_RANGE:dataset_n_vars`."
                yield source.fault(message, advice, symbol.span)
            elif match is None:
                message = f"`{symbol.text[:60]}` is a GE_RANGE of PonyGE2 that is not supported"
                yield source.fault(message, advice, symbol.span)
            elif size.isdigit() and not 0 < int(size) <= MOST_ALTERNATIVES:
                message = f"`{symbol.text}` has no alternatives or too many"
                yield source.fault(message, advice, symbol.span)


def _unreachable(source: GrammarSource, grammar: Grammar) -> list[Fault]:
    start = grammar.directives.start
    reached = find_reachable(grammar.rules, start)
    return [
        source.fault(
            f"`<{rule.name}>` is not reachable from `<{start}>`",
            "Use it in a rule, remove it, or state another `%start`.",
            rule.span,
            warning=True,
        )
        for rule in grammar.rules
        if rule.name not in reached
    ]


def _idle_depths(source: GrammarSource, grammar: Grammar, stated: Stated) -> list[Fault]:
    if not stated.depths:
        return []
    measures = measure(grammar)
    idle = {r.name for r, cyclic in zip(grammar.rules, measures.cyclic, strict=True) if not cyclic}
    return [
        source.fault(
            f"`<{name}>` is not recursive, so `%max-depth` does nothing for it",
            f"Remove `{name}={said.value}`, or name the symbol that recurs.",
            said.span,
            warning=True,
        )
        for name, said in stated.depths.items()
        if name in idle
    ]
