"""Every shipped problem is what its definition says, by an oracle of its own."""

import ast
import importlib
import importlib.util
import math
import re

import numpy as np
import pytest

import dsgec
from dsgec.problems import NAMES, ant, los_altos, multiplexer_11, parity_5, quartic, santa_fe
from dsgec.problems.expressions import evaluate_bits, evaluate_numbers, table_columns

HAS_BOSTON = importlib.util.find_spec("mlxtend") is not None
PROBLEMS = {
    name: importlib.import_module(f"dsgec.problems.{name}")
    for name in NAMES
    if name != "boston_housing" or HAS_BOSTON
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_can_be_searched(name):
    problem = PROBLEMS[name]
    settings = {"population": 30, "generations": 3, "backend": "reference"}
    run = dsgec.search(problem.grammar, problem.fitness, **settings, **_settings(problem))
    first, last = run.history[0], run.history[-1]
    assert last.best <= first.best < math.inf
    found = problem.fitness(run.best)
    assert run.score == (math.fsum(found) if isinstance(found, list) else found)


def _settings(problem):
    return getattr(problem, "settings", {})


def test_known_solutions_have_no_error():
    for name, solution in {
        "string_match": "Hello, world!",
        "quartic": "((x*x)*(x*x))+((x*x)*x)+(x*x)+x",
        "vladislavleva_4": "10/(5" + "".join(f"+(x{i}-3)*(x{i}-3)" for i in range(1, 6)) + ")",
        "pagie_1": "1/(1+1/(x*x*x*x))+1/(1+1/(y*y*y*y))",
    }.items():
        assert PROBLEMS[name].fitness(solution) == pytest.approx(0.0, abs=1e-12), name
    keijzer = PROBLEMS["keijzer_6"]
    assert keijzer.fitness("log(x)+0.57721566+1/(2*x)") < 0.02
    assert keijzer.test_error("log(x)+0.57721566+1/(2*x)") < 0.02
    assert PROBLEMS["vladislavleva_4"].test_error("10/(5+0*x1)") > 0.1


def python_value(text, names):
    """Python itself as the oracle of an expression."""
    return eval(compile(ast.parse(text, mode="eval"), "", "eval"), {"__builtins__": {}}, names)


@pytest.mark.parametrize(("problem", "names"), [(parity_5, 5), (multiplexer_11, 11)])
def test_boolean_tables_are_computed_as_python_does(problem, names):
    run = dsgec.search(problem.grammar, problem.fitness, population=20, generations=2)
    texts = [one.phenotype for one in run.individuals() if one.phenotype]
    columns = list(problem.columns)
    for text in texts[:10]:
        bits = evaluate_bits(text, problem.columns, 1 << names)
        for row in range(0, 1 << names, 7):
            values = {name: bool(row >> k & 1) for k, name in enumerate(columns)}
            assert bool(bits >> row & 1) == bool(python_value(text, values))


def test_the_targets_of_boolean_tables():
    for row in range(32):
        assert parity_5.target >> row & 1 == (bin(row).count("1") % 2 == 0)
    for row in range(2048):
        address, data = row & 7, row >> 3
        assert multiplexer_11.target >> row & 1 == data >> address & 1
    mux = "".join(f"(d{i} if ({_address(i)}) else " for i in range(7)) + "d7" + ")" * 7
    assert multiplexer_11.fitness(mux) == 0.0
    assert sum(parity_5.fitness("b0")) == 16.0
    assert table_columns(2) == [0b1010, 0b1100]


def _address(number):
    return " and ".join(f"{'' if number >> k & 1 else 'not '}a{k}" for k in range(3))


def test_numbers_are_computed_as_python_does():
    run = dsgec.search(quartic.grammar, quartic.fitness, population=30, generations=2)
    checked = 0
    functions = {name: getattr(np, name) for name in ("sin", "cos", "exp", "log")}
    for one in run.individuals():
        with np.errstate(all="ignore"):
            expected = python_value(one.phenotype, {"x": quartic.x, **functions})
        found = evaluate_numbers(one.phenotype, {"x": quartic.x})
        assert np.array_equal(found, expected, equal_nan=True)
        checked += 1
    assert checked == 30


@pytest.mark.parametrize(
    "text", ["x.real", "__import__('os')", "x[0]", "lambda: 1", "open(x)", "y"]
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="not an arithmetic expression"):
        evaluate_numbers(text, {"x": quartic.x})
    with pytest.raises(ValueError, match="not a Boolean expression"):
        evaluate_bits(text, {"x": 1}, 2)


class PlainAnt:
    """An ant that Python's own statements walk: another way to run the same program."""

    def __init__(self, trail):
        self.trail, self.food = trail, set(trail.food)
        self.at, self.ahead, self.left_steps = 0 + 0j, 1 + 0j, trail.steps

    def next(self):
        there = self.at + self.ahead
        return complex(there.real % self.trail.columns, there.imag % self.trail.rows)

    def food_ahead(self):
        there = self.next()
        return (int(there.imag), int(there.real)) in self.food

    def step(self):
        if self.left_steps == 0 or not self.food:
            raise StopIteration
        self.left_steps -= 1

    def move(self):
        self.step()
        self.at = self.next()
        self.food.discard((int(self.at.imag), int(self.at.real)))

    def left(self):
        self.step()
        self.ahead *= -1j

    def right(self):
        self.step()
        self.ahead *= 1j

    def run(self, program):
        lines, depth = ["while True:"], 1
        for part in re.findall(r"[^{};]*[{};]", program):
            depth -= part == "}"
            if part.rstrip("{;}"):
                lines.append("  " * depth + part.replace("{", ":").rstrip(";"))
            depth += part.endswith("{")
        names = {name: getattr(self, name) for name in ("food_ahead", "move", "left", "right")}
        exec("\n".join(lines), names)


@pytest.mark.parametrize("problem", [santa_fe, los_altos])
def test_ants_eat_what_another_simulator_says(problem):
    run = dsgec.search(problem.grammar, problem.fitness, population=40, generations=6)
    for one in run.individuals():
        other = PlainAnt(problem.trail)
        with pytest.raises(StopIteration):
            other.run(one.phenotype)
        assert one.score == len(other.food)


def test_the_trails():
    assert len(santa_fe.trail.food) == 89 and (0, 1) in santa_fe.trail.food
    assert len(los_altos.trail.food) == 157
    path = [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (5, 3), (5, 4)]
    for trail in (santa_fe.trail, los_altos.trail):
        assert all(cell in trail.food for cell in path)
    assert santa_fe.fitness("move();") == 89 - len({c for c in santa_fe.trail.food if c[0] == 0})


@pytest.mark.parametrize(
    "text",
    [
        "jump();",
        "if(food_ahead()){move();}",
        "}",
        "if(food_ahead()){}else{",
        "}else{",
        "right();}else{",
    ],
)
def test_a_text_that_is_no_program_of_an_ant_is_refused(text):
    with pytest.raises(ValueError, match=r"not a program|without|brace"):
        ant.parse_program(text)


def test_an_ant_without_an_action_stands_still():
    for text in ("", "if(food_ahead()){}else{}"):
        assert ant.eaten(text, santa_fe.trail) == 0
