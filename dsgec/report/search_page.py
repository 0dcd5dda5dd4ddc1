"""The page of a search with a user's fitness: one HTML file, the same bytes for the same input."""

from dataclasses import dataclass, replace
from typing import Any

from dsgec.manifest import GENEALOGY
from dsgec.rendering import render_markup
from dsgec.report.chart import Chart
from dsgec.report.derivation_drawing import Birth, draw_genealogy, draw_tree, read_genealogy
from dsgec.report.format import format_number
from dsgec.report.history_charts import fitness_chart, size_chart
from dsgec.report.page import page_style
from dsgec.run.text_result import TextEntry, TextResult

_MOST_HALL, _MOST_VALUES, _MOST_CASES = 100, 8, 2_048
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class _Row:
    score: str
    length: int
    values: list[str]
    phenotype: str


def search_page(run: TextResult) -> str:
    """Return the page of a search."""
    result, settings = run.result, run.record.settings
    rises = bool(settings.get("maximise"))
    objectives = int(settings.get("objectives", 1))
    best = result.best
    cases = best.values if objectives == 1 and best.values else ()
    births = read_genealogy(run.logged.get(GENEALOGY, b"").decode("utf-8", "replace"))
    return render_markup(
        "report/search.html.j2",
        style=page_style(),
        record=run.record,
        result=result,
        best=best.phenotype,
        tiles=_tiles(run),
        charts=[
            _fitness_chart(run, rises=rises),
            size_chart(run.history, "characters", "the best phenotype"),
        ],
        hall=[_row(one) for one in run.hall[:_MOST_HALL]],
        left_out=max(len(run.hall) - _MOST_HALL, 0),
        objectives=objectives,
        widths=range(1, min(len(best.values or ()), _MOST_VALUES) + 1) if objectives > 1 else (),
        cases=[(number, format_number(value)) for number, value in enumerate(cases[:_MOST_CASES])],
        zeros=[value == 0.0 for value in cases[:_MOST_CASES]],
        case_count=len(cases),
        failures=[
            (one.reason, f"{one.count:,}", _shorten(one.phenotype)) for one in result.failures
        ],
        genotype=[(name, " ".join(map(str, own))) for name, own in best.genotype.items()],
        tree=result.tree,
        tree_drawing=draw_tree(result.tree),
        births=[_birth(one) for one in births],
        genealogy_drawing=draw_genealogy(births) if births else None,
        settings=[(name.replace("_", " "), _setting(value)) for name, value in settings.items()],
        facts=_facts(run),
    )


def _birth(one: Birth) -> dict[str, Any]:
    return {
        "name": one.name,
        "operators": one.operators,
        "parents": one.parents,
        "score": format_number(one.score),
        "phenotype": _shorten(one.phenotype),
    }


def _tiles(run: TextResult) -> list[tuple[str, str, str]]:
    result, settings = run.result, run.record.settings
    goal = "maximised" if settings.get("maximise") else "minimised"
    found = [
        ("score", format_number(result.score), goal),
        ("length", f"{result.best.length:,}", "characters"),
        ("evaluations", f"{result.evaluations:,}", f"and {result.reused:,} repetitions"),
        (
            "generations",
            f"{result.generations:,}",
            f"of {settings.get('population'):,} individuals",
        ),
    ]
    if result.solved is not None:
        count = len(result.best.values or ())
        found.insert(1, ("cases solved", f"{result.solved:,}", f"of {count:,}"))
    if result.failures:
        found.append(("failures", f"{result.failed:,}", "evaluations without a fitness"))
    return found


def _fitness_chart(run: TextResult, *, rises: bool) -> Chart:
    """Draw the best and the mean fitness as people read them."""
    history = run.history
    if rises:
        history = tuple(replace(row, best=-row.best, mean=-row.mean) for row in history)
    return fitness_chart(history, "fitness", "phenotype", rises=rises)


def _row(one: TextEntry) -> _Row:
    values = [format_number(value) for value in (one.values or ())[:_MOST_VALUES]]
    return _Row(format_number(one.score), one.length, values, _shorten(one.phenotype))


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _setting(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {depth}" for key, depth in value.items()) or "the grammar's"
    return format_number(value) if isinstance(value, float) else str(value)


def _facts(run: TextResult) -> list[tuple[str, str]]:
    record = run.record
    return [
        ("grammar", f"{record.grammar.name} (SHA-256 {record.grammar.sha256[:16]}…)"),
        ("fitness", f"{record.data.name}:{record.data.function}".rstrip(":")),
        ("ended by", record.result.ended),
        ("dsgec", record.dsgec),
    ]
