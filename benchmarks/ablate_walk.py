"""The command: what each ingredient of the walk is worth, on development tables.

python -m benchmarks.ablate_walk --seeds 2 --write

Each variant leaves out one ingredient, and learns networks of given numbers of connections from the
same rows. A search whose result is in the file `--out` is not repeated. `--write` puts the table of
means and differences, with their standard errors, into docs/reference/ablation.md.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.chips.page import write_between
from benchmarks.front import load_dataset
from benchmarks.kilobyte.run import append, read
from benchmarks.numbers import descent_of, integer_rows, make_stage
from benchmarks.sizes import TABLES, changed, mean_and_error
from benchmarks.tables import load_table, names_of
from dsgec.arithmetic.printed import vector
from dsgec.engine.toolchain import find_toolchain
from dsgec.search.walk import front as walk_front
from dsgec.search.walk import native_descent
from dsgec.search.walk.descent import Survey
from dsgec.search.walk.edits import CRITERIA, Criterion
from dsgec.search.walk.front import FIRST_RATE, Task, Walk, WalkStep
from dsgec.search.walk.integers import WEIGHTS, as_integers, from_integers, integer_columns, learn
from dsgec.search.walk.layer import Array, SharedLayer, dense_layer, make_layer
from dsgec.search.walk.stage import WalkStage
from dsgec.search.walk.state import Candidate

SIZES = (25, 50, 100, 200, 400)
PAGE = Path(__file__).parents[1] / "docs/reference/ablation.md"
COMMAND = "python -m benchmarks.ablate_walk"
_ADAM = "step * momentum[p] / (dsgec_sqrt(square[p] * scale) + LEAST_ROOT)"
_HIDDEN_SHARE = 6
"""A random sparse network has a neuron for so many connections."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A walk with one change: constants of the walk, its start, its rule of steps, its weights.

    `base` is the variant that it is compared with.
    """

    name: str
    constants: dict[str, Any]
    base: str = ""
    is_sparse: bool = False
    is_by_bytes: bool = False
    plain_rate: float = 0.0
    learned: int | None = None


def weighed(criterion: Criterion) -> Criterion:
    """Return a criterion that divides the importance of a connection by the bytes that it takes.

    The bytes of a neuron are shared by its connections.
    """

    def importance(net: SharedLayer, survey: Survey) -> Array:
        fans = np.bincount(net.neurons, minlength=net.count)[net.neurons]
        found: Array = criterion(net, survey) / (1.0 + NEURON / fans)
        return found

    return importance


def connections_in_bytes(net: SharedLayer) -> float:
    """Return the bytes of a network, divided by those of a connection."""
    return net.size + NEURON * net.count


NEURON = 1.5
"""The bytes of a neuron in a packed table, 3, in those of a connection, 2."""
WALK = "the walk"
BY_BYTES = "front by bytes"
NIBBLES = "weights of 4 bits, learned"
VARIANTS = (
    Variant(WALK, {}),
    Variant("no dense start: random connections", {}, is_sparse=True),
    Variant("no linear start", {"WIDTHS": tuple(filter(None, walk_front.WIDTHS))}),
    Variant("one start: 64 neurons", {"WIDTHS": (64,)}),
    Variant("no swaps", {"LARGEST_SWAPPED": 0}),
    Variant("only weight × deviation", {"CRITERIA": CRITERIA[:1]}),
    Variant("only weight² × second moment", {"CRITERIA": CRITERIA[1:]}),
    Variant("large steps: half at a time", {"SHARE": 2}),
    Variant(BY_BYTES, {}, is_by_bytes=True),
    Variant(
        "front by bytes, pruned by importance per byte",
        {"CRITERIA": tuple(map(weighed, CRITERIA))},
        BY_BYTES,
        is_by_bytes=True,
    ),
    Variant("momentum for Adam, rate × 1", {}, plain_rate=1.0),
    Variant("momentum for Adam, rate × 3", {}, plain_rate=3.0),
    Variant("momentum for Adam, rate × 10", {}, plain_rate=10.0),
    Variant(NIBBLES, {}, learned=4000),
    Variant("weights of 4 bits, rounded", {}, NIBBLES, learned=0),
)
"""The ingredients. Without a base, a variant is compared with the first one."""

Found = dict[tuple[str, int, str], tuple[list[float], float]]
"""The accuracy at each size and the CPU seconds, by table, seed and variant."""


class FewSizes(Walk):
    """A walk that learns only some sizes to the end, and moves connections of all small ones."""

    def is_swapped(self, level: int) -> bool:
        return level <= walk_front.LARGEST_SWAPPED

    def _tasks(self) -> list[Task]:
        wanted = {max(level for level in self.levels if level <= size) for size in SIZES}
        return [task for task in super()._tasks() if len(task) > 1 or task[0] in wanted]


class RandomSparse(FewSizes):
    """Learns a random network of each size instead of pruning a dense one."""

    def complete(self, candidate: Candidate, level: int) -> Candidate:
        net = random_sparse(self, level)
        self.descend(net, np.full(self.steps.first, FIRST_RATE))
        step = self.look(net)
        return super().complete(Candidate(net, step.loss, candidate.order), level)


class ByBytes(FewSizes):
    """Keeps the best networks by their bytes."""

    def _offer(self, step: WalkStep, order: tuple[int, int]) -> None:
        size = connections_in_bytes(step.net)
        level = min((level for level in self.levels if level >= size), default=0)
        best = self.state.best.get(level)
        if level and (best is None or (step.loss, order) < (best.loss, best.order)):
            self.state.best[level] = Candidate(step.net, step.loss, order)


def random_sparse(walk: Walk, size: int) -> SharedLayer:
    """Return a network with random connections and weights."""
    rng = np.random.default_rng(size)
    shape = walk.shape
    hidden = min(max(size // _HIDDEN_SHARE, 1), shape.widest)
    neurons, sources = dense_layer(shape, hidden)
    is_first = neurons < hidden
    inner = min(size // 2, int(is_first.sum()))
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(is_first), inner, replace=False),
            rng.choice(
                np.flatnonzero(~is_first), min(size - inner, int((~is_first).sum())), replace=False
            ),
        ]
    )
    chosen.sort()
    neurons, sources = neurons[chosen], sources[chosen]
    fans = np.maximum(np.bincount(neurons, minlength=hidden + shape.outputs), 1)
    weights = rng.normal(size=len(chosen)) * np.sqrt(2.0 / fans)[neurons]
    values = np.concatenate([weights, np.zeros(hidden + shape.outputs)])
    net = make_layer(shape, hidden, neurons, sources, values)
    return net.keep(np.ones(net.size, bool))


@contextlib.contextmanager
def plain_steps(factor: float) -> Iterator[None]:
    """Compile the descent with momentum alone for a while: no division by the second moment."""
    source = native_descent.descent_source()
    assert _ADAM in source
    changed_source = source.replace(_ADAM, f"step * {factor!r} * momentum[p]")
    native_descent.load_descent.cache_clear()
    with mock.patch.object(native_descent, "descent_source", lambda: changed_source):
        native_descent.load_descent(find_toolchain())
        yield
    native_descent.load_descent.cache_clear()


def outputs_of(net: SharedLayer, rows: Array) -> Array:
    """Return the outputs before the softmax or sigmoid, a row of numbers for each of them."""
    inputs, first, seen = net.shape.inputs, net.first, net.seen
    values = np.concatenate([rows.T, np.zeros((net.hidden, len(rows)))])
    outputs = []
    for neuron in range(net.count):
        own = slice(first[neuron], first[neuron + 1])
        total = seen[net.size + neuron] + seen[own] @ values[net.sources[own]]
        if neuron >= net.hidden:
            outputs.append(total)
            continue
        after = getattr(vector, net.shape.activation)(total)
        values[inputs + neuron] = net.numerals.rounded(after) if net.numerals else after
    return np.array(outputs)


def accuracy(net: SharedLayer, stage: WalkStage) -> float:
    """Return the accuracy on the test rows."""
    dataset, test = stage.problem.dataset, stage.problem.split.test
    outputs = outputs_of(net, dataset.x[test])
    found = outputs[0] > 0.0 if len(outputs) == 1 else outputs.argmax(axis=0)
    return float((found == dataset.class_numbers[test]).mean())


def networks(name: str, seed: int, variant: Variant) -> tuple[WalkStage, list[SharedLayer]]:
    """Return the largest network within each size."""
    with changed(variant.constants):
        stage = make_stage(load_dataset(load_table(name)), seed, None)
        kind = FewSizes
        if variant.is_sparse or variant.is_by_bytes:
            kind = RandomSparse if variant.is_sparse else ByBytes
        made = stage.walk
        walk = kind(
            *(made.descent, made.shape, made.steps, made.seed, 1),
            made.levels[0],
        )
        front = walk.build()
    size_of = connections_in_bytes if variant.is_by_bytes else lambda net: float(net.size)
    return stage, [next(one.net for one in front if size_of(one.net) <= size) for size in SIZES]


def in_nibbles(stage: WalkStage, nets: Sequence[SharedLayer], steps: int) -> list[SharedLayer]:
    """Return networks whose weights have 4 bits, learned for so many steps, or only rounded."""
    columns = integer_columns(stage.problem)
    descent = descent_of(integer_rows(stage, columns))
    learned = [learn(as_integers(net, columns), WEIGHTS["nibbles"], descent, steps) for net in nets]
    return [from_integers(net, columns) for net in learned]


def measure(name: str, seed: int, variant: Variant) -> tuple[list[float], float]:
    """Return the accuracy at each size, and the CPU seconds."""
    started = time.process_time()
    with plain_steps(variant.plain_rate) if variant.plain_rate else contextlib.nullcontext():
        stage, nets = networks(name, seed, variant)
    if variant.learned is not None:
        nets = in_nibbles(stage, nets, variant.learned)
    seconds = time.process_time() - started
    return [accuracy(net, stage) for net in nets], seconds


def table_of(found: Found, chosen: Sequence[Variant]) -> str:
    """Return the means, and the differences from the walk with their standard errors."""
    lines = [f"| variant | {' | '.join(map(str, SIZES))} | CPU s |"]
    lines.append(f"|---|{'---|' * (len(SIZES) + 1)}")
    for variant in chosen:
        name, base = variant.name, variant.base or WALK
        own = {key: one for key, one in found.items() if key[2] == name}
        cells = []
        for at in range(len(SIZES)):
            mean, _ = mean_and_error([one[0][at] for one in own.values()])
            pairs = [
                one[0][at] - found[(*key[:2], base)][0][at]
                for key, one in own.items()
                if (*key[:2], base) in found
            ]
            more, error = mean_and_error(pairs) if pairs else (0.0, 0.0)
            cells.append(f"{mean:.3f}" if name == WALK else f"{more:+.3f} ± {error:.3f}")
        seconds, _ = mean_and_error([one[1] for one in own.values()])
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds:.1f} |".replace("-0.", "−0."))
    return "\n".join(lines) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Measure the variants, print a line for each search, and write the table."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    add = parser.add_argument
    add("--tables", default=TABLES, help="names of development tables")
    add("--seeds", type=int, default=2, help="seeds and splits of each table (2)")
    add("--variants", default="", help="words of the names of variants, separated by commas (all)")
    add("--out", type=Path, default=Path("build/ablate_walk.jsonl"), help="file of results")
    add("--write", action="store_true", help="write the page")
    options = parser.parse_args(words)
    asked = [WALK, *filter(None, options.variants.split(","))]
    chosen = [
        one for one in VARIANTS if not options.variants or any(word in one.name for word in asked)
    ]
    found: Found = {}
    known = {(one["table"], one["split"], one["method"]): one for one in read(options.out)}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for seed in range(1, options.seeds + 1):
        for table in names_of(options.tables):
            for one in chosen:
                key = table, seed, one.name
                if key in known:
                    found[key] = known[key]["accuracies"], known[key]["seconds"]
                    continue
                accuracies, seconds = found[key] = measure(table, seed, one)
                line = {"table": table, "split": seed, "method": one.name}
                append(options.out, {**line, "accuracies": accuracies, "seconds": seconds})
                sizes = " ".join(f"{value:.3f}" for value in accuracies)
                print(table, seed, one.name, sizes, flush=True)
    text = table_of(found, chosen)
    print(text)
    if options.write:
        write_between(
            PAGE,
            f"`{COMMAND} --tables {options.tables} --seeds {options.seeds}`:\n\n{text}",
            COMMAND,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
