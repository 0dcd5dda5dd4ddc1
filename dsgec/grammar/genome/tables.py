"""Grammar to the integer tables that mapping walks; the native engine has the same ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dsgec.errors import DsgecError
from dsgec.grammar.ir import Dots, Grammar, NonTerminal, Terminal
from dsgec.grammar.recursion import Recursion, analyse_recursion, depth_limits

NONE = -1


class Child(NamedTuple):
    """A symbol to expand; `deeper` if it belongs to the recursion of its parent."""

    rule: int
    deeper: bool


Production = tuple[str | Child, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """An expanded grammar with its depth limits, by rule and alternative number.

    `allowed[rule][room]` are the alternatives that may be taken when `room` more levels of the
    rule's recursion fit below it; the last entry serves every larger room. `cost` is what an
    expansion adds to the size of a phenotype. `numbers` has, of a rule that is folded to numbers
    (`dsgec.grammar.genome.numbers`), the value of each alternative; it is empty where no rule is.
    """

    names: tuple[str, ...]
    productions: tuple[tuple[Production, ...], ...]
    cost: tuple[tuple[int, ...], ...]
    limits: tuple[int, ...]
    allowed: tuple[tuple[tuple[int, ...], ...], ...]
    start: int
    layer: int
    features: int
    output_layer: int
    numbers: tuple[tuple[float, ...], ...] = ()

    @property
    def has_dynamic_rules(self) -> bool:
        """Whether `<features>` is made again for each layer, be it the output's."""
        return self.features != NONE and (self.layer != NONE or self.output_layer != NONE)

    def is_number(self, rule: int) -> bool:
        """Whether the alternatives of a rule are numbers, in their order."""
        return bool(self.numbers and self.numbers[rule])

    def options(self, rule: int, depth: int) -> tuple[int, ...]:
        """The alternatives that may be taken at this depth of the rule's recursion."""
        rooms = self.allowed[rule]
        return rooms[min(max(self.limits[rule] - depth, 0), len(rooms) - 1)]


def tabulate(grammar: Grammar, max_depth: Mapping[str, int]) -> Tables:
    """The tables of a grammar without dots; `max_depth` overrides the limits it states."""
    recursion = analyse_recursion(grammar)
    numbers = {rule.name: number for number, rule in enumerate(grammar.rules)}
    productions = tuple(
        tuple(
            tuple(_symbol(symbol, number, numbers, recursion) for symbol in alternative.symbols)
            for alternative in rule.alternatives
        )
        for number, rule in enumerate(grammar.rules)
    )
    roles = grammar.directives
    if roles.layer and roles.features and recursion.cyclic[numbers[roles.features]]:
        raise DsgecError(
            grammar.fault(
                f"`<{roles.features}>` leads to itself, but it is made again for each layer",
                "Move the recursion to another symbol, or say `%features none`.",
                grammar.rules[numbers[roles.features]].span,
            )
        )
    return Tables(
        names=tuple(numbers),
        productions=productions,
        cost=tuple(tuple(map(production_cost, alternatives)) for alternatives in productions),
        limits=depth_limits(grammar, max_depth),
        allowed=tuple(map(_allowed, recursion.exit_depth)),
        start=numbers[roles.start],
        layer=numbers.get(roles.layer, NONE),
        features=numbers.get(roles.features, NONE),
        output_layer=numbers.get(roles.output_layer, NONE),
    )


def _symbol(
    symbol: Terminal | NonTerminal | Dots,
    parent: int,
    numbers: dict[str, int],
    recursion: Recursion,
) -> str | Child:
    if isinstance(symbol, Terminal):
        return symbol.text
    assert isinstance(symbol, NonTerminal)  # `expand` leaves no dots
    rule = numbers[symbol.name]
    return Child(rule, recursion.group[rule] == recursion.group[parent])


def _allowed(exit_depths: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    quickest = min(exit_depths)
    return tuple(
        tuple(i for i, depth in enumerate(exit_depths) if depth <= max(room, quickest))
        for room in range(max(exit_depths) + 1)
    )


def production_cost(production: Production) -> int:
    """What an expansion adds to the size of a phenotype."""
    return 1 + sum(len(symbol) for symbol in production if isinstance(symbol, str))
