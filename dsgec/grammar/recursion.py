"""Analyse the recursion of a grammar, and how large its derivations can get."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from dsgec.errors import DsgecError, Fault
from dsgec.grammar.directives import DEEPEST
from dsgec.grammar.ir import Alternative, Grammar, NonTerminal
from dsgec.grammar.source import NameSuggester

Symbol = TypeVar("Symbol", bound=Hashable)

DEFAULT_MAX_DEPTH = 6  # the paper's recursion level


@dataclass(frozen=True, slots=True)
class Recursion:
    """The recursion of a grammar, by the index of its rules and alternatives.

    Symbols that lead to one another form a group; `groups` lists callees before callers. A symbol
    that leads to itself is `cyclic`, like its whole group. An alternative is `recursive` if it has
    a symbol of its rule's own cyclic group, and its `exit_depth` is the least number of levels of
    that group that it takes to leave the group.
    """

    groups: tuple[tuple[int, ...], ...]
    group: tuple[int, ...]
    cyclic: tuple[bool, ...]
    recursive: tuple[tuple[bool, ...], ...]
    exit_depth: tuple[tuple[int, ...], ...]


def analyse_recursion(grammar: Grammar) -> Recursion:
    """Return the recursion of a grammar, or raise a ValueError if a symbol can never end."""
    called = _callees(grammar)
    callees = [sorted(set().union(*alternatives)) for alternatives in called]
    groups = _find_groups(callees)
    group = [0] * len(callees)
    for index, members in enumerate(groups):
        for rule in members:
            group[rule] = index
    cyclic = [len(groups[group[rule]]) > 1 or rule in callees[rule] for rule in range(len(callees))]
    inside = [
        [
            [callee for callee in alternative if cyclic[rule] and group[callee] == group[rule]]
            for alternative in alternatives
        ]
        for rule, alternatives in enumerate(called)
    ]
    return Recursion(
        groups=groups,
        group=tuple(group),
        cyclic=tuple(cyclic),
        recursive=tuple(tuple(bool(a) for a in alternatives) for alternatives in inside),
        exit_depth=_exit_depths(inside),
    )


def _callees(grammar: Grammar) -> list[list[Counter[int]]]:
    """Return, for each alternative of each rule, the rules that it calls and how often."""
    index = {rule.name: at for at, rule in enumerate(grammar.rules)}
    return [
        [
            Counter(index[s.name] for s in alternative.symbols if isinstance(s, NonTerminal))
            for alternative in rule.alternatives
        ]
        for rule in grammar.rules
    ]


def _exit_depths(inside: list[list[list[int]]]) -> tuple[tuple[int, ...], ...]:
    """Return the exit depth of each alternative; it needs these rules of its rule's own group."""
    needs = [
        (rule, callees) for rule, alternatives in enumerate(inside) for callees in alternatives
    ]
    depths = [-1] * len(needs)
    levels: dict[int, int] = {}
    for number in find_finite_order(needs):
        rule, callees = needs[number]
        depths[number] = max((levels[callee] + 1 for callee in callees), default=0)
        levels.setdefault(rule, depths[number])
    if -1 in depths:
        raise ValueError("the grammar has a symbol that can never end")
    each = iter(depths)
    return tuple(tuple(islice(each, len(alternatives))) for alternatives in inside)


def find_finite_order(
    needs: Sequence[tuple[Symbol, Collection[Symbol]]], assumed: Iterable[Symbol] = ()
) -> list[int]:
    """Return the numbers of the alternatives that have a finite derivation, shortest first.

    An alternative is given by its symbol and the distinct symbols that it needs. A symbol has a
    finite derivation if it is `assumed` to, or if one of its alternatives has.
    """
    users: dict[Symbol, list[int]] = defaultdict(list)
    missing = [len(needed) for _, needed in needs]
    for number, (_, needed) in enumerate(needs):
        for symbol in needed:
            users[symbol].append(number)
    ready = deque(number for number, count in enumerate(missing) if not count)
    finite: set[Symbol] = set()
    order: list[int] = []

    def add(symbol: Symbol) -> None:
        for user in users[symbol] if symbol not in finite else ():
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
        finite.add(symbol)

    for symbol in assumed:
        add(symbol)
    while ready:
        order.append(ready.popleft())
        add(needs[order[-1]][0])
    return order


def make_size_bound(
    grammar: Grammar,
    recursion: Recursion,
    limits: Mapping[str, int],
    weight: Callable[[Alternative], int],
) -> Callable[[str], int]:
    """Return a function that bounds the total weight of a derivation from a symbol.

    At depth d of its group, an alternative may be taken if d plus its exit depth is within the
    limit of its symbol; if none may, those with the least exit depth may.
    """
    limit = [limits.get(rule.name, DEFAULT_MAX_DEPTH) for rule in grammar.rules]
    called = [[list(calls.items()) for calls in rule] for rule in _callees(grammar)]
    weights = [[weight(alternative) for alternative in rule.alternatives] for rule in grammar.rules]
    number = {rule.name: at for at, rule in enumerate(grammar.rules)}
    best: dict[tuple[int, int], int] = {}

    def largest(symbol: str) -> int:
        start = (number[symbol], 0)
        stack = [start]
        while stack:
            rule, depth = state = stack[-1]
            if state in best:
                stack.pop()
                continue
            exits = recursion.exit_depth[rule]
            bound = max(limit[rule] - depth, min(exits))
            group = recursion.group[rule] if recursion.cyclic[rule] else -1
            total = None
            missing: set[tuple[int, int]] = set()
            for at, exit_depth in enumerate(exits):
                if exit_depth > bound:
                    continue
                sum_ = weights[rule][at]
                for callee, times in called[rule][at]:
                    child = (callee, depth + 1 if recursion.group[callee] == group else 0)
                    if child in best:
                        sum_ += times * best[child]
                    else:
                        missing.add(child)
                total = sum_ if total is None else max(total, sum_)
            if missing:
                stack.extend(missing)
            else:
                best[state] = total or 0
                stack.pop()
        return best[start]

    return largest


def depth_limits(grammar: Grammar, overrides: Mapping[str, int]) -> tuple[int, ...]:
    """Return the depth limit of each rule: the override, the directive or the default."""
    names = [rule.name for rule in grammar.rules]
    known, faults = set(names), []
    for name, limit in overrides.items():
        if name not in known:
            listed = ", ".join(f"`{each}`" for each in names[:10]) + (", …" if names[10:] else "")
            advice = NameSuggester(names).advice(name, f"The grammar has {listed}.", "`{}`")
            faults.append(Fault(f"the grammar has no symbol `<{name}>` to limit", advice))
        elif not 0 <= limit <= DEEPEST:
            message = f"the depth of `<{name}>` is {limit}"
            faults.append(Fault(message, f"Write a whole number from 0 to {DEEPEST}."))
    if faults:
        raise DsgecError(faults)
    limits = {**dict(grammar.directives.max_depth), **overrides}
    return tuple(limits.get(name, DEFAULT_MAX_DEPTH) for name in names)


def _find_groups(callees: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the strongly connected groups of a graph, callees before callers.

    This is Tarjan's algorithm without recursion.
    """
    order = [-1] * len(callees)  # when a node was first seen
    lowest = [0] * len(callees)  # the earliest node still open that it leads to
    is_open = [False] * len(callees)
    opened: list[int] = []
    groups: list[tuple[int, ...]] = []
    seen = 0
    for root in range(len(callees)):
        if order[root] >= 0:
            continue
        path = [(root, 0)]
        while path:
            node, edge = path.pop()
            if edge == 0:
                order[node] = lowest[node] = seen
                seen += 1
                opened.append(node)
                is_open[node] = True
            else:
                lowest[node] = min(lowest[node], lowest[callees[node][edge - 1]])
            while edge < len(callees[node]):
                callee = callees[node][edge]
                edge += 1
                if order[callee] < 0:
                    path += [(node, edge), (callee, 0)]
                    break
                if is_open[callee]:
                    lowest[node] = min(lowest[node], order[callee])
            else:
                if lowest[node] == order[node]:
                    at = len(opened) - 1
                    while opened[at] != node:
                        at -= 1
                    groups.append(tuple(sorted(opened[at:])))
                    for member in groups[-1]:
                        is_open[member] = False
                    del opened[at:]
    return tuple(groups)
