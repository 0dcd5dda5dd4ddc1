"""The command: a folder of results to a page in Markdown with two pictures.

python -m benchmarks.page build/comparison docs/reference/comparison.md
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from benchmarks.compare import ENVIRONMENT
from benchmarks.figures import draw_scores
from benchmarks.results import FILE, Result, read, scored
from benchmarks.splits import TEST_SHARE
from benchmarks.statistics import TIE
from benchmarks.summary import (
    MEASURES,
    WIDTH,
    learners_in,
    medians_table,
    overall_table,
    reference_in,
    scores_table,
)
from benchmarks.with_dsgec import VARIANTS
from dsgec.report.curve_figure import figure_svg

LEARNERS = {
    "constant": "the most frequent class, or the mean",
    "linear": "logistic or ridge regression, its strength chosen by cross-validation",
    "mlp-n": "a perceptron with as many hidden neurons as dsgec's network on the same split",
    "forest": "a random forest of 300 trees",
    "boosting": "gradient boosting of histograms, scikit-learn's defaults",
    "gplearn": "formulas by gplearn with SRBench's settings, within dsgec's seconds",
    "pyoperon": "formulas by pyoperon with SRBench's settings, within dsgec's seconds",
}
TITLES = {"classification": "Classes", "regression": "Numeric targets"}
FIGURES = {
    "weights": "The mean score of each learner against the number of its weights",
    "cpu_seconds": "The mean score of each learner against its CPU seconds",
}


def main(words: Sequence[str] | None = None) -> int:
    """Write the page, and its pictures beside it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("results", type=Path, help=f"folder of {FILE}")
    parser.add_argument("page", type=Path, help="Markdown file to write")
    parser.add_argument(
        "--reference", default="", help="learner to compare the others with (dsgec)"
    )
    options = parser.parse_args(words)
    results = read(options.results / FILE)
    if not scored(results):
        parser.error(f"{options.results / FILE} has no results")
    path = options.results / ENVIRONMENT
    environment = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    options.page.parent.mkdir(parents=True, exist_ok=True)
    for field in FIGURES:
        picture = figure_svg(draw_scores(results, field))
        options.page.with_name(figure_name(options.page, field)).write_text(picture, "utf-8")
    text = page_text(results, options.page, environment, options.reference)
    options.page.write_text(text, encoding="utf-8")
    return 0


def figure_name(page: Path, field: str) -> str:
    """The file of a picture, beside the page."""
    return f"{page.stem}-{field.removeprefix('cpu_')}.svg"


def page_text(
    results: Sequence[Result], page: Path, environment: dict[str, object], reference: str = ""
) -> str:
    """The page."""
    chosen = scored(results)
    parts = ["# Comparison", _introduction(chosen, environment, reference)]
    parts += [f"![{words}]({figure_name(page, field)})" for field, words in FIGURES.items()]
    for task, title in TITLES.items():
        some = [one for one in chosen if one.task == task]
        if some:
            parts += [f"## {title}", *_overall(some, reference)]
            parts += [f"Mean test {MEASURES[task]} ± standard error over the splits:"]
            parts += [scores_table(some), "Weights, median over the splits:"]
            parts += [medians_table(some, "weights"), "CPU seconds, median over the splits:"]
            parts += [medians_table(some, "cpu_seconds")]
    if len({one.task for one in chosen}) > 1:
        parts += ["## All tables", *_overall(chosen, reference)]
    errors = [one for one in results if one.error]
    if errors:
        lines = [f"- {one.table}, split {one.split}, {one.learner}: {one.error}" for one in errors]
        parts += ["## Failures", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _overall(results: Sequence[Result], reference: str) -> list[str]:
    """All compared with the reference and then, as shortly, with each other variant of dsgec."""
    learners = learners_in(results)
    chosen = reference_in(learners, reference)
    parts = [overall_table(results, reference)]
    for name in learners:
        if name in VARIANTS and name != chosen:
            parts += [f"The same beside `{name}`:", overall_table(results, name)]
    return parts


def _introduction(results: Sequence[Result], environment: dict[str, object], reference: str) -> str:
    learners = learners_in(results)
    chosen = reference_in(learners, reference)
    splits = len({one.split for one in results})
    share = round(100 * (1 - TEST_SHARE))
    machine = f" It was measured on {environment['machine']}." if "machine" in environment else ""
    how = (
        f"Each table was split {splits} times into {share} % training and {100 - share} % test"
        f" rows, the same for all learners; each learner ran on one core.{_cut(results)} The score"
        f" is the accuracy on the test rows, or R²; an R² below 0 counts as 0.{machine}"
    )
    what = (
        f"`{chosen} − learner` is the mean difference over the tables ± its standard error;"
        f" a table is won or lost where the mean scores differ by {TIE:g} or more. p is Wilcoxon's"
        " signed-rank test over the tables, also with Holm's correction for the number of learners."
        " Weights are the numbers that were learnt, of trees the nodes: medians over the splits,"
        " then over the tables, as the CPU seconds are. Seconds are those of learning, with the"
        " choice of a penalty's strength, and without compiling a grammar, which is done once."
    )
    lines = [
        f"- `{name}`: {_description(name)}{_fewer(results, name, splits)}" for name in learners
    ]
    return "\n\n".join([fill(how, WIDTH), "\n".join(lines), fill(what, WIDTH)])


def _cut(results: Sequence[Result]) -> str:
    rows = max(one.rows for one in results)
    return f" Of a larger table, {rows:,} rows were drawn for each split." if rows else ""


def _fewer(results: Sequence[Result], name: str, splits: int) -> str:
    """What is said of a learner that was not run on all splits."""
    counts = Counter(one.table for one in results if one.learner == name)
    few = [count for count in counts.values() if count < splits]
    if not few:
        return ""
    return f"; **of {len(few)} tables only {min(few)} splits or more, fewer than {splits}**"


def _description(name: str) -> str:
    if name in VARIANTS:
        given = ", ".join(f"`{key}={value!r}`" for key, value in VARIANTS[name].items())
        return f"the default estimators of dsgec{', with ' if given else ''}{given}"
    return LEARNERS.get(name, f"a perceptron with {name.partition('-')[2]} hidden neurons")


if __name__ == "__main__":
    sys.exit(main())
