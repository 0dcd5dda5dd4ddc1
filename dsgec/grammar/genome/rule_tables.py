"""A grammar as tables of numbered rules and alternatives, which the mapping and the engine read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dsgec.errors import DsgecError
from dsgec.grammar.ir import Dots, Grammar, NonTerminal, Terminal
from dsgec.grammar.recursion import Recursion, analyse_recursion, depth_limits

NONE = -1


class Child(NamedTuple):
    """A symbol of a production; `deeper` if it belongs to the recursion of its parent."""

    rule: int
    deeper: bool


Production = tuple[str | Child, ...]


@dataclass(frozen=True, slots=True)
class RuleTables:
    """An expanded grammar with its depth limits, by the numbers of rules and alternatives.

    `allowed[rule][room]` has the alternatives that may be taken if `room` more levels of the rule's
    recursion are allowed; the last entry is for every larger room. `cost` is what an expansion adds
    to the size of a phenotype. `constants` has the values of the alternatives of a rule whose
    numerals are folded (`dsgec.grammar.genome.constants`); it is empty if no rule is folded.
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
    constants: tuple[tuple[float, ...], ...] = ()

    @property
    def has_dynamic_rules(self) -> bool:
        """Return whether `<features>` has other alternatives in each layer."""
        return self.features != NONE and (self.layer != NONE or self.output_layer != NONE)

    def is_constant(self, rule: int) -> bool:
        """Return whether the alternatives of a rule are constants in ascending order."""
        return bool(self.constants and self.constants[rule])

    def options(self, rule: int, depth: int) -> tuple[int, ...]:
        """Return the alternatives that may be taken at this depth of the rule's recursion."""
        rooms = self.allowed[rule]
        return rooms[min(max(self.limits[rule] - depth, 0), len(rooms) - 1)]


def make_rule_tables(grammar: Grammar, max_depth: Mapping[str, int]) -> RuleTables:
    """Return the tables of an expanded grammar; `max_depth` overrides its depth limits."""
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
    return RuleTables(
        names=tuple(numbers),
        productions=productions,
        cost=tuple(tuple(map(production_cost, alternatives)) for alternatives in productions),
        limits=depth_limits(grammar, max_depth),
        allowed=tuple(map(_allowed_alternatives, recursion.exit_depth)),
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


def _allowed_alternatives(exit_depths: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    quickest = min(exit_depths)
    return tuple(
        tuple(i for i, depth in enumerate(exit_depths) if depth <= max(room, quickest))
        for room in range(max(exit_depths) + 1)
    )


def production_cost(production: Production) -> int:
    """Return by how much an expansion increases the size of a phenotype."""
    return 1 + sum(len(symbol) for symbol in production if isinstance(symbol, str))
