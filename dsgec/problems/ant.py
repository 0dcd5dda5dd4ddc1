"""The artificial ant: a program that walks on a grid and eats what lies on a trail (Koza 1992).

A program is a text such as `if(food_ahead()){move();}else{left();}right();`, the language of
O'Neill and Ryan (2001). It is repeated until the steps are used up or all food is eaten; each of
`left`, `right` and `move` takes a step. The grid has no borders: its sides are joined.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

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

MOVE, RIGHT, LEFT, IF, JUMP = range(5)


@dataclass(frozen=True, slots=True)
class Trail:
    """A grid of so many rows and columns, the cells with food, and the steps of an ant."""

    rows: int
    columns: int
    food: frozenset[tuple[int, int]]
    steps: int


def parse_program(text: str) -> list[tuple[int, int]]:
    """Return the instructions of a text, or raise a ValueError.

    Each has an action and a place: IF continues there without food ahead, JUMP in any case.
    """
    code: list[tuple[int, int]] = []
    open_parts: list[tuple[int, bool]] = []  # the instruction to complete; is it the `else` part
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"not a program of an ant from character {at + 1} on")
        at, word = token.end(), token.group()
        if word.startswith("if"):
            open_parts.append((len(code), False))
            code.append((IF, 0))
        elif word == "}else{":
            start, is_else = open_parts.pop() if open_parts else (0, True)
            if is_else:
                raise ValueError("an `else` without its `if`")
            open_parts.append((len(code), True))
            code.append((JUMP, 0))
            code[start] = IF, len(code)
        elif word == "}":
            start, is_else = open_parts.pop() if open_parts else (0, False)
            if not is_else:
                raise ValueError("a brace too many, or an `if` without `else`")
            code[start] = JUMP, len(code)
        else:
            code.append(({"move": MOVE, "right": RIGHT, "left": LEFT}[word[:-3]], 0))
    if open_parts:
        raise ValueError("a brace is not closed")
    return code


def eaten(text: str, trail: Trail) -> int:
    """Return how much food the ant of a program eats."""
    code = parse_program(text)
    cells = _find_neighbours(trail.rows, trail.columns)
    food = bytearray(trail.rows * trail.columns)
    for row, column in trail.food:
        food[row * trail.columns + column] = 1
    end, left, steps = len(code), len(trail.food), trail.steps
    place = heading = at = 0
    ahead = cells[0]
    steps_before = steps + 1
    while steps and left:
        if at == end:
            if steps == steps_before:  # it does nothing
                break
            at, steps_before = 0, steps
            continue
        action, target = code[at]
        at += 1
        if action == IF:
            if not food[ahead[place]]:
                at = target
        elif action == JUMP:
            at = target
        else:
            steps -= 1
            if action == MOVE:
                place = ahead[place]
                if food[place]:
                    food[place] = 0
                    left -= 1
            else:
                heading = (heading + (1 if action == RIGHT else 3)) % 4
                ahead = cells[heading]
    return len(trail.food) - left


@cache
def _find_neighbours(rows: int, columns: int) -> list[list[int]]:
    """Return for each heading the cell ahead of each cell."""
    return [
        [
            (row + down) % rows * columns + (column + right) % columns
            for row in range(rows)
            for column in range(columns)
        ]
        for down, right in _AHEAD
    ]


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
