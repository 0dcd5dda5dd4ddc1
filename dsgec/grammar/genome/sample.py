"""A grammar to short texts that together use every alternative of it.

They are what a check of the grammar parses: a name that no network knows is found in the rule
where it stands, before any run.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dsgec.errors import Span
from dsgec.grammar.genome.connections import neuron_name
from dsgec.grammar.ir import Directives, Grammar, NonTerminal, Rule, Symbol, Terminal

_ENDS = 500
_MOST_EXPANSIONS = 20_000  # of one text
_MOST_SYMBOLS = 500_000  # of all texts

Pieces = list[tuple[str, Span | None]]
Step = tuple[str, int]
"""A rule and one of its alternatives."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A text piece by piece, and how many of its layers come from the symbol for hidden layers."""

    pieces: Pieces
    hidden_layers: int

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


def covering_texts(grammar: Grammar, untried: list[str] | None = None) -> Iterator[Sample]:
    """For each alternative that can be reached, a shortest text that uses it.

    Each text once, and only so many that a check ends in seconds: of a grammar whose texts are many
    and long, the rules that are the most steps away from the start are added to `untried`.
    """
    rules = {rule.name: rule for rule in grammar.rules}
    shortest = _shortest_alternatives(grammar)
    parents = _parents(rules, grammar.directives.start)
    left = _MOST_SYMBOLS
    for name, parent in parents.items():
        if left < 0:
            if untried is not None:
                untried.append(name)
            continue
        path: list[Step] | None = None
        for number in _worth_trying(len(rules[name].alternatives)):
            if parent is not None and number == shortest[name]:
                continue  # the text of the parent's step, which ends `name` soonest as well
            if path is None:
                path = _path(parents, name)
            sample, symbols = _derive(rules, grammar.directives, shortest, [*path, (name, number)])
            if sample is not None:
                yield sample
            left -= symbols


def _worth_trying(alternatives: int) -> Iterable[int]:
    """All alternatives, but of very many only the first and the last: those are a range's ends."""
    if alternatives <= 2 * _ENDS:
        return range(alternatives)
    return [*range(_ENDS), *range(alternatives - _ENDS, alternatives)]


def _shortest_alternatives(grammar: Grammar) -> dict[str, int]:
    """For each rule, the alternative through which it ends soonest."""
    chosen: dict[str, int] = {}
    readers: dict[str, list[Step]] = {rule.name: [] for rule in grammar.rules}
    missing: dict[Step, int] = {}
    ready: deque[Step] = deque()
    for rule in grammar.rules:
        for number, alternative in enumerate(rule.alternatives):
            needed = {s.name for s in alternative.symbols if isinstance(s, NonTerminal)}
            missing[rule.name, number] = len(needed)
            for name in needed:
                readers[name].append((rule.name, number))
            if not needed:
                ready.append((rule.name, number))
    while ready:
        name, number = ready.popleft()
        if name in chosen:
            continue
        chosen[name] = number
        for reader in readers[name]:
            missing[reader] -= 1
            if not missing[reader]:
                ready.append(reader)
    return chosen


def _parents(rules: dict[str, Rule], start: str) -> dict[str, Step | None]:
    """For each rule that can be reached, the step by which it is reached soonest."""
    parents: dict[str, Step | None] = {start: None}
    queue = deque(parents)
    while queue:
        name = queue.popleft()
        for number, alternative in enumerate(rules[name].alternatives):
            for symbol in alternative.symbols:
                if isinstance(symbol, NonTerminal) and symbol.name not in parents:
                    parents[symbol.name] = (name, number)
                    queue.append(symbol.name)
    return parents


def _path(parents: dict[str, Step | None], name: str) -> list[Step]:
    path = []
    step = parents[name]
    while step is not None:
        path.append(step)
        step = parents[step[0]]
    return path[::-1]


def _derive(
    rules: dict[str, Rule], roles: Directives, shortest: dict[str, int], path: list[Step]
) -> tuple[Sample | None, int]:
    """Follow `path`, one step at the first symbol that it fits, and end everything else soonest.

    Gives the text, and how many symbols it took. None where the text gets so long that it says no
    more about the grammar than a shorter one.
    """
    inputs = len(rules[roles.features].alternatives) if roles.features else 0
    pieces: Pieces = []
    steps = deque(path)
    hidden_layers, expansions = 0, 0
    layer = ""  # the role of the layer that is being derived
    todo: list[Symbol | None] = [NonTerminal(roles.start)]
    while todo:
        symbol = todo.pop()
        if symbol is None:  # the end of a layer
            layer = ""
        elif isinstance(symbol, Terminal):
            pieces.append((symbol.text, symbol.span))
        elif isinstance(symbol, NonTerminal):
            if not layer and symbol.name in (roles.layer, roles.output_layer):
                layer = symbol.name
                hidden_layers += layer == roles.layer
                todo.append(None)
            in_output = layer and layer == roles.output_layer
            if in_output and hidden_layers and symbol.name == roles.features:
                pieces.append((neuron_name(inputs, inputs), symbol.span))
                continue
            number = shortest[symbol.name]
            if steps and steps[0][0] == symbol.name:
                _, number = steps.popleft()
            todo += reversed(rules[symbol.name].alternatives[number].symbols)
            expansions += 1
            if expansions > _MOST_EXPANSIONS:
                return None, expansions + len(pieces)
    return Sample(pieces, hidden_layers), expansions + len(pieces)
