"""The command: variations of the settings of an evolution to a table of what each is worth.

python -m benchmarks.ablate --splits 3 --out build/ablation --page docs/reference/ablation.md
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from benchmarks.results import Result, scored
from benchmarks.run import AUTO, Plan, run
from benchmarks.statistics import Mean, Paired, compare, corrected, mean, score_means
from benchmarks.summary import WIDTH, chance, markdown, signed
from benchmarks.tables import DEVELOPMENT, REPORTING, names_of
from benchmarks.with_dsgec import dsgec_learner

DEFAULT = "default"
EVOLVED = {"crossover": 0.0}
"""A setting of an evolution, which is its default: without one, classes are learned by a walk."""
_WALK = "\n## The walk\n"
"""What follows on the page is made by `python -m benchmarks.ablate_walk`."""
_MADE = "Made in a clone with `pip install -e '.[benchmarks]'` by this command:"

VARIATIONS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "lists in place of trees": {"variation": "lists", "crossover": 0.95, "mutation": 0.95},
    "no gradient steps": {"steps": 0},
    "three steps": {"steps": 3},
    "no L2": {"l2": 0.0},
    "L2 0.05": {"l2": 0.05},
    "L2 0.5": {"l2": 0.5},
    "no parsimony": {"parsimony": 0.0},
    "no batches": {"batch": 0},
    "no pruning": {"pruning": 0},
    "no end tuning": {"tuning": 0},
    "numerals of the grammar": {"weights": "grammar"},
    "subtree crossover 0.5": {"crossover": 0.5},
    "population 100": {"population": 100, "generations": 120},
    "unscaled inputs": {"scale": "none"},
    "ensemble of three": {"ensemble": 3},
    "the paper's search": {"preset": "paper", "generations": 200, "scale": "standard"},
}
"""Keywords of the estimators that differ from the defaults."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the variations and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablate", description=__doc__)
    add = parser.add_argument
    add("--tables", default="development", help="development, numeric, or names")
    add("--variations", default="", help="names, separated by commas (all)")
    add("--splits", type=int, default=3, help="splits of each table (3)")
    add("--jobs", type=int, default=1, help="processes (1)")
    add("--out", type=Path, default=Path("build/ablation"), help="folder of the results")
    add("--data", type=Path, help="folder of the paper's CSV files (else dsgec[paper])")
    add("--page", type=Path, help="Markdown file to write; without it, the table is printed")
    options = parser.parse_args(words)
    tables = names_of(options.tables)
    if set(tables) & set(REPORTING):
        parser.error("settings are not tuned on reporting tables")
    names = [name.strip() for name in options.variations.split(",") if name] or list(VARIATIONS)
    unknown = [name for name in names if name not in VARIATIONS]
    if unknown:
        parser.error(f"unknown variation {unknown[0]}; choose from {', '.join(VARIATIONS)}")
    names = list(dict.fromkeys((DEFAULT, *names)))
    learners = tuple(dsgec_learner(name, {**EVOLVED, **VARIATIONS[name]}) for name in names)
    plan = Plan(tables, learners, options.splits, AUTO, options.out, options.jobs, options.data)
    text = page_text(run(plan), names)
    if options.page:
        command = f"--tables {options.tables} --splits {options.splits} --page {options.page}"
        made = f"{_MADE}\n\n```text\npython -m benchmarks.ablate {command}\n```\n"
        old = options.page.read_text(encoding="utf-8") if options.page.exists() else ""
        _, heading, rest = old.partition(_WALK)
        options.page.write_text(f"{text}\n{made}{heading}{rest}", encoding="utf-8")
    else:
        print(text)
    return 0


def page_text(results: Sequence[Result], names: Sequence[str]) -> str:
    """The page: a row for each variation."""
    chosen = scored(results)
    means = score_means(chosen)
    names = [name for name in names if name in means]
    tables = len({one.table for one in chosen})
    splits = len({one.split for one in chosen})
    paired = {name: compare(means[name], means[DEFAULT]) for name in names if name != DEFAULT}
    chances = corrected(paired)
    rows = []
    for name in names:
        own = [one for one in chosen if one.learner == name]
        score = mean([one.value for one in means[name].values()])
        difference = _difference(paired.get(name), chances.get(name))
        settings = ", ".join(
            f"`{key}={value!r}`" for key, value in VARIATIONS.get(name, {}).items()
        )
        rows.append([name, settings, _plain(score), *difference, *_sizes(own)])
    head = ["variation", "settings", "mean score", "difference", "better / tied / worse"]
    head += ["p (Holm)", "weights", "CPU seconds"]
    what = (
        f"An evolution with default settings and with one change, on {tables} of the"
        f" {len(DEVELOPMENT)}"
        f" development tables with {splits} splits each: the mean over the tables of the test"
        " score (accuracy, or R²) ± its standard error, and the mean difference from the default"
        " on the same splits. p is Wilcoxon's signed-rank test over the tables with Holm's"
        " correction. Weights and seconds are means."
    )
    return f"# Ablation\n\n{fill(what, WIDTH)}\n\n{markdown(head, rows)}\n"


def _difference(paired: Paired | None, p: float | None) -> list[str]:
    if paired is None:
        return [""] * 3
    counts = f"{paired.wins} / {paired.ties} / {paired.losses}"
    return [signed(paired.difference), counts, chance(p)]


def _sizes(results: Sequence[Result]) -> list[str]:
    weights = mean([one.weights or 0 for one in results]).value
    seconds = mean([one.cpu_seconds or 0.0 for one in results]).value
    return [f"{weights:,.0f}", f"{seconds:.2f}"]


def _plain(value: Mean) -> str:
    return signed(value).removeprefix("+")


if __name__ == "__main__":
    sys.exit(main())
