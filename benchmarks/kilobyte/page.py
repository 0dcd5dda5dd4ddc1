"""Rows of the scoreboard to a page in Markdown with pictures.

python -m benchmarks.kilobyte.page
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill

from benchmarks.kilobyte.budgets import BUDGETS, CHIPS
from benchmarks.kilobyte.figures import draw_means, draw_tables
from benchmarks.kilobyte.published import read_points
from benchmarks.kilobyte.run import CHECKED_ROWS, read
from benchmarks.kilobyte.summary import (
    DESCRIPTIONS,
    REFERENCE,
    Row,
    best_other,
    common,
    methods_in,
    overall,
    read_rows,
    summarise,
    table_means,
    write_rows,
)
from benchmarks.statistics import TIE, compare
from benchmarks.tables import DEVELOPMENT, NUMERIC, REPORTING
from dsgec.network.cost.chips import DEFAULT_CHIP
from dsgec.report.curve_figure import figure_svg

ROOT = Path(__file__).parents[2]
ROWS = Path(__file__).with_name("results.csv")
PAGE = ROOT / "docs/reference/kilobyte.md"
PICTURE = ROOT / "docs/pictures/kilobyte.svg"
TABLES_PICTURE = PAGE.with_name("kilobyte-tables.svg")
_HEADS = " | ".join(f"{budget:,}" for budget in BUDGETS)
_RULE = "---|" * (len(BUDGETS) + 1)
_HALF = 0.6


def main(words: Sequence[str] | None = None) -> int:
    """Write the rows of results, if there are any, and the page and its pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kilobyte.page", description=__doc__)
    parser.add_argument(
        "--results", type=Path, help="file of results; default: the rows as they are"
    )
    options = parser.parse_args(words)
    if options.results:
        write_rows(summarise(read(options.results)), ROWS)
    every = read_rows(ROWS)
    rows = common(every)
    PICTURE.write_text(figure_svg(draw_means(rows)), encoding="utf-8")
    TABLES_PICTURE.write_text(figure_svg(draw_tables(rows, DEFAULT_CHIP)), encoding="utf-8")
    PAGE.write_text(page_text(every, rows), encoding="utf-8")
    return 0


def page_text(every: Sequence[Row], rows: Sequence[Row]) -> str:
    """Return the page: `rows` are those of the splits that all methods of the means have."""
    tables = sorted({row.table for row in rows})
    splits = len({row.place for row in rows})
    parts = ["# Accuracy at a kilobyte"]
    parts += [
        fill(
            "This page is made by `python -m benchmarks.kilobyte`, then `python -m"
            " benchmarks.kilobyte.page --results build/kilobyte/results.jsonl`. It has the"
            " accuracy on test rows at budgets of flash, for dsgec and other ways to get a"
            " classifier onto a chip. Flash is that of the linked image, code and the compiler's"
            " routines included, of a program that only calls `predict`.",
            106,
        ),
        f"![Mean test accuracy against bytes of flash](../pictures/{PICTURE.name})",
        "\n".join(f"- `{name}`: {DESCRIPTIONS[name]}" for name in methods_in(every)),
    ]
    kinds = len([table for table in tables if table in REPORTING])
    means = (
        f"Means of {len(tables)} tables ({', '.join(tables)}), {kinds} of them reporting tables,"
        f" and {splits} splits, with the number of splits where nothing fits in brackets."
    )
    if missing := [t for t in (*DEVELOPMENT, *REPORTING) if t not in (*tables, *NUMERIC)]:
        means += f" **Not run yet: {', '.join(missing)}.** Differences of so few tables are not"
        means += " significant unless p says so."
    parts.append(fill(means, 106))
    for chip, name in CHIPS.items():
        parts += [f"## {name}", "\n".join(_means(rows, chip))]
        parts += [_PAIRED, "\n".join(_paired(rows, chip))]
    parts += [f"## Tables lost, {CHIPS[DEFAULT_CHIP]}", _LOST, "\n".join(_lost(rows, DEFAULT_CHIP))]
    parts += ["## Every table", f"![Every table]({TABLES_PICTURE.name})"]
    partial = [name for name in methods_in(every) if name not in methods_in(rows)]
    if partial:
        parts += ["## Methods with fewer tables", "\n".join(_partial(every, partial))]
    if points := read_points():
        parts += ["## Published points", _PUBLISHED, "\n".join(_published(points))]
    parts += ["## How it is measured", _how()]
    return "\n\n".join(parts) + "\n"


_PAIRED = (
    "dsgec beside the other method with the highest mean: the mean difference over the tables ± its"
    " standard\nerror, the tables won, level (less than"
    f" {TIE:g} apart) and lost, and p of Wilcoxon's signed-rank test:"
)
_LOST = (
    f"Tables where the other method with the highest mean is ahead by {TIE:g} or more, by how"
    " much, and why, as\nfar as the bytes tell:"
)


_PUBLISHED = (
    "Their bytes are those of the parameters, ours the linked flash of a Cortex-M0+, code included."
    " Made by\n`python -m benchmarks.kilobyte.published`, which says where the data comes from;"
    " Ecoli is in no package:"
)


def _means(rows: Sequence[Row], chip: str) -> Iterator[str]:
    yield f"| | {_HEADS} |"
    yield f"|{_RULE}"
    at = [overall(table_means(rows, chip, budget)) for budget in BUDGETS]
    for name in methods_in(rows):
        cells = []
        own = [row for row in rows if row.method == name and row.chip == chip]
        for place, scores in enumerate(at):
            empty = sum(row.flash[place] is None for row in own)
            value = f"{scores[name]:.3f}".lstrip("0")
            is_best = scores[name] >= max(scores.values())
            cells.append((f"**{value}**" if is_best else value) + (f" ({empty})" if empty else ""))
        yield f"| `{name}` | {' | '.join(cells)} |"


def _paired(rows: Sequence[Row], chip: str) -> Iterator[str]:
    yield "| budget | other | difference | won / level / lost | p |"
    yield "|---|---|---|---|---|"
    for budget in BUDGETS:
        means = table_means(rows, chip, budget)
        if REFERENCE not in means:
            continue
        other = best_other(means)
        found = compare(means[REFERENCE], means[other])
        assert found
        error = found.difference.error or 0.0
        difference = f"{found.difference.value:+.3f} ± {error:.3f}".replace("-", "−")
        counts = f"{found.wins} / {found.ties} / {found.losses}"
        p = "" if found.p is None else f"{found.p:.3f}"
        yield f"| {budget:,} | `{other}` | {difference} | {counts} | {p} |"


def _lost(rows: Sequence[Row], chip: str) -> Iterator[str]:
    for place, budget in enumerate(BUDGETS):
        means = table_means(rows, chip, budget)
        if REFERENCE not in means:
            continue
        other = best_other(means)
        own, others = means[REFERENCE], means[other]
        words = []
        for table in own:
            lead = others[table].value - own[table].value
            if lead >= TIE:
                words.append(f"{table} {lead:.3f} ({_reason(rows, chip, table, place)})")
        yield f"- {budget:,} bytes, `{other}`: {'; '.join(words) or 'none'}"


def _reason(rows: Sequence[Row], chip: str, table: str, place: int) -> str:
    """Return what the bytes of dsgec's choices tell about a table that is lost."""
    own = [
        row.flash[place]
        for row in rows
        if (row.method, row.chip, row.table) == (REFERENCE, chip, table)
    ]
    if None in own:
        return "nothing fits"
    used = max(flash for flash in own if flash is not None)
    if used < _HALF * BUDGETS[place]:
        return f"the choice took {used:,} bytes only"
    return f"with {used:,} bytes"


def _partial(rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of methods that were not run on all splits, beside dsgec on theirs."""
    yield f"| on {CHIPS[DEFAULT_CHIP]} | splits | {_HEADS} |"
    yield f"|{_RULE}---|"
    for name in names:
        places = {row.place for row in rows if row.method == name}
        for method in (name, REFERENCE):
            own = [row for row in rows if row.method == method and row.place in places]
            at = [overall(table_means(own, DEFAULT_CHIP, budget)) for budget in BUDGETS]
            if own and method in at[0]:
                values = (f"{scores[method]:.3f}".lstrip("0") for scores in at)
                count = len({row.place for row in own})
                yield f"| `{method}` | {count} | {' | '.join(values)} |"


def _published(points: Sequence[dict[str, str]]) -> Iterator[str]:
    heads = ["source", "data", "accuracy", "bytes", "dsgec in a quarter", "flash", "in as many"]
    yield f"| {' | '.join(heads)} | flash |"
    yield "|---|---|---|---|---|---|---|---|"
    reached = 0
    for one in points:
        if one["source"] == "BTHOWeN" and not one["data"].startswith("mnist"):
            reached += float(one["quarter_accuracy"]) >= float(one["accuracy"])
        cells = [one["source"], one["data"], one["accuracy"], f"{int(one['bytes']):,}"]
        for budget in ("quarter", "same"):
            flash = one[f"{budget}_flash"]
            cells += [one[f"{budget}_accuracy"], f"{int(flash):,}" if flash else "nothing fits"]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield f"BTHOWeN's accuracy in a quarter of its bytes: on {reached} of its 8 small tables."


def _how() -> str:
    return f"""\
- Tables and splits are those of the [comparison](comparison.md): 70 % training rows; of a larger
  table, 2,000 rows were drawn. Every method chooses its setting for each budget by
  cross-validation on the training rows; if nothing fits, it predicts the majority class.
- dsgec's models come from one run with a budget of 8 KB: of all that fit a smaller budget, `--pick
  flash` takes the best in the run's own cross-validation, of five folds or, with more than 1,000
  training rows, fewer. Its families and its score were settled on development tables, before the
  reporting tables were run. Bonsai and ProtoNN are validated on one fold, the others on three.
- Rows are given in the form that is cheapest for a method: bytes (a power of two and an offset
  for each column, as in dsgec's fixed point), integers of 16 bits, floats or doubles. Scaling
  that a model needs beyond this is folded into its weights.
- Images are linked with `-Os` and `--gc-sections`, without start-up code (gcc 12.2 for Arm with
  newlib-nano, avr-gcc 5.4 with avr-libc). An image for the ATmega328 whose constants exceed its
  RAM does not fit.
- Every chosen model was run for {CHECKED_ROWS} test rows in a simulator of each chip, and its
  labels compared with those of the same model in Python (integers) or of the same C on this
  machine (floats). Models in integers must agree for every row.
- emlearn's naive Bayes is not counted on the ATmega328: its arithmetic needs an `int` of 32 bits.
  Its fixed-point perceptron has no products yet (version 0.23.2), so its perceptron is in floats.

**Next:** [What a network costs on a chip](../board/cost.md).
"""


if __name__ == "__main__":
    sys.exit(main())
