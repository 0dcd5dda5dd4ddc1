"""The ablation of the walk compares what it says."""

import re

import numpy as np
import pytest

from benchmarks import ablate, ablate_walk
from benchmarks.ablate_walk import NIBBLES, VARIANTS, WALK, Variant
from dsgec.engine.toolchain import find_toolchain
from dsgec.search.walk.descent import PlainDescent
from dsgec.search.walk.edits import by_deviation
from dsgec.search.walk.front import WalkSteps
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from tests.support.shared_layers import outputs_of, random_layer

pytestmark = pytest.mark.needs_cc

FEW = WalkSteps(first=60, between=3, last=30, swap=5, rounds=2)


@pytest.mark.parametrize("number", [0, 1, 9])
def test_variants_have_networks_of_all_sizes(monkeypatch, number):
    pytest.importorskip("sklearn")
    monkeypatch.setattr("dsgec.search.walk.stage.make_steps", lambda steps: FEW)
    variant = VARIANTS[number]

    stage, nets = ablate_walk.networks("wine", 1, variant)

    sizes = [
        ablate_walk.connections_in_bytes(net) if variant.is_by_bytes else net.size for net in nets
    ]
    limits = [min(limit, stage.walk.levels[0]) for limit in ablate_walk.SIZES]
    assert all(0 < size <= limit for size, limit in zip(sizes, limits, strict=True))
    rows = stage.problem.dataset.x[stage.problem.split.test]
    for net in nets:
        assert ablate_walk.outputs_of(net, rows) == pytest.approx(outputs_of(net, rows.T))
    assert ablate_walk.accuracy(nets[-1], stage) > 0.5


def test_momentum_does_not_divide_by_the_second_moment():
    table, net = random_layer(3, "clip")
    other = net.copy()
    with ablate_walk.plain_steps(2.0):
        NativeDescent(table, load_descent(find_toolchain())).descend(net, np.full(1, 0.01))
    before = other.values.copy()
    PlainDescent(table).descend(other, np.full(1, 0.01))

    step = 0.01 / (1.0 - 0.9)
    assert net.momentum.tolist() == other.momentum.tolist()
    expected = np.clip(before - 2.0 * step * net.momentum, *net.bounds())
    assert net.values == pytest.approx(expected, abs=1e-12)
    NativeDescent(table, load_descent(find_toolchain())).descend(other.restarted(), np.zeros(1))


def test_a_connection_of_a_small_neuron_counts_less():
    table, net = random_layer(5, "clip", share=0.6)
    survey = PlainDescent(table).survey(net)
    shares = ablate_walk.weighed(by_deviation)(net, survey) / by_deviation(net, survey)
    fans = np.bincount(net.neurons)[net.neurons]
    assert shares == pytest.approx(fans / (fans + 1.5))


def test_the_table_has_differences_from_the_base():
    chosen = [VARIANTS[0], Variant("other", {}), *VARIANTS[-2:]]
    found = {
        ("t", seed, one.name): ([0.5 + 0.1 * n + 0.01 * seed * n] * 5, 1.0)
        for seed in (1, 2)
        for n, one in enumerate(chosen)
    }
    lines = ablate_walk.table_of(found, chosen).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [
        *(WALK, "other", NIBBLES, VARIANTS[-1].name)
    ]
    first = [line.split("|")[2].strip() for line in lines[2:]]
    assert first == ["0.500", "+0.115 ± 0.005", "+0.230 ± 0.010", "+0.115 ± 0.005"]


def test_the_page_of_an_evolution_keeps_the_table_of_the_walk(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("old\n\n## The walk\n\nkept\n")
    monkeypatch.setattr(ablate, "run", lambda plan: [])
    monkeypatch.setattr(ablate, "page_text", lambda results, names: "new\n")
    ablate.main(["--tables", "iris", "--page", str(page)])
    assert re.fullmatch(r"new\n\nMade in .*\n\n## The walk\n\nkept\n", page.read_text(), re.DOTALL)


def test_a_search_with_a_result_is_not_repeated(monkeypatch, tmp_path, capsys):
    calls = []

    def measure(table, seed, variant):
        calls.append((table, seed, variant.name))
        return [0.5 + 0.1 * (variant.name != WALK)] * len(ablate_walk.SIZES), 1.0

    monkeypatch.setattr(ablate_walk, "measure", measure)
    words = ["--tables", "digits", "--seeds", "1", "--variants", "no swaps"]
    words += ["--out", str(tmp_path / "new/results.jsonl")]
    for _ in range(2):
        assert ablate_walk.main(words) == 0
        assert "| no swaps | +0.100 ± 0.000 |" in capsys.readouterr().out
    assert calls == [("digits", 1, WALK), ("digits", 1, "no swaps")]
