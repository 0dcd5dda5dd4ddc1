"""Rules to the symbols that can end, those that cannot, why, and those that the start reaches."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from dsgec.grammar.ir import Alternative, NonTerminal, Rule

MOST_SHOWN = 8


def references(alternative: Alternative) -> list[str]:
    """The names that an alternative uses, each as often as it does."""
    return [symbol.name for symbol in alternative.symbols if isinstance(symbol, NonTerminal)]


def find_ending(rules: Iterable[Rule], names: set[str], assumed: set[str]) -> set[str]:
    """The symbols with a finite derivation; undefined and `assumed` ones are taken to have one."""
    ending = set(assumed)
    missing: list[int] = []  # for each alternative, how many of its symbols are not known to end
    owner: list[str] = []
    users: dict[str, list[int]] = defaultdict(list)
    ready = list(assumed)
    for rule in rules:
        for alternative in rule.alternatives:
            needed = {name for name in references(alternative) if name in names}
            for name in needed:
                users[name].append(len(missing))
            if not needed and rule.name not in ending:
                ending.add(rule.name)
                ready.append(rule.name)
            missing.append(len(needed))
            owner.append(rule.name)
    while ready:
        for index in users.get(ready.pop(), ()):
            missing[index] -= 1
            if missing[index] == 0 and owner[index] not in ending:
                ending.add(owner[index])
                ready.append(owner[index])
    return ending


def find_steps(rules: Iterable[Rule], ending: set[str]) -> dict[str, str]:
    """For each symbol that never ends, one of those that keep it from ending."""
    steps: dict[str, str] = {}
    for rule in rules:
        if rule.name not in ending and rule.name not in steps:
            used = references(rule.alternatives[0])
            steps[rule.name] = next(name for name in used if name not in ending)
    return steps


def explain_endless(rule: Rule, steps: Mapping[str, str]) -> str:
    """Why `rule` never ends: the loop that it is in, or the one that it leads to."""
    path = [rule.name]
    while len(path) <= MOST_SHOWN and path[-1] not in path[:-1]:
        path.append(steps[path[-1]])
    shown = " → ".join(f"`<{name}>`" for name in path)
    if path[-1] == rule.name:
        return f"Every alternative leads back: {shown}. Add one without `<{rule.name}>`."
    if path[-1] not in path[:-1]:
        shown += " → …"
    return f"Every alternative needs a symbol that never ends: {shown}. Mend that one first."


def find_reachable(rules: Iterable[Rule], start: str) -> set[str]:
    """The symbols that a derivation from `start` can have."""
    by_name = {rule.name: rule for rule in rules}
    reached = {start}
    ready = [start]
    while ready:
        for alternative in by_name[ready.pop()].alternatives:
            for name in references(alternative):
                if name not in reached:
                    reached.add(name)
                    ready.append(name)
    return reached
