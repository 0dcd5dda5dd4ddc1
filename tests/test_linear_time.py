"""Slow steps take time in proportion to their input, or have a limit; counts decide, not clocks."""

import random
from collections import Counter
from time import process_time

import numpy as np
import pytest

from dsgec.cli.terminal.grammar import describe_grammar
from dsgec.data import native, read
from dsgec.data.options import ReadingOptions
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.targets.c import emit as emit_c
from dsgec.export.targets.c import names as names_c
from dsgec.export.targets.python.literal import read_literal
from dsgec.export.targets.target import TARGETS
from dsgec.grammar.genome import sample
from dsgec.grammar.ir import Grammar
from dsgec.grammar.load import GrammarFile, parse
from dsgec.literals import python_data
from dsgec.network.model import Model, plain_columns
from dsgec.network.model_text import parse_model
from dsgec.network.parse import parse as parse_network
from dsgec.search import choose
from dsgec.search import native as engine
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings

CSV = b"a,b,class\n" + b"".join(b"%d,%d,%d\n" % (i, i * i % 7, i % 2) for i in range(20))


LINEAR = 9


def growth(work, small: int) -> float:
    """Return the ratio of times on four times the input: 4 if linear, 16 if quadratic.

    Both are the shortest of several times, more of them if the machine was too busy to tell.
    """
    prepared = work(4 * small), work(small)
    shortest = [float("inf")] * 2
    for attempt in range(12):
        for which, run in enumerate(prepared):
            began = process_time()
            run()
            shortest[which] = min(shortest[which], process_time() - began)
        if attempt >= 2 and shortest[0] < LINEAR * shortest[1]:
            break
    return shortest[0] / shortest[1]


def chain(length: int) -> Grammar:
    rules = [f"<a{i}> ::= <a{i + 1}>" for i in range(length)]
    return parse("\n".join([*rules, f"<a{length}> ::= x_1\n"]), "g.bnf")


def test_a_chain_of_rules_is_one_text():
    assert len(list(sample.covering_samples(chain(50)))) == 1


def test_the_texts_of_a_grammar_are_made_only_while_they_are_few_symbols(monkeypatch):
    rules = [f"<a{i}> ::= <a{i + 1}> | x_1" for i in range(100)]
    grammar = parse("\n".join([*rules, "<a100> ::= x_1\n"]), "g.bnf")
    whole = len(list(sample.covering_samples(grammar)))
    monkeypatch.setattr(sample, "_MOST_SYMBOLS", 1000)
    untried = []
    assert 40 < len(list(sample.covering_samples(grammar, untried))) < whole
    assert untried[-1] == "a100"
    assert "not tried   " in describe_grammar(GrammarFile("g", grammar, "", ()), None, {})


def test_islands_share_one_engine(monkeypatch):
    calls = Counter()

    def counted(*arguments, **more):
        calls["emitted"] += 1
        return emit(*arguments, **more)

    emit = engine.emit_engine
    monkeypatch.setattr(engine, "emit_engine", counted)
    settings = Settings(islands=5)
    dataset = make_dataset(parse_table(CSV, "t.csv", "t"))
    problem = make_problem(parse("<s> ::= sig(<f>)\n<f> ::= x_1 | x_2\n", "g"), dataset, settings)
    choose.choose_evolver(problem, settings, "auto")
    assert calls["emitted"] == 1


def test_more_islands_than_a_machine_can_hold_are_refused():
    with pytest.raises(DsgecError, match="between 1 and 1000"):
        Settings(islands=1001)


@pytest.mark.parametrize(
    ("target", "begin", "piece"),
    [
        ("python", "", "a = 1\n"),
        ("python", "metadata = ", "[{'a':"),
        ("c", "", "\n#ifdef X_DESCRIPTION\nconst char a{\n"),
    ],
)
def test_a_hostile_artefact_is_read_in_linear_time(target, begin, piece):
    def work(size: int):
        data = (begin + piece * size).encode()
        return lambda: TARGETS[target].read(data)

    assert TARGETS[target].read((begin + piece * 100).encode()) is None
    assert growth(work, 4000) < LINEAR


def test_a_literal_reads_back_as_what_was_written():
    draw = random.Random(1)

    def value(depth: int):
        kind = draw.randrange(7 if depth < 4 else 5)
        if kind < 3:
            return draw.choice([None, True, False, 0, -5, 2**70, 0.1, -0.0, 1e-300, 1e22])
        if kind < 5:
            return "".join(draw.choice("ab'\"\\\n\t\r\0 é\u2028\U0001f600") for _ in range(6))
        if kind == 5:
            return [value(depth + 1) for _ in range(draw.randrange(4))]
        return {f"{i}'": value(depth + 1) for i in range(draw.randrange(4))}

    for _ in range(500):
        data = {"a": value(0), "b\\\n": value(0)}
        assert repr(read_literal(python_data(data) + "\nmore = 1\n")) == repr(data)


def test_blanks_in_brackets_are_read_in_linear_time():
    def work(size: int):
        def read() -> None:
            with pytest.raises(DsgecError):
                parse_network("x[" + " " * size)

        return read

    assert growth(work, 4000) < LINEAR


@pytest.mark.parametrize(
    "line",
    [
        lambda n: "x_1" + " " * n + "!",
        lambda n: "x_1" + ", x_2" * n,
        lambda n: "x_1 = number(" + '"\\' * n,
        lambda n: 'classes = "' + "a" * n,
        lambda n: "classes = " + "1, " * n,
        lambda n: '"' * n + "#" * n,
        lambda n: "".join(f'x_{i} = number("{i}")\n' for i in range(1, n // 10)),
    ],
)
def test_the_columns_of_a_network_file_are_read_in_linear_time(line):
    def work(size: int):
        def read() -> None:
            with pytest.raises(DsgecError):
                parse_model(line(size))

        return read

    assert growth(work, 4000) < LINEAR


def test_the_outputs_of_a_wide_softmax_are_looked_up_once():
    def work(size: int):
        text = "softmax(" + ", ".join(f"sig(x_1 + {i})" for i in range(size)) + ")"
        return lambda: parse_network(text)

    assert growth(work, 1000) < LINEAR


def test_a_wide_table_is_a_data_set_in_linear_time():
    def work(size: int):
        rows = [",".join(f"c{i}" for i in range(size)) + ",class"]
        rows += [",".join(str((i * r) % 7) for i in range(size)) + f",{r % 2}" for r in range(4)]
        table = parse_table("\n".join(rows).encode(), "t.csv", "t")
        return lambda: make_dataset(table)

    assert growth(work, 1000) < LINEAR


@pytest.mark.needs_cc
def test_the_texts_of_a_wide_table_are_looked_at_a_few_times_each(monkeypatch):
    calls = Counter()

    class Counted(np.ndarray):
        def __getitem__(self, key):
            calls["looked at"] += len(self) if isinstance(key, str) else 0
            return super().__getitem__(key)

    def counted(rows, cells, *more):
        calls["cells"] += len(cells)
        add(rows, cells.view(Counted), *more)

    add = native._add_texts
    monkeypatch.setattr(native, "_add_texts", counted)
    monkeypatch.setattr(read, "BLOCK", 0)  # so that native code reads a small table, too
    row = ",".join("a" * 200)
    parse_table(f"{row}\n{row}\n{row}\n".encode(), "t", "t", ReadingOptions(",", '"', header=False))
    assert calls["cells"] == 600
    assert calls["looked at"] < 10 * 600


def test_the_width_of_the_names_of_a_wide_table_is_measured_once(monkeypatch):
    calls = Counter()

    def counted(texts):
        calls["width"] += 1
        return width(texts)

    width = names_c._width
    monkeypatch.setattr(names_c, "_width", counted)
    names = tuple(f"c{i}" for i in range(50))
    model = Model(parse_network("sig(x_1 + x_2)", inputs=50), plain_columns(names), ("a", "b"), "y")
    emit_c.emit_c(Artefact(model, "m"))
    assert calls["width"] <= 3
