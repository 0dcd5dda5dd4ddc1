"""Find the sums in the productions of a grammar, so that repeated terms can be merged.

A production is read once, with its symbols as operands: which of them are summands of which sum,
and which are the weight and the source of a term such as `<weight> * <features>`. A source is a
feature or, with dynamic rules, a hidden neuron. The sums of a production are unknown if it is no
expression, or if it has a symbol whose texts are none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from dsgec.grammar.genome.expressions import (
    Group,
    Item,
    NoExpressionError,
    Part,
    feature_of,
    is_plain,
    only_child,
    outside_parentheses,
    read_production,
    text_of,
)
from dsgec.grammar.genome.neurons import find_neurons
from dsgec.grammar.genome.rule_tables import NONE, Child, Production, RuleTables

OWN = 0
"""The number of the sum that a production is itself a part of."""

_OPERATORS = frozenset({"+", "-", "*", "/", "^", "**"})
_SIGNS = {"+": 1, "-": -1}

ADDS, SUBTRACTS, MULTIPLIES, BINDS = 1, -1, 0, 2
"""The operation of an operator; BINDS is any other operation, such as a power."""


@dataclass(frozen=True, slots=True)
class Role:
    """The role of a child of a production: a summand of a sum, or unknown (NONE).

    The sum is the production's OWN, or the n-th of those that begin in it. `before` and `after` are
    the children that are the operators beside it, if these are symbols. A child that `may_begin` a
    sum of its own does so if all its text is in parentheses. If the child is removed, the child
    `remaining` can replace the production; if it is NONE, the child cannot be removed.
    """

    sum: int = NONE
    sign: int = 1
    before: int = NONE
    after: int = NONE
    may_begin: bool = False
    remaining: int = NONE


@dataclass(frozen=True, slots=True)
class Term:
    """A product of the child `weight` and a source, which is a child or a `feature`.

    `weight` is NONE for a feature alone. With `is_all`, the production has nothing else.
    """

    sum: int
    sign: int
    weight: int
    source: int
    feature: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """The sums of a production: a role for each child, its own terms, and how many sums begin.

    All of it may be `in_parentheses`, it may be one child only (`is_only`), and it `is_product` if
    it has no `+` or `-` outside parentheses.
    """

    roles: tuple[Role, ...]
    terms: tuple[Term, ...] = ()
    begun: int = 0
    in_parentheses: bool = False
    is_only: bool = False
    is_product: bool = False


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of a grammar: the shapes by rule and alternative, the features and the operators.

    If all texts of a rule are names of features, `features` has the feature of each alternative, or
    NONE for one that is a symbol. If all are operators, `operators` has their operations. Both are
    empty for other rules. With `has_first`, the whole phenotype is a sum.
    """

    shapes: tuple[tuple[Shape, ...], ...]
    features: tuple[tuple[int, ...], ...]
    operators: tuple[tuple[int, ...], ...]
    has_first: bool


@lru_cache(maxsize=8)
def find_sums(tables: RuleTables) -> Sums | None:
    """Return the sums that a grammar can write, or None if no term of them can ever be removed."""
    finder = _SumFinder(tables)
    shapes = finder.shapes()
    if not any(role.remaining != NONE for own in shapes for shape in own for role in shape.roles):
        return None
    has_first = not finder.separating or find_neurons(tables) is not None
    return Sums(shapes, finder.features, finder.operators, has_first)


@dataclass(frozen=True, slots=True)
class _Summand:
    """Operands and operators without a `+` or a `-`, with its sign and the operators beside it."""

    parts: tuple[Part, ...]
    sign: int
    before: int
    after: int


@dataclass(slots=True)
class _Findings:
    """The roles, terms and sums of a production found so far."""

    roles: list[Role]
    terms: list[Term] = field(default_factory=list)
    begun: int = 0


class _SumFinder:
    """Finds the shapes of all productions, after classifying the rules by their texts."""

    def __init__(self, tables: RuleTables) -> None:
        self.tables = tables
        rules = range(len(tables.names))
        self.separating = outside_parentheses(tables) if tables.layer != NONE else set()
        self.operators = tuple(self._operations_of(rule) for rule in rules)
        self.named = [self._are_names(rule) for rule in rules]
        self.features = self._find_features()
        self.broken: set[int] = set()
        self.additive: set[int] = set()

    def shapes(self) -> tuple[tuple[Shape, ...], ...]:
        """Return the shapes of all productions, once it is known which rules are expressions."""
        found: tuple[tuple[Shape, ...], ...] = ()
        known = (-1, -1)
        while known != (len(self.broken), len(self.additive)):
            known = (len(self.broken), len(self.additive))
            found = tuple(
                tuple(self._shape(rule, production) for production in productions)
                for rule, productions in enumerate(self.tables.productions)
            )
        return found

    def _operations_of(self, rule: int) -> tuple[int, ...]:
        texts = [*map(text_of, self.tables.productions[rule])]
        if not all(text in _OPERATORS for text in texts):
            return ()
        return tuple(map(_operation, texts))

    def _are_names(self, rule: int) -> bool:
        texts = [*map(text_of, self.tables.productions[rule])]
        return all(re.fullmatch(r"(?!x_?\d)[A-Za-z_][\w.]*", text, re.ASCII) for text in texts)

    def _find_features(self) -> tuple[tuple[int, ...], ...]:
        """Return the features of rules that derive only features."""
        found = [tuple(map(feature_of, productions)) for productions in self.tables.productions]
        sources = {rule for rule, own in enumerate(found) if not self.tables.is_constant(rule)}
        changed = True
        while changed:
            changed = False
            for rule in sorted(sources):
                for production, own in zip(self.tables.productions[rule], found[rule], strict=True):
                    only = only_child(production)
                    if own == NONE and (only is None or only not in sources):
                        sources.discard(rule)
                        changed = True
                        break
        return tuple(own if rule in sources else () for rule, own in enumerate(found))

    def _is_operand(self, rule: int) -> bool:
        return not self.operators[rule] and not self.named[rule] and rule not in self.broken

    def _is_product(self, rule: int) -> bool:
        """Return whether no text of a rule has a `+` or a `-` outside parentheses."""
        is_one = self.tables.is_constant(rule) or bool(self.features[rule])
        return is_one or rule not in self.additive

    def _shape(self, rule: int, production: Production) -> Shape:
        count = sum(isinstance(symbol, Child) for symbol in production)
        nothing = Shape((Role(),) * count)
        if self.tables.is_constant(rule) or self.features[rule] or not self._is_operand(rule):
            return nothing
        try:
            return self._read(rule, production, count)
        except NoExpressionError:
            self.broken.add(rule)
            self.additive.add(rule)
            return nothing

    def _read(self, rule: int, production: Production, count: int) -> Shape:
        parts = read_production(production, self.named)
        separates = rule in self.separating
        in_parentheses = not separates and len(parts) == 1 and is_plain(parts[0])
        if in_parentheses and isinstance(parts[0], Group):
            parts = parts[0].parts[0]
        findings = _Findings([Role()] * count)
        stretches = self._split_neurons(parts) if separates else [parts]
        summands = [self._summands(stretch) for stretch in stretches]
        for own in summands:
            self._add(findings, own, OWN if len(stretches) == 1 else self._begin(findings))
        if len(summands) > 1:
            self.additive.add(rule)
            return Shape(tuple(findings.roles), tuple(findings.terms), findings.begun)
        (own,) = summands
        is_product = in_parentheses or self._are_product(own)
        if not is_product:
            self.additive.add(rule)
        is_only = len(own) == 1 and _child_of(own[0]) is not None and own[0].sign == 1
        return Shape(
            self._with_remaining(rule, findings.roles, own),
            tuple(replace(t, is_all=len(own) == 1 and t.sum == OWN) for t in findings.terms),
            findings.begun,
            in_parentheses,
            is_only,
            is_product,
        )

    def _split_neurons(self, parts: Sequence[Part]) -> list[tuple[Part, ...]]:
        """Return the parts between neurons and layers, which `-` and `--` separate."""
        found: list[list[Part]] = [[]]
        for part in parts:
            separates = isinstance(part, Item) and part.child == NONE and part.text in ("-", "--")
            if separates and self._ends_operand(found[-1]):
                found.append([])
            else:
                found[-1].append(part)
        return [tuple(stretch) for stretch in found]

    def _ends_operand(self, parts: Sequence[Part]) -> bool:
        """Return whether an operator can follow."""
        return bool(parts) and not self._is_operator(parts[-1])

    def _begin(self, findings: _Findings) -> int:
        findings.begun += 1
        return findings.begun

    def _summands(self, parts: Sequence[Part]) -> list[_Summand]:
        """Return the summands between `+` and `-`, after checking that they are expressions."""
        found: list[_Summand] = []
        current: list[Part] = []
        sign, before = 1, NONE
        for part in parts:
            additive = self._additive(part)
            if additive is None or (_is_sign(part) and not self._ends_operand(current)):
                if additive is not None and not current:  # the sign of a summand
                    sign *= additive[0]
                    continue
                current.append(part)
                continue
            found.append(_Summand(tuple(current), sign, before, additive[1]))
            current, sign, before = [], *additive
        found.append(_Summand(tuple(current), sign, before, NONE))
        for summand in found:
            self._check(summand.parts)
        return found

    def _additive(self, part: Part) -> tuple[int, int] | None:
        """Return the sign of an additive operator and its child, or None for other parts."""
        if isinstance(part, Group):
            return None
        if part.child != NONE and {ADDS, SUBTRACTS} & {*self.operators[part.rule]}:
            return 1, part.child
        return (_SIGNS[part.text], NONE) if part.text in _SIGNS else None

    def _check(self, parts: Sequence[Part]) -> None:
        """Raise unless operands and operators alternate; a factor may have a sign."""
        operand = False
        for part in parts:
            if self._is_operator(part):
                if not operand and not _is_sign(part):
                    raise NoExpressionError
                operand = False
                continue
            if operand or (isinstance(part, Item) and not self._is_known(part)):
                raise NoExpressionError
            operand = True
        if not operand:
            raise NoExpressionError

    def _is_operator(self, part: Part) -> bool:
        if isinstance(part, Group):
            return False
        return bool(self.operators[part.rule]) if part.child != NONE else part.text in _OPERATORS

    def _is_known(self, item: Item) -> bool:
        if item.child != NONE:
            return self._is_operand(item.rule)
        return item.is_value

    def _add(self, findings: _Findings, summands: Sequence[_Summand], number: int) -> None:
        """Add the roles and terms of a sum."""
        for summand in summands:
            parts = summand.parts
            only = _child_of(summand)
            # After a `-`, only a product is a summand: a sum would need parentheses.
            known = summand.sign == 1 and summand.before == NONE
            if only is not None and (known or self._is_product(only.rule)):
                findings.roles[only.child] = Role(
                    number, summand.sign, summand.before, summand.after
                )
            elif (term := self._term(summand, number)) is not None:
                findings.terms.append(term)
            else:
                for at, part in enumerate(parts):
                    self._add_part(findings, part, self._is_loosely_bound(summand, at))

    def _is_loosely_bound(self, summand: _Summand, at: int) -> bool:
        """Return whether an operand is only multiplied, so that a product can replace it."""
        parts = summand.parts
        beside = [*parts[max(at - 1, 0) : at], *parts[at + 1 : at + 2]]
        return summand.before == summand.after == NONE and all(
            isinstance(part, Item) and part.text == "*" for part in beside
        )

    def _add_part(self, findings: _Findings, part: Part, may_begin: bool) -> None:
        if isinstance(part, Group):
            for inner in part.parts:
                self._add(findings, self._summands(inner), self._begin(findings))
        elif part.child != NONE and not self._is_operator(part):
            findings.roles[part.child] = Role(may_begin=may_begin)

    def _term(self, summand: _Summand, number: int) -> Term | None:
        if summand.before != NONE or summand.after != NONE:
            return None
        match summand.parts:
            case (Item() as only,):
                feature = only.feature
                return (
                    None
                    if feature == NONE
                    else Term(number, summand.sign, NONE, NONE, feature, False)
                )
            case (Item() as first, Item(text="*"), Item() as second):
                for factor, source in ((first, second), (second, first)):
                    if self._is_number(factor) and self._is_source(source):
                        return Term(
                            *(number, summand.sign, factor.child, source.child),
                            *(source.feature, False),
                        )
        return None

    def _is_number(self, item: Item) -> bool:
        return item.child != NONE and self.tables.is_constant(item.rule)

    def _is_source(self, item: Item) -> bool:
        return bool(self.features[item.rule]) if item.child != NONE else item.feature != NONE

    def _are_product(self, summands: Sequence[_Summand]) -> bool:
        if len(summands) > 1:
            return False
        only = _child_of(summands[0])
        return only is None or self._is_product(only.rule)

    def _with_remaining(
        self, rule: int, roles: Sequence[Role], summands: Sequence[_Summand]
    ) -> tuple[Role, ...]:
        """Mark which of two summands can replace the production: the one with its symbol."""
        found = [*roles]
        if len(summands) == 2 and summands[0].sign == 1:
            first, second = map(_child_of, summands)
            if first is not None and second is not None and summands[1].before == summands[0].after:
                if first.rule == rule:
                    found[second.child] = replace(found[second.child], remaining=first.child)
                if second.rule == rule and summands[1].sign == 1:
                    found[first.child] = replace(found[first.child], remaining=second.child)
        return tuple(found)


def _operation(operator: str) -> int:
    return MULTIPLIES if operator == "*" else _SIGNS.get(operator, BINDS)


def _is_sign(part: Part) -> bool:
    return isinstance(part, Item) and part.child == NONE and part.text in _SIGNS


def _child_of(summand: _Summand) -> Item | None:
    """Return the symbol that is the whole summand, or None."""
    match summand.parts:
        case (Item(child=child) as only,) if child != NONE:
            return only
    return None
