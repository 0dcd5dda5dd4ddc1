"""Parts of a study to the tables that compare them, where the study does not say which."""

from dsgec.study.ir import Row, StudyPart, TablePlan


def usual_plans(parts: tuple[StudyPart, ...]) -> tuple[TablePlan, ...]:
    """For each part, a table for each grammar with the representations as rows.

    With one representation it is one table with the grammars as rows. A row is compared with the
    one above.
    """
    plans = []
    for part in parts:
        names = [grammar.name for grammar in part.grammars]
        if len(part.representations) == 1:
            (only,) = part.representations
            plans.append(_plan(part, part.name, [(name, only, name) for name in names]))
            continue
        for name in names:
            title = part.name if len(names) == 1 else f"{part.name}, {name}"
            plans.append(_plan(part, title, [(e.upper(), e, name) for e in part.representations]))
    return tuple(plans)


def _plan(part: StudyPart, title: str, choices: list[tuple[str, str, str]]) -> TablePlan:
    above = ["", *(label for label, _, _ in choices)]
    rows = tuple(
        Row(label, part.name, representation, grammar, against=before)
        for (label, representation, grammar), before in zip(choices, above, strict=False)
    )
    return TablePlan(title, title, rows, part.data, tuple(d.name for d in part.data))
