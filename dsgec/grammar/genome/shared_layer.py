"""Derive networks with one shared hidden layer: from sources and weights to a genotype.

A grammar has such networks if its start symbol becomes `<layer> -- <output-layer>`; the layer a
list of neurons, each a function of a sum and a bias; and the output layer one such sum in `sig`, or
one for each class in `softmax`. Symbols may stand between these, and lists may be right-recursive
or binary. The engine knows nothing of this: what is derived is a genotype like any other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.constants import nearest_rank
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.genome.rule_tables import NONE, Child, Production, RuleTables
from dsgec.grammar.genome.tree import Node, collect_genes, set_ends

_MOST_POWER = 40  # of two: more items than any list has

Step = tuple[int, int]
"""A rule and one of its alternatives."""


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of weighted sources plus a bias, as a network has it: weights are numbers of values.

    `terms` has for each source its code and the number of its weight; `bias` is a number, too.
    """

    terms: Sequence[tuple[int, int]]
    bias: int


@dataclass(frozen=True, slots=True)
class LayerDerivation:
    """A genotype, and the number of the value that each constant of its phenotype has, in order."""

    genotype: Genotype
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _List:
    """A rule that derives a list: the alternative of one item, and the one that adds an item.

    `is_binary`: what adds an item has the rule itself on both sides.
    """

    rule: int
    single: int
    join: int
    is_binary: bool
    limit: int

    @property
    def most(self) -> int:
        """The most items."""
        return 1 << min(self.limit, _MOST_POWER) if self.is_binary else self.limit + 1


@dataclass(frozen=True, slots=True)
class SharedLayerGrammar:
    """The derivations by which a grammar writes networks with one shared hidden layer.

    `limits` are the least and the greatest weight and bias of a hidden neuron and of an output.
    """

    tables: RuleTables
    activation: str
    outputs: int
    is_softmax: bool
    start: tuple[Step, ...]  # to the layer
    between: tuple[Step, ...]  # from the layer's end to the output layer
    linear: tuple[Step, ...] | None  # from the start to the output layer
    layer: tuple[Step, ...]  # from the layer to the list of neurons
    neurons: _List
    neuron: Step
    sums: _List
    term: tuple[Step, ...]
    output_layer: int
    output: Step | None  # with a sum; None if the output layer has it
    bare: Step | None  # with a bias alone
    rules: tuple[int, int, int]  # the constants of weights, of biases and of outputs' biases

    @property
    def limits(self) -> tuple[tuple[float, float], ...]:
        weight, bias, last = (self.tables.constants[rule] for rule in self.rules)
        ends = [(one[0], one[-1]) for one in (weight, bias, weight, last)]
        return tuple(ends)

    @property
    def widest(self) -> int:
        """The most hidden neurons."""
        return self.neurons.most

    @property
    def longest(self) -> int:
        """The most terms of a sum."""
        return self.sums.most

    def derive(
        self, hidden: Sequence[Affine], outputs: Sequence[Affine], values: Sequence[float]
    ) -> LayerDerivation | None:
        """Derive a network with the numerals that are nearest to values, if the grammar has it."""
        writer = _Writer(self, values)
        if not writer.fits(hidden, outputs):
            return None
        writer.network(hidden, outputs)
        genotype = collect_genes(self.tables, set_ends(self.tables, writer.nodes))
        return LayerDerivation(genotype, tuple(writer.order))


class _Writer:
    """Writes the nodes of a derivation tree in order."""

    def __init__(self, grammar: SharedLayerGrammar, values: Sequence[float]) -> None:
        self.grammar, self.values = grammar, values
        self.nodes: list[Node] = []
        self.order: list[int] = []

    def fits(self, hidden: Sequence[Affine], outputs: Sequence[Affine]) -> bool:
        """Return whether the grammar can write a network of these neurons and outputs."""
        own = self.grammar
        if len(outputs) != own.outputs or len(hidden) > own.widest:
            return False
        if not hidden and own.linear is None:
            return False
        if any(not 0 < len(one.terms) <= own.longest for one in hidden):
            return False
        return all(
            len(one.terms) <= own.longest if one.terms else own.bare is not None for one in outputs
        )

    def network(self, hidden: Sequence[Affine], outputs: Sequence[Affine]) -> None:
        own = self.grammar
        if hidden:
            self.path(own.start)
            self.path(own.layer)
            self.items(own.neurons, len(hidden), lambda number: self.neuron(hidden[number]))
            self.path(own.between)
        else:
            assert own.linear is not None
            self.path(own.linear)
        self.add(own.tables.output_layer, own.output_layer)
        for one in outputs:
            self.output(one)

    def output(self, one: Affine) -> None:
        step = self.grammar.output if one.terms else self.grammar.bare
        if step is not None:
            self.add(*step)
        if one.terms:
            self.sum(one)
        self.constant(self.grammar.rules[2], one.bias)

    def neuron(self, one: Affine) -> None:
        self.add(*self.grammar.neuron)
        self.sum(one)
        self.constant(self.grammar.rules[1], one.bias)

    def sum(self, one: Affine) -> None:
        def term(number: int) -> None:
            source, weight = one.terms[number]
            self.path(self.grammar.term)
            self.constant(self.grammar.rules[0], weight)
            self.add(self.grammar.tables.features, source)

        self.items(self.grammar.sums, len(one.terms), term)

    def items(self, own: _List, count: int, item: Callable[[int], None]) -> None:
        """Write a list, balanced if it is binary."""
        todo = [(0, count, 0)]
        while todo:
            start, end, depth = todo.pop()
            if end - start == 1:
                self.add(own.rule, own.single, depth)
                item(start)
                continue
            self.add(own.rule, own.join, depth)
            middle = (start + end + 1) // 2 if own.is_binary else start + 1
            if own.is_binary:
                todo += [(middle, end, depth + 1), (start, middle, depth + 1)]
            else:
                item(start)
                todo.append((middle, end, depth + 1))

    def path(self, steps: Sequence[Step]) -> None:
        for step in steps:
            self.add(*step)

    def constant(self, rule: int, number: int) -> None:
        self.order.append(number)
        self.add(rule, nearest_rank(self.grammar.tables.constants[rule], self.values[number]))

    def add(self, rule: int, choice: int, depth: int = 0) -> None:
        self.nodes.append(Node(rule, choice, depth, NONE, NONE))


def find_shared_layer(
    tables: RuleTables, activations: Sequence[str], output: str
) -> SharedLayerGrammar | None:
    """Return how a grammar derives networks with one shared hidden layer, or None."""
    if NONE in (tables.layer, tables.features, tables.output_layer) or output:
        return None
    names = [(f"x_{number}",) for number in range(1, len(tables.productions[tables.features]) + 1)]
    if [*tables.productions[tables.features]] != names:
        return None
    return _Finder(tables, activations).find()


class _Finder:
    """Finds the rules and alternatives that have the roles of a shared layer."""

    def __init__(self, tables: RuleTables, activations: Sequence[str]) -> None:
        self.tables, self.activations = tables, activations

    def find(self) -> SharedLayerGrammar | None:
        tables = self.tables
        last = self.find_output_layer()
        layers = self.find_layers()
        if last is None or layers is None:
            return None
        output_layer, output, bare, affine, is_softmax, outputs = last
        start, between, linear = layers
        for layer in self.unit_paths(tables.layer):
            neurons = self.find_list(self.unit_rule(tables.layer, layer), "-")
            if neurons is None:
                continue
            found = self.find_neuron(neurons[1])
            if found is None:
                continue
            neuron, activation, sums, bias = found
            own = self.find_sum(sums)
            if own is None or sums != affine[0]:
                continue
            terms, term, weight = own
            return SharedLayerGrammar(
                *(tables, activation, outputs, is_softmax, start, between, linear, layer),
                *(neurons[0], neuron, terms, term, output_layer, output, bare),
                (weight, bias, affine[1]),
            )
        return None

    def unit_paths(self, rule: int) -> list[tuple[Step, ...]]:
        """Return the ways from a rule to others by alternatives of one symbol."""
        found: list[tuple[Step, ...]] = [()]
        seen = {rule}
        for path in found:
            at = self.unit_rule(rule, path)
            for choice, production in enumerate(self.tables.productions[at]):
                match production:
                    case (Child(below),) if below not in seen and not self.is_constant(at):
                        seen.add(below)
                        found.append((*path, (at, choice)))
        return found

    def unit_rule(self, rule: int, path: Sequence[Step]) -> int:
        """Return the rule that a path leads to."""
        for at, choice in path:
            (symbol,) = self.tables.productions[at][choice]
            assert isinstance(symbol, Child)
            rule = symbol.rule
        return rule

    def path_between(self, rule: int, goal: int) -> tuple[Step, ...] | None:
        for path in self.unit_paths(rule):
            if self.unit_rule(rule, path) == goal:
                return path
        return None

    def is_constant(self, rule: int) -> bool:
        return self.tables.is_constant(rule)

    def find_layers(
        self,
    ) -> tuple[tuple[Step, ...], tuple[Step, ...], tuple[Step, ...] | None] | None:
        tables = self.tables
        linear = self.path_between(tables.start, tables.output_layer)
        for path in self.unit_paths(tables.start):
            at = self.unit_rule(tables.start, path)
            for choice, production in enumerate(tables.productions[at]):
                match production:
                    case (Child(first), "--", Child(last)):
                        start = self.path_between(first, tables.layer)
                        between = self.path_between(last, tables.output_layer)
                        if start is not None and between is not None:
                            return (*path, (at, choice), *start), between, linear
        return None

    def find_list(self, rule: int, separator: str) -> tuple[_List, int] | None:
        """Return a list and the rule of its items."""
        productions = self.tables.productions[rule]
        items = {
            production[0].rule: choice
            for choice, production in reversed([*enumerate(productions)])
            if len(production) == 1 and isinstance(production[0], Child)
        }
        limit = self.tables.limits[rule]
        for choice, production in enumerate(productions):
            match production:
                case (Child(item), text, Child(below)) if text == separator and below == rule:
                    if item == rule and len(items) == 1:
                        ((item, single),) = items.items()
                        return _List(rule, single, choice, True, limit), item
                    if item in items:
                        return _List(rule, items[item], choice, False, limit), item
        return None

    def find_neuron(self, rule: int) -> tuple[Step, str, int, int] | None:
        """Return an alternative that is a function of a sum and a bias, and their rules."""
        for choice, production in enumerate(self.tables.productions[rule]):
            match production:
                case (str(opening), Child(total), "+", Child(bias), ")"):
                    name = opening.removesuffix("(")
                    if (
                        name in self.activations
                        and opening.endswith("(")
                        and self.is_constant(bias)
                    ):
                        return (rule, choice), name, total, bias
        return None

    def find_sum(self, rule: int) -> tuple[_List, tuple[Step, ...], int] | None:
        """Return the list of a sum, the way from an item to its weight, and the weight's rule."""
        found = self.find_list(rule, "+")
        if found is not None:
            own, item = found
            for choice, production in enumerate(self.tables.productions[item]):
                weight = self.find_weight(production)
                if weight is not None:
                    return own, ((item, choice),), weight
        return self.find_plain_sum(rule)

    def find_plain_sum(self, rule: int) -> tuple[_List, tuple[Step, ...], int] | None:
        """Return the list of a sum whose items have no symbol of their own."""
        productions = self.tables.productions[rule]
        for single, production in enumerate(productions):
            weight = self.find_weight(production)
            if weight is None:
                continue
            for join, other in enumerate(productions):
                limit = self.tables.limits[rule]
                match other:
                    case (Child(left), "+", Child(right)) if left == right == rule:
                        return _List(rule, single, join, True, limit), (), weight
                    case (*first, "+", Child(right)) if right == rule and (*first,) == production:
                        return _List(rule, single, join, False, limit), (), weight
        return None

    def find_weight(self, production: Production) -> int | None:
        match production:
            case (Child(weight), "*", Child(source)):
                if self.is_constant(weight) and source == self.tables.features:
                    return weight
        return None

    def find_output_layer(
        self,
    ) -> tuple[int, Step | None, Step | None, tuple[int, int], bool, int] | None:
        """Return the alternatives of the outputs, the rules of their sums and biases, and kind."""
        for choice, production in enumerate(self.tables.productions[self.tables.output_layer]):
            match production:
                case ("sig(", Child(total), "+", Child(bias), ")") if self.is_constant(bias):
                    return choice, None, None, (total, bias), False, 1
                case ("softmax(", *outputs, ")"):
                    found = self.find_outputs(outputs)
                    if found is not None:
                        return choice, *found, True, len(outputs) // 2 + 1
        return None

    def find_outputs(
        self, symbols: Sequence[str | Child]
    ) -> tuple[Step, Step | None, tuple[int, int]] | None:
        first = symbols[0]
        if not isinstance(first, Child) or len(symbols) < 3:
            return None
        if any(one != ("," if at % 2 else first) for at, one in enumerate(symbols)):
            return None
        rule = first.rule
        whole: tuple[Step, tuple[int, int]] | None = None
        bare: Step | None = None
        for choice, production in enumerate(self.tables.productions[rule]):
            match production:
                case (Child(total), "+", Child(bias)) if self.is_constant(bias) and not whole:
                    whole = (rule, choice), (total, bias)
                case (Child(bias),) if self.is_constant(bias):
                    bare = (rule, choice)
        return None if whole is None else (whole[0], bare, whole[1])
