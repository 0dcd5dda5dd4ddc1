"""Lines of results to the page: tables of every set, tests of significance, bytes on chips."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from textwrap import fill
from typing import Any

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.signals.sets import DEVELOPMENT, PUBLISHED, SETS
from benchmarks.statistics import TIE, Mean, compare, corrected, mean

FLASH, RAM = 2048, 256
REFERENCE, GOAL, LIMITED = "dsgec", "forest", "limited"
_NONE = {"flash": float("inf"), "ram": float("inf")}
WIDTH = 106
_METHODS = {
    "dsgec": "`dsgec.evolve(x, y)` with its defaults, from the samples",
    "forest": "a random forest of 300 trees on the features that dsgec's grammar names",
    "logistic": "logistic regression on these features, its penalty chosen by cross-validation",
    "rocket": "MiniRocket (10,000 features, our own numpy version) and ridge regression",
}
_ABOUT = {
    "HC2": "HIVE-COTE 2, the most accurate of the field, an ensemble that takes hours",
    "FreshPRINCE": "a rotation forest on nearly 800 features of tsfresh",
}

Line = Mapping[str, Any]
Published = Mapping[str, Mapping[str, tuple[float, float]]]
Means = dict[str, dict[str, Mean]]


def page_text(lines: Sequence[Line], published: Published) -> str:
    """Return the page of results, of the methods and splits that there are."""
    lines = [line for line in lines if "test" in line]
    limited = [line for line in lines if line["method"] == LIMITED]
    lines = [line for line in lines if line["method"] != LIMITED]
    means = means_of(lines)
    names = [name for name in SETS if name in means[REFERENCE]]
    splits = {name: means[REFERENCE][name].count for name in names}
    parts = ["# Signals", _introduction(names, splits)]
    parts += ["\n".join([*_legend(means)]), "## Every set", "\n".join(_sets(names, lines))]
    parts += ["Accuracy on the test windows of the default split:"]
    parts += ["\n".join(_default(names, lines, published))]
    parts += [
        "Mean accuracy ± standard error over all splits; published: the mean of 30 resamples:"
    ]
    parts += ["\n".join(_table(names, means, published))]
    parts += ["## Differences", _DIFFERENCES, "\n".join(_differences(names, means))]
    parts += ["## On chips", _on_chips(names, lines), "\n".join(_chips(names, lines))]
    if errors := [*_errors(names, lines)]:
        parts += ["Without an export in fixed point:", "\n".join(errors)]
    if limited:
        parts += ["## Within 2 KB and 256 bytes", *_limited(names, limited, lines)]
    parts += ["## How it is measured", _HOW]
    return "\n\n".join(parts) + "\n"


def means_of(lines: Sequence[Line]) -> Means:
    """Return the mean accuracies by method and set, over the splits that all methods have."""
    methods = list(dict.fromkeys(line["method"] for line in lines))
    found: Means = {name: {} for name in _METHODS if name in methods}
    for name in dict.fromkeys(line["table"] for line in lines):
        own = {(one["method"], one["split"]): one["test"] for one in lines if one["table"] == name}
        numbers = {number for _, number in own}
        common = [n for n in sorted(numbers) if all((one, n) in own for one in found)]
        for method in found:
            if common:
                found[method][name] = mean([own[method, number] for number in common])
    return found


def _introduction(names: Sequence[str], splits: Mapping[str, int]) -> str:
    counts = sorted({*splits.values()})
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    which = (
        "the default split, or the first drawn one of sets with subjects"
        if counts == [1]
        else f"{many} splits each: the default one and resamples with as many training windows, or"
        " with 70 % of the subjects"
    )
    tuned = ", ".join(name for name in DEVELOPMENT if name in names)
    text = (
        f"{len(names)} sets of windows of sensors that are inside packages, on {which}. Features"
        f" and defaults were chosen on the first three splits of {tuned}; on the other sets, one"
        " split was measured once before, so they are nearly untouched."
    )
    if missing := [name for name in SETS if name not in names]:
        text += f" {' and '.join(missing)} were not measured with the present search."
    return fill(text, WIDTH)


def _legend(means: Means) -> Iterator[str]:
    for name in means:
        yield f"- `{name}`: {_METHODS[name]}"
    for name in PUBLISHED:
        yield f"- {name}: {_ABOUT[name]}; figures from the package aeon"


def _sets(names: Sequence[str], lines: Sequence[Line]) -> Iterator[str]:
    yield "| set | package | what | windows: training, test | channels × samples | classes |"
    yield "|---|---|---|---|---|---|"
    for name in names:
        line = next(line for line in lines if line["table"] == name)
        source, shape = SETS[name], line["shape"]
        size = f"{shape['training']:,}, {shape['test']:,}"
        mark = " (d)" if name in DEVELOPMENT else ""
        cells = [name + mark, source.package, source.about, size]
        cells += [f"{shape['channels']} × {shape['samples']:,}", str(shape["classes"])]
        yield f"| {' | '.join(cells)} |"


def _default(names: Sequence[str], lines: Sequence[Line], published: Published) -> Iterator[str]:
    methods = [one for one in _METHODS if any(line["method"] == one for line in lines)]
    yield _head(methods)
    at = {(line["table"], line["method"]): line["test"] for line in lines if line["split"] == 0}
    for name in names:
        values = [at.get((name, method)) for method in methods]
        own = [published.get(name, {}).get(method, (None,))[0] for method in PUBLISHED]
        yield f"| {name} | {' | '.join(map(_share, [*values, *own]))} |"


def _table(names: Sequence[str], means: Means, published: Published) -> Iterator[str]:
    yield _head([*means])
    for name in names:
        cells = [_with_error(means[method][name]) for method in means]
        own = [published.get(name, {}).get(method, (None, None))[1] for method in PUBLISHED]
        yield f"| {name} | {' | '.join([*cells, *map(_share, own)])} |"
    overall = [fmean(means[method][name].value for name in names) for method in means]
    yield f"| **mean** | {' | '.join([*map(_share, overall), *('' for _ in PUBLISHED)])} |"


def _head(methods: Sequence[str]) -> str:
    columns = [*(f"`{method}`" for method in methods), *PUBLISHED]
    return f"| | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}"


_DIFFERENCES = (
    "`dsgec` less each other method: the mean difference over the sets ± its standard error, the"
    " sets won, level\n(less than"
    f" {TIE:g} apart) and lost, and p of Wilcoxon's signed-rank test, also with Holm's correction:"
)


def _differences(names: Sequence[str], means: Means) -> Iterator[str]:
    yield "| | sets | difference | won / level / lost | p | corrected |"
    yield "|---|---|---|---|---|---|"
    for kind, some in (
        ("all", names),
        ("development", [name for name in names if name in DEVELOPMENT]),
        ("untouched", [name for name in names if name not in DEVELOPMENT]),
    ):
        own = {name: means[REFERENCE][name] for name in some}
        pairs = {
            other: compare(own, means[other]) for other in means if other != REFERENCE and some
        }
        holm = corrected(pairs)
        for other, found in pairs.items():
            if found is None:
                continue
            error = found.difference.error or 0.0
            value = f"{found.difference.value:+.3f} ± {error:.3f}".replace("-", "−")
            counts = f"{found.wins} / {found.ties} / {found.losses}"
            p = ["" if one is None else f"{one:.3f}" for one in (found.p, holm.get(other))]
            yield f"| `{other}` | {kind}, {len(some)} | {value} | {counts} | {' | '.join(p)} |"


def _on_chips(names: Sequence[str], lines: Sequence[Line]) -> str:
    words = []
    for chip, title in CHIPS.items():
        best = [min(_bytes(lines, name, dtype, chip) for dtype in ("q15", "q7")) for name in names]
        count = sum(flash <= FLASH and ram <= RAM for flash, ram in best)
        words.append(f"{count} of {len(names)} on the {title}")
    text = (
        f"At most {FLASH:,} bytes of flash and {RAM} of RAM, in q15 or q7: {' and '.join(words)}."
        " Medians over the splits of the stream: `restart`, `push`, `predict_window`, the network"
        " and the tables, without start-up code. RAM is the state of a stream and all static data;"
        " what calls need of the stack comes on top. Accuracies are those of the C in fixed point"
        " on the features of the test windows; bold is within both limits:"
    )
    return fill(text, WIDTH)


def _chips(names: Sequence[str], lines: Sequence[Line]) -> Iterator[str]:
    columns = [f"{dtype}, {title}" for dtype in ("q15", "q7") for title in CHIPS.values()]
    heads = ["features", "connections", "seconds", "double", "q15", "q7", *columns]
    yield f"| | {' | '.join(heads)} |"
    yield f"|---|{'---|' * len(heads)}"
    for name in names:
        own = [one for one in lines if (one["table"], one["method"]) == (name, REFERENCE)]
        cells = [f"{median(one[key] for one in own):.0f}" for key in ("features", "connections")]
        cells += [f"{median(one['seconds'] for one in own):.1f}"]
        cells += [_share(fmean(one["test"] for one in own))]
        for dtype in ("q15", "q7"):
            tests = [one["streams"][dtype].get("test") for one in own]
            known = [value for value in tests if value is not None]
            cells.append(_share(fmean(known)) if known else "")
        for dtype in ("q15", "q7"):
            for chip in CHIPS:
                flash, ram = _bytes(lines, name, dtype, chip)
                text = f"{flash:,.0f} + {ram:,.0f}" if flash < float("inf") else ""
                cells.append(f"**{text}**" if flash <= FLASH and ram <= RAM else text)
        yield f"| {name} | {' | '.join(cells)} |"


def _limited(names: Sequence[str], lines: Sequence[Line], others: Sequence[Line]) -> Iterator[str]:
    """Yield the sets on which the search had a budget, beside the forest on the same splits."""
    own = [name for name in names if any(line["table"] == name for line in lines)]
    forest = {(one["table"], one["split"]): one["test"] for one in others if one["method"] == GOAL}
    rows, losses, fits = [], [], 0
    for name in own:
        found = [line for line in lines if line["table"] == name]
        test = fmean(line["test"] for line in found)
        peer = fmean(forest[name, line["split"]] for line in found)
        losses.append(test - peer)
        cells = [
            _share(test),
            _share(fmean(one["streams"]["q7"].get("test", 0.0) for one in found)),
        ]
        cells += [_share(peer), f"{median(one['features'] for one in found):.0f}"]
        sizes = [_bytes_of(found, "q7", chip) for chip in CHIPS]
        cells += [f"{flash:,.0f} + {ram:,.0f}" for flash, ram in sizes]
        fits += all(flash <= FLASH and ram <= RAM for flash, ram in sizes)
        rows.append(f"| {name} | {' | '.join(cells)} |")
    text = (
        '`dsgec.evolve(x, y, chip="avr", flash="2KB", ram="256")` chooses among what it'
        f" estimates to fit. Linked, {fits} of {len(own)} are within both limits on both chips; the"
        f" mean accuracy is {fmean(losses):+.3f}".replace("-", "−")
        + " from that of the forest, which has no limit:"
    )
    yield fill(text, WIDTH)
    heads = ["", "double", "q7", "`forest`", "features", *(f"q7, {one}" for one in CHIPS.values())]
    yield "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *rows])


def _bytes_of(lines: Sequence[Line], dtype: str, chip: str) -> tuple[float, float]:
    """Return the median flash and RAM of streams; infinite if there are none."""
    sizes = [one["streams"][dtype].get(chip) or _NONE for one in lines]
    return median(one["flash"] for one in sizes), median(one["ram"] for one in sizes)


def _bytes(lines: Sequence[Line], name: str, dtype: str, chip: str) -> tuple[float, float]:
    """Return the median flash and RAM of a set's streams; infinite if there is none."""
    own = [one for one in lines if (one["table"], one["method"]) == (name, REFERENCE)]
    return _bytes_of(own, dtype, chip)


def _errors(names: Sequence[str], lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        if line["method"] == REFERENCE and line["table"] in names:
            for dtype, one in line["streams"].items():
                if "error" in one:
                    yield f"- {line['table']}, split {line['split']}, {dtype}: {one['error']}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}".removeprefix("0")


def _with_error(one: Mean) -> str:
    return _share(one.value) + ("" if one.error is None else f" ± {_share(one.error)}")


_HOW = """\
- Run `python -m benchmarks.signals --sets all`, and again with `--page FILE`; the first lines of
  `benchmarks/signals/sets.py` say how to download the packages. An interrupted run continues; a
  line of JSON has the result of each set, split and method.
- Series that end earlier end with zeros. `watch` has windows of 2.56 s of recordings of ten
  subjects, of which three are test subjects. `heart` has windows of 0.64 s and asks whether a beat
  is in the middle half of one; beats are peaks found in whole recordings by scipy, training and
  test windows are blocks of 20 s of three recordings, and its labels are ours.
- Resamples are drawn here, with the sizes of the default split, while those of the
  published figures are aeon's: means can be compared, single splits cannot.
- Seconds are CPU seconds of one core with the links on both chips, and with compiling what a user
  compiles once.
- Linked with `-Os` and `--gc-sections`: gcc 12.2 for Arm with newlib-nano, avr-gcc with avr-libc.

**Next:** [Features of windows](features.md)."""
