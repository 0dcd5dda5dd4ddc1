"""A study to what its page draws and no other file of the folder has: `report.json`."""

from collections.abc import Sequence
from typing import Any

from dsgec.study.figure import make_curves
from dsgec.study.ir import Study, TablePlan
from dsgec.study.results import Results
from dsgec.study.tables import Chosen, Measure, ResultTable, choose_runs, figures, measures_of

FILE = "report.json"
_DRAWN = ("fitness", "test accuracy", "test rmse")


def evidence(
    study: Study, plans: Sequence[TablePlan], tables: Sequence[ResultTable], results: Results
) -> dict[str, Any]:
    """The content of report.json: for each table its fields, samples and curves."""
    return {
        "study": {
            "name": study.name,
            "runs": study.runs,
            "seed": study.seed,
            "shortened": study.shortened,
        },
        "tables": [
            {
                "name": plan.name,
                "title": table.title,
                "columns": list(table.columns),
                "printed": table.has_printed,
                "notes": list(table.notes),
                "blocks": [_block(block.measure, block.lines) for block in table.blocks],
                "samples": _samples(plan, choose_runs(plan, results)),
                "curves": [_curves(plan, data.label, data, results) for data in plan.data],
            }
            for plan, table in zip(plans, tables, strict=True)
        ],
    }


def _block(measure: Measure, lines: Sequence[Any]) -> dict[str, Any]:
    return {
        "group": measure.group,
        "measure": measure.label,
        "lines": [
            {
                "label": line.label,
                "entries": [[entry.text, entry.mark, entry.printed] for entry in line.entries],
            }
            for line in lines
        ],
    }


def _samples(plan: TablePlan, chosen: Chosen) -> list[dict[str, Any]]:
    """The figures of every run, of the measures that are drawn: fitness, and one of the test."""
    there = {measure.name: measure for measure in measures_of(chosen)}
    drawn = [there[name] for name in _DRAWN if name in there][:2]
    return [
        {
            "measure": f"{measure.group} {measure.label}".strip(),
            "data": data.label,
            "rows": [
                {"label": row.label, "values": list(figures(chosen[row, data], measure))}
                for row in plan.rows
            ],
        }
        for measure in drawn
        for data in plan.data
    ]


def _curves(plan: TablePlan, label: str, data: Any, results: Results) -> dict[str, Any]:
    return {
        "data": label,
        "curves": [
            {
                "label": curve.label,
                "runs": curve.runs,
                "generations": curve.generations.tolist(),
                "mean": curve.mean.tolist(),
                "deviation": curve.deviation.tolist(),
            }
            for curve in make_curves(plan, data, results)
        ],
    }
