"""The artificial ant: a program that walks on a grid and eats what lies on a trail (Koza 1992).

A program is a text such as `if(food_ahead()){move();}else{left();}right();`, the language of
O'Neill and Ryan (2001). It is repeated until the steps are used up or all food is eaten; each of
`left`, `right` and `move` takes a step. The grid has no borders: its sides are joined.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

GRAMMAR = """
<prog> ::= <code>
<code> ::= <line> | <code> <line>
<line> ::= <condition> | <op>
<condition> ::= "if(food_ahead()){" <code> "}else{" <code> "}"
<op> ::= "left();" | "right();" | "move();"
%max-depth code=6 line=6 condition=6
"""

_TOKEN = re.compile(r"if\(food_ahead\(\)\)\{|\}else\{|\}|(?:left|right|move)\(\);")
_AHEAD = ((0, 1), (1, 0), (0, -1), (-1, 0))  # east, south, west, north

Program: TypeAlias = list["str | Condition"]


@dataclass(slots=True)
class Condition:
    """A choice between actions: one with food ahead, the other without."""

    then: Program
    otherwise: Program


@dataclass(frozen=True, slots=True)
class Trail:
    """A grid of so many rows and columns, the cells with food, and the steps of an ant."""

    rows: int
    columns: int
    food: frozenset[tuple[int, int]]
    steps: int


def parse_program(text: str) -> Program:
    """Return the program of a text, or raise a ValueError."""
    program: Program = []
    open_parts: list[tuple[Program, Condition | None]] = []
    current, at = program, 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"not a program of an ant from character {at + 1} on")
        at, word = token.end(), token.group()
        if word.startswith("if"):
            condition = Condition([], [])
            current.append(condition)
            open_parts.append((current, condition))
            current = condition.then
        elif word == "}else{":
            outer, own = open_parts.pop()
            if own is None:
                raise ValueError("an `else` without its `if`")
            open_parts.append((outer, None))
            current = own.otherwise
        elif word == "}":
            if not open_parts or open_parts[-1][1] is not None:
                raise ValueError("a brace too many, or an `if` without `else`")
            current, _ = open_parts.pop()
        else:
            current.append(word[:-3])
    if open_parts:
        raise ValueError("a brace is not closed")
    return program


def eaten(text: str, trail: Trail) -> int:
    """Return how much food the ant of a program eats."""
    program = parse_program(text)
    food = set(trail.food)
    row, column, heading, steps = 0, 0, 0, trail.steps
    todo: list[tuple[Program, int]] = []
    while steps > 0 and food:
        if not todo:
            if not program:
                break
            todo.append((program, 0))
        part, number = todo.pop()
        if number == len(part):
            continue
        todo.append((part, number + 1))
        action = part[number]
        down, right = _AHEAD[heading]
        ahead = (row + down) % trail.rows, (column + right) % trail.columns
        if isinstance(action, Condition):
            todo.append((action.then if ahead in food else action.otherwise, 0))
            continue
        steps -= 1
        if action == "left":
            heading = (heading - 1) % 4
        elif action == "right":
            heading = (heading + 1) % 4
        else:
            row, column = ahead
            food.discard(ahead)
    return len(trail.food) - len(food)


def read_path(path: str, rows: int, columns: int, steps: int) -> Trail:
    """Return the trail of a path from the upper left corner.

    `E3f2g` goes east over three cells with food and two gaps; the other directions are S, W and N.
    """
    food, row, column = set(), 0, 0
    for direction, stretch in re.findall(r"([ESWN])((?:\d+[fg])+)", path):
        down, right = _AHEAD["ESWN".index(direction)]
        for count, kind in re.findall(r"(\d+)([fg])", stretch):
            for _ in range(int(count)):
                row, column = row + down, column + right
                if kind == "f":
                    food.add((row, column))
    return Trail(rows, columns, frozenset(food), steps)


def read_map(lines: Sequence[str], steps: int) -> Trail:
    """Return the trail of a map, on which `#` is food."""
    cells = ((y, x) for y, line in enumerate(lines) for x, sign in enumerate(line) if sign == "#")
    return Trail(len(lines), len(lines[0]), frozenset(cells), steps)
