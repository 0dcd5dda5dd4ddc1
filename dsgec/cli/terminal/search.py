"""Print the result of a search with a user's fitness."""

from dsgec.cli.terminal.result import plain_number
from dsgec.errors import clean, counted
from dsgec.manifest import BEST, HALL, HISTORY, PAGE, RECORD, TIMING
from dsgec.run.text_result import WrittenSearch

_FILES = (RECORD, HISTORY, HALL, BEST, TIMING, PAGE)
_MOST_LINES, _LONGEST_LINE, _MOST_FAILURES = 20, 200, 3


def search_lines(run: WrittenSearch) -> list[str]:
    """Return the best phenotype, its score and where everything is."""
    result, settings = run.result.result, run.result.record.settings
    goal = "maximised" if settings.get("maximise") else "minimised"
    lines = result.best.phenotype.split("\n")
    shown = [f"  {clean(line)[:_LONGEST_LINE]}" for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"  … and {counted(len(lines) - _MOST_LINES, 'more line')}")
    found = [
        f"best phenotype: {plain_number(result.score)} ({goal}), {result.best.length:,} characters",
        *shown,
    ]
    if result.solved is not None:
        count = len(result.best.values or ())
        found.append(f"cases solved: {result.solved:,} of {count:,}")
    elif result.best.values:
        values = ", ".join(map(plain_number, result.best.values))
        found.append(f"its objectives: {values}; front: {counted(len(run.result.hall), 'text')}")
    found += [
        f"failures: {one.count:,} × {clean(one.reason)}; first `{clean(one.phenotype)[:80]}`"
        for one in result.failures[:_MOST_FAILURES]
    ]
    return [
        *found,
        f"written to {clean(str(run.folder))}: {' '.join(_FILES)}",
        f"look at it: {clean(str(run.folder / PAGE))}",
    ]
