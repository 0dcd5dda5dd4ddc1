"""Results to the tests behind the tables, as CSV: every pair of rows, and every sample's normality.

The tables show a few signs; these files hold the numbers.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dsgec.study.ir import TablePlan
from dsgec.study.results import Results
from dsgec.study.statistics import compare, mark, normality
from dsgec.study.tables import choose_runs, figures, measures_of


def comparisons_text(plans: Sequence[TablePlan], results: Results) -> str:
    """comparisons.csv: each row of a table against each row above it, by Mann-Whitney U."""
    head = ["table", "measure", "data", "row", "against", "u", "p", "z", "r", "mark"]
    return _csv(head, (line for plan in plans for line in _comparisons(plan, results)))


def normality_text(plans: Sequence[TablePlan], results: Results) -> str:
    """normality.csv: the chance of each sample if it came from a normal distribution."""
    head = ["table", "measure", "data", "row", "runs", "kolmogorov_smirnov_p", "shapiro_wilk_p"]
    return _csv(head, (line for plan in plans for line in _normality(plan, results)))


def _comparisons(plan: TablePlan, results: Results) -> Iterator[list[Any]]:
    chosen = choose_runs(plan, results)
    for measure in measures_of(chosen):
        for data in plan.data if measure.better else ():
            for number, row in enumerate(plan.rows):
                for other in plan.rows[:number]:
                    answer = compare(
                        figures(chosen[row, data], measure), figures(chosen[other, data], measure)
                    )
                    if answer is not None:
                        numbers = map(_short, (answer.u, answer.p, answer.z, answer.r))
                        place = [plan.name, measure.name, data.name, row.label, other.label]
                        yield [*place, *numbers, mark(answer, measure.better)]


def _normality(plan: TablePlan, results: Results) -> Iterator[list[Any]]:
    chosen = choose_runs(plan, results)
    for measure in measures_of(chosen):
        for data in plan.data:
            for row in plan.rows:
                values = figures(chosen[row, data], measure)
                if values:
                    answer = normality(values)
                    chances = map(_short, (answer.kolmogorov_smirnov, answer.shapiro_wilk))
                    place = [plan.name, measure.name, data.name, row.label]
                    yield [*place, len(values), *chances]


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"


def _csv(head: list[str], lines: Iterable[list[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return out.getvalue()
