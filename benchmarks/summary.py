"""Results to tables in Markdown: scores by table, and one learner against all others."""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.learners import PEERS
from benchmarks.results import Result, scored
from benchmarks.statistics import Mean, Paired, compare, corrected, mean, medians, score_means
from benchmarks.with_dsgec import REFERENCE

WIDTH = 106
"""Of a paragraph on a page."""
MEASURES = {"classification": "accuracy", "regression": "R²"}


def summary_text(results: Sequence[Result], reference: str = "") -> str:
    """Both tables for each task, as a command prints them."""
    parts = []
    for task in MEASURES:
        chosen = [one for one in scored(results) if one.task == task]
        if chosen:
            parts += [scores_table(chosen), overall_table(chosen, reference)]
    errors = [one for one in results if one.error]
    parts += (
        [f"{len(errors)} failed, the first: {errors[0].key} {errors[0].error}"] if errors else []
    )
    return "\n\n".join(parts)


def learners_in(results: Iterable[Result]) -> list[str]:
    """The learners, dsgec's variants first, then the peers in their order."""
    return sorted({one.learner for one in results}, key=_order)


def _order(name: str) -> tuple[bool, int, int, str]:
    """Perceptrons stand together, by their size."""
    perceptron = re.fullmatch(r"mlp-(\d+)", name)
    known = "mlp-n" if perceptron else name
    place = PEERS.index(known) if known in PEERS else len(PEERS)
    return not name.startswith(REFERENCE), place, int(perceptron[1]) if perceptron else 0, name


def reference_in(learners: Sequence[str], reference: str = "") -> str:
    """The learner that others are compared with: the one asked for, dsgec, or the first."""
    return next(name for name in (reference, REFERENCE, learners[0]) if name in learners)


def scores_table(results: Sequence[Result]) -> str:
    """The mean score ± standard error over the splits; the best of a table is bold."""
    means = score_means(results)
    learners = learners_in(results)
    tables = dict.fromkeys(one.table for one in results)
    rows = []
    for table in tables:
        found = [means[learner].get(table) for learner in learners]
        best = max(round(one.value, 3) for one in found if one)
        cells = [
            _bold(_mean(one), one is not None and round(one.value, 3) == best) for one in found
        ]
        rows.append([table, *cells])
    rows.append(["**mean**", *(_mean_over(means[learner], tables) for learner in learners)])
    return markdown(["table", *learners], rows)


def overall_table(results: Sequence[Result], reference: str = "") -> str:
    """The reference less each other learner over the tables, with sizes and times."""
    means = score_means(results)
    weights, seconds = medians(results, "weights"), medians(results, "cpu_seconds")
    learners = learners_in(results)
    chosen = reference_in(learners, reference)
    paired = {name: compare(means[chosen], means[name]) for name in learners if name != chosen}
    chances = corrected(paired)
    rows = []
    for name in learners:
        score = statistics.fmean(one.value for one in means[name].values())
        size, time = (statistics.median(of[name].values()) for of in (weights, seconds))
        against = _against(paired.get(name), chances.get(name))
        rows.append(
            [name, f"{len(means[name])}", f"{score:.3f}", *against, _size(size), _time(time)]
        )
    head = ["learner", "tables", "mean score", f"{chosen} − learner", "wins / ties / losses"]
    return markdown([*head, "p", "p (Holm)", "weights", "CPU seconds"], rows)


def medians_table(results: Sequence[Result], field: str) -> str:
    """By table the medians over the splits of `weights` or `cpu_seconds`."""
    found = medians(results, field)
    learners = learners_in(results)
    show = _size if field == "weights" else _time
    rows = [
        [table, *(show(found[name][table]) if table in found[name] else "" for name in learners)]
        for table in dict.fromkeys(one.table for one in results)
    ]
    return markdown(["table", *learners], rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose columns but the first are aligned to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def signed(value: Mean) -> str:
    """A difference with its sign, ± its standard error."""
    error = "" if value.error is None else f" ± {value.error:.3f}"
    return f"{value.value:+.3f}{error}".replace("-", "−")


def chance(p: float | None) -> str:
    """A p value."""
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _against(paired: Paired | None, corrected_p: float | None) -> list[str]:
    if paired is None:
        return [""] * 4
    counts = f"{paired.wins} / {paired.ties} / {paired.losses}"
    return [signed(paired.difference), counts, chance(paired.p), chance(corrected_p)]


def _mean(value: Mean | None) -> str:
    if value is None:
        return ""
    error = "" if value.error is None else f" ± {value.error:.3f}"
    return f"{value.value:.3f}{error}".replace("-", "−")


def _mean_over(means: Mapping[str, Mean], tables: Iterable[str]) -> str:
    """Over all tables, or nothing, because means over different tables do not compare."""
    tables = list(tables)
    if any(table not in means for table in tables):
        return ""
    return f"{mean([means[table].value for table in tables]).value:.3f}"


def _bold(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text


def _size(value: float) -> str:
    return f"{value:,.0f}"


def _time(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
