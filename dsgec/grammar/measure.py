"""A grammar to what its recursion looks like, and to how large its derivations can get."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dsgec.errors import DsgecError, Fault
from dsgec.grammar.directives import DEEPEST
from dsgec.grammar.groups import find_groups
from dsgec.grammar.ir import Alternative, Grammar, NonTerminal
from dsgec.grammar.nearest import Nearest

DEFAULT_MAX_DEPTH = 6  # the paper's recursion level


@dataclass(frozen=True, slots=True)
class Measures:
    """What is known of each rule, by its index, and of each of its alternatives.

    Symbols that lead to one another are one group; `groups` lists them callees first. A symbol
    that leads to itself is `cyclic`, and so is its whole group. An alternative is `recursive` if it
    has a symbol of its rule's own cyclic group, and its `exit_depth` is how many levels of that
    group it takes at least to leave it.
    """

    groups: tuple[tuple[int, ...], ...]
    group: tuple[int, ...]
    cyclic: tuple[bool, ...]
    recursive: tuple[tuple[bool, ...], ...]
    exit_depth: tuple[tuple[int, ...], ...]


def measure(grammar: Grammar) -> Measures:
    """The measures of a checked grammar; a ValueError if it cannot end."""
    called = _called(grammar)
    callees = [sorted(set().union(*alternatives)) for alternatives in called]
    groups = find_groups(callees)
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
    return Measures(
        groups=groups,
        group=tuple(group),
        cyclic=tuple(cyclic),
        recursive=tuple(tuple(bool(a) for a in alternatives) for alternatives in inside),
        exit_depth=_exit_depths(inside),
    )


def _called(grammar: Grammar) -> list[list[Counter[int]]]:
    """For each alternative of each rule, the rules that it calls and how often."""
    index = {rule.name: at for at, rule in enumerate(grammar.rules)}
    return [
        [
            Counter(index[s.name] for s in alternative.symbols if isinstance(s, NonTerminal))
            for alternative in rule.alternatives
        ]
        for rule in grammar.rules
    ]


def _exit_depths(inside: list[list[list[int]]]) -> tuple[tuple[int, ...], ...]:
    """Level by level: a symbol's depth is known when the first of its alternatives is."""
    depths = [[-1] * len(alternatives) for alternatives in inside]
    missing = [[len(alternative) for alternative in alternatives] for alternatives in inside]
    users: list[list[tuple[int, int]]] = [[] for _ in inside]
    level: list[int] = []
    for rule, alternatives in enumerate(inside):
        for at, callees in enumerate(alternatives):
            for callee in callees:
                users[callee].append((rule, at))
            if not callees:
                depths[rule][at] = 0
        if 0 in depths[rule]:
            level.append(rule)
    known = set(level)
    depth = 0
    while level:
        depth += 1
        following: list[int] = []
        for callee in level:
            for rule, at in users[callee]:
                missing[rule][at] -= 1
                if missing[rule][at] == 0:
                    depths[rule][at] = depth
                    if rule not in known:
                        known.add(rule)
                        following.append(rule)
        level = following
    if any(-1 in rule for rule in depths):
        raise ValueError("the grammar has a symbol that can never end")
    return tuple(map(tuple, depths))


def most(
    grammar: Grammar,
    measures: Measures,
    limits: Mapping[str, int],
    weight: Callable[[Alternative], int],
) -> Callable[[str], int]:
    """For any symbol, the largest total weight of the alternatives in any derivation from it.

    At depth d of its group an alternative may be taken if d plus its exit depth is within the limit
    of its symbol; if none may, those with the least exit depth.
    """
    limit = [limits.get(rule.name, DEFAULT_MAX_DEPTH) for rule in grammar.rules]
    called = [[list(calls.items()) for calls in rule] for rule in _called(grammar)]
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
            exits = measures.exit_depth[rule]
            bound = max(limit[rule] - depth, min(exits))
            group = measures.group[rule] if measures.cyclic[rule] else -1
            total = None
            missing: set[tuple[int, int]] = set()
            for at, exit_depth in enumerate(exits):
                if exit_depth > bound:
                    continue
                sum_ = weights[rule][at]
                for callee, times in called[rule][at]:
                    child = (callee, depth + 1 if measures.group[callee] == group else 0)
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
    """The limit of each rule: the override, else the directive, else the default."""
    names = [rule.name for rule in grammar.rules]
    known, faults = set(names), []
    for name, limit in overrides.items():
        if name not in known:
            listed = ", ".join(f"`{each}`" for each in names[:10]) + (", …" if names[10:] else "")
            advice = Nearest(names).advice(name, f"The grammar has {listed}.", "`{}`")
            faults.append(Fault(f"the grammar has no symbol `<{name}>` to limit", advice))
        elif not 0 <= limit <= DEEPEST:
            message = f"the depth of `<{name}>` is {limit}"
            faults.append(Fault(message, f"Write a whole number from 0 to {DEEPEST}."))
    if faults:
        raise DsgecError(faults)
    limits = {**dict(grammar.directives.max_depth), **overrides}
    return tuple(limits.get(name, DEFAULT_MAX_DEPTH) for name in names)
