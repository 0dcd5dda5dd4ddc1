"""Derive short phenotypes that together use every alternative of a grammar.

A check of the grammar parses them, so that a name that no network knows is found, with its place,
before any run.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dsgec.errors import Span
from dsgec.grammar.genome.genotype import neuron_name
from dsgec.grammar.ir import Directives, Grammar, NonTerminal, Rule, Symbol, Terminal
from dsgec.grammar.recursion import find_finite_order

_ENDS = 500
_MOST_EXPANSIONS = 20_000  # of one sample
_MOST_SYMBOLS = 500_000  # of all samples

Pieces = list[tuple[str, Span | None]]
Step = tuple[str, int]
"""A rule and one of its alternatives."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The pieces of a phenotype, and the number of its hidden layers."""

    pieces: Pieces
    hidden_layers: int

    @property
    def phenotype(self) -> str:
        """Return the whole phenotype."""
        return "".join(text for text, _ in self.pieces)


def covering_samples(grammar: Grammar, untried: list[str] | None = None) -> Iterator[Sample]:
    """Yield a shortest phenotype for each reachable alternative, each phenotype once.

    There are only so many that a check takes seconds: of a grammar with many long phenotypes, the
    rules that are farthest from the start are not tried, but added to `untried`.
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
        for number in _select_alternatives(len(rules[name].alternatives)):
            if parent is not None and number == shortest[name]:
                continue  # it is the phenotype of the parent's step
            if path is None:
                path = _path(parents, name)
            sample, symbols = _derive(rules, grammar.directives, shortest, [*path, (name, number)])
            if sample is not None:
                yield sample
            left -= symbols


def _select_alternatives(alternatives: int) -> Iterable[int]:
    """Return all alternatives, or only the first and the last few if there are very many."""
    if alternatives <= 2 * _ENDS:
        return range(alternatives)
    return [*range(_ENDS), *range(alternatives - _ENDS, alternatives)]


def _shortest_alternatives(grammar: Grammar) -> dict[str, int]:
    """Return, for each rule, the alternative with the shortest derivation."""
    steps = [(rule.name, n) for rule in grammar.rules for n in range(len(rule.alternatives))]
    needs = [
        (rule.name, {s.name for s in alternative.symbols if isinstance(s, NonTerminal)})
        for rule in grammar.rules
        for alternative in rule.alternatives
    ]
    return dict(steps[number] for number in reversed(find_finite_order(needs)))


def _parents(rules: dict[str, Rule], start: str) -> dict[str, Step | None]:
    """Return, for each reachable rule, the last step of the shortest path to it."""
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
    """Derive a sample along `path`, with the shortest derivation of all other symbols.

    Return it, or None if it gets too long to be useful, and the number of symbols that it took.
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
