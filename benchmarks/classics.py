"""Put the results of the study of classic problems into its page.

    dsgec study classics --out build/classics
    python -m benchmarks.classics build/classics

It writes the tables of the study, and which problems a row is significantly better or worse on
than another (Mann-Whitney U, two-sided, 0.05), to docs/research/classics.md.
"""

import argparse
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.chips.page import write_between
from dsgec.study.parse import load_study

PAIRS = (
    ("SGE", "GE"),
    ("DSGE", "SGE"),
    ("DSGE", "GE"),
    ("PSGE", "GE"),
    ("PSGE", "SGE"),
    ("Co-PSGE", "GE"),
    ("Co-PSGE", "SGE"),
    ("Co-PSGE", "PSGE"),
    *(("DSGE, trees", other) for other in ("GE", "SGE", "DSGE", "PSGE", "Co-PSGE")),
)
PAGE = Path(__file__).parents[1] / "docs/research/classics.md"

Row = Mapping[str, str]


def ordering(pair: tuple[str, str], comparisons: Sequence[Row], labels: Mapping[str, str]) -> str:
    """Return the line of two rows of the tables that are compared on all problems."""
    found: dict[str, list[str]] = {"+": [], "-": [], "~": []}
    for one in comparisons:
        if one["measure"] == "fitness" and (one["row"], one["against"]) == pair:
            found[one["mark"][0]].append(labels[one["data"]])
    names = [", ".join(found[sign]) or "–" for sign in "+-"]
    counts = "/".join(str(len(found[sign])) for sign in "+-~")
    return f"| {pair[0]} against {pair[1]} | {' | '.join(names)} | {counts} |"


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file by the names of its columns."""
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def page_text(folder: Path) -> str:
    """Return what the page says of the results of a study."""
    study = load_study("classics")
    labels = {data.name: data.label for part in study.parts for data in part.data}
    comparisons = read_rows(folder / "comparisons.csv")
    seeds = {int(row["seed"]) for row in read_rows(folder / "results.csv")}
    lines = [
        f"Seeds {min(seeds)} to {max(seeds)} of {study.seed} to {study.seed + study.runs - 1}.",
        "",
        (folder / "tables.md").read_text(encoding="utf-8").strip(),
        "",
        "**Significant differences of fitness**",
        "",
        "| | better on | worse on | better/worse/level |",
        "|---|---|---|---|",
        *(ordering(pair, comparisons, labels) for pair in PAIRS),
    ]
    return "\n".join(lines)


def main() -> None:
    """Write the page from the folder of a study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", type=Path, help="the folder of the study")
    write_between(PAGE, page_text(parser.parse_args().study), "python -m benchmarks.classics")


if __name__ == "__main__":
    main()
