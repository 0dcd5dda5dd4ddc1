"""Flatten the sums that a grammar writes to the constants by which its engine merges terms."""

from dataclasses import astuple

from dsgec.grammar.genome.rule_tables import NONE, RuleTables
from dsgec.grammar.genome.sums import Shape, find_sums


class SumLists:
    """The lists of `grammar.h` about sums; all are empty if no terms are merged."""

    def __init__(self, tables: RuleTables, *, merges: bool) -> None:
        sums = find_sums(tables) if merges else None
        self.has_sums = int(sums is not None)
        self.first_is_sum = int(sums is not None and sums.has_first)
        self.roles: list[tuple[int, ...]] = []
        self.shapes: list[tuple[int, ...]] = []
        self.terms: list[tuple[int, ...]] = []
        self.first_shape: list[int] = []
        self.features: list[int] = []
        self.effects: list[int] = []
        self.is_source: list[int] = []
        for rule in range(len(tables.names)) if sums else ():
            assert sums is not None
            self.first_shape.append(len(self.shapes))
            self.is_source.append(int(bool(sums.features[rule])))
            if tables.is_constant(rule):
                continue
            self.features += sums.features[rule] or [NONE] * len(sums.shapes[rule])
            self.effects += sums.operators[rule] or [0] * len(sums.shapes[rule])
            for shape in sums.shapes[rule]:
                self._add(shape)

    def _add(self, shape: Shape) -> None:
        self.shapes.append(
            (
                *(len(self.terms), len(shape.terms), shape.begun),
                *map(int, (shape.in_parentheses, shape.is_only, shape.is_product)),
            )
        )
        self.roles += [tuple(map(int, astuple(role))) for role in shape.roles]
        self.terms += [tuple(map(int, astuple(term))) for term in shape.terms]
