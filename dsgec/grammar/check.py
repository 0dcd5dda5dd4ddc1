"""Check the rules and directives of a grammar as a whole."""

from collections.abc import Iterable, Iterator, Mapping

from dsgec.errors import Fault, Span
from dsgec.grammar.directives import ROLES, DirectiveLines, complete_directives
from dsgec.grammar.draft import Draft
from dsgec.grammar.expand import (
    GE_OUTPUTS,
    GE_RANGE,
    MOST_ALTERNATIVES,
    REPEAT_ADVICE,
    find_range,
    find_repeats,
    is_dots,
)
from dsgec.grammar.ir import Alternative, Dots, Grammar, NonTerminal, Rule, Terminal
from dsgec.grammar.recursion import analyse_recursion, find_finite_order
from dsgec.grammar.source import GrammarSource, NameSuggester, shorten

_MOST_SHOWN = 8


def check_grammar(source: GrammarSource, draft: Draft, stated: DirectiveLines) -> list[Fault]:
    """Return the errors of a grammar or, if there are none, the warnings."""
    if not draft.rules:
        return _report_no_rules(source, draft)
    names = {rule.name for rule in draft.rules} | draft.known
    suggester = NameSuggester(names)
    faults = [
        *_duplicates(source, draft.rules),
        *_undefined_symbols(source, draft.rules, names, suggester),
        *_undefined_in_directives(source, stated, names, suggester),
        *_endless_rules(source, draft, names),
    ]
    for rule in draft.rules:
        faults += _misplaced_dots(source, rule)
        faults += _wrong_ge_ranges(source, rule, any_text=draft.any_text)
    if any(not fault.warning for fault in [*draft.faults, *stated.faults, *faults]):
        return faults
    directives = complete_directives(names, draft.rules[0].name, stated)
    grammar = Grammar(tuple(draft.rules), directives, source.lines)
    return faults + _unreachable_rules(source, grammar) + _unused_depths(source, grammar, stated)


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


def _undefined_symbols(
    source: GrammarSource, rules: list[Rule], names: set[str], suggester: NameSuggester
) -> Iterator[Fault]:
    """Yield a fault for each undefined symbol, where it is used first."""
    seen = set(names)
    for rule in rules:
        for alternative in rule.alternatives:
            for symbol in alternative.symbols:
                if isinstance(symbol, NonTerminal) and symbol.name not in seen:
                    seen.add(symbol.name)
                    yield _undefined_fault(source, symbol.name, symbol.span, suggester)


def _undefined_fault(
    source: GrammarSource, name: str, span: Span | None, suggester: NameSuggester, message: str = ""
) -> Fault:
    advice = suggester.advice(name, f"Add a rule `<{shorten(name)}> ::= …`.")
    return source.fault(message or f"`<{shorten(name)}>` is not defined", advice, span)


def _undefined_in_directives(
    source: GrammarSource, stated: DirectiveLines, names: set[str], suggester: NameSuggester
) -> Iterator[Fault]:
    for word in ("start", *ROLES):
        directive = stated.words.get(word)
        if directive and directive.value not in names and (directive.value or word == "start"):
            message = f"`%{word}` names `<{directive.value}>`, which is not defined"
            yield _undefined_fault(source, directive.value, directive.span, suggester, message)
    for name, directive in stated.depths.items():
        if name not in names:
            message = f"`%max-depth` names `<{name}>`, which is not defined"
            yield _undefined_fault(source, name, directive.span, suggester, message)


def _endless_rules(source: GrammarSource, draft: Draft, names: set[str]) -> Iterator[Fault]:
    assumed = draft.known | draft.broken
    ending = _find_finite(draft.rules, names, assumed)
    used = {name for rule in draft.rules for alt in rule.alternatives for name in _references(alt)}
    blockers = _find_blockers(draft.rules, ending | (used - names))
    reported: set[str] = set()
    for rule in draft.rules:
        if rule.name not in ending and rule.name not in reported:
            reported.add(rule.name)
            advice = _explain_endless(rule, blockers)
            yield source.fault(f"`<{rule.name}>` can never end", advice, rule.span)


def _misplaced_dots(source: GrammarSource, rule: Rule) -> Iterator[Fault]:
    for index, alternative in enumerate(rule.alternatives):
        if is_dots(alternative):
            yield from _wrong_ranges(source, rule, index)
            continue
        for dots, repeat in find_repeats(alternative):
            if repeat is None:
                message = "`...` is not between two equal symbols"
                yield source.fault(message, REPEAT_ADVICE, dots.span)


def _wrong_ranges(source: GrammarSource, rule: Rule, index: int) -> Iterator[Fault]:
    span = rule.alternatives[index].span
    ends = rule.alternatives[max(0, index - 1) : index + 2]
    if index == 0 or len(ends) != 3:
        message = "`...` has no alternative on " + ("its left" if index == 0 else "its right")
        yield source.fault(message, "Write both ends, for example `x_1 | ... | x_n`.", span)
        return
    if any(isinstance(symbol, Dots) for end in (ends[0], ends[2]) for symbol in end.symbols):
        if not is_dots(ends[0]):
            advice = "Write both ends, for example `x_1 | ... | x_n`."
            yield source.fault("`...` is next to another `...`", advice, span)
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


def _wrong_ge_ranges(source: GrammarSource, rule: Rule, *, any_text: bool) -> Iterator[Fault]:
    for alternative in rule.alternatives:
        for symbol in alternative.symbols:
            if not isinstance(symbol, Terminal) or "GE_RANGE" not in symbol.text:
                continue
            match = GE_RANGE.fullmatch(symbol.text)
            size = match["size"] if match else ""
            match = None if size in GE_OUTPUTS and not any_text else match
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


def _unreachable_rules(source: GrammarSource, grammar: Grammar) -> list[Fault]:
    start = grammar.directives.start
    reached = _find_reachable(grammar.rules, start)
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


def _unused_depths(source: GrammarSource, grammar: Grammar, stated: DirectiveLines) -> list[Fault]:
    if not stated.depths:
        return []
    recursion = analyse_recursion(grammar)
    idle = {r.name for r, cyclic in zip(grammar.rules, recursion.cyclic, strict=True) if not cyclic}
    return [
        source.fault(
            f"`<{name}>` is not recursive, so `%max-depth` does nothing for it",
            f"Remove `{name}={directive.value}`, or name the symbol that recurs.",
            directive.span,
            warning=True,
        )
        for name, directive in stated.depths.items()
        if name in idle
    ]


def _references(alternative: Alternative) -> list[str]:
    """Return the names that an alternative uses, as often as it uses them."""
    return [symbol.name for symbol in alternative.symbols if isinstance(symbol, NonTerminal)]


def _find_finite(rules: Iterable[Rule], names: set[str], assumed: set[str]) -> set[str]:
    """Return the symbols with a finite derivation; undefined and `assumed` ones count as such."""
    needs = [
        (rule.name, {name for name in _references(alternative) if name in names})
        for rule in rules
        for alternative in rule.alternatives
    ]
    return assumed | {needs[number][0] for number in find_finite_order(needs, assumed)}


def _find_blockers(rules: Iterable[Rule], ending: set[str]) -> dict[str, str]:
    """Return, for each symbol that never ends, a symbol that keeps it from ending."""
    blockers: dict[str, str] = {}
    for rule in rules:
        if rule.name not in ending and rule.name not in blockers:
            used = _references(rule.alternatives[0])
            blockers[rule.name] = next(name for name in used if name not in ending)
    return blockers


def _explain_endless(rule: Rule, blockers: Mapping[str, str]) -> str:
    """Return why a rule never ends: the loop that it is in, or the one that it leads to."""
    path = [rule.name]
    while len(path) <= _MOST_SHOWN and path[-1] not in path[:-1]:
        path.append(blockers[path[-1]])
    shown = " → ".join(f"`<{name}>`" for name in path)
    if path[-1] == rule.name:
        return f"Every alternative leads back: {shown}. Add one without `<{rule.name}>`."
    if path[-1] not in path[:-1]:
        shown += " → …"
    return f"Every alternative needs a symbol that never ends: {shown}. Fix that one first."


def _find_reachable(rules: Iterable[Rule], start: str) -> set[str]:
    """Return the symbols that a derivation from `start` can have."""
    by_name = {rule.name: rule for rule in rules}
    reached = {start}
    ready = [start]
    while ready:
        for alternative in by_name[ready.pop()].alternatives:
            for name in _references(alternative):
                if name not in reached:
                    reached.add(name)
                    ready.append(name)
    return reached
