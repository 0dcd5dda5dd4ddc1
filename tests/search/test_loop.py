"""The loop keeps the best, counts what it does, and depends on the seed alone."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table, read_table
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.evaluate import evaluate
from dsgec.search.backends import NumpyBackend, ReferenceBackend
from dsgec.search.loop import evolve
from dsgec.search.problem import make_problem
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings


def table(seed=0, rows=40, classes=2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3)).round(3)
    y = np.clip((x[:, 0] + x[:, 1] * 0.5 > 0).astype(int) + (x[:, 2] > 1), 0, classes - 1)
    lines = [",".join([*map(str, row), str(label)]) for row, label in zip(x, y, strict=True)]
    return make_dataset(parse_table("\n".join(["a,b,c,y", *lines]).encode(), "t.csv", "t"))


def states(grammar, settings, dataset=None, backend=None):
    grammar = load_grammar(grammar).grammar if isinstance(grammar, str) else grammar
    problem = make_problem(grammar, dataset or table(), settings)
    scorer = Scorer(problem, backend or ReferenceBackend())
    return problem, list(evolve(problem, settings, scorer))


SMALL = Settings(population=20, generations=8)


@pytest.mark.parametrize(
    "grammar",
    [
        *("one_layer", "multi_layer", "float"),
        pytest.param("multi_layer_softmax", marks=pytest.mark.campaign),
    ],
)
def test_the_best_never_gets_worse(grammar):
    _, run = states(grammar, SMALL)
    best = [state.best.fitness for state in run]

    assert best == sorted(best, reverse=True)
    assert best[-1] < best[0]
    assert [state.generation for state in run] == list(range(SMALL.generations + 1))
    assert all(len(state.population) == 20 for state in run)


def test_the_fitness_is_that_of_the_phenotype_worked_out_anew():
    problem, run = states("one_layer", SMALL)
    best = run[-1].best
    p = evaluate(problem.language.parse(best.derivation.phenotype), problem.rows)[:, 0]
    y = problem.dataset.y[problem.split.train]
    expected = 1.0
    for c in (0, 1):
        expected *= np.exp(np.sqrt(np.mean((p[y == c] - c) ** 2)))

    assert best.fitness == pytest.approx(expected, rel=1e-12)


def test_the_same_seed_gives_the_same_run_with_any_backend_and_another_seed_another():
    short = Settings(population=9, generations=2)
    first, again = (states("multi_layer", short)[1] for _ in range(2))
    generated = states("multi_layer", short, backend=NumpyBackend())[1]
    other = states("multi_layer", replace(short, seed=2))[1]

    assert first == again == generated
    assert first[2].best.derivation.phenotype != other[2].best.derivation.phenotype


@pytest.mark.parametrize(("population", "elites"), [(7, 0), (7, 1), (8, 3), (2, 1)])
def test_elites_survive_and_the_population_keeps_its_size(population, elites):
    settings = Settings(population=population, generations=6, elites=elites, tournament=2)
    _, run = states("one_layer", settings)
    for before, after in pairwise(run):
        ranked = sorted(range(population), key=lambda i: (before.population[i].fitness, i))
        kept = [before.population[i] for i in ranked[:elites]]
        assert list(after.population[:elites]) == kept
        assert len(after.population) == population


def test_evaluations_and_reused_scores_add_up():
    _, run = states("one_layer", SMALL)
    last = run[-1]
    offspring = 20 + SMALL.generations * 19

    assert last.evaluations + last.reused == offspring
    texts = {i.derivation.phenotype for state in run for i in state.population}
    assert last.evaluations == len(texts)


def test_without_variation_children_are_copies_and_nothing_is_evaluated_again():
    settings = Settings(population=20, generations=5, crossover=0.0, mutation=0.0)
    _, run = states("one_layer", settings)

    first = {i.derivation.phenotype for i in run[0].population}
    assert run[-1].evaluations == len(first)
    assert all(i.derivation.phenotype in first for i in run[-1].population)


def test_an_invalid_individual_has_infinity_and_a_reason_and_cannot_win():
    grammar = parse("<e> ::= exp(exp(9.9 * <x>)) | 0.1 * <x>\n<x> ::= x_1 | ... | x_n\n", "g")
    _, run = states(grammar, Settings(population=30, generations=3, elites=0, mutation=0.5))
    bad = [i for i in run[0].population if i.score.reason]

    assert bad
    assert {i.fitness for i in bad} == {float("inf")}
    assert {i.score.reason for i in bad} == {"an output is not finite"}
    assert run[0].invalid == len(bad)
    assert np.isfinite(run[-1].best.fitness)
    assert np.isfinite(run[0].mean)


def test_too_large_a_phenotype_is_invalid():
    settings = Settings(population=10, generations=1, max_size=60)
    _, run = states("one_layer", settings)

    assert any("larger than 60" in i.score.reason for i in run[0].population)


def test_a_grammar_with_too_few_outputs_is_refused_with_the_one_to_use():
    with pytest.raises(DsgecError, match="multi_layer_softmax"):
        states("one_layer", SMALL, dataset=table(classes=3))


def test_a_grammar_that_bounds_its_output_is_remarked_on_for_a_quantity():
    lines = "\n".join(f"{i / 7},{i * i / 49}" for i in range(40))
    quantity = make_dataset(parse_table(f"a,y\n{lines}".encode(), "t.csv", "t"))
    assert (
        "goes from 0 to 31"
        in make_problem(load_grammar("one_layer").grammar, quantity, SMALL).remark
    )
    assert not make_problem(load_grammar("formula").grammar, quantity, SMALL).remark
    assert not make_problem(load_grammar("one_layer").grammar, table(), SMALL).remark

    open_ended = parse("<e> ::= tanh(<x>)\n<x> ::= x_1 | ... | x_n\n", "g")
    assert "%output sigmoid" in make_problem(open_ended, table(), SMALL).remark


def test_a_parenthesis_that_is_never_closed_is_told_where_it_stands():
    text = (
        "<start> ::= <layer> -- <output-layer>\n<layer> ::= tanh(<features>\n"
        "<output-layer> ::= sig(<features>)\n<features> ::= x_1 | ... | x_n\n"
    )
    with pytest.raises(DsgecError, match=r"g\.bnf:2:13: error: this parenthesis is never closed"):
        states(parse(text, "g.bnf"), SMALL)


def test_a_grammar_whose_names_no_network_knows_is_refused_at_its_place():
    grammar = parse("<e> ::= sig(<e>)\n    | foo(<x>)\n    | 1\n<x> ::= x_1 | ... | x_n\n", "g.bnf")
    with pytest.raises(DsgecError) as caught:
        states(grammar, SMALL)

    assert "g.bnf:2:7: error: `foo` is not known" in str(caught.value)


def test_a_grammar_with_more_features_than_the_table_is_refused_at_its_place():
    grammar = parse("<e> ::= x_1 | x_2\n | x_4\n", "g.bnf")
    with pytest.raises(DsgecError, match=r"g\.bnf:2:4: error: there are 3 features"):
        states(grammar, SMALL)


@pytest.mark.parametrize(
    "rules",
    [
        "<start> ::= sig(x_1) -- <layer> -- <output-layer>\n<layer> ::= sig(<features>)\n",
        "<start> ::= <layer> -- <output-layer>\n<layer> ::= sig(<features>) -- sig(<features>)\n",
    ],
)
def test_a_hidden_layer_that_no_symbol_stands_for_is_refused(rules):
    text = rules + "<output-layer> ::= sig(<features>)\n<features> ::= x_1 | ... | x_n\n"
    with pytest.raises(DsgecError, match="`--` separates layers"):
        states(parse(text, "g.bnf"), SMALL)


def test_three_classes_take_three_outputs():
    problem, run = states("multi_layer_softmax", SMALL, dataset=table(rows=90, classes=3))

    assert len(problem.language.parse(run[-1].best.derivation.phenotype).outputs) == 3


def test_a_target_of_quantities_is_regression():
    lines = "\n".join(f"{i / 7},{i * i / 49}" for i in range(40))
    dataset = make_dataset(parse_table(f"a,y\n{lines}".encode(), "t.csv", "t"))
    problem, run = states("formula", Settings(population=40, generations=10), dataset=dataset)

    assert problem.objective == "rmse"
    assert run[-1].best.fitness < np.std(dataset.y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("population", 1),
        ("generations", -1),
        ("seed", -1),
        ("seed", 2**64),
        ("tournament", 0),
        ("crossover", 1.5),
        ("mutation", float("nan")),
        ("elites", 100),
        ("test", 1.0),
        ("max_size", 0),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name, value):
    with pytest.raises(DsgecError, match="must be between"):
        Settings(**{name: value})


def test_the_defaults_are_the_papers_table():
    settings = Settings()

    assert (settings.population, settings.generations, settings.tournament) == (100, 500, 3)
    assert (settings.crossover, settings.mutation, settings.elites) == (0.95, 0.95, 1)
    assert settings.test == 0.3


def test_wdbc_is_learnt():
    settings = Settings(population=40, generations=10)
    dataset = make_dataset(read_table("wdbc"))
    problem, run = states("one_layer", settings, dataset=dataset, backend=NumpyBackend())
    outputs = evaluate(problem.language.parse(run[-1].best.derivation.phenotype), problem.rows)
    right = (outputs[:, 0] >= 0.5) == (problem.dataset.y[problem.split.train] == 1)

    assert np.mean(right) > 0.85
