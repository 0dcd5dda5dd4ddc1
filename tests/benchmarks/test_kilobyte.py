"""The scoreboard by bytes of flash: choices, loops, summaries and the page."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from benchmarks.chips.measure import lacking
from benchmarks.kilobyte import image, loops, run
from benchmarks.kilobyte.candidate import Candidate, Source, choose
from benchmarks.kilobyte.case import Case, Encoding
from benchmarks.kilobyte.figures import draw_means, draw_tables
from benchmarks.kilobyte.image import ImageError, labels_on_host
from benchmarks.kilobyte.page import page_text
from benchmarks.kilobyte.summary import Row, common, read_rows, summarise, write_rows
from benchmarks.splits import make_split
from benchmarks.tables import load_table
from dsgec.report.curve_figure import figure_svg

BYTES = "cortex-m0plus"
CHIPS = BYTES, "avr"

needs_cc = pytest.mark.needs_cc
needs_chips = pytest.mark.skipif(
    any(map(lacking, CHIPS)), reason="a cross compiler or a simulator is missing"
)


def _measured(setting: str, validated: float, flash: int | None, **more: Any) -> dict[str, Any]:
    return {"setting": setting, "validated": validated, "flash": {BYTES: flash}, **more}


@pytest.fixture(scope="module")
def case() -> Case:
    return Case(make_split(load_table("iris"), 0))


def test_the_best_in_cross_validation_that_fits_is_chosen() -> None:
    lines = [
        _measured("large", 0.9, 600),
        _measured("good", 0.8, 500),
        _measured("smaller", 0.8, 400),
        _measured("for another budget", 0.95, 100, budget=[BYTES, 256]),
        _measured("no image", 0.99, None),
    ]
    found = [choose(lines, BYTES, budget) for budget in (256, 399, 512, 1024)]
    assert [one and one["setting"] for one in found] == [
        *("for another budget", None, "smaller", "large")
    ]


def test_rows_become_bytes_by_a_power_of_two_and_an_offset() -> None:
    rows = np.array([[10.0, -1.0], [20.0, 1.0], [12.5, 0.0]])
    encoding = Encoding.of(rows, 8)
    found = encoding(rows)
    assert found.dtype == np.int8
    # 10 is the range of the first column: 16 steps for one, 253 being the most.
    assert found.tolist() == [[-80, -64], [80, 64], [-40, 0]]
    assert encoding(np.array([[1000.0, 0.0]])).tolist() == [[127, 0]]
    assert Encoding.of(rows, 8, signed=False)(rows).tolist() == [[47, 63], [207, 191], [87, 127]]


@needs_cc
@pytest.mark.parametrize("method", [loops.linear, loops.perceptron])
def test_loops_give_the_labels_of_numpy_for_all_rows(method: Any, case: Case) -> None:
    for candidate in method(case):
        rows = case.split.x_test
        expected = candidate.predict(rows)
        found = labels_on_host(candidate.source, candidate.encode(rows))
        assert found.tolist() == expected.tolist()
        assert np.mean(expected == case.split.y_test) > 0.6


@needs_cc
def test_boosted_trees_as_bytes_are_those_of_the_library(case: Case) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    assert lightgbm
    from benchmarks.kilobyte.boosted import boosted

    candidate = next(iter(boosted(case)))
    rows = case.split.x_test
    found = labels_on_host(candidate.source, candidate.encode(rows))
    assert found.tolist() == candidate.predict(rows).tolist()
    assert np.mean(found == case.split.y_test) > 0.85


@needs_chips
def test_a_line_has_flash_and_accuracy_and_wrong_c_is_an_error(case: Case) -> None:
    line = run.measure_method(loops.linear, case)
    best = line["candidates"][0]
    assert 60 < best["flash"][BYTES] < 256
    assert best["test"] > 0.8
    wrong = Source({"net.c": "int predict(const signed char *row) { return *row > 0; }"}, "int8")
    candidates = [replace(one, source=wrong) for one in loops.linear(case)]
    with pytest.raises(ImageError, match=r"of the model's labels|labels of a chip"):
        run.measure_method(lambda _: iter(candidates), case)


@needs_cc
def test_c_that_does_not_compile_is_an_error(case: Case) -> None:
    with pytest.raises(ImageError, match=r"cc: .*error"):
        labels_on_host(Source({"net.c": "int predict("}, "int8"), case.bytes(case.x))


def test_a_candidate_is_needless_if_better_ones_fit_all_its_budgets() -> None:
    better = [{"flash": {"cortex-m0plus": 300, "avr": 400}, "validated": 0.9, "budget": None}]
    source = Source({}, "int8")
    small = Candidate("small", 0.8, source, np.asarray, np.asarray)
    assert not run._is_needless(small, better, (256, 512))
    assert run._is_needless(replace(small, least=260), better, (256, 512))
    assert run._is_needless(small, better, (512,))


def _lines() -> list[dict[str, Any]]:
    def line(table: str, method: str, *candidates: Any) -> dict[str, Any]:
        own = [
            {"setting": "", "validated": v, "flash": {"cortex-m0plus": f, "avr": f}, "test": t}
            for v, f, t in candidates
        ]
        return {"table": table, "split": 0, "method": method, "majority": 0.5, "candidates": own}

    return [
        line("iris", "dsgec", (-0.1, 500, 0.9), (-0.2, 200, 0.7)),
        line("iris", "loop-linear", (0.8, 300, 0.8)),
        line("iris", "loop-mlp", (0.85, 900, 0.95)),
        line("wine", "dsgec", (-0.1, 700, 0.8)),
        line("iris", "loop-boosted", (0.1, 300, 0.1)),
        line("wine", "loop-linear", (0.8, 300, 0.85)),
        line("wine", "loop-mlp", (0.1, 300, 0.1)),
        line("wine", "loop-boosted", (0.1, 300, 0.1)),
        line("iris", "emlearn-trees", (0.1, 300, 0.1)),
        {"table": "wine", "split": 0, "method": "emlearn-trees", "error": "none"},
    ]


def test_rows_have_the_majority_class_where_nothing_fits(tmp_path: Any) -> None:
    rows = [row for row in summarise(_lines()) if row.chip == BYTES]
    found = {(row.table, row.method): row for row in rows}
    assert found["iris", "dsgec"].accuracy == (0.7, 0.9, 0.9, 0.9, 0.9, 0.9)
    assert found["wine", "dsgec"].accuracy == (0.5, 0.5, 0.8, 0.8, 0.8, 0.8)
    assert found["wine", "dsgec"].flash[:3] == (None, None, 700)
    # Of a group, cross-validation chooses a method for each budget.
    assert found["iris", "loops"].accuracy == (0.5, 0.8, 0.95, 0.95, 0.95, 0.95)
    assert ("wine", "emlearn-trees") not in found
    assert ("iris", "emlearn") not in found
    write_rows(rows, tmp_path / "rows.csv")
    assert read_rows(tmp_path / "rows.csv") == rows


def test_the_page_compares_the_means_of_common_splits() -> None:
    every = summarise(_lines())
    rows = common(every)
    assert {row.method for row in rows} == {
        *("dsgec", "loops", "loop-linear", "loop-mlp", "loop-boosted")
    }
    assert "Not run yet: australian," in page_text(every, rows)
    text = page_text(every, rows)
    assert "| `dsgec` | **.600** (1) | .700 (1) | .850 |" in text
    assert "| 512 | `loops` | −0.125 ± 0.225 | 1 / 0 / 1 |" in text
    assert "- 512 bytes, `loops`: wine 0.350 (nothing fits)" in text
    assert "| `emlearn-trees` | 1 |" in text
    assert "Mean test accuracy of 2 tables" in figure_svg(draw_means(rows))
    assert ">wine</text>" in figure_svg(draw_tables(rows, BYTES))


def test_results_are_read_back_and_a_line_that_was_cut_off_is_run_again(tmp_path: Any) -> None:
    path = tmp_path / "results.jsonl"
    run.append(path, _lines()[0])
    with path.open("ab") as file:
        file.write(b'{"table": "wine", "spl')
    run.append(path, _lines()[1])
    assert [run.key_of(line) for line in run.read(path)] == [
        *(("iris", 0, "dsgec"), ("iris", 0, "loop-linear"))
    ]


def test_kernels_are_found_from_any_folder() -> None:
    assert (image._KERNELS / "kernel.h").is_file()
    assert isinstance(Row("iris", 0, "dsgec", BYTES, (), ()).place, tuple)
