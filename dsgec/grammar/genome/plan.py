"""Plan the derivation trees of a first generation; templates/engine/plan.c does the same.

`ramped` is ramped half-and-half (Koza 1992): the depth limits rise from individual to individual,
and every second tree is full, which takes deeper alternatives as long as there are any. `pi-grow`
is position-independent grow (Fagan, Fenton, O'Neill, "Exploring position independent
initialisation in grammatical evolution", CEC 2016): symbols are expanded in random order, by deeper
alternatives only until one of them is at its limit, and then by any.
"""

from collections.abc import Iterator, Sequence

from dsgec.grammar.genome.constants import is_recursive
from dsgec.grammar.genome.genotype import PI_GROW, RANDOM, Expansion, Plan
from dsgec.grammar.genome.rule_tables import NONE, Child, RuleTables
from dsgec.random import Stream

MOST_NODES = 10_000
"""A tree with more nodes than this ends as quickly as it can."""


def plan_tree(tables: RuleTables, initialisation: str, number: int, stream: Stream) -> Plan:
    """Plan the tree of an individual of the first generation; empty if it is random."""
    if initialisation == RANDOM:
        return ()
    is_pi = initialisation == PI_GROW
    deepest = max(
        (n for n, rooms in zip(tables.limits, tables.allowed, strict=True) if len(rooms) > 1),
        default=0,
    )
    ramp = 1 + (number if is_pi else number // 2) % deepest if deepest else 0
    wants_deeper = is_pi or number % 2 == 1
    nodes = [Expansion(tables.start, 0, NONE)]
    children: list[Sequence[int]] = [()]
    todo = [0]
    while todo:
        at = stream.below(len(todo)) if is_pi else len(todo) - 1
        todo[at], todo[-1] = todo[-1], todo[at]
        node = todo.pop()
        rule, depth, _ = nodes[node]
        if is_left_open(tables, rule):
            continue
        rooms, limit = tables.allowed[rule], min(tables.limits[rule], ramp)
        if is_pi and len(rooms) > 1 and 0 < limit <= depth:
            wants_deeper = False
        room = max(limit - depth, 0) if len(nodes) <= MOST_NODES else 0
        options: Sequence[int] = rooms[min(room, len(rooms) - 1)]
        if wants_deeper:
            options = [o for o in options if is_recursive(tables.productions[rule][o])] or options
        choice = options[stream.below(len(options))]
        nodes[node] = Expansion(rule, depth, choice)
        own = [
            Expansion(symbol.rule, depth + 1 if symbol.deeper else 0, NONE)
            for symbol in tables.productions[rule][choice]
            if isinstance(symbol, Child)
        ]
        children[node] = range(len(nodes), len(nodes) + len(own))
        nodes += own
        children += [()] * len(own)
        todo += reversed(children[node])
    return [nodes[node] for node in _walk(children)]


def is_left_open(tables: RuleTables, rule: int) -> bool:
    """Return whether a plan leaves the choices of a rule to the mapping."""
    return tables.is_constant(rule) or (tables.has_dynamic_rules and rule == tables.features)


def _walk(children: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the nodes of a tree from left to right, parents before children."""
    todo = [0]
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(children[node])


def planned_lists(plan: Plan) -> dict[int, list[Expansion]]:
    """Return the planned expansions of each rule, in the order in which they are read."""
    lists: dict[int, list[Expansion]] = {}
    for one in plan:
        if one.choice != NONE:
            lists.setdefault(one.rule, []).append(one)
    return lists
