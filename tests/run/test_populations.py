"""Logged populations: as documented, readable at any time, the same bytes; and genealogies."""

import csv
import io
import random
import shutil
from itertools import pairwise

import numpy as np
import pytest

import dsgec as library
from dsgec.problems import parity_5, string_match
from dsgec.report.derivation_drawing import draw_tree, read_genealogy
from dsgec.run.genealogy import Genealogy
from dsgec.run.populations import BLOCK, Block, PopulationLog
from dsgec.search.breeding import ListBreeding, TreeBreeding
from dsgec.search.evolver import Member
from tests.support.command_line import dsgec

GRAMMAR = '<s> ::= <s> " " <s> | a | "b" | (<s>)\n%max-depth s=5\n'
SMALL = {"population": 14, "generations": 6, "log": "populations"}


def cases(text):
    if text.count("b") == 5:
        raise ValueError("five")
    return [abs(len(text) - 20), text.count("a") % 3, text.count("(")]


KINDS = (
    {},
    {"variation": "lists", "elites": 2},
    {"representation": "sge"},
    {"representation": "ge", "elites": 0},
    {"representation": "psge"},
    {"representation": "copsge", "elites": 3},
    {"selection": "epsilon-lexicase"},
    {"selection": "lexicase", "down_sample": 0.5, "variation": "lists"},
    {"objectives": 3},
)


@pytest.mark.needs_cc
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_engine_and_reference_log_the_same_bytes(kind):
    runs = [
        library.search(GRAMMAR, cases, backend=backend, seed=4, **SMALL, **kind)
        for backend in ("engine", "reference")
    ]
    assert runs[0].details.logged == runs[1].details.logged
    assert {*runs[0].details.logged} == {"populations/000000.npz", "genealogy.csv"}
    assert runs[0].individuals() == runs[0].individuals(runs[0].generations)


def read_by_hand(data):
    """The genotypes and scores of each generation, as docs/reference/populations.md says."""
    block = np.load(io.BytesIO(data))
    ends = np.cumsum(np.maximum(block["length"].astype(int) - 1, 0).ravel())
    starts = np.concatenate([[0], ends[:-1]]).reshape(block["length"].shape)
    found = {}
    for row, generation in enumerate(block["generation"]):
        found[int(generation)] = [
            (
                {
                    (int(block["rule"][k]), int(block["part"][k])): tuple(
                        block["integer"][start : start + length - 1].tolist()
                    )
                    for k, (start, length) in enumerate(
                        zip(starts[one], block["length"][one].astype(int), strict=True)
                    )
                    if length
                },
                float(block["fitness"][row, place]),
                block["value"][one].tolist(),
            )
            for place, one in enumerate(block["individual"][row])
        ]
    return found


def test_a_block_is_as_documented():
    run = library.search(GRAMMAR, cases, seed=2, **SMALL)
    found = read_by_hand(run.details.logged["populations/000000.npz"])
    assert [*found] == [*range(7)]
    for generation, own in found.items():
        for (genotype, fitness, values), one in zip(own, run.individuals(generation), strict=True):
            assert genotype == one.genotype
            if one.score is None:
                assert fitness == float("inf") and np.isnan(values).all()
                continue
            assert (fitness, tuple(values)) == (one.score, one.values)
            assert [*map(float, cases(one.phenotype))] == values
            assert one.tree.text == one.phenotype
    best = min(one[1] for one in found[6])
    assert best == run.history[-1].best


def test_random_blocks_are_read_as_they_were_written():
    rng = random.Random(1)
    for _ in range(30):
        block, populations = Block(), []
        for generation in range(5, 5 + rng.randint(1, 4)):
            members = [
                Member(
                    {
                        (rng.randrange(3), rng.randrange(2)): tuple(
                            rng.choices((0, 1, 300, 70000, 2**40, -5), k=rng.randrange(4))
                        )
                        for _ in range(rng.randrange(4))
                    },
                    rng.choice((1.5, float("inf"), -2.0)),
                )
                for _ in range(6)
            ]
            block.add(generation, members)
            populations.append(members)
        again = Block.parse(bytes(block), "x")
        assert bytes(again) == bytes(block)
        for generation, members in enumerate(populations, 5):
            assert again.members(generation) == members


def test_a_damaged_block_is_refused():
    run = library.search(GRAMMAR, cases, **SMALL)
    data = run.details.logged["populations/000000.npz"]
    assert Block.parse(data, "x").generations == [*range(7)]
    refused, rng = 0, random.Random(2)
    for _ in range(60):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            Block.parse(bytes(changed), "x")
        except library.DsgecError:
            refused += 1
    assert refused > 40  # the other changes are in bytes that nothing depends on
    with pytest.raises(library.DsgecError, match="not a block"):
        Block.parse(data[: len(data) // 2], "x")
    with pytest.raises(library.DsgecError, match="no population of generation 9"):
        run.individuals(9)
    with pytest.raises(library.DsgecError, match="no population of generation 3"):
        library.search(GRAMMAR, cases, population=5, generations=5).individuals(3)


def spy_on(original, births):
    """A `pair` that remembers the texts of children, and those of their parents."""

    def pair(self, mother, father, first, second):
        children = original(self, mother, father, first, second)
        parents = {mother.derivation.phenotype, father.derivation.phenotype}
        for child in children:
            births.setdefault(child.derivation.phenotype, []).append(parents)
        return children

    return pair


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_genealogies_have_the_parents_that_were_bred(monkeypatch, kind):
    """Parents and operators as the loop had them: a spy in its breeding is the oracle."""
    births = {}
    with monkeypatch.context() as patch:
        for breeding in (ListBreeding, TreeBreeding):
            patch.setattr(breeding, "pair", spy_on(breeding.pair, births))
        run = library.search(GRAMMAR, cases, seed=7, backend="reference", **SMALL, **kind)
    rows = read_genealogy(run.details.logged["genealogy.csv"].decode())
    assert rows and rows[0].score == run.score
    by_name = {one.name: one for one in rows}
    for one in rows:
        if one.operators == "grown":
            assert one.generation == 0 and not one.parents
            continue
        own = {by_name[name].phenotype for name in one.parents if name in by_name}
        assert any(own <= parents for parents in births[one.phenotype]), one
        assert len(one.parents) == 1 or "crossover" in one.operators
        if one.operators == "copied":
            assert own == {one.phenotype}


@pytest.mark.parametrize("kind", KINDS[:8], ids=str)
def test_every_logged_child_is_bred_again_from_its_parents(kind):
    run = library.search(GRAMMAR, cases, seed=9, **SMALL, **kind)
    made = run.population
    log = PopulationLog(given=run.details.logged)
    genealogy = Genealogy(made.problem, made.settings, log)
    for generation in range(1, 7):
        members = log.read(generation).members(generation)
        for number in range(made.settings.elites, made.settings.population):
            child = genealogy.generation(generation - 1).breed(number)
            assert {**child.genotype} == {**members[number].genotype}


@pytest.mark.needs_cc
def test_networks_are_logged_too(wdbc_rows):
    X, y = wdbc_rows
    runs = [
        library.evolve(
            "network",
            X,
            y,
            population=8,
            generations=4,
            log="populations",
            backend=backend,
            pruning=0,
            tuning=0,
            choose="fitness",
        )
        for backend in ("engine", "reference")
    ]
    assert runs[0].logged == runs[1].logged
    last = runs[0].individuals()
    assert len(last) == 8 and last == runs[0].individuals(4)
    assert min(one.score for one in last if one.score is not None) == runs[0].history[-1].best
    rows = [*csv.reader(io.StringIO(runs[0].logged["genealogy.csv"].decode()))]
    assert "sig(" in rows[1][6]


@pytest.fixture
def wdbc_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    return X, (X[:, 0] > X[:, 1]).astype(int)


def test_a_run_that_was_stopped_continues_its_log_with_the_same_bytes(tmp_path):
    (tmp_path / "g.bnf").write_text(GRAMMAR)
    (tmp_path / "p.py").write_text(
        "def fitness(text):\n    return [abs(len(text) - 20), text.count('a') % 3]\n"
    )
    size = ("--population", "10", "--generations", str(BLOCK + 20), "--log", "populations")
    dsgec("search", "g.bnf", "p.py", *size, "--quiet", "--out", "whole", cwd=tmp_path)
    whole = tmp_path / "whole" / "p-g-seed1"
    names = {path.name for path in (whole / "populations").iterdir()}
    assert names == {"000000.npz", "000001.npz"}
    run = library.SearchRun.load(whole, grammar=tmp_path / "g.bnf")
    assert len(run.individuals(BLOCK + 3)) == 10
    stopped = ("search", "g.bnf", "p.py", *size, "--quiet", "--out", "cut", "--max-seconds", "0")
    dsgec(*stopped, cwd=tmp_path)
    cut = tmp_path / "cut" / "p-g-seed1"
    assert Block.parse((cut / "populations/000000.npz").read_bytes(), "x").generations[0] == 0
    for _ in range(2):
        dsgec("resume", str(cut), "--max-seconds", "0", "--quiet", cwd=tmp_path)
    dsgec("resume", str(cut), "--quiet", cwd=tmp_path)
    for name in ("populations/000000.npz", "populations/000001.npz", "genealogy.csv", "SHA256SUMS"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes(), name
    shorter = (*size[:2], "--generations", "3", "--quiet", "--out", "whole", "--overwrite")
    dsgec("search", "g.bnf", "p.py", *shorter, cwd=tmp_path)
    assert not (whole / "populations").exists()
    shutil.rmtree(cut)


def test_logs_are_a_small_fraction_of_text():
    run = library.search(
        parity_5.grammar, parity_5.fitness, population=60, generations=40, **{"log": "populations"}
    )
    logged = sum(map(len, run.details.logged.values()))
    plain = sum(
        len(repr((dict(one.genotype), one.phenotype, one.score, one.values)))
        for generation in range(41)
        for one in run.individuals(generation)
    )
    assert logged < plain / 3


def test_the_tree_is_drawn_with_all_its_nodes():
    run = library.search(string_match.grammar, string_match.fitness, population=30, generations=5)
    lines = run.details.result.tree
    drawn = draw_tree(lines)
    assert len(drawn.spots) == len(lines) == len(drawn.edges) + 1
    leaves = [one for one in drawn.spots if one.kind == "leaf"]
    leaves.sort(key=lambda one: one.x)
    assert "".join(one.title[1:-1] for one in leaves) == run.best
    gaps = [b.x - a.x for a, b in pairwise(leaves)]
    assert min(gaps, default=99.0) > 20.0
    assert all(0.0 < one.x < drawn.width and 0.0 < one.y < drawn.height for one in drawn.spots)
    assert draw_tree([*lines, "…"]) is None
