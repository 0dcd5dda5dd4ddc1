"""Statistics are those of scipy and of textbooks, and pages have what they promise."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

pytest.importorskip("sklearn", reason="the extra dsgec[benchmarks] is not installed")
pytest.importorskip("scipy", reason="the extra dsgec[benchmarks] is not installed")

from benchmarks import ablate, page
from benchmarks.results import FILE, Result, append
from benchmarks.statistics import compare, holm, mean, score_means, signed_rank

SCORES = {
    "dsgec": {"iris": (0.95, 0.97), "wine": (0.98, 0.96), "diabetes": (0.5, 0.4)},
    "forest": {"iris": (0.93, 0.93), "wine": (0.98, 0.965), "diabetes": (0.45, -3.0)},
    "linear": {"iris": (0.9, 0.92), "wine": (0.99, 0.99), "diabetes": (0.51, 0.41)},
}
WEIGHTS = {"dsgec": 40, "forest": 20_000, "linear": 15}


@pytest.fixture
def results():
    return [
        Result(
            table,
            split,
            learner,
            "regression" if table == "diabetes" else "classification",
            "auto",
            score,
            score,
            WEIGHTS[learner],
            None,
            0.5,
            0.0,
        )
        for learner, tables in SCORES.items()
        for table, scores in tables.items()
        for split, score in enumerate(scores)
    ]


@pytest.fixture
def folder(results, tmp_path):
    for one in results:
        append(tmp_path / FILE, one)
    return tmp_path


def test_holms_correction_is_that_of_the_textbook():
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_signed_rank_test_is_exact_for_few_tables():
    # All 6 differences of one sign: 2 of the 2^6 assignments of signs are as extreme.
    assert signed_rank([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == pytest.approx(2 / 64)
    # Ranks 1 to 5, the second negative: 3 rank sums of 2 or less among 2^5, on either side.
    assert signed_rank([0.1, -0.2, 0.3, 0.4, 0.5]) == pytest.approx(2 * 3 / 32)
    assert signed_rank([0.0, 0.0]) == 1.0
    assert signed_rank([0.1]) is None


def test_a_mean_has_the_standard_error_of_scipy():
    from scipy.stats import sem

    values = [0.3, 0.5, 0.9]
    assert mean(values).error == pytest.approx(sem(values))
    assert mean([0.5]).error is None


def test_learners_are_compared_on_the_means_of_tables(results):
    means = score_means(results)
    assert means["forest"]["diabetes"].value == pytest.approx(0.225)  # of 0.45 and 0

    paired = compare(means["dsgec"], means["forest"])
    assert paired.difference.value == pytest.approx((0.03 - 0.0025 + 0.225) / 3)
    assert (paired.wins, paired.ties, paired.losses) == (2, 1, 0)
    assert compare(means["dsgec"], {}) is None


def test_a_page_is_made_of_a_file_of_results(folder):
    file = folder / "docs" / "comparison.md"
    assert page.main([str(folder), str(file)]) == 0
    text = file.read_text(encoding="utf-8")

    assert "| iris | **0.960 ± 0.010** | 0.910 ± 0.010 | 0.930 ± 0.000 |" in text
    assert "| **mean** | **0.965**" not in text and "| **mean** | 0.965 |" in text
    assert "| forest | 2 | 0.951 | +0.014 ± 0.016 | 1 / 1 / 0 |" in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Comparison",
        "## Classes",
        "## Numeric targets",
        "## All tables",
    ]
    for name in ("comparison-weights.svg", "comparison-seconds.svg"):
        assert f"({name})" in text
        picture = ElementTree.fromstring((file.parent / name).read_text(encoding="utf-8"))
        words = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
        assert words.count("forest") == 2
        for one in picture.iter("{http://www.w3.org/2000/svg}text"):
            assert 0 <= float(one.get("x")) <= float(picture.get("width"))
            assert 0 <= float(one.get("y")) <= float(picture.get("height"))


def test_each_variant_is_compared_with_the_others(folder, results):
    for one in results:
        if one.learner == "forest":
            append(folder / FILE, replace(one, learner="dsgec-thorough"))
    file = folder / "page.md"
    page.main([str(folder), str(file)])
    _, _, text = file.read_text(encoding="utf-8").partition("The same beside `dsgec-thorough`:")

    assert "| linear | 2 | 0.950 | +0.001 ± 0.019 | 1 / 0 / 1 |" in text
    assert "| forest | 2 | 0.951 | +0.000 ± 0.000 | 0 / 2 / 0 |" in text


def test_the_others_may_be_compared_with_any_learner(folder):
    file = folder / "page.md"
    page.main([str(folder), str(file), "--reference", "forest"])

    assert "forest − learner" in file.read_text(encoding="utf-8")


def test_a_page_without_results_is_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit):
        page.main([str(tmp_path), str(tmp_path / "page.md")])
    assert "has no results" in capsys.readouterr().err


def test_failures_are_on_the_page(results, tmp_path):
    failed = Result("wine", 1, "boosting", "classification", "auto", error="ValueError: no")
    text = page.page_text([*results, failed], tmp_path / "page.md", {})

    assert "- wine, split 1, boosting: ValueError: no" in text


def test_a_learner_with_fewer_splits_is_named(results, tmp_path):
    whole = page.page_text(results, tmp_path / "page.md", {})
    assert "fewer than" not in whole
    text = page.page_text(results[:-1], tmp_path / "page.md", {})
    assert "of 1 tables only 1 splits or more, fewer than 2" in text


def test_an_ablation_has_a_row_for_each_variation(results):
    names = {"dsgec": ablate.DEFAULT, "forest": "no L2", "linear": "three steps"}
    renamed = [replace(one, learner=names[one.learner]) for one in results]
    text = ablate.page_text(renamed, list(ablate.VARIATIONS))

    assert "| default |  | 0.793 ± 0.172 |" in text
    assert "| no L2 | `l2=0.0` | 0.709 ± 0.242 | −0.084 ± 0.071 | 0 / 1 / 2 |" in text


def test_an_ablation_never_reads_reporting_tables(capsys):
    with pytest.raises(SystemExit):
        ablate.main(["--tables", "reporting"])
    assert "reporting tables" in capsys.readouterr().err
