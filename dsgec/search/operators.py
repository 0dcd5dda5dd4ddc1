"""Call a user's own operators: selection, crossover and mutation on lists or on derivation trees.

The engine and the loop in Python call them in the same order with the same streams, so both make
the same generations. What a function returns is checked and, like every child, mapped and
repaired by the representation.
"""

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any, overload

from dsgec.errors import DsgecError
from dsgec.grammar.genome.derivation_tree import TreeNode, make_tree
from dsgec.grammar.genome.genotype import Derivation, Genotype, Representation
from dsgec.grammar.genome.rule_tables import Child, RuleTables
from dsgec.random import Stream

_LARGEST = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Parent:
    """An individual that can become a parent.

    :param genotype: Its integers, by rule and part.
    :param phenotype: Its text; empty if it has none.
    :param fitness: Its fitness, minimised; infinite if it is invalid.
    :param values: Its cases or objectives, minimised.
    """

    genotype: Genotype
    phenotype: str
    fitness: float
    values: tuple[float, ...]


class ParentList(Sequence[Parent]):
    """A population, whose individuals are made when they are asked for."""

    def __init__(self, count: int, make: Callable[[int], Parent]) -> None:
        self._count, self._make = count, make
        self._made: dict[int, Parent] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Parent: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Parent]: ...

    def __getitem__(self, number: int | slice) -> Parent | Sequence[Parent]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(self._count))]
        at = range(self._count)[number]
        if at not in self._made:
            self._made[at] = self._make(at)
        return self._made[at]


@dataclass(frozen=True, slots=True)
class Operators:
    """The functions of a user, each of which takes the place of a native operator.

    :param select: `select(population, random)` returns the number of a parent.
    :param cross: `cross(mother, father, random)` returns two children.
    :param mutate: `mutate(individual, random)` returns a mutant.
    """

    select: Callable[..., Any] | None = None
    cross: Callable[..., Any] | None = None
    mutate: Callable[..., Any] | None = None


NO_OPERATORS = Operators()


def make_operators(given: Any) -> Operators:
    """Return the operators in a dictionary of functions, or raise a DsgecError."""
    names = [one.name for one in fields(Operators)]
    if not isinstance(given, Mapping) or not all(
        name in names and (one is None or callable(one)) for name, one in given.items()
    ):
        raise DsgecError(
            "`operators` is not a dictionary of functions",
            f"Its names can be {', '.join(names)}.",
        )
    return Operators(**given)


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls a user's operators on the individuals of a grammar; on their trees if `trees`."""

    operators: Operators
    tables: RuleTables
    individuals: Representation
    trees: bool

    def select(self, population: Sequence[Parent], stream: Stream) -> int:
        """Return the number of a parent."""
        number = _call(self.operators.select, "select", population, stream)
        try:
            found = number.__index__()
        except AttributeError:
            found = -1
        if not 0 <= found < len(population):
            raise _refuse(
                *(self.operators.select, "select", number),
                f"It must be the number of an individual, from 0 to {len(population) - 1}.",
            )
        return int(found)

    def cross(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Return two children."""
        function = self.operators.cross
        pair = _call(function, "cross", self._show(mother), self._show(father), stream)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise _refuse(function, "cross", pair, "It must be a pair: two children.")
        first, second = (self._read(one, function, "cross") for one in pair)
        return first, second

    def mutate(self, genotype: Genotype, stream: Stream) -> Genotype:
        """Return a mutant."""
        mutant = _call(self.operators.mutate, "mutate", self._show(genotype), stream)
        return self._read(mutant, self.operators.mutate, "mutate")

    def _show(self, genotype: Genotype) -> Genotype | TreeNode:
        """Return what a function of the user gets: a copy of the lists, or the tree."""
        if not self.trees:
            return dict(genotype)
        derivation: Derivation = self.individuals.express(genotype, Stream(0, 0, 0))
        return make_tree(self.tables, derivation)

    def _read(self, given: Any, function: Any, name: str) -> Genotype:
        try:
            genotype = lists_of_tree(self.tables, given) if self.trees else _read_genotype(given)
            is_valid = self.individuals.is_valid(genotype)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            is_valid = False
        if is_valid:
            return genotype
        kind = "a derivation tree of the grammar" if self.trees else "lists of the representation"
        raise _refuse(function, name, given, f"It must be {kind}, as the function gets them.")


def _read_genotype(given: Mapping[Any, Any]) -> Genotype:
    genotype = {
        (int(rule), int(part)): tuple(map(int, values))
        for (rule, part), values in sorted(given.items())
        if len(values)
    }
    if any(not 0 <= value <= _LARGEST for own in genotype.values() for value in own):
        raise ValueError
    return genotype


def lists_of_tree(tables: RuleTables, tree: TreeNode) -> Genotype:
    """Return the lists of DSGE from which a tree is derived, or raise a ValueError."""
    numbers = {name: rule for rule, name in enumerate(tables.names)}
    lists: dict[int, list[int]] = {}
    todo = [(tables.start, tree)]
    while todo:
        rule, node = todo.pop()
        production = tables.productions[rule][node.alternative]
        if numbers[node.symbol] != rule or node.alternative < 0:
            raise ValueError(f"<{node.symbol}> is in the place of <{tables.names[rule]}>")
        lists.setdefault(rule, []).append(int(node.alternative))
        pairs = [*zip(production, node.children, strict=True)]
        for symbol, child in reversed(pairs):
            if isinstance(symbol, Child) != isinstance(child, TreeNode):
                raise ValueError(f"a child of <{node.symbol}> is not what its alternative has")
            if isinstance(symbol, Child):
                assert isinstance(child, TreeNode)
                todo.append((symbol.rule, child))
    return {(rule, 0): tuple(lists[rule]) for rule in sorted(lists)}


def _call(function: Any, name: str, *arguments: Any) -> Any:
    """Call a function of the user; what it raises is a DsgecError with its place."""
    try:
        return function(*arguments)
    except Exception as error:
        place = _place_of(error.__traceback__, function)
        raise DsgecError(
            f"`{name}` raised {type(error).__name__}: {error}"[:300] + place,
            "The operator is yours: it must return a result for every individual.",
        ) from error


def _place_of(trace: TracebackType | None, function: Any) -> str:
    """Return the place at which a function of the user failed."""
    frames = traceback.extract_tb(trace)[1:]  # the first is the call itself
    if frames:
        return f" (line {frames[-1].lineno} of {frames[-1].filename})"
    return _place_of_function(function)


def _place_of_function(function: Any) -> str:
    code = getattr(function, "__code__", None)
    return f" (line {code.co_firstlineno} of {code.co_filename})" if code else ""


def _refuse(function: Any, name: str, value: Any, advice: str) -> DsgecError:
    place = _place_of_function(function)
    return DsgecError(f"`{name}` returned {repr(value)[:100]}{place}", advice)
