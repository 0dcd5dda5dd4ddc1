"""The stages after the last generation, and the hall of fame, which is measured natively."""

import csv
import io
import json
import random
from dataclasses import asdict

import numpy as np
import pytest

from dsgec.data.dataset import Split
from dsgec.export.artefact import model_id
from dsgec.network.cost.work import model_cost
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model
from dsgec.network.simplify import simplify
from dsgec.network.structure import measure_size
from dsgec.pipeline import prepare, run
from dsgec.run.hall import hall_text
from dsgec.run.session import STAGES, TUNING, Session, make_timing, with_stages
from dsgec.search.choose import choose_evolver
from dsgec.search.individual import Champion
from dsgec.search.measure import PlainMeasurer
from dsgec.search.metrics import classification, regression
from dsgec.search.objectives import as_score
from dsgec.search.settings import Settings
from tests.support.command_line import dsgec
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make, make_data
from tests.support.random_grammars import random_grammar
from tests.support.runs import timing_of

SIZES = ("connections", "neurons", "layers", "features")
ENDING = ["results", "baselines", "hall_of_fame", "cost", "self_test", "exports", "checks", "files"]
ENDING += ["report"]


def plain_hall(problem, champions, best):
    """hall_of_fame.csv, each network parsed, simplified, evaluated and measured by itself."""
    dataset, found = problem.dataset, {}
    for champion in (best, *champions):
        network = simplify(problem.language.parse(champion.phenotype))
        connections = measure_size(network).connections
        if connections not in found or champion.fitness < found[connections][0].fitness:
            found[connections] = champion, network
    out = io.StringIO()
    for number, (_, (champion, network)) in enumerate(sorted(found.items())):
        row = {name: asdict(measure_size(network))[name] for name in SIZES}
        row |= {"written": champion.size, "fitness": champion.fitness}
        row["score"] = as_score(problem.objective, champion.fitness)
        outputs = evaluate(network, dataset.x)
        for part in ("train", "test"):
            rows = getattr(problem.split, part)
            with np.errstate(all="ignore"):
                if dataset.classes:
                    numbers = dataset.class_numbers[rows]
                    figures = classification(outputs[rows], numbers, len(dataset.classes))
                else:
                    figures = regression(outputs[rows], dataset.y[rows])
            for name, value in figures.items():
                known = value is not None and np.isfinite(value)
                row[f"{part}_{name}"] = value if known else ""
        model = Model(network, dataset.inputs, dataset.classes, dataset.target)
        row["model_id"] = model_id(model)
        row["phenotype"] = champion.phenotype
        taken = model_cost(model, "cortex-m0plus", "double")
        row["flash"], row["cycles"] = taken.flash, taken.cycles
        writer = csv.DictWriter(out, list(row), lineterminator="\n")
        if number == 0:
            writer.writeheader()
        writer.writerow(row)
    return out.getvalue()


def best_of(champions):
    return min(champions, key=lambda champion: champion.fitness)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "data", "threads"),
    [
        pytest.param("multi_layer", "wdbc", 1, marks=pytest.mark.campaign),
        ("one_layer_softmax", "wdbc", 3),
        pytest.param("multi_layer_softmax", "wdbc", 1, marks=pytest.mark.campaign),
    ],
)
def test_the_hall_has_the_bytes_of_networks_measured_one_by_one(grammar, data, threads):
    settings = Settings(population=40, generations=15, seed=4)
    problem = prepare(grammar, data, settings).problem
    evolver = choose_evolver(problem, settings, "engine", threads)
    for _ in evolver.generations():
        pass
    champions = evolver.champions
    best = best_of(champions)
    expected = plain_hall(problem, champions, best)
    assert expected.count("\n") > 10
    assert hall_text(problem, champions, best, evolver.measurer()) == expected
    assert hall_text(problem, champions, best, PlainMeasurer(problem)) == expected


def sample(seed):
    """A random problem, with test rows or none, and what has been scored of it."""
    rng = random.Random(seed)
    settings = Settings(population=30, generations=3, seed=seed)
    classes = rng.choice([0, 2, 3])
    data = make_data(seed % 1000, rng.randint(12, 60), rng.randint(1, 4), classes)
    problem = make(random_grammar(rng), settings, data)
    rows = np.array(rng.sample(range(len(data.y)), len(data.y)))
    cut = rng.choice([len(rows), 2 * len(rows) // 3])
    if classes and len(set(data.y[rows[:cut]])) < classes:
        cut = len(rows)
    split = Split(np.sort(rows[:cut]), np.sort(rows[cut:]))
    problem = type(problem)(
        problem.language,
        data,
        split,
        rng.choice([problem.objective, "rmse"]),
    )
    engine = fast_engine(problem, settings, rng.choice([1, 2]))
    engine.step(4)
    return problem, engine


def assert_measured_alike(seed):
    problem, engine = sample(seed)
    champions = engine.champions
    if not champions:
        return 0
    best = best_of(champions)
    # Repeated, so that equal fitness and equal sizes come in too.
    champions = [*champions, Champion(best.size, best.fitness, champions[-1].phenotype)]
    native = hall_text(problem, champions, best, engine.measurer())
    assert native == plain_hall(problem, champions, best), seed
    return len(champions)


@pytest.mark.needs_cc
def test_networks_of_random_grammars_are_measured_as_in_python():
    assert sum(assert_measured_alike(seed) for seed in range(3)) > 10


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_networks_of_300_random_grammars_are_measured_as_in_python():
    assert sum(assert_measured_alike(seed) for seed in range(1000, 1300)) > 1000


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "text",
    [
        "x_1",
        "0.5",
        "1 * x_1 - 0 + -0.0",
        "-(-x_1) ^ 2 * (-2) ^ 2 + 2 ^ -1",
        "x_1 ^ x_2 ^ 2 + x_1 ^ (1 + 1) + (x_1 + 1) ^ 1 + x_2 ^ 0",
        "1e308 * 10 * x_1 + exp(1000) - -x_2",
        "sig(tanh(x_1)) + sig(tanh(x_1)) * relu(x_2 - (x_1 - x_2))",
        "min(x_1, max(x_2, 3)) / (x_1 / x_2) * power(2, x_1)",
        "sig(0.3 + 0.1) * x_1 + sig(sig(sig(x_1)))",
    ],
)
def test_the_engine_simplifies_and_writes_a_network_as_python_does(text):
    settings = Settings(population=2, generations=1)
    problem = make("<start> ::= x_1 | ... | x_n\n", settings, make_data(classes=0))
    engine = fast_engine(problem, settings)
    native, plain = engine.measurer(), PlainMeasurer(problem)
    assert native.describe(text) == plain.describe(text)
    # As text: NaN is not equal to itself, and 0 is to -0.
    assert repr(native.measure(text)) == repr(plain.measure(text))


@pytest.mark.needs_cc
def test_few_tables_are_evaluated_in_python_after_the_last_generation(tmp_path, monkeypatch):
    rows = []

    def counted(network, some):
        rows.append(len(some))
        return evaluate(network, some)

    for module in ("search.measure", "run.evidence", "export.golden"):
        monkeypatch.setattr(f"dsgec.{module}.evaluate", counted)
    settings = Settings(population=40, generations=20, seed=2)
    job = prepare("multi_layer", "wdbc", settings, out=tmp_path)
    ended = run(job, choose_evolver(job.problem, settings, "engine"), lambda _: None)
    assert (ended.folder / "hall_of_fame.csv").read_text().count("\n") > 10
    table = len(job.problem.dataset.y)
    assert sum(rows) <= 3 * table


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_timing_counts_every_stage_and_each_is_told(tmp_path, backend):
    settings = Settings(population=10, generations=3, seed=2)
    job = prepare("one_layer", "wdbc", settings, out=tmp_path)
    told = []
    session = Session(on_stage=told.append)
    ended = run(job, choose_evolver(job.problem, settings, backend), lambda _: None, session)
    assert told == [STAGES[name] for name in ENDING]
    timing = timing_of(ended.folder)
    assert timing == ended.timing
    assert [*timing["stages"]] == ["compile", "evolve", *ENDING]
    assert all(seconds >= 0 for seconds in timing["stages"].values())
    assert timing["stages"]["evolve"] == timing["evolve_seconds"]


def test_what_follows_the_last_generation_begins_with_tuning(tmp_path):
    settings = Settings(population=6, generations=2, pruning=1, steps=1, variation="trees")
    job = prepare("one_layer", "wdbc", settings, out=tmp_path)
    events = []
    session = Session(on_stage=events.append)
    evolver = choose_evolver(job.problem, settings, "numpy")
    run(job, evolver, lambda state: events.append(state.generation), session)

    assert events == [0, 1, 2, TUNING, *(STAGES[name] for name in ENDING)]


def test_a_run_that_has_not_ended_saves_first(tmp_path):
    settings = Settings(population=10, generations=10**6, seed=2)
    job = prepare("one_layer", "wdbc", settings, out=tmp_path)
    told = []

    def on_stage(words):
        told.append((words, (job.folder / "checkpoint").exists()))

    session = Session(max_seconds=0.0, on_stage=on_stage)
    ended = run(job, choose_evolver(job.problem, settings, "auto"), lambda _: None, session)
    assert [words for words, _ in told] == [STAGES[n] for n in ("checkpoint", *ENDING)]
    assert all(saved for _, saved in told[1:])
    assert [*ended.timing["stages"]] == ["compile", "evolve", "checkpoint", *ENDING]


def test_a_timing_of_an_earlier_version_is_read_and_added_to(tmp_path):
    old = {"backend": "engine", "evolve_seconds": 1.5, "evaluations_per_second": 7.0}
    (tmp_path / "timing.json").write_text(json.dumps(old))
    assert timing_of(tmp_path) == old
    assert with_stages(old, {"report": 0.12345})["stages"] == {"report": 0.123}
    assert with_stages({"stages": 1}, {})["stages"] == {}
    assert make_timing("engine", 2.0, 10)["stages"] == {"compile": 0.0, "evolve": 2.0}


def test_plain_lines_name_the_stages_and_quiet_says_nothing(tmp_path):
    command = ("evolve", "one_layer", "wdbc", "--population", "5", "--generations", "2")
    said = dsgec(*command, "--out", tmp_path / "said").stderr
    lines = [line for line in said.splitlines() if line in STAGES.values()]
    assert lines == [STAGES[name] for name in ENDING]
    for quiet in ("--quiet", "--json"):
        assert dsgec(*command, quiet, "--out", tmp_path / quiet).stderr == ""
