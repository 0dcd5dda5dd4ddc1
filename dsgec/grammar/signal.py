"""Enumerate the features of windows that a grammar names, and put columns in their place.

A grammar of signals has channels, `c_1 | ... | c_n`, where other grammars have `x_1 | ... | x_n`.
A symbol whose texts are all features, such as `std(lowpass(c_1, 3))`, is replaced by the columns
that these features are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from dsgec.errors import DsgecError, Fault
from dsgec.grammar.expand import expand
from dsgec.grammar.ir import Alternative, Dots, Grammar, NonTerminal, Rule, Terminal
from dsgec.grammar.recursion import analyse_recursion
from dsgec.signal.description import Call
from dsgec.signal.parse import parse_feature
from dsgec.signal.sensors import find_axes, fits_window, on_channels

MOST_FEATURES = 5000
"""The most features that a grammar can name for a log."""
_MOST_TEXTS = 200_000  # before those are left out that a window is too short for

_CHANNEL = re.compile(r"(?<![A-Za-z0-9_])c_[0-9]+(?![A-Za-z0-9_])")
_AXES = re.compile(r"(?<![A-Za-z0-9_])axes(?![A-Za-z0-9_])")
_CALL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\(.*\)")


@dataclass(frozen=True, slots=True)
class SignalGrammar:
    """A grammar of signals for channels and a window.

    `calls` are all features that it names, and `symbols` has those of each symbol, by number.
    """

    grammar: Grammar
    calls: tuple[Call, ...]
    symbols: Mapping[str, tuple[int, ...]]

    def on_columns(self, columns: Sequence[Call]) -> Grammar:
        """Return the grammar of a table with these features as columns, in this order.

        Raise a DsgecError if a symbol has none of them.
        """
        places = {call: place for place, call in enumerate(columns, 1)}
        rules = []
        for rule in _outside(self.grammar, self.symbols):
            if rule.name not in self.symbols:
                rules.append(rule)
                continue
            own = [self.calls[number] for number in self.symbols[rule.name]]
            found = [places[call] for call in own if call in places]
            if not found:
                message = f"no feature of `<{rule.name}>` differs from window to window"
                raise DsgecError(self.grammar.fault(message, "", rule.span))
            rules.append(replace(rule, alternatives=_columns(found, rule)))
        return replace(self.grammar, rules=tuple(rules))


def has_channels(grammar: Grammar) -> bool:
    """Return whether a grammar has the channels of a signal, `c_1`."""
    return any(map(_names_channel, _terminals(grammar.rules)))


def expand_signal(grammar: Grammar, channels: Sequence[str], window: int) -> SignalGrammar:
    """Return the features that a grammar names for channels and a window.

    A number that the window is too short for is left out. Raise a DsgecError if a text is no
    feature, or if there are too many.
    """
    return _Enumeration(grammar, channels, window).enumerate()


class _Enumeration:
    """Derives the texts of symbols."""

    def __init__(self, grammar: Grammar, channels: Sequence[str], window: int) -> None:
        self.grammar, self.channels, self.window = grammar, channels, window
        expanded = expand(grammar, len(channels), 1)
        self.rules = {rule.name: rule for rule in expanded.rules}
        recursion = analyse_recursion(expanded)
        pairs = zip(expanded.rules, recursion.cyclic, strict=True)
        self.cyclic = {rule.name for rule, cyclic in pairs if cyclic}
        self.reached = {name: {*self._reach(name)} for name in self.rules}

    def enumerate(self) -> SignalGrammar:
        """Return the symbols that are features, with all features of each."""
        symbols = [*self._find(self.grammar.directives.start, {})]
        calls: dict[Call, int] = {}
        found = {}
        for name in symbols:
            own = dict.fromkeys(self._calls(name))
            if not own:
                message = f"`<{name}>` has no feature for a window of {self.window} samples"
                advice = "Its numbers are too large, or no channels are axes of one sensor."
                raise self.fault(message, advice, name)
            for call in own:
                calls.setdefault(call, len(calls))
            if len(calls) > MOST_FEATURES:
                raise self.too_many(name)
            found[name] = tuple(calls[call] for call in own)
        return SignalGrammar(self.grammar, tuple(calls), found)

    def _find(self, name: str, seen: dict[str, None]) -> Iterator[str]:
        """Yield the outermost symbols, from one on, whose texts are all features."""
        seen[name] = None
        if self._is_feature(name):
            yield name
            return
        rule = self.rules[name]
        for symbol in (symbol for each in rule.alternatives for symbol in each.symbols):
            if isinstance(symbol, Terminal) and _names_channel(symbol):
                raise self._misplaced_error([*seen], symbol)
            if isinstance(symbol, NonTerminal) and symbol.name not in seen:
                yield from self._find(symbol.name, seen)

    def _is_feature(self, name: str) -> bool:
        inside = [self.rules[inner] for inner in self.reached[name]]
        if self.reached[name] & self.cyclic or not any(map(_names_channel, _terminals(inside))):
            return False
        texts = (self._first(alternative) for alternative in self.rules[name].alternatives)
        return all(_fault(text) is None for text in texts)

    def _misplaced_error(self, way: list[str], channel: Terminal) -> DsgecError:
        """Return the error of a channel outside of a feature, or of what caused that."""
        for name in reversed(way):
            if name in self.cyclic:
                message = f"`<{name}>` refers to itself, so that features have no end"
                if any(_CALL.fullmatch(self._first(a)) for a in self.rules[name].alternatives[:2]):
                    return self.fault(message, "Write out how deep filters may be.", name)
                continue
            if self.reached[name] & self.cyclic:
                continue
            for alternative in self.rules[name].alternatives:
                text = self._first(alternative)
                fault = _fault(text) if _CALL.fullmatch(text) else None
                if fault is not None and "expected the name" not in fault.message:
                    message = f"`{text}` is not a feature: {fault.message}"
                    return DsgecError(self.grammar.fault(message, fault.advice, alternative.span))
        advice = "Use channels in features, `<feature> ::= mean(<channel>) | std(<channel>)`."
        message = f"the channel `{channel.text}` stands outside of a feature"
        return DsgecError(self.grammar.fault(message, advice, channel.span))

    def _first(self, alternative: Alternative) -> str:
        """Return a text that an alternative derives."""
        return "".join(
            symbol.text
            if isinstance(symbol, Terminal)
            else self._first(self._shortest(symbol.name))
            for symbol in alternative.symbols
            if not isinstance(symbol, Dots)
        )

    def _shortest(self, name: str) -> Alternative:
        """Return the first alternative of a symbol that does not lead back to it."""
        for alternative in self.rules[name].alternatives:
            called = [s.name for s in alternative.symbols if isinstance(s, NonTerminal)]
            if not any(name in self.reached[one] for one in called):
                return alternative
        return self.rules[name].alternatives[-1]

    def _reach(self, name: str) -> Iterator[str]:
        waiting, seen = [name], {name}
        while waiting:
            yield (one := waiting.pop())
            for alternative in self.rules[one].alternatives:
                for symbol in alternative.symbols:
                    if isinstance(symbol, NonTerminal) and symbol.name not in seen:
                        seen.add(symbol.name)
                        waiting.append(symbol.name)

    def _calls(self, name: str) -> Iterator[Call]:
        """Yield the features of a symbol that the window is long enough for."""
        if self._count(name, {}) > _MOST_TEXTS:
            raise self.too_many(name)
        names = {f"c_{number}": channel for number, channel in enumerate(self.channels, 1)}
        groups = [", ".join(f"c_{number + 1}" for number in group) for group in self._axes()]
        for text in self._texts(name, {}):
            whole = [_AXES.sub(group, text) for group in groups] if _AXES.search(text) else [text]
            for one in whole:
                fault = _fault(one)
                if fault is not None:
                    message = f"`{one}` is not a feature: {fault.message}"
                    rule = self.rules[name]
                    raise DsgecError(self.grammar.fault(message, fault.advice, rule.span))
                call = parse_feature(one)
                if fits_window(call, self.window):
                    yield on_channels(call, names)

    def _axes(self) -> list[tuple[int, ...]]:
        return find_axes(self.channels)

    def _count(self, name: str, known: dict[str, int]) -> int:
        """Return how many texts a rule derives, which is added to the `known` numbers."""
        if name not in known:
            known[name] = 0
            for alternative in self.rules[name].alternatives:
                size = 1
                for symbol in alternative.symbols:
                    if isinstance(symbol, NonTerminal):
                        size *= self._count(symbol.name, known)
                known[name] += size
        return known[name]

    def _texts(self, name: str, known: dict[str, list[str]]) -> list[str]:
        if name not in known:
            found: list[str] = []
            for alternative in self.rules[name].alternatives:
                parts = [
                    [symbol.text]
                    if isinstance(symbol, Terminal)
                    else self._texts(symbol.name, known)
                    for symbol in alternative.symbols
                    if not isinstance(symbol, Dots)
                ]
                found += map("".join, product(*parts))
            known[name] = found
        return known[name]

    def fault(self, message: str, advice: str, name: str) -> DsgecError:
        return DsgecError(self.grammar.fault(message, advice, self.rules[name].span))

    def too_many(self, name: str) -> DsgecError:
        message = f"`<{name}>` has more than {MOST_FEATURES:,} features"
        count = len(self.channels)
        advice = f"The log has {count} channels; name fewer filters or numbers for each."
        return self.fault(message, advice, name)


def _fault(text: str) -> Fault | None:
    """Return why a text is no feature, or None if it is one."""
    try:
        parse_feature(_AXES.sub("c_1, c_2", text))
    except DsgecError as error:
        return error.faults[0]
    return None


def _terminals(rules: Sequence[Rule]) -> Iterator[Terminal]:
    for rule in rules:
        for alternative in rule.alternatives:
            for symbol in alternative.symbols:
                if isinstance(symbol, Terminal):
                    yield symbol


def _names_channel(terminal: Terminal) -> bool:
    return bool(_CHANNEL.search(terminal.text))


def _outside(grammar: Grammar, symbols: Mapping[str, object]) -> Iterator[Rule]:
    """Yield the rules that are reached without those inside features, in their order."""
    rules = {rule.name: rule for rule in grammar.rules}
    seen = {grammar.directives.start}
    waiting = [*seen]
    while waiting:
        name = waiting.pop()
        for alternative in () if name in symbols else rules[name].alternatives:
            for symbol in alternative.symbols:
                if isinstance(symbol, NonTerminal) and symbol.name not in seen:
                    seen.add(symbol.name)
                    waiting.append(symbol.name)
    return (rule for rule in grammar.rules if rule.name in seen)


def _columns(places: Sequence[int], rule: Rule) -> tuple[Alternative, ...]:
    return tuple(
        Alternative((Terminal(f"x_{place}", rule.span),), rule.span) for place in sorted(places)
    )
